/** What the API says no with, and what a person can do about each. */
import { isRule, rules } from '../kinds/rules.ts';
import { CommandFailed } from './failure.ts';
import { showing } from './generated/commands.ts';
import { flagOf } from './words.ts';

/** RFC 9457, with the members the API adds. Read with care: a proxy in between answers in HTML. */
export interface ApiProblem {
  readonly title?: string;
  readonly detail?: string;
  readonly type?: string;
  readonly existingId?: string;
  /** Of a cursor that is too old: the first event that is still kept. */
  readonly oldest?: string;
  /** Which rule refused. */
  readonly rule?: string;
  /** What is not as in the request that `existingId` stands for. */
  readonly differs?: readonly string[];
  readonly problems: readonly { readonly pointer: string; readonly message: string }[];
}

export class NotReached extends CommandFailed {
  override readonly name = 'NotReached';

  constructor(url: string, code: string, cause: unknown) {
    super(`There is no relais at ${url} (${code}).`, {
      next: 'Start one: `relais dev` needs nothing, `relais run` needs its settings. Or set RELAIS_URL to where it is.',
      cause,
    });
  }
}

/** The request left and no answer came: it may have been done. */
export class AnswerLost extends CommandFailed {
  override readonly name = 'AnswerLost';

  constructor(url: string, { code, changes, cause }: { code: string; changes: boolean; cause: unknown }) {
    super(`The answer of ${url} was lost (${code}).${changes ? ' It may have been done, or not.' : ''}`, {
      next: changes
        ? 'Run the same command again: what was done already is found, not done twice.'
        : 'Run the same command again.',
      cause,
    });
  }
}

export class Unreadable extends CommandFailed {
  override readonly name = 'Unreadable';

  constructor(url: string, status: number) {
    super(`What answers at ${url} is not the API of relais (HTTP ${status}, no JSON object).`, {
      next: 'Set RELAIS_URL to the address of the API.',
    });
  }
}

/** Answered, and not with a yes. */
export class Refused extends CommandFailed {
  override readonly name = 'Refused';
  readonly status: number;
  readonly problem: ApiProblem;
  readonly retryAfterS: number | undefined;

  constructor(status: number, problem: ApiProblem, retryAfterS?: number) {
    super(explain(status, problem), { next: nextStep(status, problem) });
    this.status = status;
    this.problem = problem;
    this.retryAfterS = retryAfterS;
  }
}

function explain(status: number, { title, detail, problems }: ApiProblem): string {
  // The detail of a list of problems is that list in one line.
  const short = problems.length > 0 ? title : detail;
  const said = short ?? detail ?? title ?? `The API answered HTTP ${status}.`;
  return [said, ...problems.map(({ pointer, message }) => `  ${flagOf(pointer)} ${message}`)].join('\n');
}

function nextStep(status: number, { existingId, rule, differs }: ApiProblem): string | undefined {
  if (existingId !== undefined) {
    const show = showing[existingId.slice(0, existingId.indexOf('_'))];
    const look = show === undefined ? `It is ${existingId}.` : `See it: relais ${show} ${existingId}`;
    const not = differs === undefined ? '' : `\nNot the same: ${differs.map(flagOf).join(', ')}.`;
    return `${look}${not}\nFor something else, give another --reference.`;
  }
  if (rule !== undefined && isRule(rule) && status === 403) return `${rules[rule]} (RELAIS_API_KEY; rule: ${rule})`;
  return STEPS[status] ?? (status >= 500 ? 'The log of `relais run` says more.' : undefined);
}

const STEPS: Readonly<Record<number, string>> = {
  401: 'Set RELAIS_API_KEY to a key of API_KEYS. `relais dev` takes the key dev.',
  404: 'Is the id whole? A key that is bound to an account does not see the others (RELAIS_API_KEY).',
  429: 'Wait a moment, or raise API_RATE.',
  501: 'This relais is older than the command. Deploy the same version.',
  503: 'Try again in a moment: the same command is never done twice. If it lasts, look at Redis.',
};

export function readProblem(body: Readonly<Record<string, unknown>> | undefined): ApiProblem {
  const text = (name: string): Record<string, string> => {
    const value = body?.[name];
    return typeof value === 'string' && value !== '' ? { [name]: value } : {};
  };
  const listed = Array.isArray(body?.['problems']) ? (body['problems'] as unknown[]) : [];
  const problems = listed.flatMap((item) => {
    const { pointer, message } = (item ?? {}) as Readonly<Record<string, unknown>>;
    return typeof message === 'string' ? [{ pointer: typeof pointer === 'string' ? pointer : '', message }] : [];
  });
  const members = Array.isArray(body?.['differs']) ? (body['differs'] as unknown[]) : [];
  const differs = members.filter((one) => typeof one === 'string');
  const differing = differs.length > 0 ? { differs } : {};
  return {
    ...text('title'),
    ...text('detail'),
    ...text('type'),
    ...text('existingId'),
    ...text('oldest'),
    ...text('rule'),
    ...differing,
    problems,
  };
}
