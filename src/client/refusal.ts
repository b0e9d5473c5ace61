/** What the client throws, besides an AbortError of the caller's own signal. Each message ends with what to do. */
import { type Rule, isRule, rules } from '../kinds/rules.ts';
import { nextSteps, type Problem } from './generated/api.ts';

/** The last word of a problem's `type`: what programs compare. */
export type ProblemWord = keyof typeof nextSteps;

interface Answered {
  readonly status: number;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
}

/** Answered, and not with a yes. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;
  /** Undefined: what answers there is not the API, or one that is newer than this client. */
  readonly word: ProblemWord | undefined;
  /** Which rule refused, of a 403 or a 409. */
  readonly rule: Rule | undefined;
  /** What is not as in the request that `existingId` stands for, as JSON pointers. */
  readonly differs: readonly string[];
  readonly existingId: string | undefined;
  /** Everything that is wrong with the request, each with its place. */
  readonly problems: readonly { readonly pointer: string; readonly message: string }[];
  /** What to do about it. */
  readonly next: string;
  readonly retryAfterMs: number | undefined;
  /** Under this name the log of relais says more. */
  readonly requestId: string | undefined;
  /** All of it, as it came. */
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

/** No answer came. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  /** `no`: nothing was changed. `unknown`: it may have been accepted, and only the answer was lost. */
  readonly accepted: 'no' | 'unknown';
  /** Why none came: `ECONNREFUSED`, `timed out`, or the answer to the last try where an earlier one was lost. */
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
