/**
 * What history knows of the time that Redis has lost: what was accepted after the copy was made, and is over or
 * waits for a person. It is known again before anything is accepted: asked for anew, it would be done once more.
 */
import type { Redis } from 'ioredis';
import { asDeclared, isFinal, isState, type Kind, queueOf, standsAs } from '../kinds/index.ts';
import { acts } from '../kinds/acts.ts';
import { ApiKeys } from './api-keys.ts';
import type { Act } from './audit.ts';
import { BOOKS, postsOfWhole } from './book.ts';
import { HISTORY_FIELD, keys } from './keys.ts';
import { HistoryAway, type LostAct, type Past, type PastEvent, type PastRow } from './past.ts';
import { amountOf, areFew, listedAt, memberOf, type Named, Names, namedIn } from './places.ts';
import { type RecordBase, readStored, UnreadableRecord } from './record.ts';
import { putBack } from './scripts/generated/scripts.ts';
import { letterOfState, stubAt, STUB_PRINT } from './stubs.ts';
import { beyond, packEventData } from './transition.ts';
import { type TrimmedKind, trimmedKinds } from './trimming.ts';

const DAY_MS = 86_400_000;
/** A server that took over may have had another clock. */
export const CLOCKS_APART_MS = 3_600_000;
/** Sums of a day are asked for so long. */
const SUMS_ASKED_MS = 2 * DAY_MS;
const AT_ONCE = 200;
const DONE = 'done';

const REVOKE = acts.revokeKey.act;
/** What stands in no record, and holds until somebody takes it back. */
const LOST_ACTS: readonly string[] = [
  acts.addOptOuts,
  acts.removeOptOuts,
  acts.stopAccount,
  acts.releaseAccount,
  acts.pauseQueue,
  acts.resumeQueue,
  acts.setLimit,
  acts.createKey,
  acts.createEventEndpoint,
  acts.deleteEventEndpoint,
  acts.rotateEndpointSecret,
  acts.approveDisbursement,
  acts.approveBatch,
  acts.approveCampaign,
  acts.cancelCampaign,
  acts.retryCampaign,
  acts.purgePerson,
].map(({ act }) => act);

const NOT_ASKED =
  'history knows what was accepted in the time that was lost, and this process cannot ask it: give it HISTORY_URL';
const UNREAD =
  'a row of history of the time that was lost has a form that this version does not know: apply with the version that wrote it';
const ANOTHER =
  'what left Redis is in another database than that of HISTORY_URL: connect to that one, or to a copy of it';

export interface PutBackOptions {
  readonly redis: Redis;
  /** Absent: this process cannot ask it. */
  readonly past: Past | undefined;
  /** How long the identity of what left is taken. */
  readonly keepMs: number;
  /** The person that it is about, as the index has them. */
  readonly payeeOf: (record: RecordBase<TrimmedKind>) => string | undefined;
  /** The identity that its reference alone gives. */
  readonly idOfReference: (kind: TrimmedKind, account: string, reference: string) => string;
  /** Gives the time instead of Redis, for tests that turn the clock by hand. */
  readonly now?: () => number;
}

export interface LostTime {
  /** When the recovery began. */
  readonly since: number;
  /** Whatever is lost was accepted after it (ms). */
  readonly from: number;
  readonly at: number;
}

interface Asked {
  readonly past: Past;
  readonly store: string;
  readonly lost: LostTime;
}

export class PutBack {
  readonly #options: PutBackOptions;
  readonly #names: Names;

  constructor(options: PutBackOptions) {
    this.#options = options;
    this.#names = Names.of({ redis: options.redis });
  }

  /** True: all that history has of the lost time is known again. False: call again. Throws HistoryAway. */
  async turn(lost: LostTime, hasTime: () => boolean): Promise<boolean> {
    const { redis, past } = this.#options;
    if (past === undefined) {
      if ((await redis.hget(keys.counts('disbursement'), HISTORY_FIELD)) !== '1') return true;
      throw new HistoryAway(NOT_ASKED);
    }
    const store = await past.store();
    if (store === undefined) return true;
    const known = await redis.hget(keys.trimmed, 'store');
    if (known !== null && known !== store) throw new HistoryAway(ANOTHER);
    for (const kind of trimmedKinds) {
      if (!(await this.#ofKind({ past, store, lost }, kind, hasTime))) return false;
    }
    await this.#drafts({ past, store, lost });
    return true;
  }

  /**
   * Campaigns that had nobody to be sent to when the copy was made, however long ago they were made, and are over in
   * history: filled anew, such a draft would be sent once more.
   */
  async #drafts({ past, store, lost }: Asked): Promise<void> {
    const { redis } = this.#options;
    const drafts = keys.state('campaign', 'draft');
    for (let end = await redis.zcard(drafts); end > 0; end -= AT_ONCE) {
      const ids = await redis.zrange(drafts, String(Math.max(0, end - AT_ONCE)), String(end - 1));
      const rows = [...(await past.recordsOf('campaign', ids))];
      const told = await past.eventsOf(
        rows.map(([id]) => id),
        Math.max(0, lost.from - CLOCKS_APART_MS),
      );
      const put = await Promise.all(
        rows.map(([id, fields]) => this.#one('campaign', { id, fields }, { store, lost, told })),
      );
      await redis.hincrby(keys.recoveryBefore, countIn(lost.since, 'campaign'), put.filter(Boolean).length);
    }
  }

  /** How many of each kind were, in the recovery that began then. */
  async counts(since: number): Promise<Readonly<Record<string, number>>> {
    const told = await this.#options.redis.hmget(
      keys.recoveryBefore,
      ...trimmedKinds.map((kind) => countIn(since, kind)),
    );
    return Object.fromEntries(trimmedKinds.flatMap((kind, at) => (told[at] ? [[kind, Number(told[at])]] : [])));
  }

  /**
   * Keys that were revoked in the lost time: the copy has them as they were, and those that were to be kept out are let
   * in until this. The second time nothing is left to do.
   */
  async revokeAgain({ from, at }: Pick<LostTime, 'from' | 'at'>, act: Act | undefined): Promise<void> {
    const { redis, past } = this.#options;
    if (past === undefined || (await past.store()) === undefined) return;
    const revoked = await past.actsFrom(Math.max(0, from - CLOCKS_APART_MS), [REVOKE]);
    const known = new ApiKeys(redis);
    for (const { target } of revoked) {
      await known.revoke(target, at, act && { ...act, act: REVOKE, target, facts: { how: 'recovery' } });
    }
  }

  /** What people did in the lost time, and the copy does not have, but for keys that were revoked: theirs to do anew. */
  async lostActs({ from }: Pick<LostTime, 'from'>): Promise<readonly LostAct[]> {
    const { past } = this.#options;
    if (past === undefined || (await past.store()) === undefined) return [];
    return past.actsFrom(from, LOST_ACTS);
  }

  /** The newest first, and on from where the last turn ended. */
  async #ofKind({ past, store, lost }: Asked, kind: TrimmedKind, hasTime: () => boolean): Promise<boolean> {
    const { redis } = this.#options;
    const createdFrom = Math.max(0, lost.from - CLOCKS_APART_MS);
    let place = await redis.hget(keys.recoveryBefore, placeIn(lost.since, kind));
    while (place !== DONE) {
      const rows = await past.page(kind, { createdFrom, below: belowOf(place), limit: AT_ONCE });
      const newest = rows.filter(({ isOlder }) => !isOlder);
      const ids = newest.map(({ id }) => id);
      const told = await past.eventsOf(ids, createdFrom);
      const put = await Promise.all(newest.map((row) => this.#one(kind, row, { store, lost, told })));
      const last = rows.length < AT_ONCE ? undefined : rows.at(-1);
      place = last === undefined ? DONE : `${last.createdAt}.${last.id}`;
      await redis.hincrby(keys.recoveryBefore, countIn(lost.since, kind), put.filter(Boolean).length);
      await redis.hset(keys.recoveryBefore, placeIn(lost.since, kind), place);
      if (place !== DONE && !hasTime()) return false;
    }
    return true;
  }

  async #one(
    kind: TrimmedKind,
    row: Pick<PastRow, 'id' | 'fields'>,
    { store, lost, told }: { readonly store: string; readonly lost: LostTime; readonly told: readonly PastEvent[] },
  ): Promise<boolean> {
    const read = readStored(kind, row.id, row.fields);
    // Asked for again it would be done once more: so it is not passed over.
    if (read instanceof UnreadableRecord) throw new HistoryAway(`${UNREAD} (${read.message})`);
    const answer = await putBack(this.#options.redis, {
      ...this.#placesOf(read),
      ...this.#shapeOf(read),
      ...sumsOf(read, lost.at),
      ...BOOKS,
      posts: postsOfWhole(read, asDeclared(kind).money === undefined ? undefined : amountOf(read.fields)),
      ...(await this.#wholeOf(read, lost.since)),
      // Accepted in an earlier lost time, too, it has events that are about another acceptance.
      told: told
        .filter(({ operation, at: toldAt }) => operation === row.id && toldAt >= read.createdAt)
        .map(({ sequence: seq, at: toldAt, type, data }) => {
          return { seq, at: toldAt, type, data: packEventData(row.id, { type, data: JSON.parse(data) }) };
        }),
      now: this.#options.now?.(),
      store,
    });
    return answer.is === 'put back';
  }

  #placesOf({ kind, id, account, state, reference }: RecordBase<TrimmedKind>) {
    const isOwn = reference === undefined || this.#options.idOfReference(kind, account, reference) === id;
    return {
      record: keys.record(id),
      ...stubAt(id),
      counts: keys.counts(kind),
      trimmed: keys.trimmed,
      listed: listedAt(kind, account, state),
      drafts: kind === 'campaign' ? keys.state('campaign', 'draft') : undefined,
      mapping: isOwn ? undefined : keys.reference(account, kind, reference),
      heartbeat: keys.heartbeat,
      events: keys.events,
      history: keys.historyWaiting,
    };
  }

  #shapeOf({ kind, id, account, state, createdAt, fields }: RecordBase<TrimmedKind>) {
    const print = (fields['fp'] ?? '').slice(0, STUB_PRINT).padEnd(STUB_PRINT, NO_LETTER);
    return {
      id,
      kind,
      account,
      state,
      created: createdAt,
      member: areFew(kind) ? id : memberOf(id, fields),
      xof: asDeclared(kind).money === undefined ? undefined : amountOf(fields),
      inDoubt: standsAs(kind, state) === 'doubt',
      stub: print + (letterOfState[state] ?? NO_LETTER),
      keepDays: Math.ceil(this.#options.keepMs / DAY_MS),
    };
  }

  /**
   * Of what a person has to settle, and of what has ended and can be asked about: the record, and where it stands. What
   * was said against an end in the lost time, and the looks that were still to come, are lost with it.
   */
  async #wholeOf(record: RecordBase<TrimmedKind>, since: number) {
    const { kind, state, fields } = record;
    const queue = queueOf(kind, state);
    const isLeft = isFinal(kind, state) && (queue === undefined || fields['token'] === undefined);
    if (isLeft || asDeclared(kind).resolve === undefined) return { names: [], fields: {} };
    return {
      entered: isFinal(kind, state) ? undefined : keys.state(kind, state),
      due: queue && keys.due(queue),
      names: await this.#names.placesOf(this.#namesOf(record)),
      fields: { ...fields, ...beyond(record, since) },
    };
  }

  #namesOf(record: RecordBase<TrimmedKind>): Named[] {
    const payee = this.#options.payeeOf(record);
    return [...(payee === undefined ? [] : [['phone', payee] as const]), ...namedIn(record.kind, record.fields)];
  }
}

/** Of a fingerprint that is too short to tell one request from another: none is the same then. */
const NO_LETTER = '.';

const placeIn = (since: number, kind: Kind): string => `${since} ${kind} place`;
const countIn = (since: number, kind: Kind): string => `${since} ${kind} count`;

function belowOf(place: string | null): { readonly at: number; readonly id: string } | undefined {
  if (place === null) return undefined;
  const dot = place.indexOf('.');
  return { at: Number(place.slice(0, dot)), id: place.slice(dot + 1) };
}

/** Of the day in which it was counted, while that still stands in the way of anything. */
function sumsOf({ kind, account, state, fields, createdAt }: RecordBase<TrimmedKind>, at: number) {
  const [day, beneficiary] = fields['counted']?.split(' ') ?? [];
  const counts = day !== undefined && at - createdAt < SUMS_ASKED_MS && !isState(kind, state, 'without effect');
  return counts ? { spent: keys.acceptedOn(account, day), beneficiary } : {};
}
