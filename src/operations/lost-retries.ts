/**
 * Campaigns that are finished in a copy of Redis, and were retried after it was made: those who failed in the copy may
 * have got it since, and a retry of what the copy shows would send to them once more. So the retry is begun again as it
 * was, with nothing that is due: the recovery then leads it on as any campaign that is under way. Those that are `sent`
 * in history are so, the others are in doubt, and none of them is left `failed`.
 *
 * A campaign leaves `finished` by a retry alone, so whatever was told of it later tells of one. A retry that was not
 * over at the loss is a line of the audit, which the copy does not have; of one that the library started there is none.
 */
import type { Redis } from 'ioredis';
import { acts } from '../kinds/acts.ts';
import { kindOf } from '../kinds/index.ts';
import { keys } from './keys.ts';
import { readMany } from './lists.ts';
import { walkLost } from './lost-walk.ts';
import type { Past, PastAct, PastEvent } from './past.ts';
import { CLOCKS_APART_MS, type LostTime } from './put-back.ts';
import { type CampaignRecord, UnreadableRecord } from './record.ts';
import type { Retries } from './retries.ts';

const RETRIED: readonly string[] = [acts.retryCampaign.act];

interface LostRetriesOptions {
  readonly redis: Redis;
  /** Absent: this process cannot ask it. */
  readonly past: Past | undefined;
  readonly retries: Pick<Retries, 'startAgain'>;
}

export class LostRetries {
  readonly #options: LostRetriesOptions;

  constructor(options: LostRetriesOptions) {
    this.#options = options;
  }

  /** True: all are begun again. False: call again. Throws HistoryAway. */
  async turn(lost: LostTime, hasTime: () => boolean): Promise<boolean> {
    const { redis, past } = this.#options;
    if (past === undefined || (await past.store()) === undefined) return true;
    const from = Math.max(0, lost.from - CLOCKS_APART_MS);
    const events = {
      field: `${lost.since} retries told place`,
      page: (how: Parameters<Past['eventsFrom']>[1]) => past.eventsFrom(from, how),
      take: (told: readonly PastEvent[]) => this.#take(told.filter(isOfCampaign), isLater),
    };
    const lines = {
      field: `${lost.since} retries asked place`,
      page: (how: Parameters<Past['actsAfter']>[2]) => past.actsAfter(from, RETRIED, how),
      take: async (asked: readonly PastAct[]) => {
        const unknown = await this.#unknown(asked);
        await this.#take(
          unknown.map(({ target, at }) => ({ operation: target, at })),
          () => true,
        );
      },
    };
    return (await walkLost(redis, events, hasTime)) && walkLost(redis, lines, hasTime);
  }

  /** Those of which the copy has no line: what it has a line of, it has the campaign of, too. */
  async #unknown(asked: readonly PastAct[]): Promise<PastAct[]> {
    const known = await Promise.all(
      asked.map(({ place }) => this.#options.redis.xrange(keys.audit, place, place, 'COUNT', 1)),
    );
    return asked.filter((_, at) => known[at]?.length === 0);
  }

  async #take<T extends Pick<PastEvent, 'operation' | 'at'>>(
    told: readonly T[],
    isOf: (campaign: CampaignRecord, one: T) => boolean,
  ): Promise<void> {
    const { redis, retries } = this.#options;
    const ids = [...new Set(told.map(({ operation }) => operation))];
    for (const record of await readMany(redis, 'campaign', ids)) {
      // One that cannot be read is retried by nobody.
      if (record === undefined || record instanceof UnreadableRecord) continue;
      const isRetried = told.some(
        (one) => one.operation === record.id && one.at >= record.createdAt && isOf(record, one),
      );
      if (isRetried) await retries.startAgain(record.id);
    }
  }
}

const isOfCampaign = ({ operation }: PastEvent): boolean => kindOf(operation) === 'campaign';

const isLater = ({ fields }: CampaignRecord, { sequence }: PastEvent): boolean =>
  sequence > Number(fields['seq'] ?? 0);
