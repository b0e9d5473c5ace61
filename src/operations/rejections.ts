/** Requests of the queue `intake` that were refused: reported as an event, and listed for operators. */
import type { Redis } from 'ioredis';
import type { Rejection } from '../kinds/intake.ts';
import { keys } from './keys.ts';
import { rejectIntake } from './scripts/generated/scripts.ts';

/** The newest of the last 30 days are stored. */
const REJECTIONS_KEPT = { ms: 30 * 86_400_000, most: 10_000 } as const;
const AT_ONCE = 500;

export interface StoredRejection extends Rejection {
  /** Place in the list. */
  readonly place: string;
  /** ms since the epoch. */
  readonly at: number;
}

export interface RejectionPage {
  readonly items: readonly StoredRejection[];
  readonly next: string | null;
}

interface Wanted {
  readonly before?: string | undefined;
  readonly limit: number;
  readonly isMeant: (account: string) => boolean;
}

export class Rejections {
  readonly #redis: Redis;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** False: it was reported before. */
  async add({ account, ...rejection }: Rejection): Promise<boolean> {
    return rejectIntake(this.#redis, {
      rejections: keys.rejections,
      seen: keys.rejection(rejection.id),
      events: keys.events,
      counts: keys.counts('intake'),
      id: rejection.id,
      account,
      data: JSON.stringify(rejection),
      keepMs: REJECTIONS_KEPT.ms,
      most: REJECTIONS_KEPT.most,
    });
  }

  /** Newest first. */
  async page({ before, limit, isMeant }: Wanted): Promise<RejectionPage> {
    const found: StoredRejection[] = [];
    for (let from = before; ; ) {
      const read = await this.#read(from);
      for (const one of read) {
        if (!isMeant(one.account)) continue;
        found.push(one);
        if (found.length === limit) return { items: found, next: one.place };
      }
      from = read.at(-1)?.place;
      if (from === undefined || read.length < AT_ONCE) return { items: found, next: null };
    }
  }

  async #read(before: string | undefined): Promise<readonly StoredRejection[]> {
    const entries = await this.#redis.xrevrange(
      keys.rejections,
      before === undefined ? '+' : `(${before}`,
      '-',
      'COUNT',
      AT_ONCE,
    );
    return entries.map(([place, fields]) => {
      const [, account = '', , data = '{}'] = fields;
      // Written by `add`.
      return { ...(JSON.parse(data) as Omit<Rejection, 'account'>), place, at: Number(place.split('-')[0]), account };
    });
  }
}
