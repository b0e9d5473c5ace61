/**
 * Connections that end at any moment: answers are true, and lost ones are resolved before the caller gets a result.
 */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { seededRandom, systemRandom } from '../../src/lib/random.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { type NewOperation, Operations } from '../../src/ledger/operations.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';

const KILLS = 15;
const LEAST = 300;
const SEED = Number(process.env['RELAIS_SEED'] ?? 1);

let ledger: FreshLedger;
let operations: Operations;
beforeAll(async () => {
  ledger = await freshLedger();
  const database = { url: ledger.url, schema: ledger.schema };
  operations = new Operations({ database, process: 'struck', clock: systemClock, random: systemRandom, most: 20 });
});
afterAll(async () => {
  await operations?.close();
  await ledger?.close();
});

function payment(n: number): NewOperation {
  const id = `dsb_k${String(n).padStart(25, '0')}`;
  const fingerprint = createHash('sha256').update(id).digest();
  const body = { state: 'queued', queue: 'disbursement', amount: 100, counted: true, request: {}, createdBy: 'shop' };
  return { id, kind: 'disbursement', account: 'main', fingerprint, dueMs: -1_000, ...body };
}

/** Ends every writing connection at any point of its work. */
const strike = () =>
  ledger.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'relais' and pid <> pg_backend_pid()`);

test(`every acceptance is answered truly through ${KILLS} broken connections (RELAIS_SEED=${SEED})`, async () => {
  const random = seededRandom(SEED);
  const answers = new Map<string, string>();
  const done = { asked: 0, kills: 0 };
  /** Connections are refused too: the caller retries, like a client of the API. */
  const ask = async (asked: NewOperation): Promise<void> => {
    const answer = await operations.accept(asked).catch(() => undefined);
    if (answer === undefined) return ask(asked);
    answers.set(asked.id, answer.outcome);
  };
  const asking = async (): Promise<void> => {
    while (done.kills < KILLS || done.asked < LEAST) await ask(payment(done.asked++));
  };
  const striking = async (): Promise<void> => {
    for (; done.kills < KILLS; done.kills += 1) {
      const after = done.asked + 1 + Math.floor(random.fraction() * 20);
      await vi.waitUntil(() => done.asked >= after, { interval: 1 });
      await strike();
    }
  };
  await Promise.all([...Array.from({ length: 10 }, asking), striking()]);

  const recorded = await ledger.query<{ id: string }>(`select id from relais.operation`);
  expect(new Set(recorded.map(({ id }) => id))).toEqual(new Set(answers.keys()));
  expect([...new Set(answers.values())].filter((outcome) => !['accepted', 'duplicate'].includes(outcome))).toEqual(
    [],
  );
  const [spent] = await ledger.query<{ xof: string }>(`select xof from relais.spent where beneficiary = ''`);
  expect(Number(spent?.xof)).toBe(recorded.length * 100);
});
