import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: any;
}

export interface Reply {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Accepts the request and never answers: the connection is cut. */
  readonly cut?: true;
}

/** An HTTP API whose answers the test defines. A request without an answer gets 404. */
export async function apiThat(answer: (asked: Asked, at: number) => Reply | undefined) {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const url = new URL(request.url ?? '/', 'http://api');
      const text = Buffer.concat(parts).toString();
      const entry: Asked = {
        method: request.method ?? '',
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        headers: request.headers,
        text,
        body: request.headers['content-type'] === 'application/json' ? JSON.parse(text) : undefined,
      };
      asked.push(entry);
      const reply = answer(entry, asked.length) ?? {
        status: 404,
        body: { title: 'Not found', detail: 'Nothing here.' },
      };
      if (reply.cut) return void request.socket.destroy();
      const type = (reply.status ?? 200) < 400 ? 'application/json' : 'application/problem+json';
      response.writeHead(reply.status ?? 200, { 'content-type': type, ...reply.headers });
      response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body ?? {}));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { asked, env: { RELAIS_URL: url, RELAIS_API_KEY: 'test-key' } };
}
