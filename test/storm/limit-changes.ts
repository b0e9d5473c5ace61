/**
 * Limits that change while relais runs: a worker that is restarted with an old environment file, one with a stricter
 * limit, and users who request a looser one. Meanwhile a client requests payments above the limit.
 */
import { type Random, seededRandom } from '../../src/lib/random.ts';
import { RequestRefused, type Wish, untilAcknowledged, wishAt } from './caller.ts';
import { nowMs, wait, waitUntil } from './clock.ts';
import { ask } from './http.ts';
import { SECOND_SECRET } from './plan.ts';
import type { Hands } from './restores.ts';
import type { LedgerEntry, SeenLimits, SeenRecord } from './story.ts';
import type { System } from './system.ts';

/** The first limit of all; an old file's; a worker's later one; the one that two people agree on. */
export const FIRST_LIMIT = 20_000;
const OLD_FILES: readonly Readonly<Record<string, string>>[] = [
  { MAX_DISBURSEMENT: 'off' },
  { MAX_DISBURSEMENT: '900000' },
  { MAX_DISBURSEMENT: String(FIRST_LIMIT) },
];
const STRICTER = 10_000;
const AGREED = 15_000;
const GREEDY_EVERY_MS = 250;

export interface LimitChanges {
  readonly inForce: { from: number; amount: number }[];
  readonly greedy: { readonly at: number; readonly wish: Wish; status?: number | undefined }[];
  afterTwo?: Wish;
}

const strictestAt = (inForce: LimitChanges['inForce'], at: number): number =>
  inForce.findLast(({ from }) => from <= at)?.amount ?? Number.POSITIVE_INFINITY;

export class Limits {
  readonly seen: LimitChanges = { inForce: [{ from: nowMs(), amount: FIRST_LIMIT }], greedy: [] };
  readonly #system: System;
  readonly #seed: number;
  readonly #hands: Hands;

  constructor(system: System, seed: number, hands: Hands) {
    this.#system = system;
    this.#seed = seed;
    this.#hands = hands;
  }

  /** The limits of a process restarted after a fault. */
  oldFile(random: Random): Readonly<Record<string, string>> {
    return OLD_FILES[Math.floor(random.fraction() * OLD_FILES.length)] ?? {};
  }

  /** Until the signal fires: payments above the current limit, each with its own name. */
  async beGreedy(signal: AbortSignal): Promise<void> {
    const random = seededRandom(this.#seed + 11);
    for (let index = 0; !signal.aborted; index += 1) {
      await wait(GREEDY_EVERY_MS);
      const at = nowMs();
      const amount = Math.ceil(strictestAt(this.seen.inForce, at) * (1.05 + random.fraction() * 3));
      const wish = { ...wishAt(`storm-${this.#seed}-greedy-${index}`, 800_000 + index), amount };
      const { accountAlias, withdrawMode, reference } = wish;
      const body = { accountAlias, amount, withdrawMode, reference };
      const reply = await ask(`${this.#system.api}/v1/disbursements`, { method: 'POST', body, withinMs: 3_000 });
      this.seen.greedy.push({ at, wish, status: reply?.status });
    }
  }

  /** A worker starts with a stricter limit, which then applies to all. */
  async tightenOnce(): Promise<void> {
    const [worker] = await this.#hands.take(this.#system.workers.slice(0, 1));
    if (!worker) return;
    await worker.kill();
    const { more } = worker;
    worker.more = { ...more, MAX_DISBURSEMENT: String(STRICTER) };
    await worker.start();
    this.seen.inForce.push({ from: nowMs(), amount: STRICTER });
    worker.more = more;
    this.#hands.release([worker]);
  }

  /** One key requests a looser limit without effect; another key requests the same, and it applies. */
  async loosenByTwo(wishes: Wish[], patienceMs: number): Promise<void> {
    const until = nowMs() + patienceMs;
    if (!(await this.#set(AGREED, undefined, patienceMs))) return;
    await wait(2 * GREEDY_EVERY_MS);
    // From the second request on, either limit may apply.
    this.seen.inForce.push({ from: nowMs(), amount: AGREED });
    if (!(await this.#set(AGREED, SECOND_SECRET, until - nowMs()))) return;
    const wish = { ...wishAt(`storm-${this.#seed}-agreed`, 900_000), amount: AGREED };
    wishes.push(wish);
    this.seen.afterTwo = wish;
    // A process that has not read the looser limit yet still refuses.
    await waitUntil(() => this.#isAcknowledged(wish, until), until - nowMs());
  }

  async #isAcknowledged(wish: Wish, until: number): Promise<boolean> {
    try {
      await untilAcknowledged(wish, { api: this.#system.api, until });
      return wish.acknowledged;
    } catch (error) {
      if (error instanceof RequestRefused) return false;
      throw error;
    }
  }

  #set(amount: number, secret: string | undefined, patienceMs: number): Promise<boolean> {
    const headers = secret === undefined ? {} : { authorization: `Bearer ${secret}` };
    const body = { value: amount };
    return waitUntil(async () => {
      const url = `${this.#system.api}/v1/limits/MAX_DISBURSEMENT`;
      const reply = await ask(url, { method: 'POST', body, headers, withinMs: 3_000 });
      return (reply?.status ?? 500) < 300;
    }, patienceMs);
  }
}

export function seenLimits(
  { inForce, greedy, afterTwo }: LimitChanges,
  ledger: readonly LedgerEntry[],
  records: readonly SeenRecord[],
): SeenLimits {
  const timesOf = ({ disburseId }: Wish): number =>
    ledger.reduce((sum, entry) => (entry.disburseId === disburseId ? sum + entry.effects : sum), 0);
  return {
    inForce,
    greedy: greedy.map(({ at, wish, status }) => ({ at, amount: wish.amount, status, times: timesOf(wish) })),
    afterTwo: afterTwo && (records.find(({ id }) => id === afterTwo.id)?.state ?? 'not there'),
  };
}
