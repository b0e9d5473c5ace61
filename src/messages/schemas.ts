/** Refusals of a schema as messages. zod passes on only strings, so these contain a code and its values as JSON. */
import type { z } from 'zod';
import { type Message, type MessageCode, message } from './message.ts';

export const says = <C extends MessageCode>(...given: Parameters<typeof message<C>>): string =>
  written(message<C>(...given));

export const written = (one: Message): string => JSON.stringify(one);

/** Precondition: the schema was parsed with `unsaid`. */
export function saidBy(issue: z.core.$ZodIssue): Message {
  const bound = issue.code === 'too_big' || issue.code === 'too_small' ? boundOf(issue) : undefined;
  // A number's message names the expected kind of number, whichever bound was exceeded.
  return bound ?? read(issue.message);
}

/** A library's schema has its own texts. */
function read(text: string): Message {
  return text.startsWith('{"code":') ? (JSON.parse(text) as Message) : message('other', { text });
}

/** For failures without a message of the schema. */
export const unsaid = (issue: z.core.$ZodRawIssue): string => written(messageOf(issue));

const TYPES: Readonly<Record<string, Message>> = {
  string: message('must_be_string'),
  number: message('must_be_number'),
  int: message('must_be_integer'),
  boolean: message('must_be_boolean'),
  array: message('must_be_array'),
  object: message('must_be_object'),
  record: message('must_be_object'),
};

function messageOf(issue: z.core.$ZodRawIssue): Message {
  if (issue.code === 'invalid_type') {
    return issue.input === undefined ? message('required') : (TYPES[issue.expected] ?? message('invalid_format'));
  }
  if (issue.code === 'invalid_value') {
    const values = issue.values.map(String).join(', ');
    return issue.values.length > 1 ? message('one_of', { values }) : message('must_be', { value: values });
  }
  if (issue.code === 'too_big') return boundOf(issue) ?? mostOf(issue);
  if (issue.code === 'too_small') return boundOf(issue) ?? leastOf(issue);
  return message(issue.code === 'invalid_union' ? 'no_accepted_format' : 'invalid_format');
}

function mostOf({ origin, maximum }: { readonly origin: string; readonly maximum: number | bigint }): Message {
  const most = Number(maximum);
  return origin === 'string' ? message('characters_at_most', { most }) : message('entries_at_most', { most });
}

function leastOf({ origin, minimum }: { readonly origin: string; readonly minimum: number | bigint }): Message {
  const least = Number(minimum);
  if (least === 1) return message('not_empty');
  return origin === 'string' ? message('characters_at_least', { least }) : message('entries_at_least', { least });
}

interface Bound {
  readonly origin: string;
  readonly inclusive?: boolean | undefined;
  readonly minimum?: number | bigint;
  readonly maximum?: number | bigint;
}

/** Only for numbers. */
function boundOf({ origin, inclusive, minimum, maximum }: Bound): Message | undefined {
  if (origin !== 'number' && origin !== 'int') return undefined;
  if (maximum !== undefined) return message(inclusive ? 'at_most' : 'less_than', { most: Number(maximum) });
  return message(inclusive ? 'at_least' : 'more_than', { least: Number(minimum) });
}
