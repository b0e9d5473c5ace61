/**
 * Noting that more may be known of an operation, since a callback came. Those that come in the same moment are noted in
 * one script, and each has an answer of its own.
 */
import { isOver, lookQueueOf, statesInQueue } from '../kinds/index.ts';
import { batchPerTick } from '../redis/connections.ts';
import type { RecordHost } from '../redis/scripts.ts';
import { type Waiting as WaitingFor, alike, answerEach } from '../redis/shared-script.ts';
import { keys } from './keys.ts';
import { type NudgeNudged, nudge } from './scripts/generated/scripts.ts';
import { stubAt } from './stubs.ts';
import { type EvidenceDraft, type Posted, packEvidence } from './transition.ts';

export type Hinted = (
  | { readonly is: 'none' | 'noted' }
  | { readonly is: 'final'; readonly state: string }
  | { readonly is: 'look'; readonly state: string }
) & {
  /** What was written in the record, for `awaitReplicated`; nothing where there is none, or none that can be read. */
  readonly written: Readonly<Record<string, string>>;
  /** The trace that the record belongs to. */
  readonly trace?: string | undefined;
};

/** What was said about a record that history alone has. */
export interface Recalled {
  readonly evidence: EvidenceDraft;
  readonly intervalMs: number;
  readonly posted: Posted;
}

interface Heard extends Recalled {
  readonly kind: Parameters<typeof lookQueueOf>[0];
  readonly id: string;
}

interface Waiting extends Heard, WaitingFor<NudgeNudged> {}

interface NudgingOptions {
  readonly redis: RecordHost;
  readonly now: () => number | undefined;
}

export class Nudging {
  readonly #options: NudgingOptions;
  readonly #ask: (waiting: Waiting) => void;

  constructor(options: NudgingOptions) {
    this.#options = options;
    this.#ask = batchPerTick(options.redis, async (together) => {
      await Promise.all(alike(together, nameOf).map((group) => this.#askFor(group)));
    });
  }

  async one(heard: Heard): Promise<Hinted> {
    const { kind, posted } = heard;
    const answer = await new Promise<NudgeNudged>((resolve, reject) => this.#ask({ ...heard, resolve, reject }));
    if (answer.is === 'failed') throw new Error(`${answer.why} (script nudge)`);
    if (answer.is === 'none') return { is: answer.is, written: {} };
    // The process that writes history brings it back and nudges it then.
    if (answer.is === 'recalled') return { is: 'final', state: answer.state, written: {} };
    const { state, field, line = '', trace } = answer;
    const written = field === undefined ? {} : { [field]: line };
    if (answer.is === 'look') return { is: answer.is, state, written, trace };
    const over = isOver(kind, state) || posted.agreesWith.includes(state);
    return over ? { is: 'final', state, written, trace } : { is: answer.is, written, trace };
  }

  async #askFor(group: readonly Waiting[]): Promise<void> {
    const [first] = group;
    if (!first) return;
    const { kind, intervalMs } = first;
    const queue = lookQueueOf(kind);
    await answerEach(group, () =>
      nudge(this.#options.redis, {
        due: keys.due(queue),
        recalled: keys.recalled,
        now: this.#options.now(),
        intervalMs,
        lookedAt: statesInQueue(kind, queue),
        nudges: group.map(asked),
      }),
    );
  }
}

const nameOf = ({ kind, intervalMs }: Waiting): string => `${kind} ${intervalMs}`;

function asked({ id, evidence, intervalMs, posted }: Heard) {
  const said: Recalled = { evidence, intervalMs, posted };
  return {
    record: keys.record(id),
    ...stubAt(id),
    callback: keys.callback(id),
    id,
    evidence: packEvidence(evidence),
    recall: JSON.stringify(said),
    posted: posted.redacted,
    agreesWith: posted.agreesWith,
  };
}
