/**
 * What the stations of an operation tell a trace. Handed on as an argument, and absent where nobody asked for traces:
 * then no library is loaded, nothing is kept in a record, and what would be told is never put together.
 * `app/traces.ts` does it with OpenTelemetry.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/** Our own words, ids of ours, and numbers. Never a telephone number, a name, a text, an amount or a key. */
export type Attributes = Readonly<Record<string, string | number | undefined>>;

export interface SpanDraft {
  readonly name: string;
  readonly kind: 'server' | 'client' | 'producer' | 'consumer';
  readonly attributes?: Attributes;
  /** The `traceparent` of a caller that has shown its key. */
  readonly traceparent?: string | undefined;
  /** Where it belongs, as a record or an event has it. */
  readonly mark?: string | undefined;
  /** It has a trace of its own, which links to the one that it belongs to. */
  readonly apart?: true;
  /** A trace begins here where none is under way. Absent: then nothing is told. */
  readonly begins?: true;
  /** It began so long ago, ms. */
  readonly agoMs?: number;
}

export interface OpenSpan {
  /** What is done in it belongs to it. */
  run<T>(work: () => T): T;
  says(attributes: Attributes): void;
  /** In one word of ours: what an operator looks for is red. */
  failed(why: string): void;
  end(): void;
}

export interface Traces {
  open(draft: SpanDraft): OpenSpan;
  /** Runs what may turn out to belong to a trace: `belongsTo` says to which, and until then nothing is told. */
  maybe<T>(draft: Omit<SpanDraft, 'mark'>, work: () => Promise<T>): Promise<T>;
  /** `apart`: in a trace of its own, which links to that one. */
  belongsTo(mark: string | undefined, how?: 'apart'): void;
  /** Of what is under way. */
  readonly present: Pick<OpenSpan, 'says' | 'failed'>;
  /** What is under way is about what was begun there. */
  linksTo(mark: string | undefined): void;
  /** What is under way, as a record or an event keeps it; undefined: it is not traced. */
  mark(): string | undefined;
  /** … and as W3C has it, for the programs of a caller. */
  traceparent(): string | undefined;
}

/** Runs it as a span, where anybody asked for traces. */
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

/** Work that waits in a queue, as OpenTelemetry names its attributes. */
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

/** As OpenTelemetry names them in a log line. */
export interface LoggedTrace {
  readonly trace_id: string;
  readonly span_id: string;
}

/** What is under way in this chain of calls, so that a log line can name it. */
export const underWay = new AsyncLocalStorage<{ readonly logged: LoggedTrace | undefined }>();
