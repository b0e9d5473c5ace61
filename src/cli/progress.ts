import { timed } from '../messages/figures.ts';
import { describeMs } from '../lib/clock.ts';
import { type Language, type Words, wordFor, wordsIn } from '../messages/languages.ts';
import { grouped, printable } from './output.ts';

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

/** The first recipients were sent to, and the rest waits for what became of them. */
export interface CanaryWait {
  readonly recipients: number;
  /** When the rest follows, where that can be said. */
  readonly restAt: string | null;
}

export interface CampaignProgress {
  readonly state: string;
  /** Why it is paused or held. */
  readonly reason?: string | undefined;
  readonly totals: CampaignTotals;
  /** Recipients settled per second, lately; 0 while nobody knows. */
  readonly perSecond: number;
  /** What it may send per second at most, where somebody has said so. */
  readonly limit?: number | undefined;
  /** When it begins, while it is scheduled. */
  readonly sendAt?: string | undefined;
  readonly canary?: CanaryWait | undefined;
}

/** On 80 columns a campaign of 80,000 leaves room for six. */
const LEAST_BAR = 6;
const MOST_BAR = 40;

/** Recipients that are waiting or on their way: what is left to do. */
export function remainingOf({ queued, held, sending }: CampaignTotals): number {
  return queued + held + sending;
}

/** Recipients that it is over for. Skipped rows never were recipients. */
export function settledOf(totals: CampaignTotals): number {
  return totals.total - totals.skipped - remainingOf(totals);
}

/** One line for a terminal, never as wide as it: the last column would make some terminals wrap. */
export function renderBar(progress: CampaignProgress, columns: number, language: Language = 'en'): string {
  const text = renderLine(progress, language);
  const room = Math.min(MOST_BAR, columns - text.length - 3);
  if (room < LEAST_BAR) return text.slice(0, Math.max(0, columns - 1));
  const filled = Math.floor(shareOf(progress) * room);
  return `${'█'.repeat(filled)}${'░'.repeat(room - filled)}  ${text}`;
}

/** The same for a log: everything that matters, and nothing that needs a terminal. */
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
    // Before the rest has begun, nothing is known of its pace.
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

/** Those left when it was cancelled are over too, but that is no progress. */
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

/** The samples with one more, without those that are too old to say anything about now. */
export function remember(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  return [...samples.filter(({ atMs }) => sample.atMs - atMs <= WINDOW_MS), sample];
}

/** Per second over the samples; undefined as long as they say nothing. */
export function paceOf(samples: readonly Sample[]): number | undefined {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || last.atMs - first.atMs < 1_000) return undefined;
  return Math.max(0, ((last.settled - first.settled) * 1_000) / (last.atMs - first.atMs));
}
