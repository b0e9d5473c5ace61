/** The HTTP API from TypeScript: a method for each route, with the names and types of openapi.json. */
import { readFile } from 'node:fs/promises';
import { type Clock, systemClock, toMs } from '../lib/clock.ts';
import { type Random, systemRandom } from '../lib/random.ts';
import { type Bearer, type Fetch, type Letter, type Line, exchange } from './exchange.ts';
import { type Followed, type FollowOptions, follow } from './follow.ts';
import { operations } from './generated/api.ts';
import type { Content, ItemOf, ListAsked, ListId, Methods, OperationId, PerCall } from './types.ts';

export interface ClientOptions {
  /** The address of the API: `http://127.0.0.1:3000`. A TypeError if it is undefined. */
  readonly url: string | undefined;
  /** The API key. Public routes work without one. */
  readonly key?: string | undefined;
  /** A file with the key, read at first use, and again after the key was refused. */
  readonly keyFile?: string | undefined;
  /** Maximum duration of one request. Default: `30s`; for files, and for requests that wait for a payer, `5m`. */
  readonly timeout?: string;
  /** How long a request is retried if that is safe, in all. Default: `30s`; `0s`: never. */
  readonly patience?: string;
  /** Replaces the global `fetch`: for a proxy, or for tests. */
  readonly fetch?: Fetch;
}

export interface Client extends Methods {
  /** Every item of a list, page by page, on demand. */
  each<Id extends ListId>(list: Id, asked?: ListAsked<Id>): AsyncGenerator<ItemOf<Id>, void>;
  /**
   * Events as they arrive, each with its cursor, until the signal fires. Waits while relais is away. Store the cursor
   * with your results: it is where to continue.
   */
  follow(options?: FollowOptions): AsyncGenerator<Followed, void>;
}

const TIMEOUT = '30s';
/** An upload is answered after its last row; other requests wait for a payer. */
const LONG_TIMEOUT_MS = 300_000;

export function createClient(options: ClientOptions): Client {
  return clientOf(options, systemClock, systemRandom);
}

/** Throws a TypeError for an address that is none. */
export function lineOf(options: ClientOptions, clock: Clock, random: Random): Line {
  const { url, patience = TIMEOUT, fetch = globalThis.fetch } = options;
  if (url === undefined || !URL.canParse(url)) {
    throw new TypeError('url is not set, or is no URL: is RELAIS_URL set? Such as http://127.0.0.1:3000');
  }
  return {
    url: url.replace(/\/+$/, ''),
    fetch,
    clock,
    random,
    bearer: bearerOf(options),
    patienceMs: toMs(patience),
  };
}

export function clientOf(options: ClientOptions, clock: Clock, random: Random): Client {
  const { timeout } = options;
  const line = lineOf(options, clock, random);
  const asking = { line, timeoutMs: timeout === undefined ? undefined : toMs(timeout) };
  const ids = Object.keys(operations) as OperationId[];
  const methods: Readonly<Record<string, (asked?: object) => Promise<unknown>>> = Object.fromEntries(
    ids.map((id) => [id, (asked: object = {}) => ask(asking, id, { ...asked })]),
  );
  return {
    // Generated from the same document as the types: a test checks that every route is included.
    ...(methods as Methods),
    each: (list, asked) => pages(asking, list, { ...asked }),
    follow: (following = {}) => follow(line, following),
  };
}

interface Asking {
  readonly line: Line;
  readonly timeoutMs: number | undefined;
}

/** The input of any method; each method's types name its own. */
interface Asked extends PerCall {
  readonly body?: unknown;
  readonly file?: { readonly type: string; readonly content: Content };
  readonly accept?: string;
  readonly idempotencyKey?: string;
  readonly [parameter: string]: unknown;
}

interface Declared {
  readonly method: string;
  readonly path: string;
  readonly query: readonly string[];
  readonly identity?: 'required' | 'optional';
  /** Media types of its answers other than JSON. */
  readonly files?: readonly string[];
}

async function ask({ line, timeoutMs }: Asking, id: OperationId, asked: Asked): Promise<unknown> {
  const declared: Declared = operations[id];
  const { signal, timeout, accept } = asked;
  const isLong = asked.file !== undefined || id.endsWith('Softpay');
  const { headers: identity, isSafe } = identified(declared, asked, line.random);
  const { type, ...sent } = bodyOf(asked);
  const letter: Letter = {
    method: declared.method,
    path: pathOf(declared, asked),
    headers: {
      accept: accept ?? 'application/json, */*;q=0.5',
      ...(type === undefined ? {} : { 'content-type': type }),
      ...(asked.requestId === undefined ? {} : { 'x-request-id': asked.requestId }),
      ...identity,
    },
    ...sent,
    isSafe,
    timeoutMs: timeout === undefined ? (timeoutMs ?? (isLong ? LONG_TIMEOUT_MS : toMs(TIMEOUT))) : toMs(timeout),
    signal,
  };
  return exchange(line, letter, (answer) => readAnswer(answer, declared.files ?? []));
}

async function readAnswer(answer: Response, files: readonly string[]): Promise<unknown> {
  if (answer.status === 204) return undefined;
  const type = answer.headers.get('content-type') ?? '';
  const isJson = type.includes('application/json');
  if (!isJson && files.some((one) => type.startsWith(one))) return answer;
  // A proxy under maintenance, or one that asks for a password.
  if (!isJson) throw new Error(`HTTP ${answer.status} is not of the API`);
  // A truncated body throws, and then counts as no answer.
  const value: unknown = JSON.parse(await answer.text());
  return value;
}

function pathOf({ path, query }: Declared, asked: Asked): string {
  const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(textOf(asked[name])));
  const words = query.flatMap((name): (readonly [string, string])[] => {
    const entries = entriesOf(name, asked);
    if (entries) return entries;
    return asked[name] === undefined ? [] : [[name, textOf(asked[name])]];
  });
  const search = new URLSearchParams(Object.fromEntries(words)).toString();
  return search === '' ? filled : `${filled}?${search}`;
}

/** `metadata.KEY` has one parameter for each entry of an object. Undefined: the parameter is no such object. */
function entriesOf(name: string, asked: Asked): [string, string][] | undefined {
  const [, record] = /^(\w+)\.KEY$/.exec(name) ?? [];
  if (record === undefined) return undefined;
  const given = (asked[record] ?? {}) as Readonly<Record<string, string>>;
  return Object.entries(given).map(([key, value]) => [`${record}.${key}`, value]);
}

/** Several words are separated by commas. */
function textOf(value: unknown): string {
  return Array.isArray(value) ? value.join(',') : `${value as string | number | boolean}`;
}

/**
 * The identity that makes a retry harmless. A request that needs none gets one for the tries of this call. A money
 * request does not: only its caller knows what a retry is.
 */
function identified(
  { method, identity }: Declared,
  { idempotencyKey, body, file }: Asked,
  random: Random,
): { readonly headers: Readonly<Record<string, string>>; readonly isSafe: boolean } {
  if (method === 'GET') return { headers: {}, isSafe: true };
  if (identity === undefined) return { headers: {}, isSafe: false };
  const named = (Array.isArray(body) ? body : [body]).map(hasReference);
  const own = identity === 'optional' && !file && !named.includes(true) ? random.hex(16) : undefined;
  const key = idempotencyKey ?? own;
  if (key !== undefined) return { headers: { 'idempotency-key': key }, isSafe: true };
  return { headers: {}, isSafe: !file && named.every(Boolean) };
}

function hasReference(request: unknown): boolean {
  return typeof request === 'object' && request !== null && 'reference' in request && request.reference !== undefined;
}

function bodyOf({ body, file }: Asked): Pick<Letter, 'body' | 'isStreamed'> & { readonly type?: string } {
  if (file === undefined && body === undefined) return { isStreamed: false };
  if (file === undefined) return { type: 'application/json', body: JSON.stringify(body), isStreamed: false };
  const { type, content } = file;
  const isWhole = typeof content === 'string' || content instanceof Uint8Array;
  return { type, body: isWhole ? content : ReadableStream.from(bytesOf(content)), isStreamed: !isWhole };
}

async function* bytesOf(content: AsyncIterable<string | Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const encoder = new TextEncoder();
  for await (const part of content) yield typeof part === 'string' ? encoder.encode(part) : part;
}

async function* pages<Id extends ListId>(asking: Asking, list: Id, asked: Asked): AsyncGenerator<ItemOf<Id>, void> {
  let after: unknown = asked['after'];
  do {
    const page = (await ask(asking, list, { ...asked, after })) as { items: ItemOf<Id>[]; next: string | null };
    yield* page.items;
    after = page.next;
  } while (after !== null && after !== undefined);
}

function bearerOf({ key, keyFile }: Pick<ClientOptions, 'key' | 'keyFile'>): Bearer {
  if (keyFile === undefined) return { read: async () => key ?? '', changed: async () => false };
  const load = async (): Promise<string> => (await readFile(keyFile, 'utf8')).trim();
  let known: Promise<string> | undefined;
  return {
    read: () => (known ??= load()),
    changed: async () => {
      const before = await known;
      known = undefined;
      return (await (known = load())) !== before;
    },
  };
}
