/**
 * Changing records. Changes that are alike and are asked for in the same moment share one script, as leases do, and
 * each has an answer of its own.
 */
import {
  type Kind,
  type StateOf,
  assertArrow,
  isFinal,
  isKept,
  queueOf,
  recountOf,
  standsAs,
} from '../kinds/index.ts';
import { goneAtTheEnd } from '../kinds/disbursement-fields.ts';
import type { Random } from '../lib/random.ts';
import type { Traces } from '../lib/traces.ts';
import { batchPerTick } from '../redis/connections.ts';
import type { RecordHost } from '../redis/scripts.ts';
import { type Waiting as WaitingFor, alike, answerEach } from '../redis/shared-script.ts';
import { type Act, told } from './audit.ts';
import { BOOKS, postsOf } from './book.ts';
import type { Guard } from './heartbeat.ts';
import { keys } from './keys.ts';
import { type Names, areFew, memberOf, namedIn } from './places.ts';
import { type RecordBase, TRACE } from './record.ts';
import { type TransitionArgs, type TransitionChanged, transition } from './scripts/generated/scripts.ts';
import { type Change, type TransitionResult, beyond, packEventData, packEvidence } from './transition.ts';

interface ChangingOptions {
  readonly redis: RecordHost;
  readonly random: Random;
  readonly now: () => number | undefined;
  readonly names: Names;
  readonly heartbeat: Guard;
  readonly traces: Traces | undefined;
}

type ChangeArgs = TransitionArgs['changes'][number];

type Changed<K extends Kind> = RecordBase<K> & { readonly amount?: number; readonly lane?: string };

/** What those that share a script have in common. */
interface Step {
  readonly kind: Kind;
  readonly account: string;
  readonly from: string;
  readonly to: string;
  readonly dueLeft: string;
  readonly dueEntered: string;
  readonly unlessHeld: string | undefined;
  readonly hasEffect: boolean;
}

interface Waiting extends WaitingFor<TransitionChanged> {
  readonly step: Step;
  readonly change: ChangeArgs;
  readonly act: Act | undefined;
}

export class Changing {
  readonly #options: ChangingOptions;
  readonly #ask: (waiting: Waiting) => void;

  constructor(options: ChangingOptions) {
    this.#options = options;
    this.#ask = batchPerTick(options.redis, async (together) => {
      await Promise.all(alike(together, nameOf, isAnother).map((group) => this.#askFor(group)));
    });
  }

  /** Throws when the lifecycle has no such arrow, and history knows of none. */
  async one<K extends Kind>(
    record: Changed<K>,
    lease: string | undefined,
    change: Change<K>,
  ): Promise<TransitionResult> {
    const { random, names, heartbeat, traces } = this.#options;
    if (change.asInHistory === undefined) assertArrow(record.kind, record.state, change.to);
    const { op = random.hex(8) } = change;
    const trace = traces?.mark();
    if (change.act) traces?.linksTo(record.fields[TRACE]);
    const step = stepOf(record, change);
    const places = await names.placesOf(namedIn(record.kind, change.set ?? {}, record.fields));
    const asked: ChangeArgs = {
      ...changeOf(record, change),
      lease,
      op,
      trace,
      buckets: places.map(({ bucket }) => bucket),
      heads: places.map(({ head }) => head),
      fields: fieldsOf(record, change, trace),
    };
    const changed = await new Promise<TransitionChanged>((resolve, reject) => {
      this.#ask({ step, change: asked, act: change.act, resolve, reject });
    });
    if (changed.is === 'failed') throw new Error(`${changed.why} (script transition)`);
    if (changed.is === 'recovering') heartbeat.refused();
    return resultOf(changed, op, Number(asked.fields['rev'] ?? record.rev));
  }

  async #askFor(group: readonly Waiting[]): Promise<void> {
    const [first] = group;
    if (!first) return;
    const { redis, now, heartbeat } = this.#options;
    await answerEach(group, () =>
      transition(redis, {
        ...sharedBy(first.step),
        ...told(first.act),
        now: now(),
        memory: heartbeat.remembered(),
        changes: group.map(({ change }) => change),
      }),
    );
  }
}

/** What somebody did through a door is a line of the audit, and alone. */
const nameOf = ({ step, act }: Waiting): string | undefined => (act ? undefined : Object.values(step).join(' '));

/** What is changed twice is changed one after the other. */
const isAnother = (share: readonly Waiting[], { change: { id } }: Waiting): boolean =>
  share.every(({ change }) => change.id !== id);

/** What nobody looks at is never due, whatever the change says. */
function stepOf<K extends Kind>(
  { kind, account, state: from, lane }: Changed<K>,
  { to, unlessHeld, hasEffect = false, inRecovery }: Change<K>,
): Step {
  const entered = queueOf(kind, to, lane);
  const left = queueOf(kind, from, lane) ?? entered ?? 'none';
  return {
    kind,
    account,
    from,
    to,
    dueLeft: keys.due(left),
    dueEntered: keys.due(entered ?? left),
    unlessHeld,
    hasEffect: hasEffect && inRecovery === undefined,
  };
}

function sharedBy({ kind, account, from, to, dueLeft, dueEntered, unlessHeld, hasEffect }: Step) {
  const isListed = !areFew(kind);
  return {
    events: keys.events,
    counts: keys.counts(kind),
    left: keys.state(kind, from),
    entered: isFinal(kind, to) ? undefined : keys.state(kind, to),
    listedLeft: isListed ? keys.listed(kind, account, from) : undefined,
    listedEntered: isListed ? keys.listed(kind, account, to) : undefined,
    dueLeft,
    dueEntered,
    history: keys.historyWaiting,
    account: unlessHeld === undefined ? undefined : keys.account(account),
    heartbeat: keys.heartbeat,
    ...BOOKS,
    step: {
      from,
      to,
      stood: standsAs(kind, from),
      stands: standsAs(kind, to),
      // What it was is in history by now, so that it is no longer so belongs there too.
      kept: isKept(kind, to) || isKept(kind, from),
    },
    unlessHeld,
    hasEffect,
  };
}

function changeOf<K extends Kind>(record: Changed<K>, change: Change<K>) {
  const { kind, id, account } = record;
  const { to, event, evidence, claims } = change;
  const isLookedAt = queueOf(kind, to, record.lane) !== undefined;
  return {
    record: keys.record(id),
    callback: change.forgetsCallback ? keys.callback(id) : undefined,
    claimed: claims ? keys.claim(account, claims) : undefined,
    id,
    dueInMs: isLookedAt ? change.dueInMs : undefined,
    keepLeaseMs: change.keepMs,
    nudgeAfterMs: isLookedAt ? (change.nudgeAfterMs ?? 0) : 0,
    inRecovery: change.inRecovery === undefined ? undefined : record.rev,
    eventType: event?.type,
    eventData: event && packEventData(id, event),
    toldAs: change.asInHistory?.sequence,
    xof: record.amount,
    evidence: evidence && packEvidence(evidence),
    member: memberOf(id, record.fields),
    ...recountOfDay(record, to),
    posts: postsOf(record, to, change.set),
  };
}

const letGo = Object.fromEntries(goneAtTheEnd.map((name) => [name, '']));

function fieldsOf<K extends Kind>(record: Changed<K>, change: Change<K>, trace: string | undefined) {
  return {
    ...(change.inRecovery === undefined ? {} : beyond(record, change.inRecovery)),
    ...(record.kind === 'disbursement' && isFinal(record.kind, change.to) ? letGo : {}),
    ...change.set,
    // What somebody has asked for last is what its attempts belong to.
    ...(change.act && trace !== undefined ? { [TRACE]: trace } : {}),
  };
}

/**
 * What changes the sums of the day in which the operation was counted, where this step does; most do not, and an
 * operation that was accepted without such limits was never counted.
 */
function recountOfDay<K extends Kind>(
  { kind, account, state, fields, amount }: Changed<K>,
  to: StateOf<K>,
): Pick<ChangeArgs, 'sums' | 'beneficiary' | 'recounted'> {
  const [day, beneficiary] = fields['counted']?.split(' ') ?? [];
  const sign = recountOf(kind, state, to);
  if (sign === 0 || day === undefined || beneficiary === undefined || amount === undefined) return {};
  return { sums: keys.acceptedOn(account, day), beneficiary, recounted: sign * amount };
}

/** `rev`: the revision that the change was made from. */
function resultOf(changed: Exclude<TransitionChanged, { is: 'failed' }>, op: string, rev: number): TransitionResult {
  if (changed.is === 'mine') return { is: 'mine', op, rev: rev + 1, at: 0 };
  if (changed.is !== 'applied') return changed;
  const { is, at, counter } = changed;
  return { is, op, rev: changed.rev, at, ...(counter === undefined ? {} : { counter }) };
}
