/** The HTTP API: authentication, rate limits, roles; every refusal is a problem with the next step. */
import express, { type ErrorRequestHandler, type Express, type Request, type RequestHandler } from 'express';
import { isUnreadable } from '../operations/record.ts';
import type { ApiContext } from './context.ts';
import { admissionTo } from './admission.ts';
import { serveConsole } from './console-files.ts';
import { mount } from './mount.ts';
import { nearestPath } from './nearest-path.ts';
import { ApiProblem, type ProblemKind, sendProblem } from './problem.ts';
import { NoRoom } from '../lib/held-bytes.ts';
import { LedgerClosed, Recovering, isLedgerAway } from '../ledger/errors.ts';
import { isAway } from '../redis/connections.ts';
import type { Route } from './route.ts';
import { routes } from './routes.ts';
import { writeRefused } from './writes.ts';
import { type Message, message } from '../messages/message.ts';

/** Replaces a missing or invalid request id. */
const REQUEST_ID = /^[\w.:-]{1,100}$/;

export function createApi(context: ApiContext): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use(identifyRequest(context));
  const admission = admissionTo(context);
  if (context.console) app.use('/console', serveConsole(context.console));
  const isOn = ({ tag }: Route): boolean => tag !== 'Console' || context.console !== undefined;
  app.use(mount(routes.filter(isOn), context, admission));
  app.use(async (request, response) => {
    await admission.byRequest(request, response);
    response.set('Connection', 'close');
    throw new ApiProblem('not-found', notFound(request));
  });
  app.use(answerProblem(context));
  return app;
}

function notFound({ method, path }: Pick<Request, 'method' | 'path'>): Message {
  const asked = { method, path: path.slice(0, 100) };
  const meant = nearestPath(asked.path, routes);
  return meant === undefined
    ? message('path_not_found', asked)
    : message('path_not_found_meant', { ...asked, meant });
}

const SAME_FOR_ALL = [
  ['X-Content-Type-Options', 'nosniff'],
  ['Cache-Control', 'no-store'],
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Referrer-Policy', 'no-referrer'],
] as const;

function identifyRequest({ random }: ApiContext): RequestHandler {
  return (request, response, next) => {
    const given = request.get('x-request-id') ?? '';
    const id = REQUEST_ID.test(given) ? given : random.hex(8);
    response.locals['requestId'] = id;
    response.setHeader('X-Request-Id', id);
    for (const [name, value] of SAME_FOR_ALL) response.setHeader(name, value);
    next();
  };
}

const SOON: ReadonlySet<ProblemKind> = new Set(['unavailable', 'provider-away', 'busy']);

function answerProblem(context: ApiContext): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (response.headersSent) return next(error);
    const problem = problemOf(error, request.method);
    if (problem.kind === 'internal' || problem.kind === 'unavailable') {
      const { method, path } = request;
      context.onError(error, { method, path, requestId: String(response.locals['requestId']) });
    }
    if (SOON.has(problem.kind)) response.set('Retry-After', '5');
    if (problem.kind === 'recovering') response.set('Retry-After', '30');
    writeRefused(context, response, problem);
    sendProblem(response, problem);
  };
}

function noRoom({ of, most }: NoRoom): ApiProblem {
  const limit = most / 1e6;
  return new ApiProblem(
    'busy',
    of === 'caller' ? message('key_uploads_full', { mb: limit }) : message('uploads_full', { mb: limit }),
  );
}

/**
 * Another process has taken over the work of this one, which ends; otherwise the ledger was restored from a backup.
 */
function closed({ reason }: LedgerClosed): ApiProblem {
  const isOfProcess = reason === 'fenced' || reason === 'superseded';
  return isOfProcess
    ? new ApiProblem('unavailable', message('process_ends'))
    : new ApiProblem('recovering', message('in_recovery'));
}

function problemOf(error: unknown, method: string): ApiProblem {
  if (error instanceof ApiProblem) return error;
  if (error instanceof Recovering) return new ApiProblem('recovering', message('in_recovery'));
  if (isUnreadable(error)) {
    return new ApiProblem('unreadable', message('record_unreadable'));
  }
  // An invalid percent escape in the path is a client error.
  if (error instanceof URIError) return new ApiProblem('malformed', message('path_invalid'));
  if (error instanceof NoRoom) return noRoom(error);
  if (error instanceof LedgerClosed) return closed(error);
  // PostgreSQL may have committed a request whose answer was lost.
  if (isAway(error) || isLedgerAway(error))
    return new ApiProblem('unavailable', method === 'GET' ? message('not_read') : message('maybe_done'));
  return new ApiProblem('internal', message('internal_error'));
}
