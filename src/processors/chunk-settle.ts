/** Writing down what became of a chunk: its state, the bins of its campaign or its messages, in one step. */
import {
  type RecipientState,
  forgetTexts,
  packCodes,
  packOutcome,
  unpackCodes,
  unpackMessageItems,
  unpackOutcome,
} from '../operations/chunk-items.ts';
import type { ChunkSettled, MessageChange } from '../operations/chunks.ts';
import type { EvidenceDraft } from '../operations/evidence.ts';
import type { ChunkState } from '../operations/lifecycle.ts';
import type { CampaignBin, ChunkRecord } from '../operations/record.ts';
import type { Bench } from './bench.ts';

export interface ChunkHeld {
  readonly record: ChunkRecord;
  readonly lease: string;
}

export interface ChunkMove {
  readonly to: ChunkState;
  /** The state of every recipient after this step, by position. */
  readonly states: readonly RecipientState[];
  /** Upstream's codes, by position; absent where none was given. */
  readonly codes?: Readonly<Record<number, string>>;
  readonly evidence?: EvidenceDraft;
  readonly dueInMs?: number;
  readonly keepMs?: number;
  readonly gated?: boolean;
  readonly set?: Readonly<Record<string, string | number>>;
}

export function settleChunk({ record, lease }: ChunkHeld, move: ChunkMove, bench: Bench): Promise<ChunkSettled> {
  const before = statesBefore(record);
  const codes = { ...unpackCodes(record.codes, record.count), ...move.codes };
  const messages = record.campaign ? [] : messageChanges(record, before, move.states, codes, move.to);
  return bench.chunks.settle(record, lease, {
    to: move.to,
    dueInMs: move.dueInMs,
    keepMs: move.keepMs,
    evidence: move.evidence,
    gated: move.gated ?? false,
    bins: record.campaign ? binsMoved(before, move.states) : {},
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

const impliedState = {
  queued: 'queued',
  sending: 'sending',
  unknown: 'unknown',
  settled: 'unknown',
} as const satisfies Record<ChunkState, RecipientState>;

export function statesBefore(record: ChunkRecord): RecipientState[] {
  return unpackOutcome(record.outcome, record.count, impliedState[record.state]);
}

function binsMoved(
  before: readonly RecipientState[],
  after: readonly RecipientState[],
): Partial<Record<CampaignBin, number>> {
  const bins: Partial<Record<CampaignBin, number>> = {};
  for (const [index, from] of before.entries()) {
    const to = after[index] ?? from;
    if (from === to) continue;
    bins[from] = (bins[from] ?? 0) - 1;
    bins[to] = (bins[to] ?? 0) + 1;
  }
  return bins;
}

const announced: Partial<Record<RecipientState, string>> = {
  sent: 'message.sent',
  failed: 'message.failed',
  expired: 'message.expired',
};

/** `unknown` is announced when the last look has been made, not while a look is still due. */
function messageChanges(
  record: ChunkRecord,
  before: readonly RecipientState[],
  after: readonly RecipientState[],
  codes: Readonly<Record<number, string>>,
  chunkBecomes: ChunkState,
): MessageChange[] {
  return unpackMessageItems(record.items).flatMap(({ id }, index) => {
    const [from, to] = [before[index], after[index]];
    if (from === undefined || to === undefined) return [];
    const lastWord = chunkBecomes === 'settled' && to === 'unknown';
    if (from === to && !lastWord) return [];
    const type = lastWord ? 'message.unknown' : announced[to];
    const code = codes[index];
    const event = type ? { type, data: { id, state: to, ...(code ? { code } : {}) } } : undefined;
    return [{ id, from, to, code, event }];
  });
}
