/**
 * The same random commands for whoever keeps records. Two keepers that answer alike and end alike are the same keeper,
 * as far as anybody can tell.
 */
import { queueOf, stateOf, type StateOf } from '../../src/kinds/index.ts';
import type { QueueName } from '../../src/kinds/due-queues.ts';
import { type Random, seededRandom } from '../../src/lib/random.ts';
import type { Leased } from '../../src/operations/acquiring.ts';
import type { Change } from '../../src/operations/transition.ts';
import { type OperationsUnderTest, disbursementOf } from './under-test.ts';

const QUEUES = ['disbursement', 'status-poll'] as const satisfies readonly QueueName[];
const LEASE_MS = 1_000;

/** A store that settles lost answers by itself, and leases what it hands out, is asked no command twice and takes nothing. */
interface Spared {
  readonly repeats?: false;
  readonly takes?: false;
}

/** Runs `count` commands and gives what was answered to each. */
export async function randomCommands(
  at: OperationsUnderTest,
  seed: number,
  count: number,
  spared: Spared = {},
): Promise<unknown[]> {
  const random = seededRandom(seed);
  const attempts: Leased<'disbursement'>[] = [];
  const answers: unknown[] = [];
  for (let index = 0; index < count; index += 1) {
    at.clock.now += Math.floor(random.fraction() ** 3 * 2 * LEASE_MS);
    if (random.fraction() < 0.1 && spared.repeats !== false) at.repeatNext();
    answers.push(await oneCommand(at, random, attempts, spared));
  }
  return answers;
}

function pick<T>(random: Random, from: readonly T[]): T | undefined {
  return from[Math.floor(random.fraction() * from.length)];
}

async function oneCommand(
  { operations }: OperationsUnderTest,
  random: Random,
  attempts: Leased<'disbursement'>[],
  { takes }: Spared,
): Promise<unknown> {
  const id = pick(random, ['a', 'b', 'c', 'd', 'ref']) ?? 'a';
  const queue = pick(random, QUEUES) ?? 'disbursement';
  const dice = random.fraction();
  if (dice < 0.12) return operations.accept(requestOf(id, random));
  if (dice < 0.42) {
    const acquired = await operations.acquire('disbursement', id, queue, LEASE_MS);
    if (acquired.is === 'acquired') attempts.push(acquired);
    return acquired;
  }
  if (dice >= 0.42 && dice < 0.5 && takes === false) return undefined;
  if (dice < 0.47) return operations.claim(queue, 1 + Math.floor(random.fraction() * 3), LEASE_MS);
  if (dice < 0.49) return operations.take(queue, 1 + Math.floor(random.fraction() * 3));
  if (dice < 0.5) return operations.handBack(queue, [id]);
  if (dice < 0.6) {
    const said = { operation: 'callback', code: 'é'.repeat(Math.floor(random.fraction() * 60)) };
    const posted = { redacted: pick(random, ['', 'one', 'another']) ?? '', agreesWith: ['succeeded'] };
    return operations.nudge('disbursement', id, said, 500, posted);
  }
  const attempt = pick(random, attempts.slice(-6));
  if (attempt === undefined) return undefined;
  if (dice < 0.65)
    return operations.stillMine(attempt.record.id, { lease: attempt.lease, state: attempt.record.state });
  const lease = random.fraction() < 0.9 ? attempt.lease : undefined;
  const change = changeFrom(attempt.record, random);
  // What goes on under its lease is due at its end.
  const ends = takes === false && change.keepMs !== undefined ? { dueInMs: change.keepMs } : {};
  return operations.transition(attempt.record, lease, { ...change, ...ends });
}

function requestOf(id: string, random: Random) {
  return disbursementOf(id, {
    fingerprint: pick(random, ['one', 'one', 'two']) ?? 'one',
    dueInMs: Math.floor(random.fraction() * 500),
    ...(random.fraction() < 0.5 ? { reference: 'r', idOfReference: 'ref' } : {}),
    ...(random.fraction() < 0.2 ? { notBefore: 1_800_000_000_000 + Math.floor(random.fraction() * 100_000) } : {}),
  });
}

function changeFrom({ id, state }: Leased<'disbursement'>['record'], random: Random): Change<'disbursement'> {
  const arrows = (stateOf('disbursement', state).to ?? []) as readonly StateOf<'disbursement'>[];
  const to = pick(random, [state, ...arrows]) ?? state;
  const waits = queueOf('disbursement', to) !== undefined && random.fraction() < 0.95;
  return {
    to,
    ...(waits ? { dueInMs: Math.floor(random.fraction() * 3_000) } : {}),
    ...(random.fraction() < 0.3 ? { keepMs: LEASE_MS } : {}),
    ...(random.fraction() < 0.4 ? { event: { type: `disbursement.${to}`, data: { to } } } : {}),
    ...(random.fraction() < 0.5
      ? { evidence: { operation: 'x', code: to, httpStatus: 200, detail: 'a|b\n c' } }
      : {}),
    ...(random.fraction() < 0.3 ? { nudgeAfterMs: 100 } : {}),
    ...(random.fraction() < 0.2 ? { forgetsCallback: true } : {}),
    set:
      pick(random, [{}, { token: `token of ${id}` }, { token: '' }, { '@quietUntil': 50, tries: 3 }, { tries: 1 }]) ??
      {},
  };
}
