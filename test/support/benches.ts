/** A ledger for processors in the tests of one file. Every test begins with an empty one. */
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { Kind } from '../../src/kinds/index.ts';
import { Holds } from '../../src/ledger/holds.ts';
import { OperationStore } from '../../src/ledger/operation-store.ts';
import { Operations } from '../../src/ledger/operations.ts';
import { Database } from '../../src/ledger/pool.ts';
import { type LedgerKind, type OperationRow, columnOf, readRow } from '../../src/ledger/records.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { type EvidenceLines, UnreadableRecord } from '../../src/operations/record.ts';
import { type FreshLedger, freshLedger } from './fresh-ledger.ts';
import { type BenchChanges, LEASE_MS, type ProcessorWorld, type StoreOfWorld, worldOver } from './processor-world.ts';

export interface Bench {
  readonly world: (changes?: BenchChanges) => ProcessorWorld;
}

/** The lines of evidence as stored. */
export function storedLines(record: { readonly evidence: EvidenceLines } | undefined): readonly string[] {
  return record?.evidence.lines ?? [];
}

const STORED = 'operation, outbox, spent, callback, tombstone, hold, failure_row, limit_value';

interface OpenLedger {
  readonly ledger: FreshLedger;
  readonly database: Database;
  readonly operations: Operations;
}

/** Call it once in a file, or in a `describe` block: it opens a ledger for its tests. */
export function openBench(): Bench {
  let open: OpenLedger | undefined;
  let now = (): number => Date.now();
  beforeAll(async () => {
    const ledger = await freshLedger();
    const place = { url: ledger.url, schema: ledger.schema };
    const database = new Database(place);
    const of = { process: 'bench', clock: systemClock, random: systemRandom, lanes: 1 };
    open = { ledger, database, operations: new Operations({ ...of, database: place, now: () => new Date(now()) }) };
  });
  afterAll(async () => {
    await open?.operations.close();
    await open?.database.close();
    await open?.ledger.close();
  });
  const opened = (): OpenLedger => {
    if (open === undefined) throw new Error('the ledger is there once the tests have begun');
    return open;
  };
  beforeEach(async () => {
    const tables = STORED.split(', ').map((table) => `relais.${table}`);
    await opened().ledger.query(`truncate ${tables.join(', ')}`);
  });
  return {
    world: (changes) =>
      worldOver((turned) => {
        now = turned;
        return ledgerStore(opened(), turned);
      }, changes),
  };
}

function ledgerStore({ ledger, database, operations }: OpenLedger, now: () => number): StoreOfWorld {
  const clock = { ...systemClock, now, monotonic: now, sinceBoot: now };
  const read = async (kind: Kind, id: string) => {
    const [row] = await operations.read<OperationRow>([id]);
    const record = row && readRow(kind as LedgerKind, row);
    if (record instanceof UnreadableRecord) throw record;
    return record;
  };
  return {
    operations: new OperationStore({ operations, clock, accounts: ['main'], leaseMs: LEASE_MS }),
    // The kind of the row was compared, which the compiler cannot follow.
    queries: { read } as unknown as StoreOfWorld['queries'],
    accounts: new Holds({ database, clock, now: () => new Date(now()) }),
    dueAt: async (queue, id) => {
      const [row] = await ledger.query<{ due_at: Date | null }>(
        `select due_at from relais.operation where id = '${id}' and queue = '${queue}'`,
      );
      return row?.due_at?.getTime() ?? null;
    },
    alter: async (id, fields) => void (await ledger.query(alteration(id, fields))),
    mayTry: async (hold) => {
      const [area, reason] = hold.split('.');
      await ledger.query(`update relais.hold set trial_at = 'epoch' where area = '${area}' and reason = '${reason}'`);
    },
    events: () =>
      ledger.query(`select type, subject, data from relais.outbox where type is not null order by sequence`),
  };
}

/** Without the trigger that checks state transitions. */
function alteration(id: string, fields: Readonly<Record<string, string | number>>): string {
  const set = Object.entries(fields).flatMap(([name, value]) => {
    if (name === 'lease')
      return [`lease = 999999${'until' in fields ? '' : `, lease_until = coalesce(lease_until, 'infinity')`}`];
    if (name === 'until') return [`lease_until = to_timestamp(${Number(value) / 1_000})`];
    const column = columnOf('disbursement', name);
    return [column ? `${column} = '${value}'` : `facts = facts || '${JSON.stringify({ [name]: value })}'`];
  });
  return `begin; set local session_replication_role = replica;
    update relais.operation set ${set.join(', ')} where id = '${id}'; commit`;
}
