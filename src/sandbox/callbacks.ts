import { Agent, request } from 'undici';
import { type CallbackEncoding, type WrittenCallback, writeCallback } from './encodings.ts';
import { faultTable, type FaultName, LATE_MS } from './fault-table.ts';
import type { ActiveFault } from './faults.ts';
import type { CallbackPost } from './records.ts';
import type { Simulator } from './simulator.ts';

interface Callback {
  readonly kind: CallbackPost['kind'];
  readonly token: string;
  readonly url: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Called before every delivery, so that the record can count them. */
  readonly posted: () => void;
}

interface Written extends WrittenCallback {
  readonly encoding: CallbackEncoding;
}

const TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5_000;
const WRONG_HASH = '0'.repeat(128);

/**
 * Sends the callbacks (interface: Events). Their number, time and encoding are not documented for disbursements:
 * settings and faults decide.
 */
export class Callbacks {
  readonly #agent = new Agent({
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
    connectTimeout: CONNECT_TIMEOUT_MS,
  });

  /** Resolves when the last delivery was answered, or when a reset dropped the callback. */
  async send(callback: Callback, simulator: Simulator): Promise<void> {
    const { records, settings, time } = simulator;
    const target = {
      operation: `${callback.kind}.callback`,
      url: callback.url,
      text: JSON.stringify(callback.fields),
    };
    const faults = simulator.faults.onCallback(target);
    const find = (name: FaultName) => faults.find(({ fault }) => fault === name);
    if (find('never calls back')) return;
    const late = find('calls back late');
    const waitMs = settings.values.callbackDelayMs + (late ? (late.delayMs ?? LATE_MS) : 0);
    if (waitMs > 0 && !(await time.pass(waitMs))) return;
    const written = write(callback, faults, simulator);
    await this.#deliver(callback, written, simulator);
    if (find('calls back twice') && records === simulator.records) await this.#deliver(callback, written, simulator);
  }

  /** Whether a callback URL answers below HTTP 400. */
  async probe(url: string, method: 'GET' | 'HEAD' | 'POST'): Promise<boolean> {
    try {
      const { statusCode, body } = await request(url, { method, dispatcher: this.#agent });
      await body.dump();
      return statusCode < 400;
    } catch {
      // Any error means that the URL did not answer.
      return false;
    }
  }

  async stop(): Promise<void> {
    await this.#agent.destroy();
  }

  async #deliver({ kind, token, url, fields, posted }: Callback, written: Written, simulator: Simulator) {
    const { callbackRetries, callbackRetryDelayMs } = simulator.settings.values;
    const { records } = simulator;
    for (let attempt = 0; attempt <= callbackRetries; attempt += 1) {
      if (attempt > 0 && !(await simulator.time.pass(callbackRetryDelayMs))) return;
      posted();
      const answer = await this.#post(url, written);
      // The records after a reset do not know the callback.
      if (records !== simulator.records) return;
      records.callbacks.push({ kind, token, status: String(fields['status']), encoding: written.encoding, answer });
      simulator.revision += 1;
      if (typeof answer === 'number' && answer >= 200 && answer < 300) return;
    }
  }

  async #post(url: string, { contentType, body }: WrittenCallback): Promise<number | string> {
    try {
      const headers = { 'content-type': contentType };
      const answer = await request(url, { method: 'POST', headers, body, dispatcher: this.#agent });
      await answer.body.dump();
      return answer.statusCode;
    } catch (thrown) {
      return thrown instanceof Error ? thrown.message : String(thrown);
    }
  }
}

function write({ kind, fields }: Callback, faults: readonly ActiveFault[], { settings }: Simulator): Written {
  const has = (name: FaultName) => faults.some(({ fault }) => fault === name);
  const usual = kind === 'invoice' ? 'a nested form' : settings.values.callbackEncoding;
  const encoding = faults.map(encodingOf).find((named) => named !== undefined) ?? usual;
  let shown = fields;
  if (has('calls back with a wrong hash')) shown = { ...shown, hash: WRONG_HASH };
  if (has('calls back with fields missing')) shown = everySecond(shown);
  const { contentType, body } = writeCallback(encoding, shown);
  const sent = has('calls back mutilated') ? body.slice(0, Math.floor(body.length / 2)) : body;
  return { contentType, body: sent, encoding };
}

function encodingOf({ fault }: ActiveFault): CallbackEncoding | undefined {
  const row = faultTable[fault];
  return row.stage === 'callback' ? row.encoding : undefined;
}

const everySecond = (fields: Callback['fields']): Callback['fields'] =>
  Object.fromEntries(Object.entries(fields).filter((_, index) => index % 2 === 0));
