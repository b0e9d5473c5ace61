/** The limits that all processes share, in Redis: the one script that accepts checks them, whichever entry point was used. */
import type { Redis } from 'ioredis';
import { derivedHex } from '../lib/ids.ts';
import {
  ASKED_FOR_MS,
  type LimitChange,
  type LimitSet,
  type LimitStanding,
  type LimitValue,
  type Limits,
  type MoneyLimit,
  type Opinions,
  limitNamed,
  moneyLimits,
  reasonsFor,
  strictestOf,
  valueOf,
  wordOf,
} from '../kinds/limits.ts';
import { type Act, told, toldEach } from './audit.ts';
import { keys } from './keys.ts';
import { publishLimits, setLimit } from './scripts/generated/scripts.ts';
import { type Deployment, wordOfDeployment } from './stamp.ts';

interface SharedLimitsOptions {
  /** Gives the time instead of Redis, for tests. */
  readonly now?: () => number;
  /** Nothing is told to the keys of another one. */
  readonly ours?: Deployment;
}

export class SharedLimits {
  readonly #redis: Redis;
  readonly #own: Opinions;
  readonly #now: () => number | undefined;
  readonly #ours: string | undefined;
  /** Settings of this process that were looser than what held when it started. */
  readonly #looser = new Set<MoneyLimit>();

  /** `own`: what the settings of this process ask for. */
  constructor(redis: Redis, own: Opinions = {}, { now, ours }: SharedLimitsOptions = {}) {
    this.#redis = redis;
    this.#own = own;
    this.#now = () => now?.();
    this.#ours = wordOfDeployment(ours);
  }

  /**
   * Lowers what holds to the settings of this process. Answers what it changed, and where it would have had more. `op`
   * is the same when it is asked again because the answer was lost. `again`: this process has told them before, and
   * Redis may have lost them; what people have said since stays.
   */
  async publish(
    by: string,
    op: string,
    when: 'at start' | 'again' = 'at start',
    act?: Act,
  ): Promise<{ readonly lowered: readonly LimitChange[]; readonly looser: readonly MoneyLimit[] }> {
    const said = moneyLimits.map((name) => [name, wordOf(this.#own[name])] as const);
    const asked = said.filter(([, word]) => word !== '');
    const answer = await publishLimits(this.#redis, {
      limits: keys.limits,
      stamp: keys.stamp,
      ...toldEach(asked.map(([name]) => act && { ...act, target: name })),
      now: this.#now(),
      by,
      op,
      runs: when === 'again',
      ours: this.#ours,
      asked: Object.fromEntries(asked),
    });
    const lowered: LimitChange[] = [];
    for (const { is, name: word, was } of answer) {
      const name = limitNamed(word);
      if (is === 'looser') this.#looser.add(name);
      else lowered.push({ name, from: strictestOf(name, [valueOf(was)]), to: this.#own[name] ?? null });
    }
    return { lowered, looser: [...this.#looser] };
  }

  /**
   * Said once more by the same key, for a day, it answers what it did then: the first answer may have been lost. `ones`:
   * who is no other person than `by`, in small letters.
   */
  async set(
    name: MoneyLimit,
    value: LimitValue,
    by: string,
    { act, ones = [] }: { readonly act?: Act; readonly ones?: readonly string[] } = {},
  ): Promise<LimitSet> {
    const op = derivedHex('limit', by, name, wordOf(value));
    const asked = { now: this.#now(), by, ones, name, value: wordOf(value), waitsMs: ASKED_FOR_MS, op };
    const answer = await setLimit(this.#redis, { limits: keys.limits, ...told(act), ...asked });
    const from = valueOf(answer.held) ?? null;
    return { is: answer.is, from, ...(answer.is === 'in force' && answer.again ? { again: true } : {}) };
  }

  /** All of them as they stand in Redis; `now` tells what was asked too long ago. */
  async list(now: number): Promise<LimitStanding[]> {
    const stored = await this.#redis.hgetall(keys.limits);
    return moneyLimits.map((name) => standingOf(name, stored, now));
  }

  /** What holds for this process. */
  async inForce(): Promise<Limits> {
    const words = await this.#redis.hmget(keys.limits, ...moneyLimits);
    const held = moneyLimits.map(
      (name, at) => [name, strictestOf(name, [this.#own[name], valueOf(words[at])])] as const,
    );
    return Object.fromEntries(held.filter(([, value]) => value !== null));
  }

  /**
   * Why this process should be given no work: its settings asked for more than held when it started, and still do. A
   * process that ran before a limit was made stricter stays ready, or each stricter setting would empty the load
   * balancer.
   */
  async reasons(now: number): Promise<string[]> {
    if (this.#looser.size === 0) return [];
    const reasons = reasonsFor(this.#own, await this.list(now));
    for (const name of this.#looser) if (!reasons.has(name)) this.#looser.delete(name);
    return [...this.#looser].flatMap((name) => reasons.get(name) ?? []);
  }
}

function standingOf(name: MoneyLimit, stored: Readonly<Record<string, string>>, now: number): LimitStanding {
  const member = (of: string): string | undefined => stored[`${name}.${of}`];
  const [since, by, askedBy, askedAt] = [member('since'), member('by'), member('askedBy'), Number(member('askedAt'))];
  const waits = askedBy !== undefined && now - askedAt <= ASKED_FOR_MS;
  return {
    name,
    value: strictestOf(name, [valueOf(stored[name])]),
    ...(since === undefined ? {} : { since: Number(since) }),
    ...(by === undefined ? {} : { by }),
    ...(waits ? { asked: { value: valueOf(member('asked')) ?? null, by: askedBy, at: askedAt } } : {}),
  };
}
