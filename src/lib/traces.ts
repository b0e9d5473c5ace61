/**
 * The trace data of an operation's components. Passed as an argument, and absent if traces are off: then no library
 * is loaded, and no trace data is built or stored. `app/traces.ts` implements it with OpenTelemetry.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/** Our own words, our ids, and numbers. Never a phone number, a name, a text, an amount or a key. */
export type Attributes = Readonly<Record<string, string | number | undefined>>;

export interface SpanDraft {
  readonly name: string;
  readonly kind: 'server' | 'client' | 'producer' | 'consumer';
  readonly attributes?: Attributes;
  /** The `traceparent` of an authenticated caller. */
  readonly traceparent?: string | undefined;
  /** The trace context from a record or an event. */
  readonly mark?: string | undefined;
  /** A separate trace with a link to its origin. */
  readonly apart?: true;
  /** Starts a trace here if none is running. Absent: then nothing is recorded. */
  readonly begins?: true;
  /** It began this long ago, ms. */
  readonly agoMs?: number;
}

export interface OpenSpan {
  /** Runs the work inside this span. */
  run<T>(work: () => T): T;
  says(attributes: Attributes): void;
  /** Marks the span as failed, with one of our reason codes. */
  failed(why: string): void;
  end(): void;
}

export interface Traces {
  open(draft: SpanDraft): OpenSpan;
  /** Runs work that may turn out to belong to a trace: `belongsTo` names it, and until then nothing is recorded. */
  maybe<T>(draft: Omit<SpanDraft, 'mark'>, work: () => Promise<T>): Promise<T>;
  /** `apart`: in a separate trace, which links to that one. */
  belongsTo(mark: string | undefined, how?: 'apart'): void;
  /** The current span. */
  readonly present: Pick<OpenSpan, 'says' | 'failed'>;
  /** Links the current span to an earlier one. */
  linksTo(mark: string | undefined): void;
  /** The current trace context for a record or an event; undefined: not traced. */
  mark(): string | undefined;
  /** … and in W3C format, for the caller's programs. */
  traceparent(): string | undefined;
}

/** Runs it as a span, if traces are on. */
export async function traced<T>(
  traces: Traces | undefined,
  draft: () => SpanDraft,
  work: (span?: OpenSpan) => Promise<T>,
): Promise<T> {
  if (traces === undefined) return work();
  const span = traces.open(draft());
  try {
    return await span.run(() => work(span));
  } catch (error) {
    span.failed(error instanceof Error ? error.name : 'Error');
    throw error;
  } finally {
    span.end();
  }
}

/** Work in a queue, with OpenTelemetry's attribute names. */
export const sentTo = (queue: string): Attributes => ofQueue(queue, 'send');
export const takenFrom = (queue: string): Attributes => ofQueue(queue, 'process');

function ofQueue(queue: string, does: 'send' | 'process'): Attributes {
  return {
    'messaging.system': 'bullmq',
    'messaging.operation.type': does,
    'messaging.operation.name': does,
    'messaging.destination.name': queue,
  };
}

/** OpenTelemetry's names in a log line. */
export interface LoggedTrace {
  readonly trace_id: string;
  readonly span_id: string;
}

/** The current trace of this call chain, for log lines. */
export const underWay = new AsyncLocalStorage<{ readonly logged: LoggedTrace | undefined }>();
