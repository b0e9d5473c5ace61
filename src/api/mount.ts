/**
 * Runs declared routes: finds them by path and method, applies each rule of the declaration in order, then calls the
 * handler.
 */
import type { Request, RequestHandler, Response } from 'express';
import { z } from 'zod';
import { actOf } from '../kinds/acts.ts';
import { type Moment, momentOf } from '../lib/clock.ts';
import type { Holding } from '../lib/held-bytes.ts';
import { nearest } from '../lib/nearest.ts';
import type { OpenSpan, SpanDraft } from '../lib/traces.ts';
import { check, type Problem } from '../producer/problems.ts';
import type { Admission } from './admission.ts';
import { type ApiContext, findRecord } from './context.ts';
import {
  idempotencyKey,
  requireAllAccounts,
  requireFresh,
  requireNamedAccounts,
  requireNoRecovery,
  requireOpen,
  requireRole,
  requireSession,
  requireStill,
} from './gates.ts';
import { type ApiKey, rolesWith } from './keys.ts';
import { readJsonBody } from './json-body.ts';
import { codingOf } from './media.ts';
import { ApiProblem, invalid } from './problem.ts';
import {
  type AnyAsked,
  Reply,
  type Route,
  type Shape,
  pathParameters,
  type BodyDeclaration,
  countsBody,
  STREAMED_BYTES,
  entryOf,
  type RouteDeclaration,
} from './route.ts';
import { SharedAnswer, sendShared } from './shared-answer.ts';
import { beginWrite, writeAccepted } from './writes.ts';
import { type Message, message } from '../messages/message.ts';

interface Call {
  readonly request: Request;
  readonly response: Response;
  readonly params: Readonly<Record<string, string>>;
}

type Work = (call: Call) => Promise<void>;

/** The routes of one path, by method. */
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
    // Whether a route exists is revealed only to callers with a key.
    await admission.byRequest(request, response);
    const allowed = [...found.place.methods.keys()].join(', ');
    response.set('Connection', 'close').set('Allow', allowed);
    const asked = `${request.method} ${request.path.slice(0, 100)}`;
    throw new ApiProblem('method-not-allowed', message('method_not_allowed', { asked, allowed }));
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

/** The most frequent routes have no parameters, and are found at once. */
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

/** The placeholder of a route that needs no key. */
const NOBODY: ApiKey = { name: '', roles: new Set(), accounts: new Set(), digest: Buffer.alloc(0) };

type KeyedWork = (call: Call, key: ApiKey, since: Moment) => Promise<void>;

/** Key, role and accounts are checked before a body is read. */
function keyedWorkOf(route: Route, context: ApiContext, admission: Admission): KeyedWork {
  const { scope, durable, record: kind, releases, identity, orRole, alsoRole, session } = route;
  const readQuery = queryReader(route.query ?? {}, route.othersInQuery);
  const readBody = bodyReader(route);
  const mustExist = route.body?.readBy === undefined;
  const status = Number(Object.keys(route.answers)[0]);
  return async ({ request, response, params }, key, since) => {
    if (session) requireSession(key);
    if (route.role) requireRole(key, route.role, orRole);
    if (alsoRole) requireRole(key, alsoRole);
    if (scope === 'all') requireAllAccounts(key);
    if (route.fresh) requireFresh(context, key);
    const query = readQuery(searchOf(request));
    const hold = holding(context, key, response);
    const { given, type } = await readBody({ request, response, hold });
    const again = () => (kind ? findRecord(context, key, kind, params['id']) : Promise.resolve(undefined));
    const record = kind && (await again());
    const body = route.body && checked(route.body, given);
    if (scope === 'named') requireNamedAccounts(context, key, { query, body, mustExist });
    if (durable === true) requireOpen(context, response);
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
      act: acting(route, key, response),
      keyOf: (secret, isRight) => admission.bySecret(secret, { request, response }, isRight),
      since,
      hold,
      request,
      response,
      idempotencyKey: identity && idempotencyKey(request),
    };
    if (route.method !== 'get' && key !== NOBODY) await requireStill(context, key);
    const answered = await route.handle(asked);
    writeAccepted(context, response, answered instanceof Reply ? answered.body : answered);
    answer(response, status, answered);
  };
}

function workOf(route: Route, context: ApiContext, admission: Admission): Work {
  const work = keyedWorkOf(route, context, admission);
  return async (call) => {
    const since = momentOf(context.clock);
    const isOpen = route.role === undefined && !route.session;
    const key = isOpen ? NOBODY : await admission.byRequest(call.request, call.response);
    if (route.method !== 'get' && key !== NOBODY)
      beginWrite(call.response, { key: key.name, route: route.id, id: call.params['id'] });
    // Without a key nothing is traced: neither the request of an unknown client nor its headers.
    if (!context.traces || key === NOBODY) return work(call, key, since);
    const span = context.traces.open(spanOf(route, call, context.clock.monotonic() - since.mono));
    call.response.once('close', () => endWith(span, call.response));
    return span.run(() => work(call, key, since));
  };
}

/** The declared path: the actual one may contain personal data. */
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

/** Written in the transaction of the action: a refused or repeated action has no audit line. */
function acting({ id, role }: Route, key: ApiKey, response: Response): AnyAsked['act'] {
  const { name, person = '', session } = key;
  const used = role && (rolesWith(role).find((one) => key.roles.has(one)) ?? role);
  const requestId = String(response.locals['requestId']);
  const source = session ? 'console' : 'api';
  return (target = '', facts) => {
    return { by: name, person, role: used ?? '', source, requestId, act: actOf(id) ?? id, target, facts };
  };
}

function answer(response: Response, status: number, given: unknown): void {
  if (given instanceof Reply) return answer(response, given.status, given.body);
  if (given instanceof SharedAnswer) return sendShared(response.req, response, given);
  // A streamed answer has begun or ended.
  if (response.headersSent || response.writableEnded) return;
  if (typeof given === 'object' && given !== null) return sendJson(response, status, given);
  response.status(status).end();
}

const searchOf = ({ url }: Request): string => {
  const at = url.indexOf('?');
  return at === -1 ? '' : url.slice(at + 1);
};

/** The body of a request by the declaration of its route; the handler reads files. */

interface ReadBody {
  /** As received; undefined for a file, or if none is declared. */
  readonly given: unknown;
  /** The media type of a received file. */
  readonly type: string | undefined;
}

const JSON_TYPE = 'application/json';
const NO_BODY: ReadBody = { given: undefined, type: undefined };

type BodyReader = (asked: Pick<AnyAsked, 'request' | 'response' | 'hold'>) => Promise<ReadBody>;

function bodyReader(route: RouteDeclaration): BodyReader {
  const { body } = route;
  const isCounted = countsBody(route);
  const { schema, files = {}, limit } = body ?? {};
  const types = [...(schema || !body ? [JSON_TYPE] : []), ...Object.keys(files)];
  return async ({ request, response, hold }) => {
    const type = typeOf(request, types, body === undefined || schema !== undefined);
    if (body === undefined) return NO_BODY;
    if (type !== JSON_TYPE || schema === undefined) {
      const fileType = plain(request, type);
      if (isCounted) hold().take(STREAMED_BYTES);
      return { given: undefined, type: fileType };
    }
    const reading = { limit, hold: isCounted ? hold : undefined };
    return { given: await readJsonBody(request, response, reading), type: undefined };
  };
}

/** Opened at first use: most requests hold no significant memory. */
function holding({ heldBytes }: ApiContext, { name }: ApiKey, response: Response): () => Holding {
  return () => {
    const opened = heldBytes.open(name);
    response.once('close', () => opened.end());
    return opened;
  };
}

/** Parsed by the schema, unless acceptance does it. */
function checked({ schema, readBy }: BodyDeclaration, given: unknown): unknown {
  if (given === undefined || schema === undefined || readBy === 'acceptance') return given;
  const { data, problems } = check(schema, given);
  if (problems) throw invalid(problems);
  return data;
}

/** The parser would skip a body of another type, which would look empty. */
function typeOf({ headers }: Request, types: readonly string[], mayBeNone: boolean): string {
  const given = headers['content-type'] ?? '';
  if (types.includes(given)) return given;
  const bare = (given.split(';')[0] ?? '').trim().toLowerCase();
  if (types.includes(bare)) return bare;
  const hasBody = Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined;
  if (!hasBody && mayBeNone) return JSON_TYPE;
  throw new ApiProblem('unsupported-media-type', message('send_content_type', { types: types.join('`, or `') }));
}

/** A streamed body is read as it arrives. */
function plain(request: Request, type: string): string {
  if (codingOf(request.headers) === undefined) return type;
  throw new ApiProblem('unsupported-media-type', message('send_utf8_plain'));
}

/**
 * The parameters of a query, by the schemas of its route. Undeclared ones are refused: a misspelt filter would
 * otherwise return everything.
 */

const NONE = {};

/** `search`: the text after the question mark. */
function queryReader(shape: Shape, others?: 'ignored'): (search: string) => object {
  const schema = z.object(shape);
  const numbers = new Set(Object.keys(shape).filter((name) => isNumber(shape[name])));
  const lists = new Set(Object.keys(shape).filter((name) => isList(shape[name])));
  const records = Object.keys(shape).filter((name) => isRecord(shape[name]));
  const known = Object.keys(shape);
  const isKnown = (name: string): boolean =>
    (known.includes(name) && !records.includes(name)) || inRecord(name) !== undefined;
  const inRecord = (name: string): string | undefined => records.find((record) => name.startsWith(`${record}.`));
  const read = (all: URLSearchParams): object => {
    const given = others ? new URLSearchParams([...all].filter(([name]) => isKnown(name))) : all;
    const problems = [...new Set(given.keys())].flatMap((name) =>
      problemWith(name, given, { known, records, isKnown }),
    );
    const valueIn = (name: string, text: string): unknown => {
      if (lists.has(name)) return text.split(',');
      return numbers.has(name) ? numberIn(text) : text;
    };
    const words: Record<string, unknown> = {};
    for (const [name, text] of given) {
      if (!isKnown(name)) continue;
      const record = inRecord(name);
      if (record === undefined) words[name] = valueIn(name, text);
      else words[record] = { ...(words[record] as object | undefined), [name.slice(record.length + 1)]: text };
    }
    const { data, problems: wrong = [] } = check(schema, words);
    // For several words in one parameter, the problem names the parameter.
    problems.push(...wrong.map((one) => ({ ...one, pointer: one.pointer.replace(/^(\/[^/]+)\/\d+$/, '$1') })));
    if (data && problems.length === 0) return data;
    throw invalid(problems);
  };
  return (search) => (search === '' && known.length === 0 ? NONE : read(new URLSearchParams(search)));
}

interface Known {
  readonly known: readonly string[];
  readonly records: readonly string[];
  readonly isKnown: (name: string) => boolean;
}

function problemWith(name: string, given: URLSearchParams, { known, records, isKnown }: Known): Problem[] {
  const pointer = `/${name.slice(0, 40)}`;
  const names = known.map((one) => (records.includes(one) ? entryOf(one) : one));
  if (!isKnown(name)) return [{ pointer, message: notKnown(name, names) }];
  return given.getAll(name).length > 1 ? [{ pointer, message: message('given_twice') }] : [];
}

function notKnown(name: string, known: readonly string[]): Message {
  if (known.length === 0) return message('no_parameters');
  const meant = nearest(name, known);
  return meant ? message('parameter_meant', { meant }) : message('parameters_known', { known: known.join(', ') });
}

function isList(schema: z.ZodType | undefined): boolean {
  return schema instanceof z.ZodOptional ? isList(schema.unwrap() as z.ZodType) : schema instanceof z.ZodArray;
}

function isRecord(schema: z.ZodType | undefined): boolean {
  return schema instanceof z.ZodOptional ? isRecord(schema.unwrap() as z.ZodType) : schema instanceof z.ZodRecord;
}

function isNumber(schema: z.ZodType | undefined): boolean {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    return isNumber(schema.unwrap() as z.ZodType);
  }
  return schema instanceof z.ZodNumber;
}

/** A text other than plain digits is left to the schema to refuse. */
function numberIn(text: string): string | number {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}

/** Like `response.json`, without repeated look-ups, for frequent routes. */
function sendJson(response: Response, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}
