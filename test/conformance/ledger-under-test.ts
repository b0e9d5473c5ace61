/** Operations in PostgreSQL, as the conformance suite sees them. */
import { OperationStore } from '../../src/ledger/operation-store.ts';
import { Operations } from '../../src/ledger/operations.ts';
import type { OperationRow } from '../../src/ledger/records.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { seededRandom, systemRandom } from '../../src/lib/random.ts';
import type { FreshLedger } from '../support/fresh-ledger.ts';
import type { OperationsContract } from '../support/memory-operations.ts';
import { START } from './under-test.ts';

const LEASE_MS = 1_000;

interface StoredRow extends OperationRow {
  readonly lease: string | null;
  readonly due_at: Date | null;
  readonly queue: string | null;
}

/** The same operations with the clock of the test. Nothing is stored at first. */
export async function ledgerUnderTest(ledger: FreshLedger, seed = 1) {
  await ledger.query('truncate relais.operation, relais.outbox, relais.spent, relais.callback, relais.hold');
  const clock = { now: START };
  const database = { url: ledger.url, schema: ledger.schema };
  const now = (): Date => new Date(clock.now);
  // The number of each statement is its own in every run.
  const options = { database, process: `process-${seed}-${systemRandom.hex(4)}`, lanes: 1, now };
  const operations = new Operations({ ...options, clock: systemClock, random: systemRandom });
  const time = (): number => clock.now;
  const turned = { ...systemClock, now: time, monotonic: time, sinceBoot: time };
  const store = new OperationStore({ operations, clock: turned, accounts: ['main'], leaseMs: LEASE_MS });
  const read = async (id: string): Promise<StoredRow | undefined> => (await operations.read<StoredRow>([id]))[0];
  const contract: OperationsContract = Object.assign(store, {
    stillMine: async (id: string, expected: Readonly<Record<string, string>>) => {
      const row = await read(id);
      const stored = { ...row } as Readonly<Record<string, unknown>>;
      return Object.entries(expected).every(([name, value]) => stored[name] === value);
    },
  });
  return {
    operations: contract,
    clock,
    read,
    close: () => operations.close(),
    random: seededRandom(seed),
  };
}
