/**
 * What a person does about a recovery: sees what is open and what the service says of it, has it led on a bounded turn
 * at a time, or confirms that nothing was lost.
 */
import type { Act } from '../../operations/audit.ts';
import { recoveryProofs } from '../../kinds/system.ts';
import type { Leaving, Left } from '../../operations/heartbeat.ts';
import type { Missing } from '../../operations/history.ts';
import { type CampaignRecord, isUnreadable } from '../../operations/record.ts';
import { type ReportRow, progressOf, reportOf, wouldDo, isOver } from '../../operations/recovery-report.ts';
import type { LostAct } from '../../operations/past.ts';
import type { LaterWords } from '../../operations/later-words.ts';
import type { PutBack } from '../../operations/put-back.ts';
import { RESTORED, type Restored, type Standing } from '../../operations/restored.ts';
import { reviewKinds } from '../../operations/review.ts';
import type { ProcessorContext } from '../context.ts';
import { admitted, statusOf, type MoneyKind, restoreMoney, statesToRestore } from './money.ts';
import { type Lost, orUndefined, shownBy, doubtSlice, mayHaveBeenSent } from './texts.ts';

/** The recovery that is under way, as it is known. All times are ms since the epoch. */
export interface UnderWay {
  readonly since: number;
  readonly because: string;
  /** When relais was last at work on what is there now; 0: nobody knows. */
  readonly lastBeat: number;
  readonly counter: number;
  readonly knownCounter?: number;
}

/** Requests that no worker had taken in when the copy was made. */
interface IntakeJobs {
  giveUp(time: number, outcome: string): Promise<number>;
}

interface RecoveryDeskOptions {
  readonly restored: Restored;
  readonly putBack: PutBack;
  readonly laterWords: LaterWords;
  readonly context: ProcessorContext;
  readonly intakeJobs: IntakeJobs;
  readonly recovery: {
    state(): Promise<UnderWay | undefined>;
    server(): Promise<string>;
    leave(how: Leaving): Promise<Left>;
  };
}

export interface RecoveryReport {
  readonly at: number;
  readonly by: string;
  readonly because: string;
  readonly lastBeat: number;
  readonly items: readonly ReportRow[];
  /** Records that cannot be read: left as they are, and nothing of them is due. */
  readonly unreadable: { readonly count: number; readonly ids: readonly string[] };
  /** Jobs of `intake` that were given up. */
  readonly intakeJobs: number;
  /** Those that wait for somebody to resume them. */
  readonly heldCampaigns: readonly { readonly id: string; readonly name: string }[];
  /** Of each kind how many were accepted in the lost time, and are known again by what history has of them. */
  readonly putBack: Readonly<Record<string, number>>;
  /** Of each kind how many the copy showed open that had ended then: they ended as history has it. */
  readonly byHistory: Readonly<Record<string, number>>;
  /** What people did then, by the audit of history, and the copy does not have. */
  readonly lostActs: readonly LostAct[];
  /** Nobody has asked history what was accepted in the lost time: it is gone, too. */
  readonly withoutHistory?: true;
}

interface Applying {
  readonly by: string;
  readonly act?: Act | undefined;
  /** A person says that there is none to ask any more. */
  readonly withoutHistory?: boolean | undefined;
}

type Applied =
  | { readonly is: 'none' }
  /** There is more to do: ask again. */
  | { readonly is: 'under way'; readonly done: number; readonly of: number }
  | { readonly is: 'over'; readonly report: RecoveryReport };

/** A turn of an apply: a caller that waits for its answer learns how far it is. */
const TURN_MS = 5_000;
const NAMED_MOST = 100;

const proofs: ReadonlySet<string> = new Set(recoveryProofs);

export class RecoveryDesk {
  readonly #options: RecoveryDeskOptions;

  constructor(options: RecoveryDeskOptions) {
    this.#options = options;
  }

  underWay(): Promise<UnderWay | undefined> {
    return this.#options.recovery.state();
  }

  /** What is open by kind and state, and what an apply would do with it. */
  async open(): Promise<ReturnType<typeof planOf>> {
    const { restored } = this.#options;
    const campaigns: string[] = [];
    for await (const { id } of restored.campaigns()) campaigns.push(id);
    return planOf(await restored.standings(campaigns));
  }

  /** Asks the service about so many of each kind; nothing is changed. */
  async says(underWay: UnderWay, most: number): Promise<Said[]> {
    return upstreamSays(this.#options, { from: underWay.lastBeat, at: await this.#now() }, most);
  }

  missing(): Promise<Missing | undefined> {
    return this.#options.restored.missing();
  }

  /** False: nothing is missing. */
  goOnWithout(by: string, act?: Act): Promise<boolean> {
    return this.#options.restored.goOnWithout(by, act);
  }

  lastReport(): Promise<unknown> {
    return this.#options.restored.lastReport();
  }

  /** One turn. Asked again until it is over, by any operator; broken off, it goes on where it was. */
  async apply({ by, act, withoutHistory = false }: Applying): Promise<Applied> {
    const { restored, putBack, laterWords, context, recovery } = this.#options;
    const server = await recovery.server();
    const underWay = await recovery.state();
    if (underWay === undefined) return { is: 'none' };
    const at = await this.#now();
    const turn: Turn = {
      since: underWay.since,
      lost: { from: underWay.lastBeat, at },
      untilMono: context.clock.monotonic() + TURN_MS,
    };
    // First, so that what was open before counts what is known again.
    if (!withoutHistory && !(await this.#isThrough(putBack, turn))) {
      const now = await restored.standings([]);
      return { is: 'under way', ...progressOf(now, now) };
    }
    const before = await restored.before(underWay.since);
    // What is proven needs neither the service nor a person.
    const knowsAll = withoutHistory || (await this.#isThrough(laterWords, turn));
    const over = knowsAll && (await restoreAll(this.#options, turn));
    const after = await restored.standings(before.campaigns);
    if (!over) return { is: 'under way', ...progressOf(before.standings, after) };
    // Another apply has ended it meanwhile, and has told what it came to.
    if ((await recovery.state())?.since !== underWay.since) return { is: 'none' };
    const lostActs = withoutHistory ? [] : await putBack.lostActs(turn.lost, act);
    const told = { at, by, items: reportOf(before.standings, after), lostActs };
    const report = await this.#report(underWay, withoutHistory ? { ...told, withoutHistory } : told);
    await restored.keepReport(report);
    const left = await recovery.leave({ by, ledOn: server, act });
    // What has taken its place meanwhile may show as open what was led on here.
    if (left === 'another') return { is: 'under way', ...progressOf(before.standings, after) };
    return left === 'left' ? { is: 'over', report } : { is: 'none' };
  }

  #isThrough(part: PutBack | LaterWords, turn: Turn): Promise<boolean> {
    return part.turn({ since: turn.since, ...turn.lost }, () => !hasEnded(turn, this.#options.context));
  }

  async #report(
    { since, because, lastBeat }: UnderWay,
    told: Pick<RecoveryReport, 'at' | 'by' | 'items' | 'lostActs' | 'withoutHistory'>,
  ): Promise<RecoveryReport> {
    const { restored, intakeJobs, putBack, laterWords } = this.#options;
    const unreadable = await restored.skipped();
    return {
      ...told,
      because,
      lastBeat,
      unreadable: { count: unreadable.length, ids: unreadable.slice(0, NAMED_MOST) },
      intakeJobs: await intakeJobs.giveUp(since, RESTORED),
      heldCampaigns: await this.#heldCampaigns(),
      putBack: await putBack.counts(since),
      byHistory: await laterWords.counts(since),
    };
  }

  /** Refused where it is known better. */
  async confirm(by: string, act?: Act): Promise<'left' | 'none' | 'lost'> {
    const left = await this.#options.recovery.leave({ by, act });
    return left === 'another' ? 'lost' : left;
  }

  async #heldCampaigns(): Promise<{ id: string; name: string }[]> {
    const held: { id: string; name: string }[] = [];
    for await (const { id, name, state, totals } of this.#options.restored.campaigns()) {
      if (held.length === NAMED_MOST) break;
      if (state === 'held' && totals.queued > 0) held.push({ id, name });
    }
    return held;
  }

  async #now(): Promise<number> {
    return (await this.#options.context.campaigns.circumstances()).at;
  }
}

export function isProven({ because, counter, knownCounter = 0 }: UnderWay): boolean {
  return proofs.has(because) || knownCounter > counter;
}

/** What the service says about what stands open in a copy of Redis that was put back: asked, and nothing changed. */

/** How many were asked about, and the service's words with how often each was said. */
interface Said {
  readonly kind: 'disbursement' | 'invoice' | 'payment_request' | 'recipient';
  readonly asked: number;
  readonly words: Readonly<Record<string, number>>;
}

interface Asker {
  readonly kind: Exclude<Said['kind'], 'recipient'>;
  readonly states: readonly string[];
  /** Undefined: there is nothing to ask by. */
  readonly ask: (id: string, context: ProcessorContext) => Promise<string | undefined>;
}

const NO_ANSWER = 'no answer';

const askers: readonly Asker[] = [
  {
    kind: 'disbursement',
    states: ['created', 'submitting', 'unknown', 'pending', 'needs_review'],
    ask: async (id, context) => {
      const record = await context.queries.read('disbursement', id);
      const verdict = record && (await statusOf(record, context));
      return verdict && (verdict.is === 'ok' ? verdict.value.status : NO_ANSWER);
    },
  },
  {
    kind: 'invoice',
    states: ['pending', 'needs_review'],
    ask: async (id, context) => {
      const record = await context.queries.read('invoice', id);
      const account = record && context.account(record.account);
      if (record?.token === undefined || account === undefined) return undefined;
      await admitted(record.account, 'payments', context);
      const verdict = await context.upstream.payments.confirmInvoice(account.upstream, { token: record.token });
      return verdict.is === 'ok' ? verdict.value.status : NO_ANSWER;
    },
  },
  {
    kind: 'payment_request',
    states: ['pending', 'needs_review'],
    ask: async (id, context) => {
      const record = await context.queries.read('payment_request', id);
      const account = record && context.account(record.account);
      if (record?.referenceNumber === undefined || account === undefined) return undefined;
      const { referenceNumber } = record;
      await admitted(record.account, 'payments', context);
      const verdict = await context.upstream.payments.paymentRequestStatus(account.upstream, { referenceNumber });
      return verdict.is === 'ok' ? verdict.value.status : NO_ANSWER;
    },
  },
];

interface Tools {
  readonly restored: Restored;
  readonly context: ProcessorContext;
}

/** Asks about the last `most` of each kind, side by side with nobody: it is a look, and there is time. */
async function upstreamSays(tools: Tools, lost: Lost, most: number): Promise<Said[]> {
  const said = await Promise.all(askers.map((asker) => askSome(asker, tools, most)));
  return [...said, await askStatistics(tools, lost, most)].filter(({ asked }) => asked > 0);
}

async function askSome({ kind, states, ask }: Asker, { restored, context }: Tools, most: number): Promise<Said> {
  const words: Record<string, number> = {};
  let asked = 0;
  for await (const id of idsIn(states, kind, restored)) {
    if (asked >= most) break;
    const word = await ask(id, context).catch(orUndefined);
    if (word === undefined) continue;
    asked += 1;
    // A word that nobody knows is somebody else's text.
    const known = /^[a-z _-]{1,20}$/.test(word) ? word : 'other';
    words[known] = (words[known] ?? 0) + 1;
  }
  return { kind, asked, words };
}

async function* idsIn(states: readonly string[], kind: Asker['kind'], restored: Restored): AsyncGenerator<string> {
  for (const state of states) for await (const page of restored.ids(kind, state)) yield* page;
}

/** The first texts of each campaign: they go first. */
async function askStatistics({ restored, context }: Tools, lost: Lost, most: number): Promise<Said> {
  const words: Record<string, number> = {};
  let asked = 0;
  for await (const campaign of restored.campaigns()) {
    if (asked >= most) break;
    const first = await restored.slicesOf(campaign).next();
    const id = first.done ? undefined : first.value[0];
    const said = id === undefined ? undefined : await shownBy(id, campaign, lost, context).catch(orUndefined);
    if (said === undefined) continue;
    const { asked: of, shown } = said;
    asked += of;
    const add = (word: string, count: number): void => void (words[word] = (words[word] ?? 0) + count);
    if (shown === undefined) add(NO_ANSWER, of);
    else {
      if (shown > 0) add('sent', shown);
      if (shown < of) add('not shown', of - shown);
    }
  }
  return { kind: 'recipient', asked, words };
}

/** What is open, and what would be done with it. */
function planOf(standings: readonly Standing[]) {
  return standings.filter((one) => !isOver(one)).map((one) => ({ ...one, would: wouldDo(one) }));
}

/**
 * Leads a Redis that was put back from a copy to where work may begin again: nothing that the copy shows as not yet
 * done is done on the strength of it.
 *
 *   campaigns held ──▶ their texts, and single ones, in doubt ──▶ money asked about, or to a person ──▶ told ──▶ over
 *
 * Each change is one script from a state that is left by it, so what was broken off is simply begun again: it goes
 * through what is left, and ends the same.
 */

interface RecoverTools {
  readonly restored: Restored;
  readonly context: ProcessorContext;
}

/** Of what is done side by side: requests wait for their turn anyway. */
const TOGETHER = 32;

/** A turn of an apply: it ends between two groups when its time is over, and the next one begins anew. */
export interface Turn {
  /** When the recovery began. */
  readonly since: number;
  readonly lost: Lost;
  /** On our own monotonic clock. */
  readonly untilMono: number;
}

/** True: everything was led on. False: the time was over, or something changed meanwhile; call again. */
export async function restoreAll(tools: RecoverTools, turn: Turn): Promise<boolean> {
  const texts = await restoreTexts(tools, turn);
  // Nothing of texts that changes meanwhile keeps money waiting.
  const money = texts === 'ended' ? texts : await restoreAllMoney(tools, turn);
  return worst([texts, money]) === 'done';
}

/** `again`: somebody else has changed it meanwhile. `ended`: the time was over before. */
type Led = 'done' | 'nothing' | 'again' | 'ended';

function worst(led: readonly Led[]): 'done' | 'again' | 'ended' {
  if (led.includes('ended')) return 'ended';
  return led.includes('again') ? 'again' : 'done';
}

async function restoreTexts(tools: RecoverTools, turn: Turn): Promise<Led> {
  const { restored, context } = tools;
  const led: Led[] = [];
  for await (const campaign of restored.campaigns()) {
    if (restored.isDoneWith(campaign, turn.since)) continue;
    led.push(await inGroups([campaign.id], () => restoreCampaign(campaign, tools, turn), tools, turn));
    if (led.includes('ended')) return 'ended';
  }
  for (const slices of [restored.looseSlices(), restored.slicesDue()]) {
    for await (const ids of slices) {
      led.push(await inGroups(ids, (id) => doubtSlice(id, turn.lost, context), tools, turn));
      if (led.includes('ended')) return 'ended';
    }
  }
  return worst(led);
}

/** Held first, so that nothing of it is sent meanwhile. */
async function restoreCampaign(campaign: CampaignRecord, tools: RecoverTools, turn: Turn): Promise<Led> {
  const { restored, context } = tools;
  const done = async (one: CampaignRecord): Promise<Led> => {
    await restored.doneWith(one, turn.since);
    return 'done';
  };
  await restored.holdCampaign(campaign, false);
  const first = await restored.slicesOf(campaign).next();
  const slices = first.done ? [] : first.value;
  if (!(await mayHaveBeenSent(campaign, slices, turn.lost, context))) return done(campaign);
  await restored.holdCampaign(campaign, true);
  const led: Led[] = [];
  for await (const ids of restored.slicesOf(campaign)) {
    led.push(await inGroups(ids, (id) => doubtSlice(id, turn.lost, context), tools, turn));
    if (led.includes('ended')) return 'ended';
  }
  return worst(led) === 'done' ? done(campaign) : worst(led);
}

async function restoreAllMoney(tools: RecoverTools, turn: Turn): Promise<Led> {
  // Batches first: nothing more is accepted from their rows then.
  const inOrder: readonly MoneyKind[] = ['batch', ...reviewKinds.filter((kind) => kind !== 'batch')];
  const led: Led[] = [];
  for (const kind of inOrder) {
    led.push(await restoreKind(kind, tools, turn));
    if (led.includes('ended')) return 'ended';
  }
  return worst(led);
}

async function restoreKind(kind: MoneyKind, tools: RecoverTools, turn: Turn): Promise<Led> {
  const { restored, context } = tools;
  const states = statesToRestore(kind);
  const lead = (id: string): Promise<Led> => restoreMoney({ kind, states }, { id, at: turn.lost.at }, context);
  const led: Led[] = [];
  for (const state of states) {
    for await (const ids of restored.ids(kind, state)) {
      led.push(await inGroups(ids, lead, tools, turn));
      if (led.includes('ended')) return 'ended';
    }
  }
  return worst(led);
}

/** One that somebody else has changed meanwhile keeps none of the others waiting: looks go on all the time. */
async function inGroups(
  ids: readonly string[],
  run: (id: string) => Promise<Led>,
  { restored, context }: RecoverTools,
  turn: Turn,
): Promise<Led> {
  const runOrSkip = (id: string): Promise<Led> =>
    run(id).catch(async (error: unknown): Promise<Led> => {
      if (!isUnreadable(error)) throw error;
      await restored.skip(id);
      return 'nothing';
    });
  const led: Led[] = [];
  for (let from = 0; from < ids.length; from += TOGETHER) {
    led.push(...(await Promise.all(ids.slice(from, from + TOGETHER).map(runOrSkip))));
    if (hasEnded(turn, context)) return 'ended';
  }
  return worst(led);
}

function hasEnded({ untilMono }: Turn, { clock }: ProcessorContext): boolean {
  return clock.monotonic() >= untilMono;
}
