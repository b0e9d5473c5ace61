/** One request to relais, with the table and the types from openapi.json. */
import { operations } from '../../src/client/generated/api.ts';
import type { Operations, Problem } from '../../src/client/generated/api.ts';
import { NoAnswer, wholeOf } from './answer.ts';

export type OperationId = keyof Operations;

type AskedOf<O> = O extends { asked: infer A } ? Readonly<A> : unknown;
/** A file is sent unchanged, with its own type. */
type BodyOf<O> = O extends { body: infer B } ? { readonly body?: B; readonly file?: Blob } : unknown;
type FileOf<O> = O extends { file: unknown } ? { readonly file?: Blob } : unknown;
type DryOf<O> = O extends { dry: unknown } ? { readonly dryRun?: true } : unknown;
export type Asked<Id extends OperationId> = AskedOf<Operations[Id]> &
  BodyOf<Operations[Id]> &
  FileOf<Operations[Id]> &
  DryOf<Operations[Id]>;
/** Operations that the API can judge without an effect, and what it says then. */
export type Judged = { [Id in OperationId]: Operations[Id] extends { dry: unknown } ? Id : never }[OperationId];
export type Judgement<Id extends Judged> = Operations[Id] extends { dry: infer D } ? D : never;
export type Answer<Id extends OperationId> = Operations[Id] extends { answer: infer R } ? R : never;

/** A refusal by relais, with its reason. */
export class Refused extends Error {
  readonly status: number;
  /** The type of the refusal. */
  readonly word: string;
  readonly problem: Partial<Problem>;

  constructor(status: number, problem: Partial<Problem>) {
    super(problem.detail ?? problem.title ?? String(status));
    this.status = status;
    this.word = problem.type?.split('/').at(-1) ?? '';
    this.problem = problem;
  }
}

interface Sent {
  readonly body?: unknown;
  readonly file?: Blob | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * How long after the last input a user counts as present; later the page refreshes automatically, which does not
 * extend the session.
 */
const THERE_MS = 60_000;
let seenAt = Date.now();
for (const sign of ['pointerdown', 'keydown'] as const) addEventListener(sign, () => (seenAt = Date.now()), true);

/** Cookies identify the session; a write also proves that it comes from this page. */
export async function send(
  method: string,
  path: string,
  { body, file, headers, signal }: Sent = {},
): Promise<Response> {
  const isWrite = method !== 'GET';
  const text = body === undefined ? '' : JSON.stringify(body);
  const init: RequestInit = {
    method,
    credentials: 'same-origin',
    headers: {
      'accept-language': document.documentElement.lang,
      'x-relais-console': isWrite || Date.now() - seenAt < THERE_MS ? '1' : 'background',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: text }),
    ...(file === undefined ? {} : { body: file }),
    ...(signal ? { signal } : {}),
    // `keepalive` lets a write finish after the page is closed; browsers limit it to 64 kB.
    keepalive: isWrite && file === undefined && text.length < 20_000,
  };
  const response = await fetch(path, init).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new NoAnswer(String(error));
  });
  if (response.ok) return response;
  throw new Refused(response.status, await problemIn(response));
}

async function problemIn(response: Response): Promise<Partial<Problem>> {
  try {
    return (await response.json()) as Partial<Problem>;
  } catch {
    // A proxy answered instead of relais, with its own text.
    return { title: response.statusText };
  }
}

/** Its path with all parameters and the query. */
export function addressOf(id: OperationId, asked: Readonly<Record<string, unknown>>): string {
  const { path, query } = operations[id];
  const place = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(asked[name])));
  const given = new URLSearchParams();
  for (const name of query) {
    const value = asked[name];
    for (const [parameter, text] of entriesOf(name, asked)) given.set(parameter, text);
    if (Array.isArray(value)) given.set(name, value.join(','));
    else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      if (value !== '') given.set(name, String(value));
    }
  }
  return given.size === 0 ? place : `${place}?${given.toString()}`;
}

/** `metadata.KEY` stands for each entry of an object. */
function entriesOf(name: string, asked: Readonly<Record<string, unknown>>): readonly (readonly [string, string])[] {
  const [, record = ''] = /^(\w+)\.KEY$/.exec(name) ?? [];
  const entries = (asked[record] ?? {}) as Readonly<Record<string, string>>;
  return Object.entries(entries).map(([key, text]) => [`${record}.${key}`, text]);
}

export async function ask<Id extends OperationId>(
  id: Id,
  asked: Asked<Id>,
  signal?: AbortSignal,
): Promise<Answer<Id>> {
  const given = asked as Readonly<Record<string, unknown>>;
  const named = given['idempotencyKey'];
  const response = await send(operations[id].method, addressOf(id, given), {
    body: given['body'],
    file: given['file'] as Blob | undefined,
    signal,
    ...(typeof named === 'string' ? { headers: { 'idempotency-key': named } } : {}),
  });
  return (await wholeOf(response).catch((error: unknown) => {
    // The caller no longer waits.
    signal?.throwIfAborted();
    throw error;
  })) as Answer<Id>;
}

const AWAY: readonly string[] = ['unavailable', 'recovering'];

/** A problem of all requests, not only of this one. */
export function troubleOf(error: unknown): string | undefined {
  if (error instanceof NoAnswer) return 'no-answer';
  if (!(error instanceof Refused)) return undefined;
  if (AWAY.includes(error.word)) return error.word;
  return error.status >= 502 && error.word === '' ? 'no-answer' : undefined;
}
