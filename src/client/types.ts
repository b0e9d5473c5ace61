/** Input and output types of each method, from its operation in openapi.json. */
import type { Operations } from './generated/api.ts';

export type OperationId = keyof Operations;

/** A file or lines: as a whole, or as a stream. */
export type Content = string | Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<string | Uint8Array>;

/** For one call. */
export interface PerCall {
  readonly signal?: AbortSignal;
  /** Such as `2m`; default: that of the client. For a streamed answer: until it begins. */
  readonly timeout?: string;
  /** Your own id of this request, for the log of relais. */
  readonly requestId?: string;
}

interface File<Type> {
  readonly file: { readonly type: Type; readonly content: Content };
}

type Body<B> = object extends B ? { readonly body?: B } : { readonly body: B };

type Given<O> =
  | (O extends { body: infer B } ? Body<B> : O extends { file: unknown } ? never : unknown)
  | (O extends { file: infer Type } ? File<Type> : never);

type AskedOf<O> = (O extends { asked: infer A } ? Readonly<A> : never) & PerCall;

type Call<A, R> = object extends A ? (asked?: A) => Promise<R> : (asked: A) => Promise<R>;

/** With `dryRun` if its answer differs; with `accept` for other media types, as a stream. */
type Method<O> = (O extends { dry: infer D } ? Call<AskedOf<O> & Given<O> & { readonly dryRun: true }, D> : unknown) &
  (O extends { accept: infer T }
    ? Call<AskedOf<O> & Given<O> & { readonly accept: T; readonly dryRun?: true }, Response>
    : unknown) &
  (O extends { lines: infer T } ? Call<AskedOf<O> & File<T> & { readonly dryRun?: true }, Response> : unknown) &
  (O extends { answer: infer R } ? Call<AskedOf<O> & Given<O>, R> : never);

export type Methods = { readonly [Id in OperationId]: Method<Operations[Id]> };

interface Page {
  readonly items: readonly unknown[];
  readonly next: string | null;
}

/** Routes with paged answers. */
export type ListId = {
  [Id in OperationId]: Operations[Id] extends { asked: { after?: string }; answer: Page } ? Id : never;
}[OperationId];

export type ListAsked<Id extends ListId> = AskedOf<Operations[Id]>;
export type ItemOf<Id extends ListId> = Operations[Id]['answer']['items'][number];
