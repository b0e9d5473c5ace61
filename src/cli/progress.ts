import { timed } from '../messages/figures.ts';
import { describeMs } from '../lib/clock.ts';
import { type Language, type Words, wordFor, wordsIn } from '../messages/languages.ts';
import { grouped } from '../messages/counts.ts';
import { printable } from './output.ts';

export interface CampaignTotals {
  readonly total: number;
  readonly queued: number;
  readonly held: number;
  readonly sending: number;
  readonly sent: number;
  readonly failed: number;
  readonly unknown: number;
  readonly skipped: number;
}

/** The first recipients were sent to, and the rest waits for their results. */
export interface CanaryWait {
  readonly recipients: number;
  /** When the rest follows, if known. */
  readonly restAt: string | null;
}

export interface CampaignProgress {
  readonly state: string;
  /** Why it is paused or held. */
  readonly reason?: string | undefined;
  readonly totals: CampaignTotals;
  /** Recent recipients settled per second; 0 while unknown. */
  readonly perSecond: number;
  /** The maximum per second, if set. */
  readonly limit?: number | undefined;
  /** The start time, while it is scheduled. */
  readonly sendAt?: string | undefined;
  readonly canary?: CanaryWait | undefined;
}

/** In 80 columns a campaign of 80,000 leaves room for six. */
const LEAST_BAR = 6;
const MOST_BAR = 40;

/** Recipients that are waiting or in flight. */
export function remainingOf({ queued, held, sending }: CampaignTotals): number {
  return queued + held + sending;
}

/** Recipients with a final status. Skipped rows are not recipients. */
export function settledOf(totals: CampaignTotals): number {
  return totals.total - totals.skipped - remainingOf(totals);
}

/** One line for a terminal, always narrower than it: using the last column would make some terminals wrap. */
export function renderBar(progress: CampaignProgress, columns: number, language: Language = 'en'): string {
  const text = renderLine(progress, language);
  const room = Math.min(MOST_BAR, columns - text.length - 3);
  if (room < LEAST_BAR) return text.slice(0, Math.max(0, columns - 1));
  const filled = Math.floor(shareOf(progress) * room);
  return `${'█'.repeat(filled)}${'░'.repeat(room - filled)}  ${text}`;
}

/** The line for a log: all important values, without terminal control. */
export function renderLine(progress: CampaignProgress, language: Language = 'en'): string {
  const { campaign: words, figures } = wordsIn(language);
  const { state, totals, perSecond, limit, canary } = progress;
  // Rounded down, so that 100 % means the end.
  const percent = `${String(Math.floor(shareOf(progress) * 100)).padStart(3)} %`;
  const remaining = remainingOf(totals);
  const runs = state === 'running' && remaining > 0;
  const parts = [
    words.progress(
      grouped(totals.sent),
      grouped(totals.total - totals.skipped),
      grouped(totals.failed),
      grouped(totals.unknown),
    ),
    ...(runs && canary ? [canaryIn(canary, words, figures)] : []),
    // Before the rest begins, its rate is unknown.
    ...(runs && perSecond > 0 && !canary
      ? [`${rounded(perSecond)}/s`, words.left(timeLeft(remaining, perSecond))]
      : []),
    ...(runs && limit !== undefined ? [words.atMost(grouped(limit))] : []),
    ...(state === 'running' ? [] : [standingOf(progress, words)]),
  ];
  return `${percent}  ${parts.join(' · ')}`;
}

function canaryIn({ recipients, restAt }: CanaryWait, words: Words['campaign'], figures: Words['figures']): string {
  return words.canary(grouped(recipients), restAt === null ? undefined : timed(printable(restAt), figures));
}

/** `held: it is night there`, `scheduled for 2026-11-21T08:00:00Z`, `finished`. */
function standingOf({ state, reason, sendAt }: CampaignProgress, words: Words['campaign']): string {
  if (state === 'scheduled' && sendAt !== undefined) return words.scheduledFor(printable(sendAt));
  const said = printable(wordFor(words.states, state));
  return reason === undefined ? said : words.because(said, printable(wordFor(words.reasons, reason)));
}

/** Recipients left at a cancellation are final too, but they are no progress. */
function shareOf({ state, totals }: CampaignProgress): number {
  const people = totals.total - totals.skipped;
  if (state === 'cancelled' && people > 0) return (totals.sent + totals.failed + totals.unknown) / people;
  return people === 0 ? 1 : settledOf(totals) / people;
}

function rounded(perSecond: number): string {
  return perSecond < 10 ? perSecond.toFixed(1) : grouped(Math.round(perSecond));
}

function timeLeft(remaining: number, perSecond: number): string {
  return describeMs(Math.ceil(remaining / perSecond) * 1_000);
}

export interface Sample {
  /** Monotonic ms. */
  readonly atMs: number;
  readonly settled: number;
}

const WINDOW_MS = 10_000;

/** Adds a sample, and removes those too old for the current rate. */
export function remember(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  return [...samples.filter(({ atMs }) => sample.atMs - atMs <= WINDOW_MS), sample];
}

/** Per second over the samples; undefined if there are too few. */
export function paceOf(samples: readonly Sample[]): number | undefined {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || last.atMs - first.atMs < 1_000) return undefined;
  return Math.max(0, ((last.settled - first.settled) * 1_000) / (last.atMs - first.atMs));
}
