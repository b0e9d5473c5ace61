/** The numbers of a recovery: what was open, and what became of it. Pure, and made so that they add up. */
import { type Kind, isFinal } from './lifecycle.ts';
import type { Standing } from './restored.ts';

/** What an apply does with something that stands in a state. */
export type Would =
  /** To a person: nobody knows what became of it. */
  | 'review'
  /** Asked about; to a person unless the service says how it ended, or that it is under way. */
  | 'ask'
  /** Held until a person resumes it. */
  | 'hold'
  /** In doubt, and looked up in the statistics; never sent again. */
  | 'doubt'
  /** As it is: it is looked at as ever. */
  | 'look'
  /** As it is: it waits for somebody. */
  | 'nothing';

const would: { readonly [K in Kind | 'recipient']?: Readonly<Record<string, Would>> } = {
  disbursement: {
    awaiting_approval: 'review',
    queued: 'review',
    held: 'review',
    created: 'ask',
    submitting: 'ask',
    unknown: 'ask',
    pending: 'look',
  },
  batch: { awaiting_approval: 'review', running: 'review' },
  direct_credit: { queued: 'review', held: 'review', sending: 'review' },
  invoice: { creating: 'review', pending: 'look' },
  payment_request: { creating: 'review', pending: 'look' },
  campaign: { ready: 'hold', scheduled: 'hold', running: 'hold', paused: 'hold', held: 'hold' },
  message: { queued: 'doubt', sending: 'doubt', unknown: 'look' },
  recipient: { queued: 'doubt', held: 'doubt', sending: 'doubt', unknown: 'look' },
};

export function wouldDo({ kind, state }: Standing): Would {
  return would[kind]?.[state] ?? 'nothing';
}

/** Callers are told that it is over; a bin of a campaign is over as a message in that state is. */
export function isOver({ kind, state }: Pick<Standing, 'kind' | 'state'>): boolean {
  if (kind !== 'recipient') return isFinal(kind, state);
  return state !== 'held' && isFinal('message', state);
}

interface Sum {
  readonly count: number;
  readonly xof: number;
}

/** Of one kind. `open` is the sum of the others. */
export interface ReportRow {
  readonly kind: Standing['kind'];
  /** Before the recovery. */
  readonly open: Sum;
  /** Over by now: the service has confirmed an end, or it expired. */
  readonly settled: Sum;
  readonly needsReview: Sum;
  /** It is still asked about, or may never be known. */
  readonly underWay: Sum;
  /** It waits for a person to let it go on. */
  readonly held: Sum;
}

const UNDER_WAY: ReadonlySet<string> = new Set(['pending', 'unknown', 'submitting', 'sending', 'running']);

function columnOf({ state }: Standing): 'needsReview' | 'underWay' | 'held' {
  if (state === 'needs_review') return 'needsReview';
  return UNDER_WAY.has(state) ? 'underWay' : 'held';
}

/** `before` and `after` count the same operations: nothing is accepted during a recovery. */
export function reportOf(before: readonly Standing[], after: readonly Standing[]): ReportRow[] {
  const kinds = [...new Set(before.filter((one) => !isOver(one)).map(({ kind }) => kind))];
  return kinds.map((kind) => {
    const [was, is] = [before, after].map((all) => all.filter((one) => one.kind === kind)) as [
      Standing[],
      Standing[],
    ];
    const open = is.filter((one) => !isOver(one));
    const column = (name: ReturnType<typeof columnOf>): Sum => sumOf(open.filter((one) => columnOf(one) === name));
    const [overBefore, overNow] = [sumOf(was.filter(isOver)), sumOf(is.filter(isOver))];
    return {
      kind,
      open: sumOf(was.filter((one) => !isOver(one))),
      settled: { count: overNow.count - overBefore.count, xof: overNow.xof - overBefore.xof },
      needsReview: column('needsReview'),
      underWay: column('underWay'),
      held: column('held'),
    };
  });
}

function sumOf(standings: readonly Standing[]): Sum {
  return standings.reduce((sum, { count, xof = 0 }) => ({ count: sum.count + count, xof: sum.xof + xof }), {
    count: 0,
    xof: 0,
  });
}
