/** Disbursements through relais: accepted while their queue is paused, then let go, and over when each is final. */
import { setTimeout as delay } from 'node:timers/promises';
import { keys } from '../../../src/operations/keys.ts';
import { CONCURRENCY, disbursementOf, inParallel, referenceOf } from '../work.ts';
import type { Relais } from './relais.ts';

const LOOK_EVERY_MS = 20;

/** Accepts them while their queue rests. */
export async function acceptAll(relais: Relais, { first, count }: { first: number; count: number }): Promise<void> {
  await relais.ask('POST', '/v1/queues/disbursement/pause');
  await inParallel(count, CONCURRENCY, (index) => accept(relais, first + index));
}

async function accept(relais: Relais, index: number): Promise<void> {
  const body = { ...disbursementOf(index), reference: referenceOf(index) };
  await relais.ask('POST', '/v1/disbursements', body);
}

/** From the first request to the last final state, ms: the queue runs all the while. */
export async function acceptAndLiveAll(
  relais: Relais,
  { first, count }: { first: number; count: number },
): Promise<number> {
  const before = await succeeded(relais);
  const started = performance.now();
  await inParallel(count, CONCURRENCY, (index) => accept(relais, first + index));
  while ((await succeeded(relais)) < before + count) await delay(LOOK_EVERY_MS);
  return performance.now() - started;
}

/** From the moment the queue runs to the last final state, ms. */
export async function liveAll(relais: Relais, count: number): Promise<number> {
  const before = await succeeded(relais);
  const started = performance.now();
  await relais.ask('POST', '/v1/queues/disbursement/resume');
  while ((await succeeded(relais)) < before + count) await delay(LOOK_EVERY_MS);
  return performance.now() - started;
}

async function succeeded({ look }: Relais): Promise<number> {
  return Number((await look.hget(keys.counts('disbursement'), 'succeeded')) ?? 0);
}
