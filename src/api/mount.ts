/** Declared routes at work: found by path and method, then each rule of the declaration in turn, then the handler. */
import { actOf } from '../kinds/acts.ts';
import { bodyReader, checked } from './body.ts';
import type { Request, RequestHandler, Response } from 'express';
import { type ApiContext, findRecord } from './context.ts';
import {
  idempotencyKey,
  requireAllAccounts,
  requireKeeping,
  requireNamedAccounts,
  requireNoRecovery,
  requireOpen,
  requireRole,
} from './gates.ts';
import type { ApiKey } from './keys.ts';
import { ApiProblem } from './problem.ts';
import { queryReader } from './query.ts';
import { type AnyAsked, Reply, type Route, pathParameters } from './route.ts';
import { sendJson } from './send.ts';

/** Makes sure that the request has a key, and that the key does not ask too often. */
export type Admit = (request: Request, response: Response) => ApiKey | Promise<ApiKey>;

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

export function mount(routes: readonly Route[], context: ApiContext, admit: Admit): RequestHandler {
  const places = placesOf(routes, (route) => workOf(route, context, admit));
  return async (request, response, next) => {
    const found = find(places, request.path);
    if (!found) return next();
    const work = found.place.methods.get(request.method === 'HEAD' ? 'GET' : request.method);
    if (work) return work({ request, response, params: found.params });
    // What there is, and what not, is told to callers with a key.
    await admit(request, response);
    const allowed = [...found.place.methods.keys()].join(', ');
    response.set('Connection', 'close').set('Allow', allowed);
    const asked = `${request.method} ${request.path.slice(0, 100)}`;
    throw new ApiProblem('method-not-allowed', `There is no ${asked}; here is ${allowed}.`);
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
  const plain = places.get(path);
  if (plain && plain.names.length === 0) return { place: plain, params: {} };
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
function workOf(route: Route, context: ApiContext, admit: Admit): Work {
  const { scope, durable, record: kind, releases, identity } = route;
  // What anybody may read takes any parameter, as a reader of caches adds them.
  const readQuery = route.role === undefined ? () => ({}) : queryReader(route.query ?? {});
  const readBody = bodyReader(route);
  const mustExist = route.body?.readBy === undefined;
  const status = Number(Object.keys(route.answers)[0]);
  return async ({ request, response, params }) => {
    const sinceMono = context.clock.monotonic();
    const key = route.role === undefined ? NOBODY : await admit(request, response);
    const { orRole, alsoRole } = route;
    if (route.role) requireRole(key, route.role, orRole);
    if (alsoRole) requireRole(key, alsoRole);
    if (typeof scope === 'object') requireAllAccounts(key, scope.all);
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
      act: acting(route, key, response),
      sinceMono,
      request,
      response,
      idempotencyKey: identity && idempotencyKey(request),
    };
    answer(response, status, await route.handle(asked));
  };
}

/** Told in the script that does it: what is refused, or was done before, is told nowhere. */
function acting({ id, role }: Route, { name, person = '' }: ApiKey, response: Response): AnyAsked['act'] {
  const requestId = String(response.locals['requestId']);
  return (target = '', facts) => {
    return { by: name, person, role: role ?? '', door: 'api', requestId, act: actOf(id) ?? id, target, facts };
  };
}

function answer(response: Response, status: number, given: unknown): void {
  if (given instanceof Reply) return answer(response, given.status, given.body);
  // One that was streamed is under way, or over.
  if (response.headersSent || response.writableEnded) return;
  if (typeof given === 'object' && given !== null) return sendJson(response, status, given);
  response.status(status).end();
}

const searchOf = ({ url }: Request): string => {
  const at = url.indexOf('?');
  return at === -1 ? '' : url.slice(at + 1);
};
