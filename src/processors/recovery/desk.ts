/**
 * What a person does about a recovery: sees what is open and what the service says of it, has it led on a bounded turn
 * at a time, or confirms that nothing was lost.
 */
import type { Act } from '../../operations/audit.ts';
import type { Leaving } from '../../operations/heartbeat.ts';
import { type ReportRow, reportOf, wouldDo } from '../../operations/recovery-report.ts';
import { RESTORED, type Restored, type Standing } from '../../operations/restored.ts';
import type { ProcessorContext } from '../context.ts';
import { planOf, type Said, upstreamSays } from './plan.ts';
import { restoreAll } from './recover.ts';

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

export interface RecoveryDeskOptions {
  readonly restored: Restored;
  readonly context: ProcessorContext;
  readonly intakeJobs: IntakeJobs;
  readonly recovery: {
    state(): Promise<UnderWay | undefined>;
    leave(how: Leaving): Promise<boolean>;
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
}

export type Applied =
  | { readonly is: 'none' }
  /** There is more to do: ask again. */
  | { readonly is: 'under way'; readonly done: number; readonly of: number }
  | { readonly is: 'over'; readonly report: RecoveryReport };

/** A turn of an apply: a caller that waits for its answer learns how far it is. */
const TURN_MS = 5_000;
const NAMED_MOST = 100;

/** What can be no mere silence: somebody remembers what this Redis does not. */
const PROOFS: ReadonlySet<string> = new Set(['rolled_back', 'witness', 'event_cursor']);

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

  lastReport(): Promise<unknown> {
    return this.#options.restored.lastReport();
  }

  /** One turn. Asked again until it is over, by any operator; broken off, it goes on where it was. */
  async apply(by: string, act?: Act): Promise<Applied> {
    const { restored, context, recovery, intakeJobs } = this.#options;
    const underWay = await recovery.state();
    if (underWay === undefined) return { is: 'none' };
    const before = await restored.before(underWay.since);
    const at = await this.#now();
    const untilMono = context.clock.monotonic() + TURN_MS;
    const over = await restoreAll(this.#options, {
      since: underWay.since,
      lost: { from: underWay.lastBeat, at },
      untilMono,
    });
    const after = await restored.standings(before.campaigns);
    if (!over) return { is: 'under way', ...progressOf(before.standings, after) };
    // Another apply has ended it meanwhile, and has told what it came to.
    if ((await recovery.state())?.since !== underWay.since) return { is: 'none' };
    const unreadable = await restored.skipped();
    const report: RecoveryReport = {
      at,
      by,
      because: underWay.because,
      lastBeat: underWay.lastBeat,
      items: reportOf(before.standings, after),
      unreadable: { count: unreadable.length, ids: unreadable.slice(0, NAMED_MOST) },
      intakeJobs: await intakeJobs.giveUp(underWay.since, RESTORED),
      heldCampaigns: await this.#heldCampaigns(),
    };
    await restored.keepReport(report);
    await recovery.leave({ by, act });
    return { is: 'over', report };
  }

  /** Refused where it is known better. */
  async confirm(by: string, act?: Act): Promise<'left' | 'none' | 'lost'> {
    const underWay = await this.underWay();
    if (underWay === undefined) return 'none';
    if (isProven(underWay)) return 'lost';
    return (await this.#options.recovery.leave({ by, act })) ? 'left' : 'none';
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
  return PROOFS.has(because) || knownCounter > counter;
}

/** Campaigns stay held until somebody resumes them, so they are no measure of what is left to do. */
function progressOf(before: readonly Standing[], after: readonly Standing[]): { done: number; of: number } {
  const left = (all: readonly Standing[]): number =>
    all
      .filter((one) => one.kind !== 'campaign' && !['look', 'nothing'].includes(wouldDo(one)))
      .reduce((sum, { count }) => sum + count, 0);
  return { done: Math.max(0, left(before) - left(after)), of: left(before) };
}
