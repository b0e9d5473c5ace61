/**
 * What history knows better than a Redis that was put back, of texts: what the copy shows open, and was over in the
 * lost time. The row of a single one counts with the event that told its end, as of all else (later-words.ts); what
 * changes them is the slice that carries them.
 */
import type { Redis } from 'ioredis';
import { isKept } from '../kinds/index.ts';
import { Turns } from '../lib/turns.ts';
import { keys } from './keys.ts';
import { countIn, isFurtherOn, isToldBy } from './later-words.ts';
import { readMany } from './lists.ts';
import type { Past, PastEvent, RecipientLeft } from './past.ts';
import { CLOCKS_APART_MS, type LostTime } from './put-back.ts';
import { type RecordAt, readStored, UnreadableRecord } from './record.ts';

export interface LaterText {
  /** As history has it. */
  readonly row: RecordAt<'message'>;
  /** By which callers were told. */
  readonly event: PastEvent;
}

const counted = ['message', 'recipient'] as const;
type Counted = (typeof counted)[number];

interface LaterTextsOptions {
  readonly redis: Redis;
  /** Absent: this process cannot ask it. */
  readonly past: Past | undefined;
}

export class LaterTexts {
  readonly #options: LaterTextsOptions;
  #isThere = false;
  readonly #turns = new Turns(1);

  constructor(options: LaterTextsOptions) {
    this.#options = options;
  }

  /**
   * Those of these messages that were over in the lost time, by id. One slice after the other: many at once would wait
   * for a connection for longer than one may be waited for. Throws HistoryAway.
   */
  async ofMessages(
    ids: readonly string[],
    { from }: Pick<LostTime, 'from'>,
  ): Promise<ReadonlyMap<string, LaterText>> {
    return (await this.#inTurn((past) => this.#ofMessages(past, ids, from))) ?? new Map();
  }

  /** The people of a slice of a campaign that was made then, as history has them. Throws HistoryAway. */
  async ofSlice(of: string, createdAt: number): Promise<readonly RecipientLeft[]> {
    return (await this.#inTurn((past) => past.recipientsOf({ of, createdAt }))) ?? [];
  }

  /** So many ended as history has them, in the recovery that began then. */
  async count(since: number, what: Counted, ended: number): Promise<void> {
    await this.#options.redis.hincrby(keys.recoveryBefore, countIn(since, what), ended);
  }

  async counts(since: number): Promise<Readonly<Record<string, number>>> {
    const told = await this.#options.redis.hmget(keys.recoveryBefore, ...counted.map((what) => countIn(since, what)));
    return Object.fromEntries(counted.flatMap((what, at) => (told[at] ? [[what, Number(told[at])]] : [])));
  }

  /** Undefined: there is none to ask. */
  async #inTurn<T>(ask: (past: Past) => Promise<T>): Promise<T | undefined> {
    const { past } = this.#options;
    if (past === undefined) return undefined;
    const over = await this.#turns.take();
    try {
      return (await this.#hasAny(past)) ? await ask(past) : undefined;
    } finally {
      over();
    }
  }

  async #ofMessages(past: Past, ids: readonly string[], from: number): Promise<ReadonlyMap<string, LaterText>> {
    const { redis } = this.#options;
    const here = (await readMany(redis, 'message', ids)).flatMap((record) =>
      record === undefined || record instanceof UnreadableRecord ? [] : [record],
    );
    const times = [...new Set(here.map(({ createdAt }) => createdAt))];
    const rows = await past.recordsOf(
      'message',
      here.map(({ id }) => id),
      times,
    );
    if (rows.size === 0) return new Map();
    const told = await past.eventsOf([...rows.keys()], Math.max(0, from - CLOCKS_APART_MS));
    return new Map(
      here.flatMap((record) => {
        const fields = rows.get(record.id);
        const row = fields && readStored('message', record.id, fields);
        // Whatever this version cannot read is asked about as ever.
        if (row === undefined || row instanceof UnreadableRecord || !isKept('message', row.state)) return [];
        const event = told.find((one) => one.operation === row.id && isToldBy(row, one));
        return event !== undefined && isFurtherOn(row, record, event) ? [[record.id, { row, event }] as const] : [];
      }),
    );
  }

  /** Where nothing was ever written there is no table to ask. */
  async #hasAny(past: Past): Promise<boolean> {
    this.#isThere ||= (await past.store()) !== undefined;
    return this.#isThere;
  }
}
