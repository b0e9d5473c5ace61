/**
 * A finished campaign that goes on for those who did not get it. Its slices are opened again where they stand, one
 * after the other, so that every recipient stays in one slice and in one bin, and a crash in between repeats nothing.
 */
import type { Redis } from 'ioredis';
import { type Act, told } from './audit.ts';
import type { CampaignRecord } from './record.ts';
import type { RecipientState } from '../kinds/recipient.ts';
import { answersOf, fieldsRead } from '../redis/scripts.ts';
import { sliceAt } from './campaigns.ts';
import { isPurged, unpackCountries, unpackItems, waitingAgain } from './slice-form.ts';
import { type SliceRecord, readSlice, statesOf } from './slices.ts';
import { keys } from './keys.ts';
import { type Opinions, wordsOf } from '../kinds/limits.ts';
import {
  type ReopenSliceAnswer,
  reopenSlice,
  moveCursor,
  type RetryCampaignAnswer,
  retryCampaign,
} from './scripts/generated/scripts.ts';

/** Looked through at a time. */
const AT_ONCE = 10;

export class Retries {
  readonly #redis: Redis;

  readonly #now: () => number | undefined;
  readonly #asked: Readonly<Record<string, string>>;

  /** `now` gives the time instead of Redis, for tests that turn the clock by hand. */
  constructor(redis: Redis, { now, limits = {} }: { readonly now?: () => number; readonly limits?: Opinions } = {}) {
    this.#redis = redis;
    this.#now = () => now?.();
    this.#asked = wordsOf('campaigns', limits);
  }

  /** `key` names the request, so that asking again after a lost answer starts nothing. */
  start(
    id: string,
    how: { readonly includeUnknown: boolean; readonly key?: string | undefined; readonly act?: Act | undefined },
  ): Promise<RetryCampaignAnswer> {
    return this.#start(id, { ...how, inRecovery: false });
  }

  /** A retry that a Redis that was put back does not know is under way again there, and nothing of it is due. */
  startAgain(id: string): Promise<RetryCampaignAnswer> {
    return this.#start(id, { includeUnknown: true, inRecovery: true });
  }

  /**
   * All people that a retry had not come to yet when a copy was made: it may have sent to them since. They are open, as
   * those that it had come to, for the recovery to lead on. False: somebody has changed it meanwhile.
   */
  async openRest(campaign: CampaignRecord): Promise<boolean> {
    for (let place = 0; place < campaign.slices; place += AT_ONCE) {
      for (const slice of await this.#slicesFrom(campaign, place)) {
        const is = slice && (await this.#reopen(campaign, slice, true));
        if (is === 'stopped' || is === 'changed') return false;
      }
    }
    return true;
  }

  #start(
    id: string,
    how: {
      readonly includeUnknown: boolean;
      readonly inRecovery: boolean;
      readonly key?: string | undefined;
      readonly act?: Act | undefined;
    },
  ): Promise<RetryCampaignAnswer> {
    return retryCampaign(this.#redis, {
      campaign: keys.record(id),
      counts: keys.counts('campaign'),
      running: keys.state('campaign', 'running'),
      due: keys.due('campaign'),
      limits: keys.limits,
      history: keys.historyWaiting,
      heartbeat: keys.heartbeat,
      now: this.#now(),
      id,
      asked: this.#asked,
      ...how,
      ...told(how.act),
    });
  }

  /** Opens the next slices with somebody to send to, `most` at a time, and says which. */
  async gather(campaign: CampaignRecord, most: number, againInMs: number): Promise<readonly string[]> {
    const { walk = 0 } = campaign;
    const opened: string[] = [];
    const slices = most > 0 ? await this.#slicesFrom(campaign, walk) : [];
    let place = walk;
    for (; place < walk + slices.length && opened.length < most; place += 1) {
      const slice = slices[place - walk];
      const is = slice ? await this.#reopen(campaign, slice) : 'done';
      // The next look through the slices begins with this one.
      if (is === 'stopped' || is === 'changed') break;
      if (slice && is === 'opened') opened.push(slice.id);
    }
    await moveCursor(this.#redis, {
      campaign: keys.record(campaign.id),
      due: keys.due('campaign'),
      events: keys.events,
      counts: keys.counts('campaign'),
      running: keys.state('campaign', 'running'),
      history: keys.historyWaiting,
      now: this.#now(),
      id: campaign.id,
      retry: campaign.retries,
      before: walk,
      after: place,
      againInMs: opened.length > 0 || most <= 0 ? againInMs : 0,
    });
    return opened;
  }

  async #slicesFrom(campaign: CampaignRecord, from: number): Promise<(SliceRecord | undefined)[]> {
    const pipeline = this.#redis.pipeline();
    for (let place = from; place < from + AT_ONCE; place += 1) {
      const id = sliceAt(campaign, place);
      if (id !== undefined) pipeline.hgetall(keys.record(id));
    }
    return (await answersOf(pipeline, fieldsRead)).map((read) =>
      read['kind'] === 'slice' ? readSlice(read) : undefined,
    );
  }

  async #reopen(campaign: CampaignRecord, slice: SliceRecord, inRecovery = false): Promise<ReopenSliceAnswer['is']> {
    if (slice.state !== 'settled') return 'done';
    const items = unpackItems(slice);
    const before = statesOf(slice);
    const again = before.flatMap((state, place) => {
      const wanted = state === 'failed' || (state === 'unknown' && campaign.walkUnknown);
      return wanted && !isPurged(items[place]?.to ?? '') ? [place] : [];
    });
    if (again.length === 0) return 'done';
    const opens = new Set(again);
    const after = before.map((state, place): RecipientState => (opens.has(place) ? 'queued' : state));
    const { is } = await reopenSlice(this.#redis, {
      slice: keys.record(slice.id),
      campaign: keys.record(campaign.id),
      counts: keys.counts('slice'),
      queued: keys.state('slice', 'queued'),
      dueToSend: keys.due('sms-batch'),
      heartbeat: keys.heartbeat,
      now: this.#now(),
      id: slice.id,
      retry: campaign.retries,
      rev: slice.rev,
      next: slice.next,
      becomes: waitingAgain(again, this.#now() ?? Number(slice.fields['updatedAt'] ?? 0)),
      inRecovery,
      deltas: countsOf(slice, before, after),
    });
    return is;
  }
}

function countsOf(
  { countries: packed, count }: SliceRecord,
  before: readonly RecipientState[],
  after: readonly RecipientState[],
): Record<string, number> {
  const counts: Record<string, number> = {};
  const add = (field: string, delta: number): void => {
    counts[field] = (counts[field] ?? 0) + delta;
  };
  const countries = unpackCountries(packed, count);
  for (const [index, from] of before.entries()) {
    if (from === after[index]) continue;
    add(`t:${from}`, -1);
    add('t:queued', 1);
    if (countries[index]) add(`c:${countries[index]}:${from}`, -1);
    if (from === 'unknown') add('resent', 1);
  }
  return counts;
}
