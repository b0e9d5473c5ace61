/**
 * The life of one disbursement, with two workers, as a graph of states: what the processors, the scripts, Redis and
 * upstream can do next, whatever the order. Time is not in it: a lease may end at any moment, a request may arrive at
 * any moment or never, and a worker may go on at any moment.
 */
import type { Configuration } from './configurations.ts';
import type { Step } from './search.ts';
import { IDLE, type Kept, NEW, type State, type Worker } from './state.ts';

const SENDS_MAX = 2;
const STAGES: readonly Worker['at'][] = ['write intent', 'settle'];
const OVER: readonly string[] = ['succeeded', 'failed', 'rejected'];

/** Everything that can happen next. */
export function* next(state: State, how: Configuration): Generator<Step<State>> {
  yield* ofTheWorld(state, how);
  for (const who of [0, 1] as const) {
    for (const { did, to } of ofWorker(state, who, how)) yield { did: `W${who + 1} ${did}`, to };
  }
}

function* ofTheWorld(state: State, how: Configuration): Generator<Step<State>> {
  const { bounds } = how;
  if (state.rollbacks < bounds.rollbacks) {
    for (const [index, kept] of state.before.entries()) {
      const rolled = { ...state, kept, before: state.before.slice(0, index), rollbacks: state.rollbacks + 1 };
      yield { did: `Redis falls back to ${kept.state}`, to: rolled };
    }
  }
  if (how.totalLoss && state.losses === 0) {
    yield { did: 'everything is lost and asked for again', to: { ...state, kept: NEW, before: [], losses: 1 } };
  }
  for (const token of new Set(state.onTheWay)) {
    const rest = { ...state, onTheWay: state.onTheWay.replace(token, '') };
    yield { did: 'a late request is lost', to: rest };
    for (const { did, to } of execute(rest, Number(token), how)) yield { did: `a late request: ${did}`, to };
  }
}

/** Upstream gets a submit. */
function* execute(state: State, token: number, how: Configuration): Generator<Step<State> & { executed: boolean }> {
  const refused = (how.uniqueId && how.fixedId && state.idUsed) || (how.singleUse && state.tokens[token] !== 'c');
  if (refused) {
    yield { did: 'refused', to: state, executed: false };
    return;
  }
  for (const outcome of ['s', 'f'] as const) {
    const tokens = state.tokens.slice(0, token) + outcome + state.tokens.slice(token + 1);
    const paid = state.paid + (outcome === 's' ? 1 : 0);
    yield {
      did: outcome === 's' ? 'paid' : 'not paid',
      to: { ...state, tokens, paid, idUsed: true },
      executed: true,
    };
  }
}

function withWorker(state: State, who: 0 | 1, worker: Worker): State {
  return { ...state, workers: who === 0 ? [worker, state.workers[1]] : [state.workers[0], worker] };
}

function write(state: State, kept: Kept, how: Configuration): State {
  return { ...state, kept, before: how.everyWriteDurable ? [] : [...state.before, state.kept] };
}

function* ofWorker(state: State, who: 0 | 1, how: Configuration): Generator<Step<State>> {
  const worker = state.workers[who];
  const go = (to: Partial<Worker>, from = state): State => withWorker(from, who, { ...worker, ...to });
  const stop = (from = state): State => withWorker(from, who, IDLE);
  if (worker.at !== 'idle' && state.kills < how.bounds.kills) {
    yield { did: 'is killed', to: stop({ ...state, kills: state.kills + 1 }) };
  }
  switch (worker.at) {
    case 'idle':
      return yield* acquire(state, who, how);
    case 'acquired':
      return yield* begin(state, who);
    case 'write intent':
    case 'settle':
      return yield* change(state, who, how);
    case 'fence': {
      const durable = how.fence ? { ...state, before: [] } : state;
      return yield { did: 'waits for the fence', to: go({ at: how.reread ? 'read again' : 'send' }, durable) };
    }
    case 'read again': {
      const { kept } = state;
      const { own } = worker;
      const same = kept.state === own.state && kept.lease === own.lease && kept.token === own.token;
      const mine = same && (!how.rereadOp || kept.op === own.op);
      return yield { did: mine ? 'reads its own intent' : 'finds it gone', to: mine ? go({ at: 'send' }) : stop() };
    }
    case 'send':
      return yield* send(state, who, how);
    case 'look':
      return yield* look(state, who, how);
  }
}

function* acquire(state: State, who: 0 | 1, how: Configuration): Generator<Step<State>> {
  const { kept, acquisitions } = state;
  if (acquisitions >= how.bounds.acquisitions || OVER.includes(kept.state)) return;
  const lease = how.randomLease ? acquisitions + 1 : kept.leases + 1;
  const own = { ...kept, lease, leases: how.randomLease ? 0 : lease };
  const taken = write({ ...state, acquisitions: acquisitions + 1 }, own, how);
  const attempt = acquisitions + 1;
  yield {
    did: `takes it as ${kept.state}`,
    to: withWorker(taken, who, { at: 'acquired', own, attempt, quiet: false }),
  };
}

function* begin(state: State, who: 0 | 1): Generator<Step<State>> {
  const worker = state.workers[who];
  const { own } = worker;
  if (own.state === 'queued') {
    const token = state.tokens.length;
    const wish: Kept = { ...own, state: 'created', token };
    const given = { ...state, tokens: `${state.tokens}c` };
    yield { did: `gets token ${token}`, to: withWorker(given, who, intent(worker, token)) };
    yield { did: `gets token ${token}, and waits`, to: withWorker(given, who, { ...worker, at: 'settle', wish }) };
  }
  if (own.state === 'created') {
    yield { did: 'goes on to submit', to: withWorker(state, who, intent(worker, own.token)) };
  }
  if (own.state === 'queued' || own.state === 'created') {
    const wish: Kept = { ...own, state: 'rejected' };
    yield { did: 'is past the limit', to: withWorker(state, who, { ...worker, at: 'settle', wish }) };
    return;
  }
  const sending = state.workers.some(({ at }) => ['fence', 'read again', 'send'].includes(at));
  const quiet = state.onTheWay === '' && !sending;
  yield { did: 'begins to look', to: withWorker(state, who, { ...worker, at: 'look', quiet }) };
}

/** A token that is new is written down with the intent to use it. */
function intent(worker: Worker, token: number): Worker {
  const { own } = worker;
  const wish: Kept = { ...own, state: 'submitting', token, sends: own.sends + 1, sawCreated: false };
  return { ...worker, at: 'write intent', wish };
}

/** Compare, then set. */
function* change(state: State, who: 0 | 1, how: Configuration): Generator<Step<State>> {
  const worker = state.workers[who];
  const { own, wish = own, at } = worker;
  const { kept } = state;
  const mine = kept.state === own.state && (!how.leaseCheck || kept.lease === own.lease);
  if (!mine) return yield { did: `may not write ${wish.state}`, to: withWorker(state, who, IDLE) };
  // One attempt writes each of these at most once, so this names one change and no other.
  const op = worker.attempt * STAGES.length + STAGES.indexOf(at);
  const lease = at === 'settle' ? 0 : own.lease;
  const written: Kept = { ...wish, op, lease, leases: kept.leases };
  const after = write(state, written, how);
  const done = (goesOn: Worker): Step<State> => ({ did: `writes ${wish.state}`, to: withWorker(after, who, goesOn) });
  if (at === 'write intent') yield done({ at: 'fence', own: written, attempt: worker.attempt, quiet: false });
  else yield done(IDLE);
}

function* send(state: State, who: 0 | 1, how: Configuration): Generator<Step<State>> {
  const worker = state.workers[who];
  const { own } = worker;
  const settle = (to: Partial<Kept>, from: State): State =>
    withWorker(from, who, { ...worker, at: 'settle', wish: { ...own, ...to } });
  const unsent: Partial<Kept> = { state: own.sends === 1 ? 'created' : 'unknown', sends: own.sends - 1 };
  const silent: Partial<Kept> = how.silenceIsNeverSent ? unsent : { state: 'unknown' };
  const of5000: Partial<Kept> = { state: how.doubt5000 ? 'unknown' : 'failed' };
  const { timeouts, neverSent } = state;
  if (neverSent < how.bounds.neverSent) {
    yield { did: 'cannot connect', to: settle(unsent, { ...state, neverSent: neverSent + 1 }) };
  }
  if (timeouts < how.bounds.timeouts) {
    const late = { ...state, timeouts: timeouts + 1 };
    yield { did: 'hears nothing: lost', to: settle(silent, late) };
    yield {
      did: 'hears nothing: on its way',
      to: settle(silent, { ...late, onTheWay: `${state.onTheWay}${own.token}` }),
    };
  }
  yield { did: 'hears 5000: nothing done', to: settle(of5000, state) };
  for (const { did, to, executed } of execute(state, own.token, how)) {
    if (executed) yield { did: `submits: ${did}`, to: settle({ state: 'pending' }, to) };
    if (executed && timeouts < how.bounds.timeouts) {
      yield { did: `hears nothing: ${did}`, to: settle(silent, { ...to, timeouts: timeouts + 1 }) };
    }
    yield { did: `hears 5000: ${did}`, to: settle(of5000, to) };
  }
}

function* look(state: State, who: 0 | 1, how: Configuration): Generator<Step<State>> {
  const worker = state.workers[who];
  const { own } = worker;
  const settle = (to: Partial<Kept>): State =>
    withWorker(state, who, { ...worker, at: 'settle', wish: { ...own, ...to } });
  const truth = state.tokens[own.token];
  if (truth === 's') yield { did: 'sees success', to: settle({ state: 'succeeded' }) };
  if (truth === 'f') yield { did: 'sees failed', to: settle({ state: 'failed' }) };
  if (own.state === 'needs_review') return;
  if (truth !== 'c') yield { did: 'sees pending', to: settle({ state: 'pending', sawCreated: false }) };
  if (truth === 'c' || how.stale) yield* sawCreated(state, who, how);
}

function* sawCreated(state: State, who: 0 | 1, how: Configuration): Generator<Step<State>> {
  const worker = state.workers[who];
  const { own, quiet } = worker;
  const settle = (to: Partial<Kept>): State =>
    withWorker(state, who, { ...worker, at: 'settle', wish: { ...own, ...to } });
  if (own.state === 'pending' || (how.quiet && !quiet)) return;
  if (!own.sawCreated) return yield { did: 'sees created once', to: settle({ state: 'unknown', sawCreated: true }) };
  if (!how.sameToken) return yield { did: 'begins anew', to: settle({ state: 'queued', token: -1 }) };
  if (how.mode === 'strict' || own.sends >= SENDS_MAX) {
    return yield { did: 'gives up', to: settle({ state: 'needs_review' }) };
  }
  yield { did: 'sees created twice', to: withWorker(state, who, intent(worker, own.token)) };
}
