import { z } from 'zod';
import type { RequestOf } from '../kinds/index.ts';
import type { Rule } from '../kinds/rules.ts';
import { nearest } from '../lib/nearest.ts';
import { maskPhone } from '../lib/phone.ts';
import { UnusableTemplate, requireUsable } from '../lib/wording.ts';
import type { Language } from '../messages/languages.ts';
import { type Message, message } from '../messages/message.ts';
import { saidBy, unsaid } from '../messages/schemas.ts';
import { textOf } from '../messages/texts.ts';

/** One problem of a request: its position (JSON pointer) and the expected value. */
export interface Problem {
  readonly pointer: string;
  readonly message: Message;
  /** For a file: the kind of problem, for programs. */
  readonly code?: string;
  /** The rule that refuses a request without errors. */
  readonly rule?: Rule;
}

/** A problem for programs and logs. */
export interface ProblemText {
  readonly pointer: string;
  readonly message: string;
  /** For a file: the kind of problem, for programs. */
  readonly code?: string;
}

type Checked<T> =
  | { readonly data: T; readonly problems?: undefined }
  | { readonly data?: undefined; readonly problems: readonly Problem[] };

/** The validated request; or all its problems, in texts without schema terms. */
export function check<S extends z.ZodType>(schema: S, input: unknown): Checked<z.output<S>> {
  const known = new Map<string, readonly string[]>();
  const words = (issue: z.core.$ZodRawIssue): string => {
    if (issue.code === 'unrecognized_keys') known.set(pointerTo(issue.path ?? []), fieldsOf(issue.inst));
    return unsaid(issue);
  };
  const { success, data, error } = schema.safeParse(input, { error: words });
  return success ? { data } : { problems: problemsOf(error, known) };
}

/** The readable parts of an invalid request: it may have problems beyond its form. */
export function readableOf<S extends z.ZodObject>(schema: S, input: unknown): Partial<z.output<S>> {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return {};
  const fields = Object.entries<z.ZodType>(schema.shape).flatMap(([name, type]) => {
    const { data } = type.safeParse(Object.hasOwn(input, name) ? Reflect.get(input, name) : undefined);
    return data === undefined ? [] : [[name, data] as const];
  });
  // Each is the result of its own schema, which the compiler cannot follow through a list.
  return Object.fromEntries(fields) as Partial<z.output<S>>;
}

/** All problems, only the first for each position. */
export function eachPlaceOnce(problems: readonly Problem[], more: readonly Problem[]): Problem[] {
  const told = new Set(problems.map(({ pointer }) => pointer));
  return [...problems, ...more.filter(({ pointer }) => !told.has(pointer))];
}

const fieldsOf = (schema: unknown): readonly string[] =>
  schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];

function unknownField(name: string, known: readonly string[]): Message {
  const meant = nearest(name, known);
  if (meant !== undefined) return message('unknown_field_meant', { meant });
  return known.length === 0 ? message('unknown_field') : message('unknown_field_known', { known: known.join(', ') });
}

function problemsOf(error: z.ZodError, known: ReadonlyMap<string, readonly string[]>): Problem[] {
  const problems = error.issues.flatMap((issue): Problem[] => {
    const pointer = pointerTo(issue.path);
    if (issue.code !== 'unrecognized_keys') return [{ pointer, message: saidBy(issue) }];
    // A body may use personal data as field names: logs and refusals must not repeat it.
    const names = issue.keys.map((name) => maskPhone(name, 'anybody'));
    const fields = known.get(pointer) ?? [];
    return names.map((name) => ({ pointer: `${pointer}${pointerTo([name])}`, message: unknownField(name, fields) }));
  });
  return problems.filter(({ pointer, message: { code } }, index) => {
    // A number too large for JavaScript also exceeds the bound of its schema, which is the one to report.
    return code !== 'at_most' || problems.findLastIndex((other) => other.pointer === pointer) === index;
  });
}

export function pointerTo(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

export function problemTexts(problems: readonly Problem[], language: Language = 'en'): ProblemText[] {
  return problems.map(({ rule: _rule, ...problem }) => ({ ...problem, message: textOf(problem.message, language) }));
}

export function describeProblems(problems: readonly ProblemText[]): string {
  return problems.map(({ pointer, message: text }) => `${pointer || 'the request'} ${text}`).join('; ');
}

export function templateProblems(text: string): Problem[] {
  try {
    requireUsable(text);
    return [];
  } catch (error) {
    if (!(error instanceof UnusableTemplate)) throw error;
    return [templateProblem(error)];
  }
}

export function templateProblem({ code, about }: UnusableTemplate): Problem {
  return { pointer: '/text', message: message(`template_${code}`, { about }) };
}

/**
 * Finds possible card numbers in fields that must not contain them. Accepted requests are written to databases, logs,
 * replicas and backups, which must never contain a card number: the hosted payment page asks for it instead.
 */

/** 15 to 19 digits with the prefix of a card network, in any grouping. Dates begin with 20 and do not match. */
const CARD = /(?<![\d+])(?=4|5[1-5]|2[2-7]|3[47]|6[0245])\d(?:[ -]?\d){14,18}(?!\d)/g;
const SHORTEST = 15;
const SECRET_NAME = /^(card_?)?(cvv|cvc|cvv2)$|^pan$|^card_?number$/i;

/** JSON pointers to the positions; the values are never repeated. */
export function cardLikePlaces(value: unknown): string[] {
  const places: string[] = [];
  look(value, [], places);
  return places;
}

/** Usually there is none, so nothing is allocated: `path` is one list throughout. */
function look(value: unknown, path: (string | number)[], places: string[]): void {
  if (typeof value === 'string' || typeof value === 'number') {
    if (hasCardNumber(String(value))) places.push(pointerTo(path));
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [name, one] of Object.entries(value) as [string, unknown][]) {
    path.push(name);
    if (!Array.isArray(value) && SECRET_NAME.test(name)) places.push(pointerTo(path));
    else look(one, path, places);
    path.pop();
  }
}

export function cardProblems(value: unknown): Problem[] {
  return cardLikePlaces(value).map((pointer) => ({
    pointer,
    message: message('looks_like_card'),
  }));
}

/** A card is no beneficiary. The provider's accounts are long numbers too, and one in ten may look like one. */
export function cardsInDisbursement(request: Partial<RequestOf<'disbursement'>>): Problem[] {
  const { accountAlias, debitAccountNumber: _, ...rest } = request;
  return cardProblems(request.withdrawMode === 'service' ? rest : { ...rest, accountAlias });
}

function hasCardNumber(text: string): boolean {
  if (text.length < SHORTEST) return false;
  return [...text.matchAll(CARD)].some(([found]) => passesLuhn(found.replace(/\D/g, '')));
}

/** The check digit of card numbers: one in ten other numbers of that length passes it too. */
function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const digit = Number(digits.at(-1 - place));
    const doubled = digit * 2 > 9 ? digit * 2 - 9 : digit * 2;
    sum += place % 2 === 1 ? doubled : digit;
  }
  return sum % 10 === 0;
}
