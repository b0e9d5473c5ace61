/** Errors of the library. Each message ends with what to do. */
import type { BatchTotals, FindingText } from '../kinds/batch.ts';
import { type ProblemText, describeProblems } from './problems.ts';

/**
 * `accepted`: it will be executed. `duplicate`: the same request was accepted before. `conflict`: another request has
 * the reference; `id` is its id, and nothing was accepted.
 */
export type RequestAnswer =
  | { readonly id: string; readonly outcome: 'accepted' | 'duplicate' }
  /** `differs`: the fields that differ from the existing request, as JSON pointers, if still known. */
  | { readonly id: string; readonly outcome: 'conflict'; readonly differs: readonly string[] };

/** No row is paid before a different person has approved `contentHash`; an `invalid` batch is never paid. */
export type BatchAnswer =
  | {
      readonly id: string;
      readonly outcome: 'accepted' | 'duplicate';
      /** `awaiting_approval` or `invalid`; for a duplicate, its current state. */
      readonly state: string;
      readonly contentHash: string;
      readonly totals: BatchTotals;
      /** The first hundred, of `problemCount`. */
      readonly problems: readonly FindingText[];
      readonly problemCount: number;
      readonly warnings: readonly FindingText[];
      readonly warningCount: number;
    }
  /** Other rows have this name, or these rows have another name; nothing was accepted. */
  | { readonly id: string; readonly outcome: 'conflict'; readonly differs: readonly string[] };

/** The answer to one request of a list, by its index. */
export type RequestVerdict =
  | (RequestAnswer & { readonly index: number })
  | {
      readonly index: number;
      readonly id: null;
      readonly outcome: 'invalid';
      readonly problems: readonly ProblemText[];
    }
  /** Only in the error of a call without an answer in time. */
  | { readonly index: number; readonly id: null; readonly outcome: 'unconfirmed' };

/** The request breaks a rule or a money limit: a retry will not help. Nothing was accepted. */
export class InvalidRequest extends Error {
  override readonly name = 'InvalidRequest';
  readonly problems: readonly ProblemText[];

  constructor(problems: readonly ProblemText[]) {
    super(`the request is not valid, nothing was accepted: ${describeProblems(problems)}`);
    this.problems = problems;
  }
}

/** The beginning of a refusal. Omitted if other requests, or an earlier try, may have been accepted. */
const NOTHING = 'nothing was accepted, because ';

/** The workers' ledger may be restored from a backup, so they accept nothing. Nothing was accepted. */
export class Recovering extends Error {
  override readonly name = 'Recovering';

  constructor() {
    super(`${NOTHING}relais is recovering: ask an operator to run relais recover`);
  }
}

/** The workers of this queue belong to another environment. Nothing was accepted. */
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
 * No worker confirmed the request in time; or an error (`cause`) stopped a list of which some were accepted, or a
 * request whose first answer was lost. With a reference, a retry is always safe.
 */
export class Unconfirmed extends Error {
  override readonly name = 'Unconfirmed';
  /** `no`: nothing was sent. `unknown`: it may have been accepted, and only the answer was lost. */
  readonly accepted: 'no' | 'unknown';
  /** For a list: the known result of each. Unconfirmed ones are marked; `accepted` refers only to those. */
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
