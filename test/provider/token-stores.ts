/** The shared SMS token, for tests that read it from outside. */
import { Database } from '../../src/ledger/pool.ts';
import { ledgerTokenStores } from '../../src/ledger/sms-token.ts';
import type { TokenStores } from '../../src/provider/messaging/token-store.ts';
import { freshLedger } from '../support/fresh-ledger.ts';

export interface TokensUnderTest {
  /** The stores of one process, over its own connection. */
  readonly open: () => Promise<TokenStores>;
  /** Disconnects every process. */
  readonly cut: () => Promise<void>;
  readonly dropToken: () => Promise<void>;
  /** Limits the token's remaining lifetime. */
  readonly shortenToken: (ms: number) => Promise<void>;
  readonly tokenMs: () => Promise<number>;
  /** Gives the login lease to another process for this time. */
  readonly leaseLogin: (owner: string, ms: number) => Promise<void>;
  readonly leaseMs: () => Promise<number>;
  readonly generation: () => Promise<number>;
  /** All stored data, as text. */
  readonly stored: () => Promise<string>;
  readonly close: () => Promise<void>;
}

export async function ledgerTokens(): Promise<TokensUnderTest> {
  const ledger = await freshLedger();
  const { url, schema } = ledger;
  const query = <Row extends object>(sql: string): Promise<readonly Row[]> => ledger.query<Row>(sql);
  let databases: Database[] = [];
  const change = async (set: string): Promise<void> => void (await query(`update relais.sms_token set ${set}`));
  const read = async (what: string): Promise<number> => {
    const [row] = await query<{ value: number }>(
      `select (${what})::float8 as value from relais.sms_token order by login_until desc nulls last limit 1`,
    );
    return row?.value ?? 0;
  };
  const after = (ms: number): string => `clock_timestamp() + ${ms} * interval '1 ms'`;
  const until = (column: string): string => `extract(epoch from ${column} - clock_timestamp()) * 1000`;
  const cut = async (): Promise<void> => {
    await Promise.all(databases.map((database) => database.close()));
    databases = [];
  };
  return {
    open: async () => {
      const database = new Database({ url, schema, size: 2, patience: 20_000 });
      databases.push(database);
      await database.run('marks');
      return ledgerTokenStores({ database });
    },
    cut,
    dropToken: () => change('sealed = null, usable_until = null'),
    shortenToken: (ms) => change(`usable_until = ${after(ms)}`),
    tokenMs: () => read(until('usable_until')),
    leaseLogin: (owner, ms) => change(`login_by = '${owner}', login_until = ${after(ms)}`),
    leaseMs: () => read(until('login_until')),
    generation: () => read('generation'),
    stored: async () => JSON.stringify(await query('select * from relais.sms_token')),
    close: async () => {
      await cut();
      await ledger.close();
    },
  };
}
