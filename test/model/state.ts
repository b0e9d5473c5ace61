/** One moment in the life of a disbursement: what everybody knows, and what is true. */
/** What Redis keeps. */
export interface Kept {
  readonly state: 'queued' | 'created' | 'submitting' | 'unknown' | 'pending' | Last;
  readonly lease: number;
  /** The operation id of the last change. */
  readonly op: number;
  /** Which token, or -1. */
  readonly token: number;
  readonly sends: number;
  readonly sawCreated: boolean;
  /** Counts leases, where a lease is a count. */
  readonly leases: number;
}

type Last = 'succeeded' | 'failed' | 'rejected' | 'needs_review';

/** Where a worker stands. `own` is what it believes to be in the record. */
export interface Worker {
  readonly at: 'idle' | 'acquired' | 'write intent' | 'fence' | 'read again' | 'send' | 'look' | 'settle';
  readonly own: Kept;
  /** Which attempt this is; 0 when idle. */
  readonly attempt: number;
  /** What `settle` is going to write. */
  readonly wish?: Kept;
  /** The look began when nothing could be on its way any more. */
  readonly quiet: boolean;
}

export interface State {
  readonly kept: Kept;
  /** What Redis may fall back to, oldest first. */
  readonly before: readonly Kept[];
  readonly workers: readonly [Worker, Worker];
  /** One letter per token: c(reated), s(uccess), f(ailed). */
  readonly tokens: string;
  readonly idUsed: boolean;
  readonly paid: number;
  /** Submits that nobody waits for any more, by token. */
  readonly onTheWay: string;
  readonly acquisitions: number;
  readonly kills: number;
  readonly rollbacks: number;
  readonly timeouts: number;
  readonly neverSent: number;
  readonly losses: number;
}

export const NEW: Kept = { state: 'queued', lease: 0, op: 0, token: -1, sends: 0, sawCreated: false, leases: 0 };
export const IDLE: Worker = { at: 'idle', own: NEW, attempt: 0, quiet: false };

export const START: State = {
  kept: NEW,
  before: [],
  workers: [IDLE, IDLE],
  tokens: '',
  idUsed: false,
  paid: 0,
  onTheWay: '',
  acquisitions: 0,
  kills: 0,
  rollbacks: 0,
  timeouts: 0,
  neverSent: 0,
  losses: 0,
};

/** After a total loss only this much is promised: what was paid before it is not known to be paid. */
export function brokenBy({ paid, losses, kept: { state } }: State): string | undefined {
  if (paid > 1) return 'paid twice';
  if (losses > 0) return undefined;
  if ((state === 'failed' || state === 'rejected') && paid > 0) return `${state} but paid`;
  return state === 'succeeded' && paid === 0 ? 'succeeded but not paid' : undefined;
}

export function keyOf(state: State): string {
  const { kept, before, workers, tokens, idUsed, paid, onTheWay, ...counts } = state;
  const worker = ({ at, own, attempt, wish, quiet }: Worker): string =>
    at === 'idle' ? '-' : `${at}${keyOfKept(own)}${attempt}${wish ? keyOfKept(wish) : ''}${quiet ? 'q' : ''}`;
  const past = before.map(keyOfKept).join('<');
  // The two workers are alike.
  const mine = workers.map(worker).sort().join('|');
  const { acquisitions, kills, rollbacks, timeouts, neverSent, losses } = counts;
  const spent = `${acquisitions},${kills},${rollbacks},${timeouts},${neverSent},${losses}`;
  return `${keyOfKept(kept)}#${past}#${mine}#${tokens}${idUsed ? '!' : ''}${paid}#${onTheWay}#${spent}`;
}

function keyOfKept({ state, lease, op, token, sends, sawCreated, leases }: Kept): string {
  return `${state},${lease},${op},${token},${sends},${sawCreated ? 1 : 0},${leases};`;
}
