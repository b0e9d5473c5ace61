/**
 * A finished campaign that goes on for those who did not get it. Its chunks are opened again where they stand, one
 * after the other, so that every recipient stays in one chunk and in one bin, and a crash in between repeats nothing.
 */
import type { Redis } from 'ioredis';
import { type CampaignRecord, type ChunkRecord, readRecord } from './record.ts';
import type { RecipientState } from '../kinds/recipient.ts';
import { answersOf, fieldsRead } from '../redis/scripts.ts';
import { chunkAt } from './campaigns.ts';
import {
  impliedState,
  isPurged,
  packAgain,
  packOutcome,
  unpackAgain,
  unpackCampaignItems,
  unpackCountries,
  unpackOutcome,
} from './chunk-items.ts';
import {
  reopenSlice,
  moveCursor,
  type ReopenChunkAnswer,
  reopenChunk,
  type RetryCampaignAnswer,
  retryCampaign,
} from './scripts/generated/scripts.ts';
import { unpackItems, waitingAgain } from './slice-form.ts';
import { type SliceRecord, isSliced, readSlice, statesOf } from './slices.ts';
import { keys } from './keys.ts';

/** Looked through at a time: a slice is as large as twenty chunks. */
const SLICES_AT_ONCE = 10;
/** Chunks looked through at a time. */
const AT_ONCE = 200;

export class Retries {
  readonly #redis: Redis;

  readonly #now: () => number | undefined;

  /** `now` gives the time instead of Redis, for tests that turn the clock by hand. */
  constructor(redis: Redis, now?: () => number) {
    this.#redis = redis;
    this.#now = () => now?.();
  }

  /** `key` names the request, so that asking again after a lost answer starts nothing. */
  async start(
    id: string,
    how: { readonly includeUnknown: boolean; readonly key?: string | undefined },
  ): Promise<RetryCampaignAnswer> {
    return retryCampaign(this.#redis, {
      campaign: keys.record(id),
      counts: keys.counts('campaign'),
      running: keys.state('campaign', 'running'),
      due: keys.due('campaign'),
      now: this.#now(),
      id,
      ...how,
    });
  }

  /** Opens the next chunks with somebody to send to, `most` at a time, and says which. */
  async gather(campaign: CampaignRecord, most: number, againInMs: number): Promise<readonly string[]> {
    const { walk = 0 } = campaign;
    const opened: string[] = [];
    const chunks = most > 0 ? await this.#chunksFrom(campaign, walk) : [];
    let place = walk;
    for (; place < walk + chunks.length && opened.length < most; place += 1) {
      const chunk = chunks[place - walk];
      const is = chunk ? await this.#reopenEither(campaign, chunk) : 'done';
      // The next look through the chunks begins with this one.
      if (is === 'stopped' || is === 'changed') break;
      if (chunk && is === 'opened') opened.push(chunk.id);
    }
    await moveCursor(this.#redis, {
      campaign: keys.record(campaign.id),
      due: keys.due('campaign'),
      events: keys.events,
      counts: keys.counts('campaign'),
      running: keys.state('campaign', 'running'),
      now: this.#now(),
      id: campaign.id,
      retry: campaign.retries,
      before: walk,
      after: place,
      againInMs: opened.length > 0 || most <= 0 ? againInMs : 0,
    });
    return opened;
  }

  async #chunksFrom(campaign: CampaignRecord, from: number): Promise<(ChunkRecord | SliceRecord | undefined)[]> {
    const length = isSliced(campaign) ? SLICES_AT_ONCE : AT_ONCE;
    const places = Array.from({ length }, (_, offset) => chunkAt(campaign, from + offset));
    const pipeline = this.#redis.pipeline();
    for (const id of places) if (id !== undefined) pipeline.hgetall(keys.record(id));
    return (await answersOf(pipeline, fieldsRead)).map((read) => {
      if (read['kind'] === 'slice') return readSlice(read);
      return read['kind'] === 'chunk' ? readRecord('chunk', read) : undefined;
    });
  }

  #reopenEither(campaign: CampaignRecord, one: ChunkRecord | SliceRecord): Promise<ReopenChunkAnswer['is']> {
    return 'requests' in one ? this.#reopenSlice(campaign, one) : this.#reopen(campaign, one);
  }

  async #reopenSlice(campaign: CampaignRecord, slice: SliceRecord): Promise<ReopenChunkAnswer['is']> {
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
      counts: keys.counts('chunk'),
      queued: keys.state('chunk', 'queued'),
      dueToSend: keys.due('sms-batch'),
      now: this.#now(),
      id: slice.id,
      retry: campaign.retries,
      rev: slice.rev,
      next: slice.next,
      becomes: waitingAgain(again, this.#now() ?? Number(slice.fields['updatedAt'] ?? 0)),
      deltas: countsOf(slice, before, after),
    });
    return is;
  }

  async #reopen(campaign: CampaignRecord, chunk: ChunkRecord): Promise<ReopenChunkAnswer['is']> {
    if (chunk.state !== 'settled') return 'done';
    const wanted: readonly RecipientState[] = campaign.walkUnknown ? ['failed', 'unknown'] : ['failed'];
    const before = unpackOutcome(chunk.outcome, chunk.count, impliedState.settled);
    const forgotten = unpackCampaignItems(chunk.items).map(({ to }) => isPurged(to));
    const states = before.map(
      (state, index): RecipientState => (wanted.includes(state) && !forgotten[index] ? 'queued' : state),
    );
    if (!states.includes('queued')) return 'done';
    const again = unpackAgain(chunk.again, chunk.count).map((times, index) =>
      before[index] === 'unknown' && states[index] === 'queued' ? times + 1 : times,
    );
    const answer = await reopenChunk(this.#redis, {
      chunk: keys.record(chunk.id),
      campaign: keys.record(campaign.id),
      counts: keys.counts('chunk'),
      queued: keys.state('chunk', 'queued'),
      due: keys.due('sms-batch'),
      now: this.#now(),
      id: chunk.id,
      retry: campaign.retries,
      rev: chunk.rev,
      outcome: packOutcome(states),
      again: packAgain(again),
      deltas: countsOf(chunk, before, states),
    });
    return answer.is;
  }
}

function countsOf(
  chunk: Pick<ChunkRecord, 'countries' | 'count'>,
  before: readonly RecipientState[],
  after: readonly RecipientState[],
): Record<string, number> {
  const counts: Record<string, number> = {};
  const add = (field: string, delta: number): void => {
    counts[field] = (counts[field] ?? 0) + delta;
  };
  const countries = unpackCountries(chunk.countries, chunk.count);
  for (const [index, from] of before.entries()) {
    if (from === after[index]) continue;
    add(`t:${from}`, -1);
    add('t:queued', 1);
    if (countries[index]) add(`c:${countries[index]}:${from}`, -1);
    if (from === 'unknown') add('resent', 1);
  }
  return counts;
}
