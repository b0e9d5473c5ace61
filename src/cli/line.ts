/**
 * One request of a command to the API, with its answer as a stream. Uses only Node's own modules: loading a package
 * took as long as the rest of a command.
 */
import type { Agent, IncomingHttpHeaders, IncomingMessage, request, RequestOptions } from 'node:http';
import type { Readable } from 'node:stream';

const CONNECT_TIMEOUT_MS = 5_000;
/** An upload is answered after its last row was checked and written; a million rows take long. */
const ANSWER_TIMEOUT_MS = 300_000;
const LARGEST_ANSWER = 64 * 1_048_576;

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Readable | undefined;
  readonly signal: AbortSignal;
  /** The longest silence after the answer has begun. */
  readonly silenceMs?: number | undefined;
}

export interface Heard {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: IncomingMessage;
}

/** Errors that a socket does not report by itself. */
class LineBroke extends Error {
  readonly code: string;

  constructor(code: 'CONNECT_TIMEOUT' | 'ANSWER_TIMEOUT' | 'ANSWER_TOO_LARGE') {
    super(code);
    this.code = code;
  }
}

/** Connections to one address, opened by the first request: commands without requests start without them. */
export class Line {
  readonly #origin: URL;
  #opened: Promise<{ readonly begin: typeof request; readonly agent: Agent }> | undefined;

  constructor(url: string) {
    this.#origin = new URL(url);
  }

  async ask({ body, silenceMs = ANSWER_TIMEOUT_MS, headers, ...sent }: Sent): Promise<Heard> {
    const { begin, agent } = await (this.#opened ??= open(this.#origin.protocol));
    const framed = { ...headers, ...framingOf(body) };
    const options: RequestOptions = { ...sent, headers: framed, agent, timeout: CONNECT_TIMEOUT_MS };
    return new Promise((resolve, reject) => {
      const asked = begin(this.#origin, options);
      asked.once('socket', (socket) => {
        const patient = (): unknown => socket.setTimeout(ANSWER_TIMEOUT_MS);
        if (socket.connecting) socket.once('connect', patient);
        else patient();
      });
      asked.on('timeout', () => {
        asked.destroy(new LineBroke(asked.socket?.connecting ? 'CONNECT_TIMEOUT' : 'ANSWER_TIMEOUT'));
      });
      // After the answer has begun, its reader gets the error.
      asked.on('error', reject);
      asked.once('response', (answer) => {
        answer.socket.setTimeout(silenceMs);
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: answer });
      });
      if (body === undefined || typeof body === 'string') asked.end(body);
      else {
        body.once('error', (error) => {
          reject(error);
          asked.destroy(error);
        });
        body.pipe(asked);
      }
    });
  }

  async close(): Promise<void> {
    (await this.#opened)?.agent.destroy();
  }
}

/** Node does not frame the body of a DELETE automatically. */
function framingOf(body: string | Readable | undefined): Readonly<Record<string, string>> {
  if (body === undefined) return {};
  return typeof body === 'string'
    ? { 'content-length': String(Buffer.byteLength(body)) }
    : { 'transfer-encoding': 'chunked' };
}

async function open(protocol: string) {
  const { request: begin, Agent } = protocol === 'https:' ? await import('node:https') : await import('node:http');
  return { begin, agent: new Agent({ keepAlive: true }) };
}

export async function textOf(body: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > LARGEST_ANSWER) throw new LineBroke('ANSWER_TOO_LARGE');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
