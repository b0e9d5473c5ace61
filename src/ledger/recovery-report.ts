/** The figures of a recovery: what was open, and the results. Pure. The figures add up. */
import type { Restoring } from '../kinds/kind.ts';
import { recipientRestored } from '../kinds/recipient.ts';
import { type Kind, isFinal, restoringOf } from '../kinds/index.ts';

/** Why an operation needs review. */
export const RESTORED = 'restored';

/** Count and sum in XOF of a kind in a state. `recipient`: of unfinished campaigns. */
export interface Standing {
  readonly kind: Kind | 'recipient';
  readonly state: string;
  readonly count: number;
  readonly xof?: number;
}

/** The effect of an apply; `nothing`: the operation already waits for a user. */
export function wouldDo({ kind, state }: Standing): Restoring | 'nothing' {
  return (kind === 'recipient' ? recipientRestored(state) : restoringOf(kind, state)) ?? 'nothing';
}

/** Reported to callers as final. Recipient statuses of a campaign count like the states of a message. */
export function isOver({ kind, state }: Pick<Standing, 'kind' | 'state'>): boolean {
  if (kind !== 'recipient') return isFinal(kind, state);
  return state !== 'held' && isFinal('message', state);
}

interface Sum {
  readonly count: number;
  readonly xof: number;
}

/** One kind. `open` is the sum of the others. */
export interface ReportRow {
  readonly kind: Standing['kind'];
  /** Before the recovery. */
  readonly open: Sum;
  /** Final by now: the provider has confirmed a final status, or it expired. */
  readonly settled: Sum;
  readonly needsReview: Sum;
  /** Still being checked, or possibly unknown for ever. */
  readonly underWay: Sum;
  /** Waits until a user resumes it. */
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

/** Campaigns stay held until a user resumes them, so they do not measure the remaining work. */
export function progressOf(before: readonly Standing[], after: readonly Standing[]): { done: number; of: number } {
  const left = (all: readonly Standing[]): number =>
    all
      .filter((one) => one.kind !== 'campaign' && !['look', 'nothing'].includes(wouldDo(one)))
      .reduce((sum, { count }) => sum + count, 0);
  return { done: Math.max(0, left(before) - left(after)), of: left(before) };
}
