/**
 * Hears back from upstream: checks the path, writes down what was posted, wakes a look, answers 200.
 *
 * Nothing that is posted is believed and nothing here changes a state: the path names the operation, the body is only
 * evidence, and the look that follows asks upstream itself. So an unreadable, oversized or forged body gets the same
 * answer as a good one. 503 only when it could not be written down; a poll brings the truth then.
 */
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import type { Secret } from '../lib/secret.ts';
import type { QueueName } from '../operations/due-queues.ts';
import type { Operations } from '../operations/operations.ts';
import { BODY_LIMITS } from './body/limits.ts';
import { readCallbackBody } from './body/read.ts';
import { type CallbackTarget, readCallbackPath } from './path.ts';

/** What became of a callback, for the metrics. */
export type CallbackVerdict = 'noted' | 'look' | 'unmatched' | 'probe' | 'wrong_path' | 'unavailable';

export interface ReceiverOptions {
  readonly secrets: readonly Secret[];
  readonly operations: Pick<Operations, 'hint'>;
  readonly wake: (queue: QueueName, id: string, rev: string | number) => void;
  readonly onCallback: (kind: string, verdict: CallbackVerdict, target?: CallbackTarget) => void;
  readonly onError: (error: unknown) => void;
}

/** At most one look per operation and interval, however often we are called. */
const LOOK_INTERVAL_MS = 5_000;
const RETRY_AFTER_S = 30;

export function createReceiver(options: ReceiverOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use(receive(options));
  return app;
}

function receive({ secrets, operations, wake, onCallback, onError }: ReceiverOptions): RequestHandler {
  return async (request, response) => {
    // The path as it was sent: decoding it first would change what was signed.
    const [path = ''] = request.originalUrl.split('?');
    const target = readCallbackPath(secrets, path);
    if (!target) return refuse(request, response, onCallback);
    if (request.method !== 'POST') {
      // Upstream may ask whether the address is reachable before it authorises anything (interface: Errors, 4002).
      onCallback(target.kind, 'probe', target);
      return void response.status(200).end();
    }
    const evidence = await readEvidence(request);
    try {
      const hinted = await operations.hint('disbursement', target.id, evidence, LOOK_INTERVAL_MS);
      if (hinted.is === 'look') wake('status-poll', target.id, hinted.rev);
      onCallback(target.kind, hinted.is === 'none' ? 'unmatched' : hinted.is, target);
      response.status(200).end();
    } catch (error) {
      onError(error);
      onCallback(target.kind, 'unavailable', target);
      response.status(503).set('Retry-After', String(RETRY_AFTER_S)).end();
    }
  };
}

function refuse(request: Request, response: Response, onCallback: ReceiverOptions['onCallback']): void {
  request.resume();
  onCallback('none', 'wrong_path');
  response.status(404).end();
}

/** The status word is kept as the code: it is what upstream claims, and a look will say whether it is so. */
async function readEvidence(request: Request): Promise<{ operation: string; code: string }> {
  const raw = await readBounded(request);
  if (raw === undefined) return { operation: 'callback', code: 'too_large' };
  const body = readCallbackBody(raw, request.headers['content-type']);
  return {
    operation: 'callback',
    code: body.readable ? (body.fields.status ?? 'no_status').slice(0, 20) : body.reason,
  };
}

/** Undefined when there is more than we read, or when the sender went away before the end. */
function readBounded(request: Request): Promise<Uint8Array | undefined> {
  // An encoded body would have to be unpacked before anything about it is known.
  if (request.headers['content-encoding'] !== undefined) {
    request.resume();
    return Promise.resolve(undefined);
  }
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    request.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes <= BODY_LIMITS.bytes) parts.push(part);
    });
    request.on('end', () => resolve(bytes <= BODY_LIMITS.bytes ? Buffer.concat(parts) : undefined));
    request.on('error', () => resolve(undefined));
    request.on('aborted', () => resolve(undefined));
  });
}
