/**
 * Traces with OpenTelemetry, over OTLP. Only this file loads its libraries, if OTEL_EXPORTER_OTLP_ENDPOINT is set.
 * There is no global state: no other library is traced, and none can trace requests to the provider.
 *
 * Spans are collected in memory, a bounded number, and sent in the background: a slow or unreachable receiver costs
 * spans, never a payment.
 */
import { Agent as PlainAgent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import type * as Api from '@opentelemetry/api';
import type { Context, Span, SpanContext, Tracer } from '@opentelemetry/api';
import type * as Sdk from '@opentelemetry/sdk-trace';
import type { ReadableSpan, Sampler, SpanExporter } from '@opentelemetry/sdk-trace';
import type { Config } from '../config.ts';
import { type Clock, withDeadline } from '../lib/clock.ts';
import {
  type Attributes,
  type LoggedTrace,
  type OpenSpan,
  type SpanDraft,
  type Traces,
  underWay,
} from '../lib/traces.ts';

/** Maximum waiting spans, and spans per request. Further spans are dropped. */
const WAITING_MOST = 8_192;
const AT_ONCE = 512;
const SEND_EVERY_MS = 1_000;
/** For one request to the receiver, including retries. */
const SENDING_MOST_MS = 5_000;

interface TracesOptions {
  readonly clock: Clock;
  /** Called for each request to the receiver; undefined: it succeeded. */
  readonly onSent: (failed: string | undefined) => void;
}

export interface RunningTraces {
  readonly traces: Traces;
  /** Sends waiting spans within the time limit, and disconnects. */
  close(limitMs: number): Promise<void>;
}

/** Undefined if traces are off. */
export async function openTraces(
  config: Pick<Config, `OTEL_${string}` & keyof Config>,
  { clock, onSent }: TracesOptions,
): Promise<RunningTraces | undefined> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers } = config;
  if (endpoint === undefined) return undefined;
  const [api, sdk, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const agent = endpoint.startsWith('https:')
    ? new TlsAgent({ keepAlive: true })
    : new PlainAgent({ keepAlive: true });
  const exporter = new OTLPTraceExporter({
    url: `${endpoint}/v1/traces`,
    headers: readHeaders(headers?.reveal() ?? ''),
    timeoutMillis: SENDING_MOST_MS,
    httpAgentOptions: () => agent,
  });
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ 'service.name': config.OTEL_SERVICE_NAME }),
    sampler: samplerOf(sdk, config.OTEL_TRACES_SAMPLER_ARG),
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter: watched(exporter, onSent),
        maxQueueSize: WAITING_MOST,
        maxExportBatchSize: AT_ONCE,
        scheduledDelayMillis: SEND_EVERY_MS,
        exportTimeoutMillis: SENDING_MOST_MS,
      }),
    ],
  });
  return {
    traces: new OtelTraces(api, provider.getTracer('relais'), clock),
    close: async (limitMs) => {
      await withDeadline(clock, limitMs, () => provider.shutdown().catch(() => undefined));
      agent.destroy();
    },
  };
}

/** `name=value,name=value`, percent-encoded, as in OpenTelemetry's specification. */
function readHeaders(text: string): Record<string, string> {
  const pairs = text.split(',').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at > 0 ? [[pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())] as const] : [];
  });
  return Object.fromEntries(pairs);
}

/**
 * The caller decides, by `traceparent`; otherwise a percentage of requests. Later work on a traced operation is
 * traced.
 */
function samplerOf(
  { ParentBasedSampler, TraceIdRatioBasedSampler, SamplingDecision }: typeof Sdk,
  share: number,
): Sampler {
  const some = new TraceIdRatioBasedSampler(share);
  const root: Sampler = {
    shouldSample: (context, traceId, ...more) => {
      const links = more[3];
      if (links.length > 0) return { decision: SamplingDecision.RECORD_AND_SAMPLED };
      return some.shouldSample(context, traceId);
    },
    toString: () => `what comes back later, and ${some.toString()}`,
  };
  return new ParentBasedSampler({ root });
}

function watched(exporter: SpanExporter, onSent: TracesOptions['onSent']): SpanExporter {
  return {
    export: (spans: ReadableSpan[], done) =>
      exporter.export(spans, (result) => {
        onSent(result.error?.message);
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}

/**
 * A mark is the part of a span that a record or an event stores: 16 bytes of the trace, 8 of the span, and 4 of the
 * time (seconds), in 38 characters.
 */
const MARK = /^[\w-]{38}$/;

/**
 * Work within this time belongs to the trace of its request. Later work, such as a check after days or a delayed
 * delivery, is a separate trace with a link: most receivers close a trace after hours, and one of three days would be
 * unreadable.
 */
const ONE_TRACE_MS = 3_600_000;

interface Marked {
  readonly context: SpanContext;
  readonly at: number;
}

/** The current span. Without a span, the work may still turn out to belong to a trace. */
interface Present {
  span: Span | undefined;
  logged: LoggedTrace | undefined;
  readonly draft?: SpanDraft;
  readonly sinceMs?: number;
}

interface Parent {
  readonly context: Context;
  readonly link?: SpanContext;
}

class OtelTraces implements Traces {
  readonly #api: typeof Api;
  readonly #tracer: Tracer;
  readonly #clock: Clock;

  constructor(api: typeof Api, tracer: Tracer, clock: Clock) {
    this.#api = api;
    this.#tracer = tracer;
    this.#clock = clock;
  }

  open(draft: SpanDraft): OpenSpan {
    const span = this.#start(draft, this.#clock.now() - (draft.agoMs ?? 0));
    return {
      run: (work) => (span ? underWay.run(this.#presentOf(span), work) : work()),
      says: (attributes) => void span?.setAttributes(known(attributes)),
      failed: (why) => this.#fail(span, why),
      end: () => span?.end(),
    };
  }

  async maybe<T>(draft: SpanDraft, work: () => Promise<T>): Promise<T> {
    const present: Present = { span: undefined, logged: undefined, draft, sinceMs: this.#clock.now() };
    try {
      return await underWay.run(present, work);
    } finally {
      present.span?.end();
    }
  }

  belongsTo(mark: string | undefined, how?: 'apart'): void {
    const present = presentOne();
    if (mark === undefined || present?.draft === undefined || present.span) return;
    present.span = this.#start(
      { ...present.draft, mark, ...(how && { [how]: true }) },
      present.sinceMs ?? this.#clock.now(),
    );
    present.logged = present.span && loggedOf(present.span.spanContext());
  }

  readonly present = {
    says: (attributes: Attributes): void => void presentOne()?.span?.setAttributes(known(attributes)),
    failed: (why: string): void => this.#fail(presentOne()?.span, why),
  };

  linksTo(mark: string | undefined): void {
    const marked = readMark(mark);
    const span = presentOne()?.span;
    if (marked && marked.context.traceId !== span?.spanContext().traceId) span?.addLink({ context: marked.context });
  }

  mark(): string | undefined {
    const { traceId, spanId, traceFlags } = presentOne()?.span?.spanContext() ?? NOWHERE;
    if ((traceFlags & this.#api.TraceFlags.SAMPLED) === 0) return undefined;
    const at = Buffer.alloc(4);
    at.writeUInt32BE(Math.floor(this.#clock.now() / 1_000));
    return Buffer.concat([Buffer.from(traceId, 'hex'), Buffer.from(spanId, 'hex'), at]).toString('base64url');
  }

  traceparent(): string | undefined {
    const context = presentOne()?.span?.spanContext();
    if (!context) return undefined;
    return `00-${context.traceId}-${context.spanId}-${context.traceFlags.toString(16).padStart(2, '0')}`;
  }

  #start(draft: SpanDraft, startTime: number): Span | undefined {
    const parent = this.#parentOf(draft);
    if (parent === undefined) return undefined;
    return this.#tracer.startSpan(
      draft.name,
      {
        kind: this.#api.SpanKind[KINDS[draft.kind]],
        attributes: known(draft.attributes ?? {}),
        startTime,
        links: parent.link ? [{ context: parent.link }] : [],
      },
      parent.context,
    );
  }

  /** Undefined: not traced. */
  #parentOf({ traceparent, mark, apart, begins }: SpanDraft): Parent | undefined {
    const { ROOT_CONTEXT, trace } = this.#api;
    const within = (context: SpanContext): Parent => ({ context: trace.setSpanContext(ROOT_CONTEXT, context) });
    const given = readTraceparent(traceparent);
    if (given && this.#api.isSpanContextValid(given)) return within(given);
    const marked = readMark(mark);
    if (marked) {
      const isLate = this.#clock.now() - marked.at > ONE_TRACE_MS;
      return isLate || apart ? { context: ROOT_CONTEXT, link: marked.context } : within(marked.context);
    }
    const present = presentOne()?.span;
    if (present) return within(present.spanContext());
    return begins ? { context: ROOT_CONTEXT } : undefined;
  }

  #presentOf(span: Span): Present {
    return { span, logged: loggedOf(span.spanContext()) };
  }

  #fail(span: Span | undefined, why: string): void {
    span?.setAttribute('error.type', why);
    span?.setStatus({ code: this.#api.SpanStatusCode.ERROR });
  }
}

const KINDS = { server: 'SERVER', client: 'CLIENT', producer: 'PRODUCER', consumer: 'CONSUMER' } as const;
const NOWHERE: SpanContext = { traceId: '', spanId: '', traceFlags: 0 };

/** Only this file stores a value there. */
const presentOne = (): Present | undefined => underWay.getStore() as Present | undefined;

/** An untraced span must not be logged with an id. */
function loggedOf({ traceId, spanId, traceFlags }: SpanContext): LoggedTrace | undefined {
  return traceFlags === 0 ? undefined : { trace_id: traceId, span_id: spanId };
}

function known(attributes: Attributes): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(attributes).filter((pair): pair is [string, string | number] => pair[1] !== undefined),
  );
}

function readMark(mark: string | undefined): Marked | undefined {
  if (mark === undefined || !MARK.test(mark)) return undefined;
  const bytes = Buffer.from(mark, 'base64url');
  const [traceId, spanId] = [bytes.toString('hex', 0, 16), bytes.toString('hex', 16, 24)];
  return { context: { traceId, spanId, traceFlags: 1, isRemote: true }, at: bytes.readUInt32BE(24) * 1_000 };
}

/** Later versions may add fields after these four. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

function readTraceparent(header: string | undefined): SpanContext | undefined {
  const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(header ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (version === '00' && more !== undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}
