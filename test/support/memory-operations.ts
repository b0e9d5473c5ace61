/**
 * `Operations` without Redis: the same answers to the same commands, over a store whose power can be cut. Written from
 * what the scripts promise; the conformance suite holds both to it.
 */
import { assertArrow, isFinal, isOver, isState, queueOf, statesInQueue, type Kind } from '../../src/kinds/index.ts';
import { goneAtTheEnd } from '../../src/kinds/disbursement-fields.ts';
import type { QueueName } from '../../src/kinds/due-queues.ts';
import type { Random } from '../../src/lib/random.ts';
import { type Fields, RECORD_VERSION, type RecordBase, readRecord } from '../../src/operations/record.ts';
import {
  EVIDENCE_SLOTS,
  type EvidenceDraft,
  NOTHING_POSTED,
  LINE_END,
  type Posted,
  type Said,
  packEvidence,
  type Change,
  type EventDraft,
  type TransitionResult,
} from '../../src/operations/transition.ts';
import { EVENT_FIELD, flightField, keys } from '../../src/operations/keys.ts';
import type { Acquired } from '../../src/operations/acquiring.ts';
import type { AcceptedAt, NewOperation } from '../../src/operations/accepting.ts';
import type { Hinted } from '../../src/operations/nudging.ts';
import type { Operations } from '../../src/operations/operations.ts';
import { conflictIn, listIn, listNew } from './memory-lists.ts';
import { standIn } from './memory-standing.ts';
import type { MemoryStore } from './memory-store.ts';
import { ALL_GUARDS, type StoreGuards } from './store-guards.ts';

const TAKEN_FOR_MS = 5_000;
/** What everybody needs of `Operations`, whoever keeps the records. */
export type OperationsContract = Pick<
  Operations,
  'accept' | 'acquire' | 'transition' | 'stillMine' | 'nudge' | 'appendEvidence' | 'claim' | 'take' | 'handBack'
>;

export interface MemoryOperationsOptions {
  readonly store: MemoryStore;
  readonly random: Random;
  readonly now: () => number;
  /** A simulation delays, repeats or loses commands here. */
  readonly send?: <T>(command: () => T) => Promise<T>;
  readonly guards?: StoreGuards;
  /** An attempt is given what another one holds. */
  readonly onHeldTwice?: (id: string) => void;
}

type AnyRecord<K extends Kind> = RecordBase<K> & { readonly amount?: number; readonly lane?: string };

type Heard = Readonly<{ evidence: string; says: readonly string[]; agreesWith: readonly string[] }>;

export class MemoryOperations implements OperationsContract {
  readonly #store: MemoryStore;
  readonly #random: Random;
  readonly #now: () => number;
  readonly #send: <T>(command: () => T) => Promise<T>;
  readonly #guards: StoreGuards;
  readonly #onHeldTwice: (id: string) => void;

  constructor({ store, random, now, send, guards = ALL_GUARDS, onHeldTwice }: MemoryOperationsOptions) {
    this.#onHeldTwice = onHeldTwice ?? (() => undefined);
    this.#store = store;
    this.#random = random;
    this.#now = now;
    this.#send = send ?? (async (command) => command());
    this.#guards = guards;
  }

  accept<K extends Kind>(operation: NewOperation<K>): Promise<AcceptedAt> {
    return this.#step(() => this.#accept(operation));
  }

  acquire<K extends Kind>(kind: K, id: string, queue: QueueName, leaseMs: number): Promise<Acquired<K>> {
    const lease = this.#random.hex(16);
    return this.#step(() => this.#acquire(kind, id, queue, { lease, leaseMs }));
  }

  async transition<K extends Kind>(
    record: RecordBase<K>,
    lease: string | undefined,
    change: Change<K>,
  ): Promise<TransitionResult> {
    const op = this.#random.hex(8);
    assertArrow(record.kind, record.state, change.to);
    return this.#step(() => this.#settle(record, lease, change, op));
  }

  stillMine(id: string, expected: Readonly<Record<string, string>>): Promise<boolean> {
    return this.#step(() => {
      const record = this.#store.hash(keys.record(id));
      return Object.entries(expected).every(([name, value]) => record.get(name) === value);
    });
  }

  nudge(
    kind: Kind,
    id: string,
    evidence: EvidenceDraft,
    intervalMs: number,
    posted: Posted = NOTHING_POSTED,
  ): Promise<Hinted> {
    return this.#step(() => {
      const state = this.#store.hash(keys.record(id)).get('state') ?? '';
      const { redacted, agreesWith } = posted;
      if (redacted !== '' && !agreesWith.includes(state)) this.#store.setText(keys.callback(id), redacted);
      const says = redacted === '' ? [] : agreesWith;
      const heard = { evidence: packEvidence(evidence), says, agreesWith };
      return this.#hint(kind, id, heard, intervalMs);
    });
  }

  appendEvidence(id: string, evidence: Said): Promise<void> {
    return this.#step(() => {
      if (!this.#store.hash(keys.record(id)).has('state')) return;
      this.#addEvidence(keys.record(id), this.#now(), packEvidence(evidence));
    });
  }

  take(queue: QueueName, atMost: number): Promise<readonly string[]> {
    return this.#step(() => {
      if (this.#store.hash(keys.queue(queue)).has('paused')) return [];
      const at = this.#now();
      const ids = this.#store.members(keys.due(queue)).flatMap(([id, score]) => (score <= at ? [id] : []));
      const taken = ids.slice(0, atMost);
      for (const id of taken) {
        if (this.#guards.afterTaking === 'due soon') this.#store.add(keys.due(queue), at + TAKEN_FOR_MS, id);
        if (this.#guards.afterTaking === 'forgotten') this.#store.remove(keys.due(queue), id);
      }
      return taken;
    });
  }

  handBack(queue: QueueName, ids: readonly string[]): Promise<void> {
    return this.#step(() => {
      const at = this.#now();
      for (const id of ids) {
        if ((this.#store.score(keys.due(queue), id) ?? 0) > at) this.#store.add(keys.due(queue), at, id);
      }
    });
  }

  claim(queue: QueueName, atMost: number, pushMs: number): Promise<{ id: string; rev: string }[]> {
    return this.#step(() => {
      const at = this.#now();
      const due = this.#store.members(keys.due(queue)).filter(([, score]) => score <= at);
      return due.slice(0, atMost).map(([id]) => {
        this.#store.add(keys.due(queue), at + pushMs, id);
        return { id, rev: this.#store.hash(keys.record(id)).get('rev') ?? '0' };
      });
    });
  }

  #step<T>(run: () => T): Promise<T> {
    return this.#send(() => this.#store.step(run));
  }

  #accept<K extends Kind>(operation: NewOperation<K>): AcceptedAt {
    const { kind, id, account, state, reference, fingerprint: fp, idOfReference = id } = operation;
    const store = this.#store;
    const at = this.#now();
    const found = store.hash(keys.record(id));
    if (found.has('fp')) {
      return found.get('fp') === fp
        ? { outcome: 'duplicate', id, state: found.get('state') ?? '' }
        : conflictIn(store, id, operation);
    }
    if (reference) {
      const owner = store.text(keys.reference(account, kind, reference));
      if (owner !== undefined && owner !== id) return conflictIn(store, owner, operation);
      if (idOfReference !== id) {
        if (store.hash(keys.record(idOfReference)).size > 0) return conflictIn(store, idOfReference, operation);
        store.setText(keys.reference(account, kind, reference), id);
      }
    }
    store.setFields(keys.record(id), {
      id,
      state,
      fp,
      account,
      rev: 1,
      seq: 0,
      createdAt: at,
      updatedAt: at,
      since: at,
      v: RECORD_VERSION,
      kind,
      ...operation.fields,
      ...(reference ? { reference } : {}),
    });
    this.#move(kind, { id, at, to: state, ...(operation.xof === undefined ? {} : { xof: operation.xof }) });
    this.#fly(kind, id, { to: state, xof: operation.xof });
    standIn(this.#store, kind, { account, at, since: at, to: state, xof: operation.xof });
    listNew(store, at, operation);
    if (operation.dueInMs !== undefined) {
      const due = Math.max(at + operation.dueInMs, operation.notBefore ?? 0);
      store.add(keys.due(queueOf(kind, state) ?? 'none'), due, id);
    }
    return { outcome: 'accepted', id, state, at };
  }

  #acquire<K extends Kind>(
    kind: K,
    id: string,
    queue: QueueName,
    wish: { readonly lease: string; readonly leaseMs: number },
  ): Acquired<K> {
    const store = this.#store;
    const at = this.#now();
    const record = store.hash(keys.record(id));
    const state = record.get('state');
    if (state === undefined) {
      store.remove(keys.due(queue), id);
      return { is: 'none' };
    }
    if (record.get('v') !== RECORD_VERSION) return { is: 'other version' };
    if (isOver(kind, state)) {
      store.remove(keys.due(queue), id);
      return { is: 'final' };
    }
    if (!statesInQueue(kind, queue).includes(state)) return { is: 'elsewhere' };
    const holder = record.get('lease');
    const isHeld = holder && holder !== wish.lease && Number(record.get('until') ?? 0) > at;
    if (isHeld && this.#guards.oneLease) return { is: 'leased' };
    if (isHeld) this.#onHeldTwice(id);
    const lease = this.#guards.randomLease ? wish.lease : String(store.increase(keys.record(id), 'leases', 1));
    const ends = at + wish.leaseMs;
    store.setFields(keys.record(id), { lease, until: ends });
    if (record.has('hint')) store.setFields(keys.record(id), { hint: '' });
    if (this.#guards.dueAfterLease) store.add(keys.due(queue), ends, id);
    else store.remove(keys.due(queue), id);
    const fields: Fields = Object.fromEntries(store.hash(keys.record(id)));
    return { is: 'acquired', record: readRecord(kind, fields), lease, at };
  }

  #settle<K extends Kind>(
    record: AnyRecord<K>,
    lease: string | undefined,
    change: Change<K>,
    op: string,
  ): TransitionResult {
    const { kind, id, state: from } = record;
    const { to, event } = change;
    const store = this.#store;
    const at = this.#now();
    const key = keys.record(id);
    const now = store.hash(key);
    const state = now.get('state');
    const account = store.hash(keys.account(record.account));
    if (now.get('op') !== op && change.unlessHeld !== undefined && account.has(`held:${change.unlessHeld}`)) {
      return { is: 'held' };
    }
    const claim = change.claims === undefined ? undefined : keys.claim(record.account, change.claims);
    const owner = claim === undefined ? undefined : store.text(claim);
    if (owner !== undefined && owner !== id) return { is: 'claimed', by: owner };
    if (claim !== undefined) store.setText(claim, id);
    if (state === undefined) return { is: 'none' };
    // The script has no more to say of an earlier run of itself than that it was ours.
    if (now.get('op') === op) return { is: 'mine', op, rev: record.rev + 1, at: 0 };
    const taken = this.#guards.lease && lease !== undefined && now.get('lease') !== lease;
    if ((this.#guards.state && state !== from) || taken) return { is: 'not yours', state };
    const hint = now.get('hint') || undefined;
    const since = Number(now.get('since'));
    const { set, drop } = fieldsAfter(change, { from, op, at });
    store.dropFields(key, kind === 'disbursement' && isFinal(kind, to) ? [...drop, ...goneAtTheEnd] : drop);
    store.setFields(key, set);
    const unheard = change.keepMs === undefined && hint !== undefined && !hint.includes(`,${to},`);
    if (unheard && queueOf(kind, to, record.lane) && change.nudgeAfterMs) store.setFields(key, { hintedAt: at });
    const rev = store.increase(key, 'rev', 1);
    if (change.evidence) this.#addEvidence(key, at, packEvidence(change.evidence));
    this.#move(kind, { id, at, from, to, ...(record.amount === undefined ? {} : { xof: record.amount }) });
    this.#fly(kind, id, { from, to, xof: record.amount });
    standIn(this.#store, kind, { account: record.account, at, since, from, to, xof: record.amount });
    listIn(store, record, to);
    this.#setDue(record, change, { at, hint });
    if (event) this.#emit(kind, { id, at, ...event });
    if (change.forgetsCallback && (hint === undefined || hint.includes(`,${to},`))) store.dropText(keys.callback(id));
    return { is: 'applied', op, rev, at };
  }

  #setDue<K extends Kind>(
    { kind, id, state: from, lane }: AnyRecord<K>,
    change: Change<K>,
    { at, hint }: { readonly at: number; readonly hint: string | undefined },
  ): void {
    const entered = queueOf(kind, change.to, lane);
    const left = queueOf(kind, from, lane) ?? entered ?? 'none';
    const next = entered ?? left;
    if (left !== next) this.#store.remove(keys.due(left), id);
    const after = entered === undefined ? 0 : (change.nudgeAfterMs ?? 0);
    const heard = change.keepMs === undefined ? hint : undefined;
    const known = after === 0 || heard?.includes(`,${change.to},`);
    const dueInMs = entered === undefined ? undefined : change.dueInMs;
    if (dueInMs === undefined && (heard === undefined || known)) return this.#store.remove(keys.due(next), id);
    this.#store.add(keys.due(next), at + Math.min(dueInMs ?? after, heard === undefined ? Infinity : after), id);
  }

  #hint(kind: Kind, id: string, { evidence, says, agreesWith }: Heard, intervalMs: number): Hinted {
    const store = this.#store;
    const at = this.#now();
    const key = keys.record(id);
    const record = store.hash(key);
    const state = record.get('state');
    if (state === undefined) return { is: 'none', written: {} };
    const waitMs = Math.max(0, Number(record.get('hintedAt') ?? 0) + intervalMs - at);
    const leased = Boolean(record.get('lease')) && Number(record.get('until') ?? 0) > at;
    const written = this.#addEvidence(key, at, evidence);
    const before = record.get('hint') || undefined;
    const agreed = says.filter((one) => before === undefined || before.includes(`,${one},`));
    store.setFields(key, { hint: agreed.length === 0 ? ',' : `,${agreed.join(',')},` });
    if (isOver(kind, state) || agreesWith.includes(state)) return { is: 'final', state, written };
    if (!statesInQueue(kind, 'status-poll').includes(state)) return { is: 'noted', written };
    const due = store.score(keys.due('status-poll'), id);
    const isDueSooner = due !== undefined && due <= at + waitMs;
    const hintedAt = leased || isDueSooner ? at : at + waitMs;
    if (hintedAt > Number(record.get('hintedAt') ?? 0)) store.setFields(key, { hintedAt });
    if (leased || isDueSooner) return { is: 'noted', written };
    store.add(keys.due('status-poll'), at + waitMs, id);
    return waitMs > 0 ? { is: 'noted', written } : { is: 'look', state, written };
  }

  #move(
    kind: Kind,
    { id, at, from, to, xof }: { id: string; at: number; from?: string; to: string; xof?: number },
  ): void {
    if (from === to) return;
    const count = (state: string, by: number): void => {
      this.#store.increase(keys.counts(kind), state, by);
      if (xof !== undefined) this.#store.increase(keys.counts(kind), `xof:${state}`, by * xof);
    };
    if (from !== undefined) {
      count(from, -1);
      this.#store.remove(keys.state(kind, from), id);
    }
    count(to, 1);
    if (!isFinal(kind, to)) this.#store.add(keys.state(kind, to), at, id);
  }

  #fly(kind: Kind, id: string, { from = '', to, xof }: { from?: string; to: string; xof: number | undefined }): void {
    const record = this.#store.hash(keys.record(id));
    const [account, mode] = [record.get('account'), record.get('withdrawMode')];
    if (account === undefined || mode === undefined || xof === undefined) return;
    const flies = (state: string): number => (state !== '' && isState(kind, state, 'in flight') ? 1 : 0);
    const by = flies(to) - flies(from);
    if (by !== 0) this.#store.increase(keys.counts(kind), flightField(account, mode), by * xof);
  }

  #addEvidence(key: string, at: number, packed: string): Record<string, string> {
    const added = packed.split(LINE_END).map((line) => this.#addLine(key, at, line));
    return Object.assign({}, ...added);
  }

  #addLine(key: string, at: number, packed: string): Record<string, string> {
    const { first, last } = EVIDENCE_SLOTS;
    const count = this.#store.increase(key, 'en', 1);
    const [, send, line = packed] = /^(\d)!(.*)$/.exec(packed) ?? [];
    const later = send === undefined ? first + 1 + ((count - first - 1) % last) : first + last + Number(send);
    const slot = count <= first ? count : later;
    const written = { [`e${slot}`]: `${at.toString(36)}|${line}` };
    this.#store.setFields(key, written);
    return written;
  }

  #emit(kind: Kind, { id, at, type, data }: EventDraft & { readonly id: string; readonly at: number }): void {
    const seq = this.#store.increase(keys.record(id), 'seq', 1);
    this.#store.increase(keys.counts(kind), `${EVENT_FIELD}${type}`, 1);
    const account = this.#store.hash(keys.record(id)).get('account') ?? '';
    this.#store.append({ op: id, seq, at, account, type, data: JSON.stringify(data) });
  }
}

/** What a change sets and what it drops. Dropping comes first. */
function fieldsAfter<K extends Kind>(
  { to, keepMs, set: wished = {} }: Change<K>,
  { from, op, at }: { readonly from: string; readonly op: string; readonly at: number },
): { set: Record<string, string | number>; drop: string[] } {
  const set: Record<string, string | number> = { state: to, op, updatedAt: at };
  const drop = from === to ? [] : ['tries'];
  if (from !== to) set['since'] = at;
  for (const [name, value] of Object.entries(wished)) {
    if (value === '') drop.push(name.replace(/^@/, ''));
    else if (name.startsWith('@')) set[name.slice(1)] = at + Number(value);
    else set[name] = value;
  }
  if (keepMs === undefined) drop.push('lease', 'until', 'hint');
  else set['until'] = at + keepMs;
  return { set, drop };
}
