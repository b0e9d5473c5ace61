/** A trace collector: OTLP over HTTP, in JSON, on its own socket. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { vi } from 'vitest';

export interface SeenSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  /** 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly links: readonly string[];
  readonly isRed: boolean;
  readonly startMs: number;
  readonly endMs: number;
}

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, string | number>> }[];
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status: { readonly code?: number };
}

interface OtlpRequest {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[] }[];
}

const WAIT = { timeout: 20_000, interval: 20 };

export interface TraceReceiver {
  readonly url: string;
  /** All requests, as received. */
  readonly bodies: readonly string[];
  readonly headers: readonly IncomingHttpHeaders[];
  spans(): SeenSpan[];
  /** Resolves when the spans match, with all of them. */
  seen(enough: (spans: readonly SeenSpan[]) => boolean): Promise<readonly SeenSpan[]>;
  close(): Promise<void>;
}

/** `silent`: accepts requests and never answers. */
export async function startTraceReceiver(how: 'answers' | 'silent' = 'answers'): Promise<TraceReceiver> {
  const bodies: string[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      bodies.push(Buffer.concat(parts).toString());
      headers.push(request.headers);
      if (how === 'answers') response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const spans = (): SeenSpan[] => bodies.flatMap((body) => spansIn(JSON.parse(body) as OtlpRequest));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    headers,
    spans,
    seen: async (enough) => {
      try {
        return await vi.waitUntil(() => enough(spans()) && spans(), WAIT);
      } catch (error) {
        throw new Error(`only these came:\n${treeOf(spans())}`, { cause: error });
      }
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function spansIn({ resourceSpans }: OtlpRequest): SeenSpan[] {
  const all = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
  return all.map(({ traceId, spanId, parentSpanId = '', name, kind, attributes, links, status, ...time }) => ({
    traceId,
    spanId,
    parentSpanId,
    name,
    kind,
    attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0] ?? ''])),
    links: links.map((link) => `${link.traceId}-${link.spanId}`),
    isRed: status.code === 2,
    startMs: Number(time.startTimeUnixNano) / 1e6,
    endMs: Number(time.endTimeUnixNano) / 1e6,
  }));
}

/** A line each, in order of start, indented below their parent. */
export function treeOf(spans: readonly SeenSpan[]): string {
  const known = new Set(spans.map(({ spanId }) => spanId));
  const under = (parent: string | undefined): SeenSpan[] =>
    spans
      .filter(({ parentSpanId }) => (parent === undefined ? !known.has(parentSpanId) : parentSpanId === parent))
      .sort((a, b) => a.startMs - b.startMs);
  const lines = (parent: string | undefined, depth: number): string[] =>
    under(parent).flatMap((span) => [`${'  '.repeat(depth)}${span.name}`, ...lines(span.spanId, depth + 1)]);
  return lines(undefined, 0).join('\n');
}
