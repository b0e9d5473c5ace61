/** Which recipient a signed link is about. A link names an upload and a place in it; the number stays in the slice. */
import type { Redis } from 'ioredis';
import { type StopPlace, uploadName } from '../lib/stop-link.ts';
import type { Random } from '../lib/random.ts';
import { campaignOfSlice } from './slices.ts';
import { keys } from './keys.ts';
import { HistoryAway, type Past } from './past.ts';
import { stubsLeft } from './stubs.ts';
import { isPurged, unpackItems } from './slice-form.ts';

export interface Linked {
  readonly account: string;
  readonly campaign: string;
  /** The sender that the campaign names; absent: that of the account. */
  readonly from?: string;
  /** E.164, with the plus sign. */
  readonly to: string;
}

interface StopLinksOptions {
  readonly redis: Redis;
  readonly random: Random;
  /** Where campaigns are that left Redis. */
  readonly past?: Past | undefined;
}

export class StopLinks {
  readonly #redis: Redis;
  readonly #random: Random;
  readonly #past: Past | undefined;

  constructor({ redis, random, past }: StopLinksOptions) {
    this.#redis = redis;
    this.#random = random;
    this.#past = past;
  }

  /**
   * A name for an upload (`campaign.tag`). Drawn and not counted: where Redis was put back, a number that is given again
   * would lead the link of one person to another.
   */
  async open(upload: string): Promise<string> {
    for (;;) {
      const name = uploadName(this.#random.hex(8));
      if ((await this.#redis.hsetnx(keys.stopUploads, name, upload)) === 1) return name;
    }
  }

  /** The upload did not come to anything. */
  async close(name: string): Promise<void> {
    await this.#redis.hdel(keys.stopUploads, name);
  }

  /**
   * Undefined: the upload is not there any more, or the person was forgotten. Throws HistoryAway where its campaign
   * left Redis and cannot be read now: nobody is told that a wish was noted which was not.
   */
  async find({ upload, slice, index }: StopPlace): Promise<Linked | undefined> {
    const named = await this.#redis.hget(keys.stopUploads, upload);
    if (named === null) return undefined;
    const id = `${named}-${slice}`;
    const [account, items, rows] = await this.#redis.hmget(keys.record(id), 'account', 'items', 'rows');
    const campaign = campaignOfSlice(id);
    const [from] = await this.#redis.hmget(keys.record(campaign), 'from');
    if (account === null && campaign !== '') return this.#left({ campaign, slice: id, index });
    const item = items ? unpackItems({ items, rows: rows ?? '' })[index] : undefined;
    if (!account || item === undefined || isPurged(item.to)) return undefined;
    return { account, campaign, to: item.to, ...(from ? { from } : {}) };
  }

  async #left({ campaign: id, slice, index }: PlaceLeft): Promise<Linked | undefined> {
    const [stub] = await stubsLeft(this.#redis, [id]);
    if (stub === undefined) return undefined;
    if (this.#past === undefined)
      throw new HistoryAway('the campaign is in history, and HISTORY_URL is not set here');
    const { account, from, createdAt } = (await this.#past.fieldsOf(id)) ?? {};
    const one = { of: slice, createdAt: Number(createdAt), from: index, limit: 1 };
    const [item] = account === undefined ? [] : await this.#past.recipientsOf(one);
    if (account === undefined || item === undefined || isPurged(item.to)) return undefined;
    return { account, campaign: id, to: item.to, ...(from ? { from } : {}) };
  }
}

interface PlaceLeft {
  readonly campaign: string;
  readonly slice: string;
  readonly index: number;
}
