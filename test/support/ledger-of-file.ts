import { afterAll, beforeAll, beforeEach } from 'vitest';
import { Database } from '../../src/ledger/pool.ts';
import { type FreshLedger, freshLedger } from './fresh-ledger.ts';

/** A migrated ledger for the tests of this file; these tables are emptied before each test. */
export function ledgerOfThisFile(...tables: readonly string[]) {
  let ledger: FreshLedger | undefined;
  let database: Database | undefined;
  beforeAll(async () => {
    ledger = await freshLedger();
    database = new Database({ url: ledger.url, schema: ledger.schema });
  });
  beforeEach(async () => {
    if (tables.length === 0) return;
    await there(ledger).query(`truncate ${tables.map((table) => `relais.${table}`).join(', ')}`);
  });
  afterAll(async () => {
    await database?.close();
    await ledger?.close();
  });
  return {
    get database(): Database {
      return there(database);
    },
    get url(): string {
      return there(ledger).url;
    },
    query: <Row extends object>(sql: string): Promise<readonly Row[]> => there(ledger).query<Row>(sql),
  };
}

function there<T>(thing: T | undefined): T {
  if (thing === undefined) throw new Error('only while a test of this file runs');
  return thing;
}
