/** Declared routes at work: found by path and method, then each rule of the declaration in turn, then the handler. */
import { isUtf8 } from 'node:buffer';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { z } from 'zod';
import type { FileFormat } from '../files/rows.ts';
import { type Encoding, encodingOf } from '../files/encodings.ts';
import { actOf } from '../kinds/acts.ts';
import { type Moment, momentOf } from '../lib/clock.ts';
import { readJson } from '../lib/json.ts';
import { nearest } from '../lib/nearest.ts';
import type { OpenSpan, SpanDraft } from '../lib/traces.ts';
import { check, type Problem } from '../producer/problems.ts';
import type { Admission } from './admission.ts';
import { type ApiContext, findRecord } from './context.ts';
import {
  idempotencyKey,
  requireAllAccounts,
  requireFresh,
  requireKeeping,
  requireNamedAccounts,
  requireNoRecovery,
  requireOpen,
  requireRole,
  requireSession,
  requireStill,
} from './gates.ts';
import type { ApiKey } from './keys.ts';
import { ApiProblem, invalid } from './problem.ts';
import {
  type AnyAsked,
  Reply,
  type Route,
  type Shape,
  pathParameters,
  JSON_MAX,
  type BodyDeclaration,
  type RouteDeclaration,
} from './route.ts';
import { SharedAnswer, sendShared } from './shared-answer.ts';

interface Call {
  readonly request: Request;
  readonly response: Response;
  readonly params: Readonly<Record<string, string>>;
}

type Work = (call: Call) => Promise<void>;

/** What stands at one path, by method. */
interface Place {
  readonly pattern: RegExp;
  readonly names: readonly string[];
  readonly methods: Map<string, Work>;
}

export function mount(routes: readonly Route[], context: ApiContext, admission: Admission): RequestHandler {
  const places = placesOf(routes, (route) => workOf(route, context, admission));
  return async (request, response, next) => {
    const found = find(places, request.path);
    if (!found) return next();
    const work = found.place.methods.get(request.method === 'HEAD' ? 'GET' : request.method);
    if (work) return work({ request, response, params: found.params });
    // What there is, and what not, is told to callers with a key.
    await admission.byRequest(request, response);
    const allowed = [...found.place.methods.keys()].join(', ');
    response.set('Connection', 'close').set('Allow', allowed);
    const asked = `${request.method} ${request.path.slice(0, 100)}`;
    throw new ApiProblem('method-not-allowed', `${asked} is not supported; use ${allowed}.`);
  };
}

function placesOf(routes: readonly Route[], make: (route: Route) => Work): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  for (const route of routes) {
    const { path, method } = route;
    const place = places.get(path) ?? { pattern: patternOf(path), names: pathParameters(route), methods: new Map() };
    places.set(path, place);
    place.methods.set(method.toUpperCase(), make(route));
  }
  return places;
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '([^/]+)')}$`);
}

/** Those that are asked most have no parameters, and are found at once. */
function find(places: ReadonlyMap<string, Place>, asked: string) {
  const path = asked.length > 1 && asked.endsWith('/') ? asked.slice(0, -1) : asked;
  const same = places.get(path);
  if (same && same.names.length === 0) return { place: same, params: {} };
  for (const place of places.values()) {
    const [whole, ...given] = (place.names.length > 0 && place.pattern.exec(path)) || [];
    if (whole === undefined) continue;
    const params = place.names.map((name, at) => [name, decodeURIComponent(given[at] ?? '')]);
    return { place, params: Object.fromEntries(params) as Call['params'] };
  }
  return undefined;
}

/** Of a route that needs no key. */
const NOBODY: ApiKey = { name: '', roles: new Set(), accounts: new Set(), digest: Buffer.alloc(0) };

/** The key, its role and its accounts: nothing is read of a body that is refused for one of these. */
function workOf(route: Route, context: ApiContext, admission: Admission): Work {
  const { scope, durable, record: kind, releases, identity, orRole, alsoRole, session } = route;
  const readQuery = queryReader(route.query ?? {}, route.othersInQuery);
  const readBody = bodyReader(route);
  const mustExist = route.body?.readBy === undefined;
  const status = Number(Object.keys(route.answers)[0]);
  const work = async ({ request, response, params }: Call, key: ApiKey, since: Moment): Promise<void> => {
    if (session) requireSession(key);
    if (route.role) requireRole(key, route.role, orRole);
    if (alsoRole) requireRole(key, alsoRole);
    if (typeof scope === 'object') requireAllAccounts(key, scope.all);
    if (route.fresh) requireFresh(context, key);
    const query = readQuery(searchOf(request));
    const { given, type } = await readBody(request, response);
    const again = () => (kind ? findRecord(context, key, kind, params['id']) : Promise.resolve(undefined));
    const record = kind && (await again());
    const body = route.body && checked(route.body, given);
    if (scope === 'named') requireNamedAccounts(context, key, { query, body, mustExist });
    if (durable === true) requireOpen(context, response);
    if (durable === 'also recovering') requireKeeping(context, response);
    if (releases) await requireNoRecovery(context, response);
    const asked: AnyAsked = {
      context,
      key,
      params,
      query,
      body,
      type,
      record,
      again,
      act: acting(route, key, { context, response }),
      keyOf: (secret, isRight) => admission.bySecret(secret, { request, response }, isRight),
      since,
      request,
      response,
      idempotencyKey: identity && idempotencyKey(request),
    };
    if (route.method !== 'get' && key !== NOBODY) await requireStill(context, key);
    answer(response, status, await route.handle(asked));
  };
  return async (call) => {
    const since = momentOf(context.clock);
    const isOpen = route.role === undefined && !route.session;
    const key = isOpen ? NOBODY : await admission.byRequest(call.request, call.response);
    // Of a caller without a key nothing is traced: neither a stranger's requests nor what stands in their headers.
    if (!context.traces || key === NOBODY) return work(call, key, since);
    const span = context.traces.open(spanOf(route, call, context.clock.monotonic() - since.mono));
    call.response.once('close', () => endWith(span, call.response));
    return span.run(() => work(call, key, since));
  };
}

/** The path as it is declared: what stands in its place may be somebody's number. */
function spanOf({ method, path }: Route, { request }: Call, agoMs: number): SpanDraft {
  const does = method.toUpperCase();
  return {
    name: `${does} ${path}`,
    kind: 'server',
    begins: true,
    traceparent: request.get('traceparent'),
    agoMs,
    attributes: {
      'http.request.method': does,
      'http.route': path,
      'url.path': path,
      'url.scheme': 'http',
    },
  };
}

function endWith(span: OpenSpan, { statusCode, writableFinished }: Response): void {
  span.says({ 'http.response.status_code': statusCode });
  if (statusCode >= 500) span.failed(String(statusCode));
  else if (!writableFinished) span.failed('aborted');
  span.end();
}

/** Told in the script that does it: what is refused, or was done before, is told nowhere. */
function acting(
  { id, role }: Route,
  { name, person = '', session }: ApiKey,
  { context: { signAct: sign }, response }: Pick<AnyAsked, 'context' | 'response'>,
): AnyAsked['act'] {
  const requestId = String(response.locals['requestId']);
  const door = session ? 'console' : 'api';
  return (target = '', facts) => {
    return { by: name, person, role: role ?? '', door, requestId, act: actOf(id) ?? id, target, facts, sign };
  };
}

function answer(response: Response, status: number, given: unknown): void {
  if (given instanceof Reply) return answer(response, given.status, given.body);
  if (given instanceof SharedAnswer) return sendShared(response.req, response, given);
  // One that was streamed is under way, or over.
  if (response.headersSent || response.writableEnded) return;
  if (typeof given === 'object' && given !== null) return sendJson(response, status, given);
  response.status(status).end();
}

const searchOf = ({ url }: Request): string => {
  const at = url.indexOf('?');
  return at === -1 ? '' : url.slice(at + 1);
};

/**
 * The body of a request, as its route declares it: a file is left to the handler; of JSON that is not short express
 * collects the bytes, and what they say is read by our own rules.
 */

interface ReadBody {
  /** As it came; undefined where a file came, or nothing is declared. */
  readonly given: unknown;
  /** The media type of the file that came. */
  readonly type: string | undefined;
}

const JSON_TYPE = 'application/json';
const NO_BODY: ReadBody = { given: undefined, type: undefined };

function bodyReader({
  body,
}: Pick<RouteDeclaration, 'body'>): (request: Request, response: Response) => Promise<ReadBody> {
  const { schema, files = {}, limit } = body ?? {};
  const types = [...(schema || !body ? [JSON_TYPE] : []), ...Object.keys(files)];
  return async (request, response) => {
    const type = typeOf(request, types, body === undefined || schema !== undefined);
    if (body === undefined) return NO_BODY;
    if (type !== JSON_TYPE || schema === undefined) return { given: undefined, type: plain(request, type) };
    return { given: await readJsonBody(request, response, limit), type: undefined };
  };
}

/** As the schema reads it, unless the acceptance does. */
function checked({ schema, readBy }: BodyDeclaration, given: unknown): unknown {
  if (given === undefined || schema === undefined || readBy === 'acceptance') return given;
  const { data, problems } = check(schema, given);
  if (problems) throw invalid(problems);
  return data;
}

/** A body of another type would be skipped by the reader and look like an empty one. */
function typeOf({ headers }: Request, types: readonly string[], mayBeNone: boolean): string {
  const given = headers['content-type'] ?? '';
  if (types.includes(given)) return given;
  const bare = (given.split(';')[0] ?? '').trim().toLowerCase();
  if (types.includes(bare)) return bare;
  const hasBody = Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined;
  if (!hasBody && mayBeNone) return JSON_TYPE;
  throw new ApiProblem('unsupported-media-type', `Send the body as \`Content-Type: ${types.join('`, or `')}\`.`);
}

/** What is streamed is read as it comes. */
function plain(request: Request, type: string): string {
  if ((request.get('content-encoding') ?? 'identity') === 'identity') return type;
  throw new ApiProblem('unsupported-media-type', 'Send UTF-8 without compression.');
}

const CHARSET = /;\s*charset="?([^\s";]*)/i;
const BYTE_ORDER_MARK = '\ufeff';

const collectors = new Map<string, RequestHandler>();

function collectorOf(limit: string): RequestHandler {
  const known = collectors.get(limit) ?? express.raw({ type: () => true, limit });
  collectors.set(limit, known);
  return known;
}

/** An object or a list; an empty object where nothing was sent. Rejects with the refusal. */
export async function readJsonBody(request: Request, response: Response, limit: string = JSON_MAX): Promise<unknown> {
  const [, charset = 'utf-8'] = CHARSET.exec(request.headers['content-type'] ?? '') ?? [];
  if (charset.toLowerCase() !== 'utf-8') throw notPlain();
  const body = parse(await (isShort(request) ? shortBody(request) : anyBody(request, response, limit)));
  if (body instanceof ApiProblem) throw body;
  return body;
}

/** Less than any limit. */
export const SHORT_BYTES = 4_096;

/** Nearly all are, and come as they are: what collects every kind of body takes a twentieth of the request to find out. */
function isShort({ headers }: Request): boolean {
  return headers['content-encoding'] === undefined && Number(headers['content-length']) <= SHORT_BYTES;
}

function shortBody(request: Request): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => resolve(Buffer.concat(parts)));
    request.on('error', () => reject(brokenOff()));
  });
}

function anyBody(request: Request, response: Response, limit: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    collectorOf(limit)(request, response, (error?: unknown) => {
      if (error === undefined) resolve(request.body);
      else reject(problemOf(error));
    });
  });
}

const brokenOff = (): ApiProblem => new ApiProblem('malformed', 'The body ended before it was complete.');

function notPlain(): ApiProblem {
  const detail = 'Send UTF-8, uncompressed or compressed with gzip, deflate or br.';
  return new ApiProblem('unsupported-media-type', detail);
}

/** By the `type` of the errors of body-parser. */
function problemOf(error: unknown): ApiProblem {
  const { type, limit } = error as { readonly type?: string; readonly limit?: number };
  if (type === 'entity.too.large') return new ApiProblem('too-large', `This JSON body is limited to ${limit} bytes.`);
  if (type === 'encoding.unsupported') return notPlain();
  if (type === 'request.aborted') return brokenOff();
  return new ApiProblem('malformed', 'The body does not match its Content-Encoding, or is incomplete.');
}

/** An object or a list, and nothing for an empty body. */
function parse(bytes: unknown): unknown {
  if (!Buffer.isBuffer(bytes) || bytes.length === 0) return {};
  if (!isUtf8(bytes)) return new ApiProblem('malformed', 'The body is not UTF-8.');
  const text = bytes.toString();
  const read = readJson(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  if ('wrong' in read) {
    return new ApiProblem('malformed', read.is === 'no JSON' ? 'The body is not JSON.' : `The body ${read.wrong}.`);
  }
  const { value } = read;
  return typeof value === 'object' && value !== null ? value : new ApiProblem('malformed', 'The body is not JSON.');
}

/**
 * The parameters of a query, by the schemas of its route. What is not declared is refused: a filter with a slip of the
 * pen would otherwise be no filter, and everything would be answered.
 */

const NONE = {};

/** `search` is what follows the question mark. */
function queryReader(shape: Shape, others?: 'ignored'): (search: string) => object {
  const schema = z.object(shape);
  const numbers = new Set(Object.keys(shape).filter((name) => isNumber(shape[name])));
  const lists = new Set(Object.keys(shape).filter((name) => isList(shape[name])));
  const known = Object.keys(shape);
  const read = (all: URLSearchParams): object => {
    const given = others ? new URLSearchParams([...all].filter(([name]) => known.includes(name))) : all;
    const problems = [...new Set(given.keys())].flatMap((name) => problemWith(name, given, known));
    const valueIn = (name: string, text: string): unknown => {
      if (lists.has(name)) return text.split(',');
      return numbers.has(name) ? numberIn(text) : text;
    };
    const words = [...given].map(([name, text]) => [name, valueIn(name, text)]);
    const { data, problems: wrong = [] } = check(schema, Object.fromEntries(words));
    // Of several words in one parameter, the parameter is named.
    problems.push(
      ...wrong.map(({ pointer, message }) => ({ pointer: pointer.replace(/^(\/[^/]+)\/\d+$/, '$1'), message })),
    );
    if (data && problems.length === 0) return data;
    throw invalid(problems);
  };
  return (search) => (search === '' && known.length === 0 ? NONE : read(new URLSearchParams(search)));
}

function problemWith(name: string, given: URLSearchParams, known: readonly string[]): Problem[] {
  const pointer = `/${name.slice(0, 40)}`;
  if (!known.includes(name)) return [{ pointer, message: notKnown(name, known) }];
  return given.getAll(name).length > 1 ? [{ pointer, message: 'is given twice' }] : [];
}

function notKnown(name: string, known: readonly string[]): string {
  if (known.length === 0) return 'is not a parameter here; there are none';
  const meant = nearest(name, known);
  return `is not a parameter here; ${meant ? `did you mean "${meant}"?` : `there are ${known.join(', ')}`}`;
}

function isList(schema: z.ZodType | undefined): boolean {
  return schema instanceof z.ZodOptional ? isList(schema.unwrap() as z.ZodType) : schema instanceof z.ZodArray;
}

function isNumber(schema: z.ZodType | undefined): boolean {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    return isNumber(schema.unwrap() as z.ZodType);
  }
  return schema instanceof z.ZodNumber;
}

/** A text that is no number in plain digits is left to the schema to refuse. */
function numberIn(text: string): string | number {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}

/** As `response.json`, for routes that are asked by the thousand: nothing is looked up that is always the same. */
function sendJson(response: Response, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}

/** A file as the body of a request: what its type says of it. */

export const FORMATS = {
  'text/csv': 'csv',
  'application/x-ndjson': 'ndjson',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.oasis.opendocument.spreadsheet': 'ods',
  // What a browser on Windows calls a CSV file, and everything else that opens in Excel.
  'application/vnd.ms-excel': 'csv',
} as const satisfies Record<string, FileFormat>;

export interface FileBody {
  readonly format: FileFormat;
  /** What the `charset` names; absent: found out. */
  readonly encoding?: Encoding;
}

/** Undefined where the body is no file. */
function fileBodyOf(request: Request): FileBody | undefined {
  const [type = '', ...parameters] = (request.get('content-type') ?? '').split(';').map((part) => part.trim());
  const format = FORMATS[type.toLowerCase() as keyof typeof FORMATS] as FileFormat | undefined;
  if (format === undefined) return undefined;
  const [charset] = parameters.flatMap((part) => /^charset="?([^"]+)"?$/i.exec(part)?.[1] ?? []);
  if (charset === undefined) return { format };
  const encoding = encodingOf(charset);
  if (encoding) return { format, encoding };
  throw new ApiProblem('unsupported-media-type', `The charset ${charset.slice(0, 40)} is not supported. Send UTF-8.`);
}

/** `others`: types that are taken besides. */
export function requireFileBody(request: Request, others: readonly string[] = []): FileBody {
  if ((request.get('content-encoding') ?? 'identity') !== 'identity') {
    throw new ApiProblem('unsupported-media-type', 'Send the file without compression.');
  }
  const body = fileBodyOf(request);
  if (body) return body;
  throw new ApiProblem(
    'unsupported-media-type',
    `Send ${[...others, ...Object.keys(FORMATS).slice(0, 4)].join(', ')}.`,
  );
}
