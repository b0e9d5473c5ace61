/** Errors of the client, besides an AbortError of the caller's own signal. Each message ends with what to do. */
import { type Rule, isRule, rules } from '../kinds/rules.ts';
import { nextSteps, type Problem } from './generated/api.ts';

/** The last part of a problem's `type`, for programs. */
export type ProblemWord = keyof typeof nextSteps;

interface Answered {
  readonly status: number;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
}

/** An answer other than success. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;
  /** Undefined: the server is not the API, or is newer than this client. */
  readonly word: ProblemWord | undefined;
  /** The rule of a 403 or a 409. */
  readonly rule: Rule | undefined;
  /** The fields that differ from the request of `existingId`, as JSON pointers. */
  readonly differs: readonly string[];
  readonly existingId: string | undefined;
  /** All problems of the request, each with its position. */
  readonly problems: readonly { readonly pointer: string; readonly message: string }[];
  /** What to do. */
  readonly next: string;
  readonly retryAfterMs: number | undefined;
  /** The id of this request in the log of relais. */
  readonly requestId: string | undefined;
  /** The whole problem, as received. */
  readonly problem: Partial<Problem>;

  constructor(problem: Partial<Problem>, { status, requestId, retryAfterMs }: Answered) {
    const word = wordOf(problem);
    const rule = problem.rule !== undefined && isRule(problem.rule) ? problem.rule : undefined;
    const next = rule ? rules[rule] : word ? nextSteps[word] : 'Is this the address of the API of relais?';
    super([problem.title ?? `HTTP ${status}`, problem.detail, next].filter(Boolean).join(' — '));
    this.status = status;
    this.word = word;
    this.rule = rule;
    this.differs = problem.differs ?? [];
    this.existingId = problem.existingId;
    this.problems = problem.problems ?? [];
    this.next = next;
    this.retryAfterMs = retryAfterMs;
    this.requestId = requestId;
    this.problem = problem;
  }
}

function wordOf({ type }: Partial<Problem>): ProblemWord | undefined {
  const last = String(type).split('/').at(-1) ?? '';
  return isWord(last) ? last : undefined;
}

const isWord = (text: string): text is ProblemWord => Object.hasOwn(nextSteps, text);

interface Loss {
  readonly accepted: 'no' | 'unknown';
  readonly cause: unknown;
}

/** No answer arrived. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  /** `no`: nothing was changed. `unknown`: it may have been accepted, and only the answer was lost. */
  readonly accepted: 'no' | 'unknown';
  /** The reason: `ECONNREFUSED`, `timed out`, or the answer to the last try if an earlier one was lost. */
  readonly code: string;

  constructor(url: string, code: string, { accepted, cause }: Loss) {
    const next =
      accepted === 'no'
        ? 'Nothing was changed; ask again.'
        : 'It may have been accepted: ask again with the same reference, or look first where there is none.';
    super(`${url} did not answer (${code}). ${next}`, { cause });
    this.accepted = accepted;
    this.code = code;
  }
}
