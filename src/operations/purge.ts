/**
 * Forgets a person: their number and the words that were meant for them, in messages, in the recipients of campaigns
 * and in the rows that were left out. Nothing is counted anew: a sent text was sent.
 *
 * The index of numbers (`places.ts`) knows no recipients of campaigns, so all records are walked, a bounded number a
 * call. A text that is on its way, or in doubt, still needs its number: it is counted as
 * open, and another walk forgets it later.
 */
import type { Redis } from 'ioredis';
import { type Fields, type MessageRecord, readRecord } from './record.ts';
import { isFinal } from '../kinds/index.ts';
import { digitsOf } from '../lib/phone.ts';
import { fingerprint } from '../lib/ids.ts';
import { numberingsOf, numbersOf, subscriberOf } from '../lib/renumbering.ts';
import { serverOf } from '../redis/durability.ts';
import { answersOf, list, maybe, text } from '../redis/scripts.ts';
import {
  PURGED,
  type SliceItem,
  isOpenAt,
  itemOf,
  messageIn,
  packItems,
  standingOf,
  unpackItems,
} from './slice-form.ts';
import { packValues, unpackValues } from '../lib/packed-values.ts';
import { type Act, told } from './audit.ts';
import { HISTORY_FIELD, keys } from './keys.ts';
import type { KeptFiles } from './kept-files.ts';
import { type Forgotten, HistoryAway, type PastForgetting, type PersonInPast } from './past.ts';
import { forgetEntries, forgetRows, noteAct, purgeMessage, purgeTexts } from './scripts/generated/scripts.ts';
import { type SliceRecord, readSlice } from './slices.ts';
import type { Public } from '../lib/public.ts';

interface PurgePage {
  /** Keys of Redis that were looked at. */
  readonly looked: number;
  readonly messages: number;
  readonly recipients: number;
  /** Rows of uploads that were left out, or that had the number in a column of their own. */
  readonly rows: number;
  /** Files of drafts with the number in them, which were dropped. */
  readonly files: number;
  /** Texts to this person that are on their way or in doubt, and were therefore not touched. */
  readonly open: number;
  /** To go on from; absent at the end. */
  readonly next?: string;
}

type Found = Pick<PurgePage, 'messages' | 'recipients' | 'rows' | 'files' | 'open'>;

const NOTHING: Found = { messages: 0, recipients: 0, rows: 0, files: 0, open: 0 };
const STEPS_PER_PAGE = 20;
const KEYS_PER_STEP = 500;
/** Letters of its name, which tell two of them apart. */
const SERVER_SHOWN = 8;
const ROWS_AT_ONCE = 1_000;
const EVENTS_PER_PAGE = 5_000;
const OP = keys.record('');
const SKIPPED = 'skipped:';
const OWN = keys.own('');
const KEPT_FILE = keys.keptFile('');

/** The same for every number of one person, so that their rows can still be told to be of one person. */
function purgedName(phone: string): string {
  return `${PURGED}${fingerprint(subscriberOf(digitsOf(phone))).slice(0, 12)}`;
}

/** Whether a stored number is the person's, by today's numbering or the one before. */
function isOf(phone: string): (to: string | undefined) => boolean {
  const all = numbersOf(phone);
  return (to) => to !== undefined && all.includes(to);
}

/** Which person is forgotten, and how it is told: in the step in which something of them goes. */
export interface Forgetting {
  readonly phone: string;
  /** Says which written numbers are this one, for what was kept as it was written. */
  readonly reads: (written: string) => boolean;
  readonly act?: ((facts: Act['facts']) => Act) | undefined;
}

export class Purge {
  readonly #redis: Redis;
  readonly #files: Public<KeptFiles>;
  readonly #past: PastForgetting | undefined;

  constructor(
    redis: Redis,
    { files, past }: { readonly files: Public<KeptFiles>; readonly past?: PastForgetting | undefined },
  ) {
    this.#redis = redis;
    this.#files = files;
    this.#past = past;
  }

  /** Undefined: no history is kept. Throws HistoryAway. */
  async inHistory(person: Omit<PersonInPast, 'becomes'>, after: string): Promise<Forgotten | undefined> {
    if (this.#past) return this.#past.forget({ ...person, becomes: purgedName(person.phone) }, after);
    const isKept = (await this.#redis.hget(keys.counts('message'), HISTORY_FIELD)) === '1';
    if (isKept)
      throw new HistoryAway('history is kept, and not from here: it takes HISTORY_URL to forget somebody in it');
    return undefined;
  }

  /** A place in the middle means nothing to another Redis: there the walk begins anew. */
  async page(who: Forgetting, after = '') {
    const server = await this.#server();
    let cursor = after.startsWith(server) ? after.slice(server.length) : '0';
    let looked = 0;
    let found = NOTHING;
    for (let step = 0; step < STEPS_PER_PAGE; step += 1) {
      const [next, names] = await this.#scan(cursor);
      looked += names.length;
      const records = names.filter((name) => name.startsWith(OP));
      found = sum(found, await this.#records(who, records));
      for (const name of names) {
        if (name.startsWith(SKIPPED)) found = sum(found, await this.#rows(who, name, skippedWithout));
        if (name.startsWith(OWN)) found = sum(found, await this.#rows(who, name, ownWithout));
        if (name.startsWith(KEPT_FILE)) found = sum(found, await this.#file(who, name.slice(KEPT_FILE.length)));
      }
      cursor = next;
      if (cursor === '0') break;
    }
    const now = await this.#server();
    const next = now === server ? cursor : '0';
    const page: PurgePage = { looked, ...found, ...(now === server && next === '0' ? {} : { next: now + next }) };
    return page;
  }

  /**
   * Takes the events that name the person out of the stream, a bounded number a call. Ours never do; a reference that a
   * caller has made of a number does.
   */
  async events(
    isAbout: (text: string) => boolean,
    { after, act }: TakingOut,
  ): Promise<{ found: number; next?: string }> {
    const [entries, about] = await this.#takeOut(keys.events, isAbout, { after, act });
    const last = entries.length === EVENTS_PER_PAGE ? entries.at(-1)?.[0] : undefined;
    return { found: about, ...(last === undefined ? {} : { next: last }) };
  }

  /** And what BullMQ tells of the jobs of a queue. */
  async announcements(queue: string, isAbout: (text: string) => boolean, act?: Act): Promise<number> {
    const [, about] = await this.#takeOut(keys.announcements(queue), isAbout, { after: '0-0', act });
    return about;
  }

  async #takeOut(stream: string, isAbout: (text: string) => boolean, { after, act }: TakingOut) {
    const entries = await this.#redis.xrange(stream, `(${after}`, '+', 'COUNT', EVENTS_PER_PAGE);
    const about = entries.filter(([, words]) => isAbout(words.join(' '))).map(([place]) => place);
    const gone = about.length > 0 ? await forgetEntries(this.#redis, { stream, ...told(act), places: about }) : 0;
    return [entries, gone] as const;
  }

  /** Throws while some of what is to be walked may be at another node. */
  async #server(): Promise<string> {
    await this.#redis.exists(keys.nothing);
    return `${(await serverOf(this.#redis)).slice(0, SERVER_SHOWN)}-`;
  }

  /** SCAN alone is not told our prefix by the connection, and answers with it. */
  async #scan(cursor: string): Promise<[next: string, names: readonly string[]]> {
    const { keyPrefix = '' } = this.#redis.options;
    const [next, names] = await this.#redis.scan(cursor, 'MATCH', `${keyPrefix}*`, 'COUNT', KEYS_PER_STEP);
    return [next, names.map((name) => name.slice(keyPrefix.length))];
  }

  async #records(who: Forgetting, names: readonly string[]): Promise<Found> {
    const isTheirs = isOf(who.phone);
    const numbers = numberingsOf(digitsOf(who.phone));
    const pipeline = this.#redis.pipeline();
    for (const name of names) pipeline.hmget(name, 'kind', 'to', 'items');
    const answers = await answersOf(pipeline, list(maybe(text)));
    let found = NOTHING;
    for (const [index, [kind, to, items]] of answers.entries()) {
      const id = (names[index] ?? '').slice(OP.length);
      if (kind === 'message' && isTheirs(to)) found = sum(found, await this.#message(who, id));
      if (kind === 'slice' && numbers.some((digits) => items?.includes(digits)))
        found = sum(found, await this.#slice(who, id));
    }
    return found;
  }

  async #message({ phone, act }: Forgetting, id: string): Promise<Found> {
    const fields = await this.#redis.hgetall(keys.record(id));
    if (fields['kind'] !== 'message') return NOTHING;
    const message: MessageRecord = readRecord('message', fields);
    // The last word about a text in doubt is `unknown` too.
    const over = isFinal('message', message.state) || (await this.#isOver(message));
    if (!over) return { ...NOTHING, open: 1 };
    const waits = { counts: keys.counts('message'), history: keys.historyWaiting };
    const asRead = { message: keys.record(id), ...waits, id, state: message.state, to: message.to };
    const done = await purgeMessage(this.#redis, {
      ...asRead,
      ...told(act?.({ message: id })),
      becomes: purgedName(phone),
    });
    return done ? { ...NOTHING, messages: 1 } : { ...NOTHING, open: 1 };
  }

  async #isOver({ id, slice }: MessageRecord): Promise<boolean> {
    const fields: Fields = await this.#redis.hgetall(keys.record(slice));
    if (fields['kind'] !== 'slice') return false;
    const { count, requests, ...rest } = readSlice(fields);
    const place = unpackItems(rest).findIndex((item) => messageIn(item).id === id);
    return place >= 0 && !isOpenAt(place, standingOf(count, requests), requests);
  }

  async #slice(who: Forgetting, id: string): Promise<Found> {
    const fields: Fields = await this.#redis.hgetall(keys.record(id));
    if (fields['kind'] !== 'slice') return NOTHING;
    const isTheirs = isOf(who.phone);
    const slice = readSlice(fields);
    const items = unpackItems(slice);
    const places = items.flatMap(({ to }, place) => (isTheirs(to) ? [place] : []));
    if (places.length === 0) return NOTHING;
    return slice.campaign === ''
      ? this.#messagesIn(slice, { ...who, items, places })
      : this.#recipientsIn(slice, { ...who, items, places });
  }

  /** The messages themselves are counted where their records are found. */
  async #messagesIn(slice: SliceRecord, { phone, items, places, act }: Person): Promise<Found> {
    const standing = standingOf(slice.count, slice.requests);
    const isOver = (place: number): boolean => !isOpenAt(place, standing, slice.requests);
    // The others are still asked about. What is not over is counted where the record of the message is found.
    if (slice.state !== 'settled') return { ...NOTHING, open: places.filter(isOver).length };
    const isTheirs = isOf(phone);
    const masked = items
      .map(messageIn)
      .map((one) => (isTheirs(one.to) ? { ...one, to: purgedName(phone), text: '' } : one));
    return (await this.#write(slice, masked.map(itemOf), act?.({ slice: slice.id, messages: places.length })))
      ? NOTHING
      : { ...NOTHING, open: places.length };
  }

  /** One that still waits is left out when its turn comes: it has no number any more. */
  async #recipientsIn(slice: SliceRecord, { phone, items, places, act }: Person): Promise<Found> {
    const standing = standingOf(slice.count, slice.requests);
    const isAskedAbout = (place: number): boolean =>
      standing.letters[place] !== 'q' && isOpenAt(place, standing, slice.requests);
    const isTheirs = isOf(phone);
    const masked = items.map((item) =>
      isTheirs(item.to) ? { ...item, to: purgedName(phone), values: item.values.map(() => '') } : item,
    );
    if (places.some(isAskedAbout)) return { ...NOTHING, open: places.length };
    await this.#forgetOwn(slice.id, places);
    const done = await this.#write(slice, masked, act?.({ slice: slice.id, recipients: places.length }));
    return done ? { ...NOTHING, recipients: places.length } : { ...NOTHING, open: places.length };
  }

  /** Before the number is: what breaks off in between is found by it again. No text needs them. */
  async #forgetOwn(slice: string, places: readonly number[]): Promise<void> {
    if ((await this.#redis.exists(keys.own(slice))) === 0) return;
    for (const place of places) await this.#redis.lset(keys.own(slice), place, '');
  }

  /** False: somebody works on it, or it was changed meanwhile. */
  #write({ id, rev }: SliceRecord, items: readonly SliceItem[], act: Act | undefined): Promise<boolean> {
    return purgeTexts(this.#redis, { texts: keys.record(id), ...told(act), rev, items: packItems(items).items });
  }

  /** Nobody can take a row out of a file and have it be the file that was chosen: it is to be chosen again. */
  async #file({ phone, reads, act }: Forgetting, campaign: string): Promise<Found> {
    const numbers = numberingsOf(digitsOf(phone));
    const isAbout = (cell: string): boolean => {
      const written = cell.replaceAll(/\D/g, '');
      return reads(cell) || numbers.some((digits) => written.includes(digits));
    };
    if (!(await this.#files.mentions(campaign, isAbout))) return NOTHING;
    const line = act?.({ file: campaign });
    if (line) await noteAct(this.#redis, told(line));
    await this.#files.forget(campaign);
    return { ...NOTHING, files: 1 };
  }

  async #rows({ phone, reads, act }: Forgetting, name: string, without: Without): Promise<Found> {
    let rows = 0;
    for (let from = 0; ; from += ROWS_AT_ONCE) {
      const packed = await this.#redis.lrange(name, from, from + ROWS_AT_ONCE - 1);
      const changed = packed.flatMap((written, offset) => {
        const becomes = without(written, { phone, reads });
        return becomes === undefined ? [] : [{ place: from + offset, written, becomes }];
      });
      if (changed.length > 0) {
        rows += await forgetRows(this.#redis, {
          list: name,
          ...told(act?.({ list: name })),
          places: changed.map(({ place }) => place),
          kept: changed.map(({ written }) => written),
          become: changed.map(({ becomes }) => becomes),
        });
      }
      if (packed.length < ROWS_AT_ONCE) return { ...NOTHING, rows };
    }
  }
}

/** A row as it becomes; undefined: the number is not in it. */
type Without = (written: string, who: Pick<Forgetting, 'phone' | 'reads'>) => string | undefined;

/** What else the file said of them is forgotten with the number; of somebody else's row only the number. */
const skippedWithout: Without = (packed, who) => {
  const [row, to, reason, own = ''] = JSON.parse(packed) as [number, string, string, string?];
  if (who.reads(to)) return JSON.stringify([row, purgedName(who.phone), reason]);
  const others = ownWithout(own, who);
  return others === undefined ? undefined : JSON.stringify([row, to, reason, others]);
};

const ownWithout: Without = (line, { reads }) => {
  const cells = unpackValues(line);
  return cells.some(reads) ? packValues(cells.map((cell) => (reads(cell) ? '' : cell))) : undefined;
};

interface TakingOut {
  /** Place of the entry that was looked at last. */
  readonly after: string;
  readonly act?: Act | undefined;
}

/** In a slice: where somebody stands in it. */
interface Person extends Forgetting {
  readonly items: readonly SliceItem[];
  readonly places: readonly number[];
}

function sum(one: Found, other: Found): Found {
  return {
    messages: one.messages + other.messages,
    recipients: one.recipients + other.recipients,
    rows: one.rows + other.rows,
    files: one.files + other.files,
    open: one.open + other.open,
  };
}
