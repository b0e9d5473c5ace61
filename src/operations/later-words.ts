/**
 * What history knows better than a Redis that was put back: what the copy shows open, and came to its end in the lost
 * time; and what it shows over, of which another word was said then. It becomes what history has, and is told as it was
 * told then, under the same id: to a follower that heard it that is nothing new.
 *
 * Found by the events of the lost time, of which each end has one. What came after the last word of history is not
 * known here, so the numbers of the record go on beyond those of that time.
 */
import type { Redis } from 'ioredis';
import {
  asDeclared,
  isFinal,
  isKept,
  type Kind,
  kindOf,
  type KindOfMoney,
  kinds,
  queueOf,
  stateToldBy,
} from '../kinds/index.ts';
import { keys } from './keys.ts';
import { readMany } from './lists.ts';
import { walkLost } from './lost-walk.ts';
import type { Operations } from './operations.ts';
import type { Past, PastEvent } from './past.ts';
import { CLOCKS_APART_MS, type LostTime } from './put-back.ts';
import { type Fields, type RecordAt, type RecordBase, readStored, UnreadableRecord } from './record.ts';
import { beyond } from './transition.ts';

/** Looks go on meanwhile, so it may not be as it was read a moment ago. */
const TRIES = 3;

const movesMoney = (kind: Kind): kind is KindOfMoney => asDeclared(kind).money !== undefined;
/** Of texts the slice that carries them tells (later-texts.ts), and of a batch its rows. */
const settledKinds = kinds.filter(movesMoney);

interface LaterWordsOptions {
  readonly redis: Redis;
  /** Absent: this process cannot ask it. */
  readonly past: Past | undefined;
  readonly operations: Pick<Operations, 'transition'>;
  /** The service has the last word: what it can be asked about is looked at after so long. */
  readonly lookInMs: number;
}

/** An end that was told in the time that the recovery which began `since` is about. */
interface LostWord {
  readonly event: PastEvent;
  readonly since: number;
}

export class LaterWords {
  readonly #options: LaterWordsOptions;

  constructor(options: LaterWordsOptions) {
    this.#options = options;
  }

  /** True: all that history knows better is so by now. False: call again. Throws HistoryAway. */
  async turn(lost: LostTime, hasTime: () => boolean): Promise<boolean> {
    const { redis, past } = this.#options;
    if (past === undefined || (await past.store()) === undefined) return true;
    const from = Math.max(0, lost.from - CLOCKS_APART_MS);
    const take = async (told: readonly PastEvent[]): Promise<void> => {
      for (const kind of settledKinds) {
        const { length: settled } = await this.#ofKind({ past, since: lost.since }, kind, told);
        if (settled > 0) await redis.hincrby(keys.recoveryBefore, countIn(lost.since, kind), settled);
      }
    };
    const page = (how: Parameters<Past['eventsFrom']>[1]) => past.eventsFrom(from, how);
    return walkLost(redis, { field: `${lost.since} later words place`, page, take }, hasTime);
  }

  /** How many of each kind were, in the recovery that began then. */
  async counts(since: number): Promise<Readonly<Record<string, number>>> {
    const names = settledKinds.map((kind) => countIn(since, kind));
    const told = await this.#options.redis.hmget(keys.recoveryBefore, ...names);
    return Object.fromEntries(settledKinds.flatMap((kind, at) => (told[at] ? [[kind, Number(told[at])]] : [])));
  }

  async #ofKind<K extends KindOfMoney>(
    { past, since }: { readonly past: Past; readonly since: number },
    kind: K,
    told: readonly PastEvent[],
  ): Promise<RecordAt<K>[]> {
    const ends = told.filter(({ operation, type }) => kindOf(operation) === kind && isKept(kind, stateToldBy(type)));
    if (ends.length === 0) return [];
    const ids = [...new Set(ends.map(({ operation }) => operation))];
    const here = await readMany(this.#options.redis, kind, ids);
    const isHere = new Set(here.flatMap((record) => (record === undefined ? [] : [record.id])));
    const rows = await past.recordsOf(kind, [...isHere]);
    const done = await Promise.all(ends.map((event) => this.#one(kind, { event, since }, rows.get(event.operation))));
    return done.flatMap((one) => one ?? []);
  }

  /** Undefined: it has not ended by this. */
  async #one<K extends KindOfMoney>(
    kind: K,
    { event, since }: LostWord,
    fields: Fields | undefined,
  ): Promise<RecordAt<K> | undefined> {
    const row = fields && readStored(kind, event.operation, fields);
    // Whatever this version cannot read is left to a person.
    if (row === undefined || row instanceof UnreadableRecord || !isToldBy(row, event)) return undefined;
    for (let tries = 0; tries < TRIES; tries += 1) {
      const [record] = await readMany(this.#options.redis, kind, [row.id]);
      if (record === undefined || record instanceof UnreadableRecord || !isLater(row, record, event))
        return undefined;
      const { is } = await this.#take(record, row, { event, since });
      if (is === 'applied' || is === 'mine') return row;
      if (is !== 'not yours') return undefined;
    }
    return undefined;
  }

  #take<K extends KindOfMoney>(record: RecordAt<K>, row: RecordAt<K>, { event, since }: LostWord) {
    const { type, data, sequence } = event;
    const { kind, state, fields } = row;
    const { transactionId } = fields;
    const canBeAsked = queueOf(kind, state) !== undefined && fields['token'] !== undefined;
    const { operations, lookInMs } = this.#options;
    return operations.transition<K>(record, undefined, {
      to: state,
      set: { ...instead(record.fields, fields), ...beyond(row, since) },
      event: { type, data: JSON.parse(data) },
      asInHistory: { sequence },
      inRecovery: since,
      dueInMs: canBeAsked ? lookInMs : undefined,
      // A callback that came meanwhile may say otherwise.
      nudgeAfterMs: lookInMs,
      ...(transactionId ? { claims: `transactionId=${transactionId}` } : {}),
    });
  }
}

export const countIn = (since: number, kind: Kind | 'recipient'): string => `${since} ${kind} later words`;

type Standing = Pick<RecordBase, 'kind' | 'rev' | 'createdAt' | 'since' | 'fields'> & { readonly state: string };

/** By this very event callers were told that it has entered the state in which history has it. */
export function isToldBy({ state, since, fields }: Standing, { type, at, sequence }: PastEvent): boolean {
  return stateToldBy(type) === state && since === at && Number(fields['seq']) === sequence;
}

/** What is open in both waits for a person anyway, once the service was asked. */
function isLater(row: Standing, record: Standing, event: PastEvent): boolean {
  const isOne = isFinal(row.kind, row.state) || isFinal(record.kind, record.state);
  return isOne && isFurtherOn(row, record, event);
}

/** The same operation, of the same acceptance, further on than Redis has it. */
export function isFurtherOn(row: Standing, record: Standing, { sequence }: PastEvent): boolean {
  return (
    row.rev > record.rev &&
    row.createdAt === record.createdAt &&
    row.fields['fp'] === record.fields['fp'] &&
    sequence > Number(record.fields['seq'] ?? 0)
  );
}

/** What the change writes by itself, and what only an attempt needs. */
const OWN: ReadonlySet<string> = new Set([
  'kind',
  'v',
  'id',
  'state',
  'op',
  'rev',
  'seq',
  'since',
  'updatedAt',
  'lease',
  'until',
  'hint',
  'tries',
]);

/** The fields of the one in the place of those of the other. */
function instead(was: Fields, is: Fields): Readonly<Record<string, string>> {
  const gone = Object.keys(was).filter((name) => !(name in is));
  const set = [...gone.map((name) => [name, ''] as const), ...Object.entries(is)];
  return Object.fromEntries(set.filter(([name]) => !OWN.has(name)));
}
