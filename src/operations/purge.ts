/**
 * Forgets a person: their number and the words that were meant for them, in messages, in the recipients of campaigns
 * and in the rows that were left out. Nothing is counted anew: a sent text was sent.
 *
 * There is no index from numbers to records, since it would be one more place that knows everybody. All records are
 * walked, a bounded number a call. A text that is on its way, or in doubt, still needs its number: it is counted as
 * open, and another walk forgets it later.
 */
import type { Redis } from 'ioredis';
import { type CampaignRecord, type ChunkRecord, type Fields, type MessageRecord, readRecord } from './record.ts';
import { isFinal } from '../kinds/states.ts';
import { digitsOf } from '../lib/phone.ts';
import { fingerprint } from '../lib/ids.ts';
import { answersOf, list, maybe, text } from '../redis/scripts.ts';
import { PURGED, packCampaignItem, packOutcome, unpackCampaignItems, unpackOutcome } from './chunk-items.ts';
import { keys } from './keys.ts';
import { purgeChunk, purgeMessage } from './scripts/generated/scripts.ts';
import { isOpenAt, itemOf, messageIn, packItems, standingOf, unpackItems } from './slice-form.ts';
import { readSlice } from './slices.ts';

interface PurgePage {
  /** Keys of Redis that were looked at. */
  readonly looked: number;
  readonly messages: number;
  readonly recipients: number;
  /** Rows of uploads that were left out. */
  readonly rows: number;
  /** Texts to this person that are on their way or in doubt, and were therefore not touched. */
  readonly open: number;
  /** To go on from; absent at the end. */
  readonly next?: string;
}

type Found = Pick<PurgePage, 'messages' | 'recipients' | 'rows' | 'open'>;

const NOTHING: Found = { messages: 0, recipients: 0, rows: 0, open: 0 };
const STEPS_PER_PAGE = 20;
const KEYS_PER_STEP = 500;
const ROWS_AT_ONCE = 1_000;
const EVENTS_PER_PAGE = 5_000;
const OP = keys.record('');
const SKIPPED = 'skipped:';

/** The same for the same number, so that the rows of one person can still be told to be of one person. */
function purgedName(phone: string): string {
  return `${PURGED}${fingerprint(digitsOf(phone)).slice(0, 12)}`;
}

export class Purge {
  readonly #redis: Redis;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** `reads` says which written numbers are this one, for rows that were kept as they were written. */
  async page(phone: string, { after = '0', reads }: { after?: string; reads: (written: string) => boolean }) {
    let cursor = after;
    let looked = 0;
    let found = NOTHING;
    for (let step = 0; step < STEPS_PER_PAGE; step += 1) {
      const [next, names] = await this.#scan(cursor);
      looked += names.length;
      found = sum(
        found,
        await this.#records(
          phone,
          names.filter((name) => name.startsWith(OP)),
        ),
      );
      for (const name of names)
        if (name.startsWith(SKIPPED)) found = sum(found, await this.#rows(phone, name, reads));
      cursor = next;
      if (cursor === '0') break;
    }
    const page: PurgePage = { looked, ...found, ...(cursor === '0' ? {} : { next: cursor }) };
    return page;
  }

  /**
   * Takes the events that name the person out of the stream, a bounded number a call. Ours never do; a reference that a
   * caller has made of a number does.
   */
  async events(isAbout: (text: string) => boolean, after: string): Promise<{ found: number; next?: string }> {
    const [entries, about] = await this.#takeOut(keys.events, isAbout, after);
    const last = entries.length === EVENTS_PER_PAGE ? entries.at(-1)?.[0] : undefined;
    return { found: about, ...(last === undefined ? {} : { next: last }) };
  }

  /** And what BullMQ tells of the jobs of a queue. */
  async announcements(queue: string, isAbout: (text: string) => boolean): Promise<number> {
    const [, about] = await this.#takeOut(keys.announcements(queue), isAbout, '0-0');
    return about;
  }

  async #takeOut(stream: string, isAbout: (text: string) => boolean, after: string) {
    const entries = await this.#redis.xrange(stream, `(${after}`, '+', 'COUNT', EVENTS_PER_PAGE);
    const about = entries.filter(([, words]) => isAbout(words.join(' '))).map(([place]) => place);
    if (about.length > 0) await this.#redis.xdel(stream, ...about);
    return [entries, about.length] as const;
  }

  /** SCAN alone is not told our prefix by the connection, and answers with it. */
  async #scan(cursor: string): Promise<[next: string, names: readonly string[]]> {
    const { keyPrefix = '' } = this.#redis.options;
    const [next, names] = await this.#redis.scan(cursor, 'MATCH', `${keyPrefix}*`, 'COUNT', KEYS_PER_STEP);
    return [next, names.map((name) => name.slice(keyPrefix.length))];
  }

  async #records(phone: string, names: readonly string[]): Promise<Found> {
    const pipeline = this.#redis.pipeline();
    for (const name of names) pipeline.hmget(name, 'kind', 'to', 'items');
    const answers = await answersOf(pipeline, list(maybe(text)));
    let found = NOTHING;
    for (const [index, [kind, to, items]] of answers.entries()) {
      const id = (names[index] ?? '').slice(OP.length);
      if (kind === 'message' && to === phone) found = sum(found, await this.#message(phone, id));
      if (kind === 'slice' && items?.includes(phone.slice(1)))
        found = sum(found, await this.#sliceOfMessages(phone, id));
      if (kind === 'chunk' && items?.includes(phone.slice(1))) found = sum(found, await this.#chunk(phone, id));
    }
    return found;
  }

  async #message(phone: string, id: string): Promise<Found> {
    const fields = await this.#redis.hgetall(keys.record(id));
    if (fields['kind'] !== 'message') return NOTHING;
    const message: MessageRecord = readRecord('message', fields);
    // The last word about a text in doubt is `unknown` too.
    const over = isFinal('message', message.state) || (await this.#isOver(message));
    if (!over) return { ...NOTHING, open: 1 };
    const asRead = { message: keys.record(id), state: message.state, to: phone };
    const done = await purgeMessage(this.#redis, { ...asRead, becomes: purgedName(phone) });
    return done ? { ...NOTHING, messages: 1 } : { ...NOTHING, open: 1 };
  }

  async #isOver({ id, slice }: MessageRecord): Promise<boolean> {
    const fields: Fields = await this.#redis.hgetall(keys.record(slice));
    if (fields['kind'] !== 'slice') return false;
    const { count, requests, ...rest } = readSlice(fields);
    const place = unpackItems(rest).findIndex((item) => messageIn(item).id === id);
    return place >= 0 && !isOpenAt(place, standingOf(count, requests), requests);
  }

  async #chunk(phone: string, id: string): Promise<Found> {
    const fields: Fields = await this.#redis.hgetall(keys.record(id));
    if (fields['kind'] !== 'chunk') return NOTHING;
    const chunk = readRecord('chunk', fields);
    return this.#chunkOfCampaign(phone, chunk);
  }

  /** The messages themselves are counted where their records are found. */
  async #sliceOfMessages(phone: string, id: string): Promise<Found> {
    const fields: Fields = await this.#redis.hgetall(keys.record(id));
    const slice = readSlice(fields);
    if (slice.campaign !== '') return NOTHING;
    const messages = unpackItems(slice).map(messageIn);
    const places = messages.flatMap(({ to }, place) => (to === phone ? [place] : []));
    if (places.length === 0) return NOTHING;
    const standing = standingOf(slice.count, slice.requests);
    const isOver = (place: number): boolean => !isOpenAt(place, standing, slice.requests);
    // The others are still asked about. What is not over is counted where the record of the message is found.
    if (slice.state !== 'settled') return { ...NOTHING, open: places.filter(isOver).length };
    const masked = messages.map((one) => (one.to === phone ? { ...one, to: purgedName(phone), text: '' } : one));
    const done = await purgeChunk(this.#redis, {
      chunk: keys.record(id),
      state: slice.state,
      items: slice.items,
      outcome: '',
      newItems: packItems(masked.map(itemOf)).items,
      newOutcome: '',
      waiting: 0,
    });
    return done ? NOTHING : { ...NOTHING, open: places.length };
  }

  async #chunkOfCampaign(phone: string, chunk: ChunkRecord): Promise<Found> {
    const items = unpackCampaignItems(chunk.items);
    const places = items.flatMap(({ to }, index) => (to === phone ? [index] : []));
    if (places.length === 0) return NOTHING;
    const masked = items.map((item) =>
      item.to === phone ? { ...item, to: purgedName(phone), values: item.values.map(() => '') } : item,
    );
    const fields = await this.#redis.hgetall(keys.record(chunk.campaign));
    const campaign: CampaignRecord = readRecord('campaign', fields);
    const change = leaveOut(chunk, campaign, places);
    const written =
      change && (await this.#write(chunk, { items: masked.map(packCampaignItem).join(','), ...change }));
    return written ? { ...NOTHING, recipients: places.length } : { ...NOTHING, open: places.length };
  }

  async #write(
    chunk: ChunkRecord,
    { items, outcome, waiting }: { readonly items: string } & Change,
  ): Promise<boolean> {
    return purgeChunk(this.#redis, {
      chunk: keys.record(chunk.id),
      campaign: chunk.campaign === '' ? undefined : keys.record(chunk.campaign),
      state: chunk.state,
      items: chunk.items,
      outcome: chunk.outcome,
      newItems: items,
      newOutcome: outcome,
      waiting,
    });
  }

  async #rows(phone: string, name: string, reads: (written: string) => boolean): Promise<Found> {
    let rows = 0;
    for (let from = 0; ; from += ROWS_AT_ONCE) {
      const packed = await this.#redis.lrange(name, from, from + ROWS_AT_ONCE - 1);
      for (const [offset, written] of packed.entries()) {
        const [row, to, reason] = JSON.parse(written) as [number, string, string];
        if (!reads(to)) continue;
        await this.#redis.lset(name, from + offset, JSON.stringify([row, purgedName(phone), reason]));
        rows += 1;
      }
      if (packed.length < ROWS_AT_ONCE) return { ...NOTHING, rows };
    }
  }
}

interface Change {
  readonly outcome: string;
  /** How many were waiting and are left out from now on. */
  readonly waiting: number;
}

/** Undefined: somebody is being sent to, or is in doubt. */
function leaveOut(chunk: ChunkRecord, campaign: CampaignRecord, places: readonly number[]): Change | undefined {
  const { state, outcome, count } = chunk;
  if (state === 'settled' || (state === 'queued' && campaign.state === 'cancelled')) return { outcome, waiting: 0 };
  if (state !== 'queued' || chunk.sentAt !== undefined) return undefined;
  // An upload that broke off, or is not complete yet, is in no bin. If it gets there, the purged are left out.
  if (!campaign.uploads.some(({ tag }) => chunk.id.startsWith(`${campaign.id}.${tag}-`)))
    return { outcome, waiting: 0 };
  const states = unpackOutcome(outcome, count, 'queued');
  const waiting = places.filter((place) => states[place] === 'queued');
  for (const place of waiting) states[place] = 'skipped';
  return { outcome: packOutcome(states), waiting: waiting.length };
}

function sum(one: Found, other: Found): Found {
  return {
    messages: one.messages + other.messages,
    recipients: one.recipients + other.recipients,
    rows: one.rows + other.rows,
    open: one.open + other.open,
  };
}
