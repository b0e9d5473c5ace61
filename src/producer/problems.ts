import type { z } from 'zod';
import { maskPhone } from '../lib/phone.ts';
import { compileTemplate, UnusableTemplate } from '../lib/wording.ts';

/** One thing that is wrong with a request: where (JSON pointer into it) and what would be right. */
export interface Problem {
  readonly pointer: string;
  readonly message: string;
}

export type Checked<T> =
  | { readonly data: T; readonly problems?: undefined }
  | { readonly data?: undefined; readonly problems: readonly Problem[] };

/** What somebody asked for, as the schema reads it; or all that is wrong with it, in words that do not speak of schemas. */
export function check<S extends z.ZodType>(schema: S, input: unknown): Checked<z.output<S>> {
  const { success, data, error } = schema.safeParse(input, { error: wordsFor });
  return success ? { data } : { problems: problemsOf(error) };
}

function problemsOf(error: z.ZodError): Problem[] {
  const problems = error.issues.flatMap((issue): Problem[] => {
    const pointer = pointerTo(issue.path);
    if (issue.code !== 'unrecognized_keys') {
      // What a schema says of a number says what kind of number it must be, whichever bound it passes.
      const bound = issue.code === 'too_big' || issue.code === 'too_small' ? boundOf(issue) : undefined;
      return [{ pointer, message: bound ?? issue.message }];
    }
    // A body may name its fields after people: what is written in logs and refusals does not repeat them.
    const names = issue.keys.map(maskPhone);
    return names.map((name) => ({ pointer: `${pointer}${pointerTo([name])}`, message: 'is not a field here' }));
  });
  return problems.filter(({ pointer, message }, index) => {
    // A number that is too large for JavaScript passes the bound of its schema too, which is the one to be told.
    const isBound = message.startsWith('must be at most');
    return !isBound || problems.findLastIndex((other) => other.pointer === pointer) === index;
  });
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/** For what a schema has no words of its own. */
function wordsFor(issue: z.core.$ZodRawIssue): string {
  if (issue.code === 'invalid_type') {
    return issue.input === undefined ? 'is required' : `must be ${TYPES[issue.expected] ?? issue.expected}`;
  }
  if (issue.code === 'invalid_value') {
    return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`;
  }
  if (issue.code === 'too_big') {
    return boundOf(issue) ?? `may have at most ${issue.maximum} ${thingsIn(issue.origin)}`;
  }
  if (issue.code === 'too_small') {
    const least = issue.minimum === 1 ? 'must not be empty' : `must have at least ${issue.minimum}`;
    return boundOf(issue) ?? (issue.minimum === 1 ? least : `${least} ${thingsIn(issue.origin)}`);
  }
  if (issue.code === 'invalid_union') return 'is of none of the forms that are taken here';
  return 'is not of the form that is expected';
}

const thingsIn = (origin: string): string => (origin === 'string' ? 'characters' : 'entries');

interface Bound {
  readonly origin: string;
  readonly inclusive?: boolean | undefined;
  readonly minimum?: number | bigint;
  readonly maximum?: number | bigint;
}

/** Only of numbers. */
function boundOf({ origin, inclusive, minimum, maximum }: Bound): string | undefined {
  if (origin !== 'number' && origin !== 'int') return undefined;
  if (maximum !== undefined) return `must be ${inclusive ? 'at most' : 'less than'} ${maximum}`;
  return `must be ${inclusive ? 'at least' : 'more than'} ${minimum}`;
}

export function pointerTo(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

export function describeProblems(problems: readonly Problem[]): string {
  return problems.map(({ pointer, message }) => `${pointer || 'the request'} ${message}`).join('; ');
}

export function templateProblems(text: string): Problem[] {
  try {
    compileTemplate(text);
    return [];
  } catch (error) {
    if (!(error instanceof UnusableTemplate)) throw error;
    return [{ pointer: '/text', message: error.message }];
  }
}
