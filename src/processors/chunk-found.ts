/** Which of the texts in doubt were sent, as far as the statistics of upstream tell. */
import { digitsOf } from '../lib/phone.ts';
import { codeMark, textMark } from '../operations/text-marks.ts';
import type { Statistics } from '../upstream/messaging/messaging.ts';
import type { ProcessorContext } from './context.ts';
import type { ChunkHeld } from './chunk-settle.ts';
import type { Recipient } from './chunk-texts.ts';

const HOUR_MS = 3_600_000;
/** Clocks of two machines. */
const SKEW_MS = 600_000;
/** The zone of the dates is not told (interface: Resources, SMS records), and zones lie 12 hours west to 14 east. */
const BEHIND_MS = 12 * HOUR_MS + SKEW_MS;
const AHEAD_MS = 14 * HOUR_MS + SKEW_MS;

/** No text that left after `sentAt` (ms) and before `at` falls out of this, in whatever zone the dates are read. */
export function periodOf(sentAt: number, at: number): { readonly startDate: string; readonly endDate: string } {
  return { startDate: serviceDate(sentAt - BEHIND_MS), endDate: serviceDate(at + AHEAD_MS) };
}

interface Candidate {
  readonly index: number;
  readonly recipient: Recipient;
  readonly codes: readonly string[];
}

/**
 * The positions of those who were sent to, each with upstream's code. A text that an earlier message or campaign has
 * been counted as sent for proves nothing about this one: where the two cannot be told apart, it stays in doubt.
 */
export async function foundAmong(
  { record, at, recipients }: ChunkHeld,
  doubtful: readonly number[],
  statistics: Statistics,
  context: ProcessorContext,
): Promise<Map<number, string>> {
  const candidates = doubtful.flatMap((index): Candidate[] => {
    const recipient = recipients[index];
    if (!recipient) return [];
    const entries = statistics.sent.get(digitsOf(recipient.to)) ?? [];
    const codes = entries.filter(({ content }) => content === recipient.text).map(({ code }) => code);
    return codes.length > 0 ? [{ index, recipient, codes }] : [];
  });
  const marks = candidates.flatMap(({ recipient: { to, text }, codes }) => [
    textMark(to, text),
    ...codes.flatMap((code) => codeMark(to, text, code)),
  ]);
  const sentAt = record.firstSentAt ?? record.sentAt ?? record.since;
  const from = sentAt - BEHIND_MS - AHEAD_MS;
  const counted = await context.chunks.countedAsSent(record.account, { from, to: at }, marks);
  const spoken = new Set(marks.filter((_, place) => counted[place]));
  return new Map(
    candidates.flatMap((candidate): [number, string][] => {
      const code = freeCode(candidate, spoken);
      return code === undefined ? [] : [[candidate.index, code]];
    }),
  );
}

/** The code of an entry that nobody else has been counted as sent for. */
function freeCode({ recipient: { to, text }, codes }: Candidate, spoken: ReadonlySet<string>): string | undefined {
  const isSpokenFor = (code: string): boolean => codeMark(to, text, code).some((mark) => spoken.has(mark));
  if (!spoken.has(textMark(to, text))) return codes[0];
  // The same text was sent before. Only where its own code is here too do codes tell one sending from another.
  return codes.some(isSpokenFor)
    ? codes.find((code) => codeMark(to, text, code).length > 0 && !isSpokenFor(code))
    : undefined;
}

/** `YYYY-MM-DD HH:MM:SS` (interface: Resources, SMS records). */
function serviceDate(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}
