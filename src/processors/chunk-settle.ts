/** Writing down what became of a chunk: its state, the bins of its campaign or its messages, in one step. */
import type { ChunkRecord } from '../operations/record.ts';
import type { RecipientState } from '../kinds/recipient.ts';
import { queueOf } from '../kinds/states.ts';
import type { StateOf } from '../kinds/index.ts';
import {
  forgetTexts,
  impliedState,
  packCodes,
  packOutcome,
  unpackCodes,
  unpackCountries,
  unpackMessageItems,
  unpackOutcome,
} from '../operations/chunk-items.ts';
import type { ChunkChange, ChunkSettled, MessageChange } from '../operations/chunks.ts';
import type { EvidenceDraft } from '../operations/transition.ts';
import { codeMark } from '../operations/text-marks.ts';
import type { ProcessorContext, AttemptResult } from './context.ts';
import type { Recipient } from './chunk-texts.ts';

export interface ChunkHeld {
  readonly record: ChunkRecord;
  readonly lease: string;
  /** The clock of Redis when the lease was given. */
  readonly at: number;
  readonly recipients: readonly Recipient[];
}

export interface ChunkMove {
  readonly to: StateOf<'chunk'>;
  /** The state of every recipient after this step, by position. */
  readonly states: readonly RecipientState[];
  /** Upstream's codes, by position; absent where none was given. */
  readonly codes?: Readonly<Record<number, string>>;
  readonly evidence?: EvidenceDraft;
  readonly dueInMs?: number;
  readonly keepMs?: number;
  readonly optOutsOf?: readonly string[];
  readonly only?: ChunkChange['only'];
  readonly expiresAt?: number | undefined;
  readonly set?: Readonly<Record<string, string | number>>;
  /** Fields of the campaign besides its bins, and by how much they change. */
  readonly counts?: Readonly<Record<string, number>>;
}

export function settleChunk(held: ChunkHeld, move: ChunkMove, context: ProcessorContext): Promise<ChunkSettled> {
  const { record, lease, at } = held;
  const before = statesBefore(record);
  const codes = record.codes === '' ? (move.codes ?? {}) : { ...codesBefore(record, before), ...move.codes };
  const messages = record.campaign ? [] : messageChanges(record, before, move.states, codes, move.to);
  return context.chunks.settle(record, lease, {
    to: move.to,
    dueInMs: move.dueInMs,
    keepMs: move.keepMs,
    evidence: move.evidence,
    only: move.only,
    optOutsOf: move.optOutsOf,
    at,
    expiresAt: move.expiresAt,
    counts: record.campaign ? { ...countsMoved(record, before, move.states), ...move.counts } : {},
    ...marksOf(held, before, move, codes),
    messages,
    set: {
      ...move.set,
      // Where all recipients are as the state of their chunk says, no letters are needed.
      outcome: move.states.every((state) => state === impliedState[move.to]) ? '' : packOutcome(move.states),
      codes: packCodes(codes, record.count),
      ...(record.lane === 'otp' && move.to === 'settled' ? { items: forgetTexts(record.items) } : {}),
    },
  });
}

/** The next step of a chunk in which nobody is in doubt any more: who waits goes out, and else it is over. */
export async function goOn(
  held: ChunkHeld,
  move: Omit<ChunkMove, 'to'>,
  because: string,
  context: ProcessorContext,
): Promise<AttemptResult> {
  const { record } = held;
  if (!move.states.includes('queued')) {
    return finishChunk(held, { ...move, to: 'settled' }, { outcome: 'ended', reason: because }, context);
  }
  const settled = await settleChunk(held, { dueInMs: 0, ...move, to: 'queued' }, context);
  const queue = queueOf('chunk', 'queued', record.lane);
  if (settled.is === 'applied' && !move.dueInMs && queue) context.wake(queue, record.id, settled.rev);
  return endOf(held, move, { settled, meant: { outcome: 'advanced', reason: because } }, context);
}

/** Ends an attempt at a chunk. */
export async function finishChunk(
  held: ChunkHeld,
  move: ChunkMove,
  meant: AttemptResult,
  context: ProcessorContext,
): Promise<AttemptResult> {
  return endOf(held, move, { settled: await settleChunk(held, move, context), meant }, context);
}

/** Whoever has the chunk by now does not know what we were told. */
async function endOf(
  { record }: ChunkHeld,
  { evidence }: Pick<ChunkMove, 'evidence'>,
  { settled, meant }: { readonly settled: ChunkSettled; readonly meant: AttemptResult },
  context: ProcessorContext,
): Promise<AttemptResult> {
  if (settled.is === 'applied' || settled.is === 'mine') return meant;
  if (evidence) await context.operations.appendEvidence(record.id, evidence);
  return { outcome: 'lost', reason: settled.is };
}

export function statesBefore(record: ChunkRecord): RecipientState[] {
  return unpackOutcome(record.outcome, record.count, impliedState[record.state]);
}

/** Upstream's codes of those who are over. Whoever goes out again has a code from before, which is not about this time. */
function codesBefore(record: ChunkRecord, before: readonly RecipientState[]): Record<number, string> {
  const codes = Object.entries(unpackCodes(record.codes, record.count)).map(
    ([place, code]) => [Number(place), code] as const,
  );
  return Object.fromEntries(codes.filter(([place]) => before[place] !== 'queued' && before[place] !== 'sending'));
}

/** The states that are counted by country too. */
const COUNTED_BY_COUNTRY: ReadonlySet<RecipientState> = new Set(['sent', 'failed', 'unknown']);

function countsMoved(
  record: ChunkRecord,
  before: readonly RecipientState[],
  after: readonly RecipientState[],
): Record<string, number> {
  const counts: Record<string, number> = {};
  const add = (state: RecipientState, country: string | undefined, delta: number): void => {
    counts[`t:${state}`] = (counts[`t:${state}`] ?? 0) + delta;
    if (!country || !COUNTED_BY_COUNTRY.has(state)) return;
    const field = `c:${country}:${state}`;
    counts[field] = (counts[field] ?? 0) + delta;
  };
  const countries = unpackCountries(record.countries, record.count);
  // Neighbours mostly go the same way, so they are counted together.
  let first = 0;
  for (let next = 1; next <= before.length; next += 1) {
    const from = before[first];
    const to = after[first];
    const country = countries[first];
    const goesOn = next < before.length && before[next] === from && after[next] === to && countries[next] === country;
    if (goesOn) continue;
    if (from !== undefined && to !== undefined && from !== to) {
      add(from, country, first - next);
      add(to, country, next - first);
    }
    first = next;
  }
  return counts;
}

/** Whether the same text to the same number must wait: it is on its way, or in doubt and still asked about. */
function isOpen(chunk: StateOf<'chunk'>, state: RecipientState | undefined): boolean {
  return state === 'sending' || (state === 'unknown' && chunk === 'unknown');
}

/** Which texts begin to be open with this step, which are so no longer, and which are now counted as sent. */
function marksOf(
  { record, recipients }: ChunkHeld,
  before: readonly RecipientState[],
  { to, states }: ChunkMove,
  codes: Readonly<Record<number, string>>,
): Pick<ChunkChange, 'opened' | 'closed' | 'sent'> {
  const opened: string[] = [];
  const closed: string[] = [];
  const sent: string[] = [];
  // Every recipient of a campaign passes here twice, so nothing is made for one that need not be.
  for (let index = 0; index < recipients.length; index += 1) {
    const recipient = recipients[index];
    const was = isOpen(record.state, before[index]);
    const is = isOpen(to, states[index]);
    const begins = states[index] === 'sent' && before[index] !== 'sent';
    if (recipient === undefined || (was === is && !begins)) continue;
    if (is && !was) opened.push(recipient.mark);
    if (was && !is) closed.push(recipient.mark);
    if (begins) sent.push(recipient.mark, ...codeMark(recipient.to, recipient.text, codes[index] ?? ''));
  }
  return { opened, closed, sent };
}

/** Why a recipient of a chunk is left out; whoever is wrong in the file never gets into a chunk. */
const OPTED_OUT = 'opted_out';

const announced: Partial<Record<RecipientState, string>> = {
  sent: 'message.sent',
  failed: 'message.failed',
  expired: 'message.expired',
  skipped: 'message.skipped',
};

/** `unknown` is announced when the last look has been made, not while a look is still due. */
function messageChanges(
  record: ChunkRecord,
  before: readonly RecipientState[],
  after: readonly RecipientState[],
  codes: Readonly<Record<number, string>>,
  chunkBecomes: StateOf<'chunk'>,
): MessageChange[] {
  return unpackMessageItems(record.items).flatMap(({ id }, index) => {
    const [from, to] = [before[index], after[index]];
    if (from === undefined || to === undefined) return [];
    const lastWord = chunkBecomes === 'settled' && to === 'unknown';
    if (from === to && !lastWord) return [];
    const type = lastWord ? 'message.unknown' : announced[to];
    const code = codes[index];
    const reason = to === 'skipped' ? { reason: OPTED_OUT } : {};
    const event = type ? { type, data: { id, state: to, ...(code ? { code } : {}), ...reason } } : undefined;
    return [{ id, from, to, code, event }];
  });
}
