/**
 * The path of a request through both hosts:
 *
 *   read it ─▶ a fault before the work? ─▶ admission ─▶ the work ─▶ latency ─▶ a fault after it? ─▶ the answer
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { refuseAdmission, refusePath } from './admission.ts';
import { type Answer, reply, send, tooManyRequests } from './answers.ts';
import { spendIdOf } from './disbursements.ts';
import { faultTable } from './fault-table.ts';
import type { ActiveFault } from './faults.ts';
import { findEndpoint, type Host } from './operations.ts';
import { showPayer } from './payer-page.ts';
import type { Call, Simulator } from './simulator.ts';

const BODY_LIMIT = 10 * 1024 * 1024;

/** Called for every answered request, for a log line. Without an answer: a fault replaced it. */
export type OnAnswer = (operation: string, answer: Answer | undefined) => void;

/** A request in progress. */
interface Exchange {
  readonly call: Call;
  readonly method: string | undefined;
  readonly response: ServerResponse;
  readonly simulator: Simulator;
  readonly onAnswer: OnAnswer;
}

export function serve(host: Host, simulator: Simulator, onAnswer: OnAnswer): RequestListener {
  const limit = new RateLimit();
  return (request, response) => {
    readText(request, (text) => {
      if (text === undefined) return send(response, 413, 'too large');
      if (!limit.admits(simulator.settings.values.rateLimitPerSecond, simulator.time.now()))
        return tooManyRequests(response, 1);
      const url = request.url ?? '/';
      const query = url.indexOf('?');
      const endpoint = findEndpoint(host, query < 0 ? url : url.slice(0, query));
      if (endpoint === undefined) {
        if (host === 'base' && showPayer(request, response, text, simulator)) return;
        return reply(response, refusePath(host, url, simulator));
      }
      const { method, headers } = request;
      const call = { endpoint, operation: endpoint.operation, url, text, headers };
      respond({ call, method, response, simulator, onAnswer });
    });
  };
}

/** Counts requests within the current second. */
class RateLimit {
  #second = 0;
  #count = 0;

  /** `perSecond` 0 admits everything. `now` in ms. */
  admits(perSecond: number, now: number): boolean {
    if (perSecond === 0) return true;
    const second = Math.floor(now / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#count = 0;
    }
    this.#count += 1;
    return this.#count <= perSecond;
  }
}

function respond(exchange: Exchange): void {
  const { call, simulator } = exchange;
  simulator.records.request(call.operation);
  simulator.revision += 1;
  const fault = simulator.faults.first('before', call);
  if (fault !== undefined) return actBefore(fault, exchange);
  // Most handlers answer synchronously: a promise for each would cost the hot path a turn of the event loop.
  try {
    const answer = answerTo(exchange);
    if (answer instanceof Promise)
      answer.then((late) => finish(late, exchange)).catch((thrown: unknown) => fail(thrown, exchange));
    else finish(answer, exchange);
  } catch (thrown) {
    fail(thrown, exchange);
  }
}

function actBefore(fault: ActiveFault, exchange: Exchange): void {
  const { call, response, simulator, onAnswer } = exchange;
  const row = faultTable[fault.fault];
  if (row.stage !== 'before') return;
  if (call.operation === 'disbursement.submit' && fault.fault !== 'does the work late')
    spendIdOf(call.text, simulator);
  onAnswer(call.operation, undefined);
  row.act({ response, family: call.endpoint.family, fault, simulator, work: () => void workLate(exchange) });
}

/** The work of a client that has disconnected: its answer is dropped. */
async function workLate(exchange: Exchange): Promise<void> {
  exchange.simulator.revision += 1;
  try {
    await answerTo(exchange);
  } catch (thrown) {
    fail(thrown, exchange);
  }
}

function answerTo({ call, method, simulator }: Exchange): Answer | Promise<Answer> {
  return refuseAdmission(call, method, simulator) ?? call.endpoint.handle(call, simulator);
}

function finish(answer: Answer, { call, response, simulator, onAnswer }: Exchange): void {
  const { latencyMs } = simulator.settings.values;
  const respondNow = () => {
    const fault = simulator.faults.first('after', call);
    onAnswer(call.operation, answer);
    const row = fault && faultTable[fault.fault];
    if (fault === undefined || row?.stage !== 'after') return reply(response, answer);
    row.act({ response, family: call.endpoint.family, fault, simulator, answer });
  };
  if (latencyMs > 0) simulator.time.afterReal(latencyMs, respondNow);
  else respondNow();
}

/** An error of the sandbox itself: recorded as a breach, so that no test takes it for a fault. */
function fail(thrown: unknown, { call, response, simulator }: Exchange): void {
  simulator.records.breach(call.operation, `the sandbox itself failed: ${String(thrown)}`);
  send(response, 500, 'the sandbox itself failed');
}

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
