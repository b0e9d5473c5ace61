/**
 * In which parts a chunk goes out. Mostly it has no plan and goes out in one request. Refused as a whole for the sake
 * of one recipient, it gets one: positions (exclusive, ascending) at which its parts end. Whoever is still `queued`
 * before the first end makes the next request, so what was sent, and what must not be, never depends on the plan.
 */
import type { RecipientState } from '../kinds/recipient.ts';
import type { Recipient } from './chunk-texts.ts';

type Plan = readonly number[];

/** With more bad recipients than this in a chunk, one request each is cheaper than halving on. */
const BAD_TO_HALVE_FOR = 5;

export function readPlan(packed: string): Plan {
  return packed === '' ? [] : packed.split(',').map(Number);
}

/** Who goes out next, by position: of the first part of which anybody may, without those who may not yet. */
export function nextPart(
  states: readonly RecipientState[],
  plan: Plan,
  mayNot: ReadonlySet<number> = new Set(),
): number[] {
  const waiting = states.flatMap((state, index) => (state === 'queued' && !mayNot.has(index) ? [index] : []));
  for (const end of plan) {
    const part = waiting.filter((index) => index < end);
    if (part.length > 0) return part;
  }
  return waiting;
}

/** The plan after a part was refused: it goes out again in two halves, or each of it alone. Packed. */
export function splitPart(packed: string, part: readonly number[], states: readonly RecipientState[]): string {
  const [first = 0] = part;
  const last = part.at(-1) ?? first;
  const bad = states.filter((state) => state === 'failed').length;
  const middle = part[Math.ceil(part.length / 2)] ?? last;
  const cuts = bad > BAD_TO_HALVE_FOR ? part.map((index) => index + 1) : [middle, last + 1];
  const ends = new Set([...readPlan(packed).filter((end) => end > last), ...cuts]);
  return [...ends].toSorted((a, b) => a - b).join(',');
}

type Sent = Pick<Recipient, 'to' | 'text' | 'from'>;

/** What each of these codes is about (interface: SMS errors). They refuse a request before any work. */
const ABOUT: Readonly<Record<string, (recipient: Sent) => string>> = {
  ERROR_108: ({ from }) => from ?? '',
  ERROR_110: ({ to }) => to,
  ERROR_112: ({ text }) => text,
  ERROR_113: ({ text }) => text,
};

/** Whether one of several recipients may have spoilt it for the others: not where what is wrong is the same for all. */
export function mayBeOfOne(code: string | undefined, recipients: readonly Sent[]): boolean {
  const about = code === undefined ? undefined : ABOUT[code];
  return about !== undefined && new Set(recipients.map(about)).size > 1;
}
