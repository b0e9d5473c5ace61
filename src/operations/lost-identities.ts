/**
 * What was accepted in a lost time, and was not over when Redis was lost: of it history has no row, only the act in
 * the audit. Whether it was done nobody here knows, and asked for again it would be done once more; so its identity is
 * taken until a person has looked at the service. Only of kinds that the service does not know again by an identity of
 * ours: a disbursement has its `disburse_id`, and an invoice that is made twice moves no money. A campaign that the copy
 * shows as a draft, and that was started then, is given up: filled anew, it would be sent once more.
 */
import type { Redis } from 'ioredis';
import { acts } from '../kinds/acts.ts';
import type { Campaigns } from './campaigns.ts';
import { keys } from './keys.ts';
import { walkLost } from './lost-walk.ts';
import type { Past, PastAct } from './past.ts';
import { CLOCKS_APART_MS, type LostTime } from './put-back.ts';
import { RESTORED } from './restored.ts';
import { takeIdentity } from './scripts/generated/scripts.ts';
import { LOST_STUB, stubAt } from './stubs.ts';

const DAY_MS = 86_400_000;

/** Each names the one operation that was accepted. A line about messages names the first of up to fifty. */
const TAKEN: readonly string[] = [acts.createDirectCredit.act, acts.createCampaign.act];
const STARTED: readonly string[] = [acts.startCampaign.act];

interface LostIdentitiesOptions {
  readonly redis: Redis;
  /** Absent: this process cannot ask it. */
  readonly past: Past | undefined;
  readonly campaigns: Pick<Campaigns, 'switch'>;
  /** How long an identity is taken. */
  readonly keepMs: number;
  /** Gives the time instead of Redis, for tests that turn the clock by hand. */
  readonly now?: () => number;
}

export class LostIdentities {
  readonly #options: LostIdentitiesOptions;

  constructor(options: LostIdentitiesOptions) {
    this.#options = options;
  }

  /** After what is over was put back. True: all are taken. False: call again. Throws HistoryAway. */
  async turn(lost: LostTime, hasTime: () => boolean): Promise<boolean> {
    const { redis, past } = this.#options;
    if (past === undefined || (await past.store()) === undefined) return true;
    const from = Math.max(0, lost.from - CLOCKS_APART_MS);
    const walk = (name: string, known: readonly string[], take: (id: string) => Promise<unknown>) => ({
      field: `${lost.since} ${name} place`,
      page: (how: Parameters<Past['actsAfter']>[2]) => past.actsAfter(from, known, how),
      take: (done: readonly PastAct[]) => Promise.all(done.map(({ target }) => take(target))),
    });
    const [taken, started] = [
      walk('lost identities', TAKEN, (id) => this.#take(id)),
      walk('lost starts', STARTED, (id) => this.#giveUp(id, lost.since)),
    ];
    return (await walkLost(redis, taken, hasTime)) && walkLost(redis, started, hasTime);
  }

  /** Those that were taken in the last recovery. */
  async taken(): Promise<string[]> {
    return (await this.#options.redis.smembers(keys.recoveryLost)).toSorted();
  }

  #take(id: string): Promise<boolean> {
    const { redis, keepMs, now } = this.#options;
    return takeIdentity(redis, {
      record: keys.record(id),
      ...stubAt(id),
      heartbeat: keys.heartbeat,
      lost: keys.recoveryLost,
      now: now?.(),
      id,
      stub: LOST_STUB,
      keepDays: Math.ceil(keepMs / DAY_MS),
    });
  }

  async #giveUp(id: string, since: number): Promise<void> {
    const { redis, campaigns } = this.#options;
    const { is } = await campaigns.switch(id, 'giveUp', { reason: RESTORED, inRecovery: since });
    if (is === 'applied') await redis.sadd(keys.recoveryLost, id);
  }
}
