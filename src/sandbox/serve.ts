/**
 * The path of a request, through both hosts:
 *
 *   read it whole ─▶ a fault before the work? ─▶ the door ─▶ the work ─▶ a fault after it? ─▶ latency, answer
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Answer } from './answers.ts';
import { refuseAtDoor, refusePath } from './admission.ts';
import { spendIdOf } from './disbursement-submit.ts';
import { faultTable } from './fault-table.ts';
import { handlers } from './handlers.ts';
import { misbehave, reply, send, tooMany } from './misbehave.ts';
import { type Area, findEndpoint } from './operations.ts';
import { showPayer } from './payer-page.ts';
import { RateLimit } from './rate-limit.ts';
import type { Ask, World } from './world.ts';

const BODY_LIMIT = 10 * 1024 * 1024;
const WORKS_LATE_MS = 5_000;

/** Told of every request that was answered; for a log line. */
export type Heard = (operation: string, answer: Answer | undefined) => void;

export function serve(area: Area, world: World, heard: Heard): RequestListener {
  const limit = new RateLimit();
  return (request, response) => {
    readText(request, (text) => {
      if (text === undefined) return send(response, 413, 'too large');
      if (!limit.admits(world.settings.values.rateLimitPerSecond, world.time.now()))
        return send(response, 429, '{"message":"Too many requests"}', tooMany(1));
      respond(area, request, response, text, { world, heard });
    });
  };
}

interface Bench {
  readonly world: World;
  readonly heard: Heard;
}

function respond(area: Area, request: IncomingMessage, response: ServerResponse, text: string, bench: Bench): void {
  const { world } = bench;
  const url = request.url ?? '/';
  const query = url.indexOf('?');
  const endpoint = findEndpoint(area, query < 0 ? url : url.slice(0, query));
  if (endpoint === undefined && area === 'base' && showPayer(request, response, text, world)) return undefined;
  if (endpoint === undefined) return reply(response, refusePath(area, url, world));

  const { operation } = endpoint;
  const ask: Ask = { endpoint, operation, url, text, headers: request.headers };
  world.books.request(operation);
  const fault = world.faults.first('before', ask);
  if (fault !== undefined) {
    const { act = 'hang' } = faultTable[fault.fault];
    const unheard = () => void answerLate(ask, request.method, bench).catch(stumble(response, ask, bench));
    if (act === 'work late') world.time.after(fault.delayMs ?? WORKS_LATE_MS, unheard);
    else if (operation === 'disbursement.submit') spendIdOf(text, world);
    bench.heard(operation, undefined);
    return misbehave(act, { response, family: endpoint.family, fault, honest: undefined, world });
  }
  work(ask, request.method, response, bench);
}

/** Most handlers answer at once, and a promise for each would cost the hot path a turn of the event loop. */
function work(ask: Ask, method: string | undefined, response: ServerResponse, bench: Bench): void {
  try {
    const answer = answerTo(ask, method, bench.world);
    if (answer instanceof Promise)
      answer.then((late) => finish(ask, late, response, bench)).catch(stumble(response, ask, bench));
    else finish(ask, answer, response, bench);
  } catch (thrown) {
    stumble(response, ask, bench)(thrown);
  }
}

/** The work of a caller that has given up: nobody hears the answer. */
async function answerLate(ask: Ask, method: string | undefined, { world }: Bench): Promise<void> {
  await answerTo(ask, method, world);
}

function answerTo(ask: Ask, method: string | undefined, world: World): Answer | Promise<Answer> {
  const refusal = refuseAtDoor(ask, method, world);
  if (refusal !== undefined) return refusal;
  const handler = handlers.get(ask.operation);
  if (handler === undefined) throw new Error(`no handler for ${ask.operation}`);
  return handler(ask, world);
}

function finish(ask: Ask, answer: Answer, response: ServerResponse, { world, heard }: Bench): void {
  const { latencyMs } = world.settings.values;
  const say = () => {
    const fault = world.faults.first('after', ask);
    heard(ask.operation, answer);
    const act = fault && faultTable[fault.fault].act;
    if (fault === undefined || act === undefined) return reply(response, answer);
    misbehave(act, { response, family: ask.endpoint.family, fault, honest: answer, world });
  };
  if (latencyMs > 0) world.time.afterReal(latencyMs, say);
  else say();
}

/** A defect of the sandbox itself: said aloud in the books, so that no test takes it for a fault. */
const stumble =
  (response: ServerResponse, ask: Ask, { world }: Bench) =>
  (thrown: unknown): void => {
    world.books.breach(ask.operation, `the sandbox itself failed: ${String(thrown)}`);
    send(response, 500, 'the sandbox itself failed');
  };

function readText(request: IncomingMessage, done: (text: string | undefined) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= BODY_LIMIT) chunks.push(chunk);
  });
  request.on('end', () => {
    const [only] = chunks;
    if (bytes > BODY_LIMIT) done(undefined);
    else done(chunks.length === 1 && only ? only.toString() : Buffer.concat(chunks).toString());
  });
}
