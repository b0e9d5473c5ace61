/** What the library throws. Each message ends with what to do. */
import type { BatchTotals, FindingText } from '../kinds/batch.ts';
import { type ProblemText, describeProblems } from './problems.ts';

/**
 * `accepted`: it will be done. `duplicate`: the same request was accepted before. `conflict`: the reference stands for
 * another request, whose id this is, and nothing was accepted.
 */
export type RequestAnswer =
  | { readonly id: string; readonly outcome: 'accepted' | 'duplicate' }
  /** `differs`: what is not as in the request that stands, as JSON pointers, where that is still known. */
  | { readonly id: string; readonly outcome: 'conflict'; readonly differs: readonly string[] };

/** Nothing of it is paid before a different person has approved `contentHash`; of an `invalid` one nothing ever is. */
export type BatchAnswer =
  | {
      readonly id: string;
      readonly outcome: 'accepted' | 'duplicate';
      /** `awaiting_approval` or `invalid`; of a duplicate, as far as it has come. */
      readonly state: string;
      readonly contentHash: string;
      readonly totals: BatchTotals;
      /** The first hundred, of `problemCount`. */
      readonly problems: readonly FindingText[];
      readonly problemCount: number;
      readonly warnings: readonly FindingText[];
      readonly warningCount: number;
    }
  /** It stands for other rows, or these rows stand under another name; nothing was accepted. */
  | { readonly id: string; readonly outcome: 'conflict'; readonly differs: readonly string[] };

/** Of one request among many, by its place in the list. */
export type RequestVerdict =
  | (RequestAnswer & { readonly index: number })
  | {
      readonly index: number;
      readonly id: null;
      readonly outcome: 'invalid';
      readonly problems: readonly ProblemText[];
    }
  /** Only in the error of a call that was not answered in time. */
  | { readonly index: number; readonly id: null; readonly outcome: 'unconfirmed' };

/** The request breaks a rule, or a limit of money: asking again will not help. Nothing was accepted. */
export class InvalidRequest extends Error {
  override readonly name = 'InvalidRequest';
  readonly problems: readonly ProblemText[];

  constructor(problems: readonly ProblemText[]) {
    super(`the request is not valid, nothing was accepted: ${describeProblems(problems)}`);
    this.problems = problems;
  }
}

/** How a refusal begins. What others were accepted, or an earlier try of it may have been, is told without. */
const NOTHING = 'nothing was accepted, because ';

/** The ledger of the workers may be an earlier copy, so they accept nothing. Nothing was accepted. */
export class Recovering extends Error {
  override readonly name = 'Recovering';

  constructor() {
    super(`${NOTHING}relais is recovering: ask an operator to run relais recover`);
  }
}

/** The workers of this queue are of another environment. Nothing was accepted. */
export class OtherDeployment extends Error {
  override readonly name = 'OtherDeployment';

  constructor({ ours, theirs }: { readonly ours: string; readonly theirs: string }) {
    super(
      `${NOTHING}this producer is of the environment ${ours} and the workers of this queue are of ${theirs}: ` +
        'give it the ENVIRONMENT and the REDIS_PREFIX of its own workers, as `environment` and as `redis: { url, prefix }`',
    );
  }
}

/**
 * No worker confirmed it in time; or something else, its `cause`, stopped a list of which some were accepted, or a
 * request whose first answer was lost. With a reference, asking again is always safe.
 */
export class Unconfirmed extends Error {
  override readonly name = 'Unconfirmed';
  /** `no`: nothing was sent. `unknown`: it may have been accepted, and only the answer was lost. */
  readonly accepted: 'no' | 'unknown';
  /** Of a list: what is known of each. Those that are not confirmed say so; `accepted` is about them alone. */
  readonly verdicts: readonly RequestVerdict[];

  constructor(accepted: 'no' | 'unknown', cause: unknown, verdicts: readonly RequestVerdict[] = []) {
    const why = (cause instanceof Error ? cause.message : String(cause)).replace(NOTHING, '');
    const some = verdicts.some(({ outcome }) => outcome === 'accepted' || outcome === 'duplicate');
    super(`the request was not confirmed: ${why.replace(/\.*$/, '.')} ${nextAfter(accepted, some)}`, { cause });
    this.accepted = accepted;
    this.verdicts = verdicts;
  }
}

function nextAfter(accepted: Unconfirmed['accepted'], some: boolean): string {
  if (some && accepted === 'no')
    return 'Others were accepted: ask again for those that `verdicts` calls unconfirmed.';
  if (some)
    return 'Others were accepted: ask again for those that `verdicts` calls unconfirmed, with the same references.';
  return accepted === 'no'
    ? 'Nothing was accepted; ask again when Redis is back.'
    : 'It may have been accepted: ask again with the same reference, which does nothing twice.';
}
