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
import type { LaterTexts } from '../../operations/later-texts.ts';
import type { LaterWords } from '../../operations/later-words.ts';
import type { LostIdentities } from '../../operations/lost-identities.ts';
import type { LostRetries } from '../../operations/lost-retries.ts';
import type { LostTime, PutBack } from '../../operations/put-back.ts';
import { RESTORED, type Restored, type Standing } from '../../operations/restored.ts';
import { reviewKinds } from '../../operations/review.ts';
import type { ProcessorContext } from '../context.ts';
import { type MoneyKind, restoreMoney, statesToRestore } from './money.ts';
import { type Said, upstreamSays } from './says.ts';
import { doubtSlice, mayHaveBeenSent } from './texts.ts';

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
  readonly laterTexts: LaterTexts;
  readonly lostIdentities: LostIdentities;
  readonly lostRetries: LostRetries;
  readonly context: ProcessorContext;
  readonly intakeJobs: IntakeJobs;
  readonly recovery: {
    state(): Promise<UnderWay | undefined>;
    server(): Promise<string>;
    leave(how: Leaving): Promise<Left>;
  };
}

/** The first of them by name. */
interface Named {
  readonly count: number;
  readonly ids: readonly string[];
}

export interface RecoveryReport {
  readonly at: number;
  readonly by: string;
  readonly because: string;
  readonly lastBeat: number;
  readonly items: readonly ReportRow[];
  /** Records that cannot be read: left as they are, and nothing of them is due. */
  readonly unreadable: Named;
  /** Accepted in the lost time, and nobody here knows what became of them: refused when they are asked for again. */
  readonly lostIdentities: Named;
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
    const { restored, context, recovery } = this.#options;
    const server = await recovery.server();
    const underWay = await recovery.state();
    if (underWay === undefined) return { is: 'none' };
    const at = await this.#now();
    const turn: Turn = {
      lost: { since: underWay.since, from: underWay.lastBeat, at },
      untilMono: context.clock.monotonic() + TURN_MS,
    };
    // Before all else, which may take many turns: a key of somebody that was to be kept out opens every door meanwhile.
    if (!withoutHistory) await this.#options.putBack.revokeAgain(turn.lost, act);
    // First of what was done, so that what was open before counts what is known again.
    if (!withoutHistory && !(await this.#isKnownAgain(turn))) {
      const now = await restored.standings([]);
      return { is: 'under way', ...progressOf(now, now) };
    }
    const before = await restored.before(underWay.since);
    // What is proven needs neither the service nor a person.
    const knowsAll = withoutHistory || (await this.#knowsAll(turn));
    const { laterTexts } = withoutHistory ? {} : this.#options;
    const over = knowsAll && (await restoreAll({ restored, context, laterTexts }, turn));
    const after = await restored.standings(before.campaigns);
    if (!over) return { is: 'under way', ...progressOf(before.standings, after) };
    const now = await recovery.state();
    // Another apply has ended it meanwhile, and has told what it came to.
    if (now === undefined) return { is: 'none' };
    // A witness was heard meanwhile that knows of more than was led on.
    if (now.since !== underWay.since) return { is: 'under way', ...progressOf(before.standings, after) };
    const lostActs = withoutHistory ? [] : await this.#options.putBack.lostActs(turn.lost);
    const told = { at, by, items: reportOf(before.standings, after), lostActs };
    const report = await this.#report(underWay, withoutHistory ? { ...told, withoutHistory } : told);
    await restored.keepReport(report);
    const left = await recovery.leave({ by, ledOn: server, since: underWay.since, act });
    // What has taken its place meanwhile may show as open what was led on here.
    if (left === 'another') return { is: 'under way', ...progressOf(before.standings, after) };
    return left === 'left' ? { is: 'over', report } : { is: 'none' };
  }

  async #isKnownAgain(turn: Turn): Promise<boolean> {
    const { putBack, lostRetries } = this.#options;
    return (await this.#isThrough(putBack, turn)) && this.#isThrough(lostRetries, turn);
  }

  async #knowsAll(turn: Turn): Promise<boolean> {
    const { laterWords, lostIdentities } = this.#options;
    return (await this.#isThrough(laterWords, turn)) && this.#isThrough(lostIdentities, turn);
  }

  #isThrough(part: PutBack | LostRetries | LaterWords | LostIdentities, turn: Turn): Promise<boolean> {
    return part.turn(turn.lost, () => !hasEnded(turn, this.#options.context));
  }

  async #report(
    { since, because, lastBeat }: UnderWay,
    told: Pick<RecoveryReport, 'at' | 'by' | 'items' | 'lostActs' | 'withoutHistory'>,
  ): Promise<RecoveryReport> {
    const { restored, intakeJobs, putBack, laterWords, laterTexts, lostIdentities } = this.#options;
    const [unreadable, lost] = [await restored.skipped(), await lostIdentities.taken()];
    return {
      ...told,
      because,
      lastBeat,
      unreadable: firstOf(unreadable),
      lostIdentities: firstOf(lost),
      intakeJobs: await intakeJobs.giveUp(since, RESTORED),
      heldCampaigns: await this.#heldCampaigns(),
      putBack: await putBack.counts(since),
      byHistory: { ...(await laterWords.counts(since)), ...(await laterTexts.counts(since)) },
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

const firstOf = (ids: readonly string[]): Named => ({ count: ids.length, ids: ids.slice(0, NAMED_MOST) });

export function isProven({ because, counter, knownCounter = 0 }: UnderWay): boolean {
  return proofs.has(because) || knownCounter > counter;
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
  /** Absent: nobody asks history. */
  readonly laterTexts?: LaterTexts | undefined;
}

/** Of what is done side by side: requests wait for their turn anyway. */
const TOGETHER = 32;

/** A turn of an apply: it ends between two groups when its time is over, and the next one begins anew. */
export interface Turn {
  readonly lost: LostTime;
  /** On our own monotonic clock. */
  readonly untilMono: number;
}

/** True: everything was led on. False: the time was over, or something changed meanwhile; call again. */
export async function restoreAll(tools: RecoverTools, turn: Turn): Promise<boolean> {
  const texts = await restoreTexts(tools, turn);
  // Nothing of texts that changes meanwhile keeps money waiting.
  const money = texts === 'ended' ? texts : await restoreAllMoney(tools, turn);
  const led = worst([texts, money]);
  const { clock } = tools.context;
  if (led === 'later') await clock.sleep(Math.max(0, Math.min(PAUSE_MS, turn.untilMono - clock.monotonic())));
  return led === 'done';
}

/** Where only time can tell, an operator that asks again at once is answered no sooner than this. */
const PAUSE_MS = 1_000;

/** `again`: somebody else has changed it meanwhile. `later`: only time can tell. `ended`: this turn's was over before. */
type Led = 'done' | 'nothing' | 'again' | 'later' | 'ended';

const worst = (led: readonly Led[]): Led =>
  (['ended', 'later', 'again'] as const).find((one) => led.includes(one)) ?? 'done';

async function restoreTexts(tools: RecoverTools, turn: Turn): Promise<Led> {
  const { restored } = tools;
  const led: Led[] = [];
  for await (const campaign of restored.campaigns()) {
    if (restored.isDoneWith(campaign, turn.lost.since)) continue;
    led.push(await inGroups([campaign.id], () => restoreCampaign(campaign, tools, turn), tools, turn));
    if (led.includes('ended')) return 'ended';
  }
  for (const slices of [restored.looseSlices(), restored.slicesDue()]) {
    for await (const ids of slices) {
      led.push(await inGroups(ids, (id) => doubtSlice(id, turn.lost, tools), tools, turn));
      if (led.includes('ended')) return 'ended';
    }
  }
  return worst(led);
}

/** Held first, so that nothing of it is sent meanwhile. */
async function restoreCampaign(campaign: CampaignRecord, tools: RecoverTools, turn: Turn): Promise<Led> {
  const { restored, context } = tools;
  const done = async (one: CampaignRecord): Promise<Led> => {
    await restored.doneWith(one, turn.lost.since);
    return 'done';
  };
  await restored.holdCampaign(campaign, false, turn.lost.since);
  const first = await restored.slicesOf(campaign).next();
  const slices = first.done ? [] : first.value;
  const mayHave = await mayHaveBeenSent(campaign, slices, turn.lost, tools);
  if (mayHave === 'not yet') return 'later';
  if (!mayHave) return done(campaign);
  // As long as the retry is there to be gone on with: this ends it.
  if (campaign.walk !== undefined && !(await context.retries.openRest(campaign))) return 'again';
  await restored.holdCampaign(campaign, true, turn.lost.since);
  const led: Led[] = [];
  for await (const ids of restored.slicesOf(campaign)) {
    led.push(await inGroups(ids, (id) => doubtSlice(id, turn.lost, tools), tools, turn));
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
  const lead = (id: string): Promise<Led> => restoreMoney({ kind, states }, { id, lost: turn.lost }, context);
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
