/** The API's refusals, and what a user can do about each. */
import { isRule, rules } from '../kinds/rules.ts';
import { NOT_BEGUN } from '../lib/not-reached.ts';
import type { Speech } from './speech.ts';
import { CommandFailed } from './failure.ts';
import { showing } from './generated/commands.ts';
import { flagOf } from './words.ts';

/** RFC 9457, with the API's members. Parsed leniently: a proxy may answer in HTML. */
export interface ApiProblem {
  readonly title?: string;
  readonly detail?: string;
  readonly type?: string;
  readonly existingId?: string;
  /** For a cursor that is too old: the first stored event. */
  readonly oldest?: string;
  /** The rule of the refusal. */
  readonly rule?: string;
  /** The fields that differ from the request of `existingId`. */
  readonly differs?: readonly string[];
  readonly problems: readonly { readonly pointer: string; readonly message: string }[];
}

export class NotReached extends CommandFailed {
  override readonly name = 'NotReached';

  constructor(url: string, code: string, { speech, cause }: { speech: Speech; cause: unknown }) {
    const { refused } = speech.words.shell;
    super(refused.nobodyThere(url, code), { next: refused.startOne, cause });
  }
}

/** The request left and no answer arrived: it may have been executed. */
export class AnswerLost extends CommandFailed {
  override readonly name = 'AnswerLost';

  constructor(
    url: string,
    {
      code,
      changes,
      isSafe,
      speech,
      cause,
    }: { code: string; changes: boolean; isSafe: boolean; speech: Speech; cause: unknown },
  ) {
    const { refused } = speech.words.shell;
    super(`${refused.answerLost(url, code)}${changes ? ` ${refused.maybeDone}` : ''}`, {
      next: !isSafe ? refused.lookFirst : changes ? refused.againOnce : refused.again,
      cause,
    });
  }
}

export class Unreadable extends CommandFailed {
  override readonly name = 'Unreadable';

  constructor(url: string, status: number, { words }: Speech) {
    const { refused } = words.shell;
    super(refused.notRelais(url, status), { next: refused.setUrl });
  }
}

interface RefusedOptions {
  readonly speech: Speech;
  readonly retryAfterS?: number | undefined;
  /** The request can be repeated without a check. */
  readonly isSafe?: boolean;
}

/** An answer other than success. */
export class Refused extends CommandFailed {
  override readonly name = 'Refused';
  readonly status: number;
  readonly problem: ApiProblem;
  readonly retryAfterS: number | undefined;

  constructor(status: number, problem: ApiProblem, { speech, retryAfterS, isSafe = true }: RefusedOptions) {
    // After a 503 of a started request the result is unknown.
    const isBegun = !NOT_BEGUN.includes(problem.type?.split('/').at(-1) ?? '');
    const isOpen = status === 503 && !isSafe && isBegun;
    const next = isOpen ? speech.words.shell.refused.lookFirst : nextStep(status, problem, speech);
    super(explain(status, problem, speech), { next });
    this.status = status;
    this.problem = problem;
    this.retryAfterS = retryAfterS;
  }
}

function explain(status: number, { title, detail, problems }: ApiProblem, { words }: Speech): string {
  const { refused } = words.shell;
  // The detail of a list of problems is that list in one line.
  const said = (problems.length > 0 ? [title, detail] : [detail, title]).filter((one) => one !== undefined);
  return [
    said[0] ?? refused.answered(status),
    ...problems.map(({ pointer, message }) => `  ${flagOf(pointer) ?? refused.theRequest} ${message}`),
  ].join('\n');
}

function nextStep(
  status: number,
  { existingId, rule, differs }: ApiProblem,
  { words, spoken }: Speech,
): string | undefined {
  const { refused } = words.shell;
  if (existingId !== undefined) {
    const show = showing[existingId.slice(0, existingId.indexOf('_'))];
    const look = show === undefined ? refused.itIs(existingId) : refused.seeIt(show, existingId);
    const not =
      differs === undefined
        ? ''
        : `\n${refused.notTheSame(differs.map((one) => flagOf(one) ?? refused.theRequest).join(', '))}`;
    return `${look}${not}\n${refused.anotherReference}`;
  }
  if (rule !== undefined && isRule(rule) && status === 403) {
    return refused.byRule(spoken.sentence(rules[rule]), rule);
  }
  const steps: Readonly<Record<number, string>> = refused.steps;
  return steps[status] ?? (status >= 500 ? refused.seeLog : undefined);
}

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
