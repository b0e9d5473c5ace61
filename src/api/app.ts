/** The HTTP door: who asks, how often, what for; and every refusal as a problem that names the next step. */
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { rateLimit } from 'express-rate-limit';
import { batchRoutes } from './batches.ts';
import { balanceRoutes } from './balances.ts';
import { campaignRoutes } from './campaigns.ts';
import { type ApiContext, keyOf } from './context.ts';
import { directCreditRoutes } from './direct-credits.ts';
import { disbursementRoutes } from './disbursements.ts';
import { endpointRoutes } from './event-endpoints.ts';
import { eventRoutes } from './events.ts';
import { invoiceRoutes } from './invoices.ts';
import { findKey } from './keys.ts';
import { messageRoutes } from './messages.ts';
import { notYetRoutes } from './not-yet.ts';
import { operatingRoutes } from './operating.ts';
import { paymentRequestRoutes } from './payment-requests.ts';
import { ApiProblem, sendProblem } from './problem.ts';

const JSON_MAX = '1mb';
/** Sent in place of a request id that is missing or odd. */
const REQUEST_ID = /^[\w.:-]{1,100}$/;

export function createApi(context: ApiContext): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use(identifyRequest(context), authenticate(context), limitRate(context), requireJson);
  // Before the JSON parser: the bytes of a batch are what is approved.
  app.use('/v1/disbursement-batches', batchRoutes(context));
  app.use(express.json({ limit: JSON_MAX, strict: true }));
  app.use('/v1/disbursements', disbursementRoutes(context));
  app.use('/v1/campaigns', campaignRoutes(context));
  app.use('/v1/messages', messageRoutes(context));
  app.use('/v1/events', eventRoutes(context));
  app.use('/v1/event-endpoints', endpointRoutes(context));
  app.use('/v1/invoices', invoiceRoutes(context));
  app.use('/v1/payment-requests', paymentRequestRoutes(context));
  app.use('/v1/direct-credits', directCreditRoutes(context));
  app.use('/v1/balances', balanceRoutes(context));
  app.use('/v1', operatingRoutes(context));
  app.use(notYetRoutes());
  app.use((request) => {
    throw new ApiProblem('not-found', `There is no ${request.method} ${request.path.slice(0, 100)}.`);
  });
  app.use(answerProblem(context));
  return app;
}

function identifyRequest({ random }: ApiContext): RequestHandler {
  return (request, response, next) => {
    const given = request.get('x-request-id') ?? '';
    response.locals['requestId'] = REQUEST_ID.test(given) ? given : random.hex(8);
    response.set({
      'X-Request-Id': String(response.locals['requestId']),
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': "default-src 'none'",
    });
    next();
  };
}

function authenticate({ keys }: ApiContext): RequestHandler {
  return (request, response, next) => {
    const [, secret] = /^Bearer (.{1,512})$/.exec(request.get('authorization') ?? '') ?? [];
    const key = secret === undefined ? undefined : findKey(keys, secret);
    if (key) {
      response.locals['key'] = key;
      next();
      return;
    }
    response.set('WWW-Authenticate', 'Bearer');
    throw new ApiProblem(
      'unauthenticated',
      secret === undefined
        ? 'Send `Authorization: Bearer <key>`; the keys are in API_KEYS (`relais dev` knows the key `dev`).'
        : 'This key is not known here; the keys are in API_KEYS.',
    );
  };
}

/** Per key and process: an over-eager caller is slowed down before it reaches Redis. */
function limitRate({ ratePerSecond }: ApiContext): RequestHandler {
  if (ratePerSecond === 0) return (_request, _response, next) => next();
  return rateLimit({
    windowMs: 1_000,
    limit: ratePerSecond,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    keyGenerator: (_request, response) => keyOf(response).name,
    validate: { keyGeneratorIpFallback: false },
    handler: (_request, response) => {
      response.set('Retry-After', '1');
      throw new ApiProblem('too-many-requests', `This key may ask ${ratePerSecond} times a second (API_RATE).`);
    },
  });
}

/** A body of another type would be skipped by the JSON parser and look like an empty one. */
const requireJson: RequestHandler = (request, _response, next) => {
  const hasBody = Number(request.get('content-length') ?? 0) > 0 || request.get('transfer-encoding') !== undefined;
  const streamed = /^\/v1\/(campaigns\/[^/]+\/recipients|disbursement-batches\/?)$/.test(request.path);
  if (hasBody && !streamed && !request.is('application/json')) {
    throw new ApiProblem('unsupported-media-type', 'Send the body as `Content-Type: application/json`.');
  }
  next();
};

function answerProblem({ onError }: ApiContext): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (response.headersSent) return next(error);
    const problem = problemOf(error);
    if (problem.kind === 'internal' || problem.kind === 'unavailable') {
      const { method, path } = request;
      onError(error, { method, path, requestId: String(response.locals['requestId']) });
    }
    if (problem.kind === 'unavailable') response.set('Retry-After', '5');
    sendProblem(response, problem);
  };
}

function problemOf(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error;
  const { type, message = '', name = '' } = error as { type?: string; message?: string; name?: string };
  if (type === 'entity.too.large') return new ApiProblem('too-large', `A JSON body may have ${JSON_MAX}.`);
  if (type === 'entity.parse.failed') return new ApiProblem('malformed', 'The body is not JSON.');
  if (type === 'encoding.unsupported' || type === 'charset.unsupported') {
    return new ApiProblem('unsupported-media-type', 'Send UTF-8, not encoded.');
  }
  if (type === 'request.aborted') return new ApiProblem('malformed', 'The body broke off.');
  if (isRedisAway(message, name))
    return new ApiProblem('unavailable', 'Try again; with the same identity it is safe.');
  return new ApiProblem('internal', 'It was written to the log under this X-Request-Id; trying again is safe.');
}

function isRedisAway(message: string, name: string): boolean {
  return (
    name === 'MaxRetriesPerRequestError' ||
    name === 'RedisUnavailable' ||
    /^(Stream isn't writeable|Connection is closed|Command timed out|READONLY|LOADING|OOM)/.test(message)
  );
}
