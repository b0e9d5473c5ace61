/**
 * A route, said once. What is declared here is what runs (`mount.ts`), what openapi.json says (`openapi/`) and what a
 * command of the same name asks (`cli/`): there is no second list that could say something else.
 */
import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { Kind } from '../kinds/index.ts';
import type { Act } from '../operations/audit.ts';
import type { RecordAt } from '../operations/record.ts';
import type { ApiContext } from './context.ts';
import type { ApiKey, Role } from './keys.ts';
import { type ProblemKind, statusOf } from './problem.ts';
import type { OutputOf, Shape } from './query.ts';

/** The chapters of the documentation, in the order in which they are read. */
export const tags = {
  Disbursements: 'Money to a wallet, or to an account of the service: paid once, whatever breaks in between.',
  Batches: 'Files of disbursements: judged whole, approved by another key, paid row by row.',
  Campaigns: 'One text to many recipients.',
  Messages: 'Single texts, and one-time passwords.',
  'Opt-outs': 'Who is not to be texted. Asked for when a text is sent.',
  Invoices: 'Collecting money on a payment page, or directly from a wallet (softpay).',
  'Payment requests': 'Asking somebody to pay, by a link.',
  'Direct credits': 'Crediting an account of the service in one step. Off by default (DIRECT_CREDIT).',
  Events: 'How things ended: read with a cursor, or posted to an endpoint of yours, signed.',
  Operating: 'What stands where, what is held and why, and the switches.',
  Documentation: 'This document. No key is needed: nothing in it is secret.',
} as const;

type Tag = keyof typeof tags;

/** How an account that the key may not use shows: as nothing at all, or as a refusal of the account it names. */
type Scope =
  /** The path names something of one account: another account's is as good as none (404). */
  | 'record'
  /** The body or the query names the account: another one is refused (403), and one that there is not (422). */
  | 'named'
  /** Only what belongs to the accounts of the key is listed. */
  | 'list'
  /** It concerns every account, and why: a key that is bound to some is refused (403). */
  | { readonly all: string }
  /** Has nothing to do with accounts, or the handler says what. */
  | 'none';

export interface FileBody {
  readonly says: string;
  readonly example: string;
}

export type Files = Readonly<Record<string, FileBody>>;

export interface BodyDeclaration<S extends z.ZodType = z.ZodType> {
  /** As `application/json`; must have an `id` in its meta. */
  readonly schema?: S;
  /**
   * The schema is that of the acceptance, which every door goes through: it reads the body, and the handler is given
   * what came.
   */
  readonly readBy?: 'acceptance';
  /** Bodies of other types, by media type. The handler reads them. */
  readonly files?: Files;
  /** In words; absent: streamed, however large. */
  readonly limit?: string;
}

export interface AnswerDeclaration<S extends z.ZodType = z.ZodType> {
  readonly says: string;
  /** As `application/json`; must have an `id` in its meta. Absent: no body, or only `files`. */
  readonly schema?: S;
  readonly files?: Files;
  /** `Location`-like facts in headers: name and meaning. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** By status, the ones that are no problem. */
type Answers = Readonly<Record<number, AnswerDeclaration>>;

/** The command that is this request and its answer. Its flags are the query and the body. */
interface CommandDeclaration {
  /** As it is typed: `endpoints list`. */
  readonly name: string;
  /** Where the summary of the route does not say it to a person at a shell. */
  readonly says?: string;
  /** What follows the name in the example of its help, where the schemas do not give one. */
  readonly example?: string;
  /** A member of the body that is typed without a flag. */
  readonly argument?: string;
  /**
   * Asked on a terminal before it is done; by `outcome` where there is one. Words in braces are the argument's, or of
   * the body; or, with `looks`, of the record, which is shown first.
   */
  readonly asks?: string | Readonly<Record<string, string>>;
  readonly looks?: true;
  /** Said after it was done. */
  readonly next?: string;
  /** Of a list; absent: all that its items have. */
  readonly columns?: readonly string[];
  /** Said of an empty list. */
  readonly none?: string;
  /** It does more than this request, so it is made by hand. */
  readonly byHand?: true;
}

export interface RouteDeclaration {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** As openapi writes it: `/v1/disbursements/{id}`. */
  readonly path: string;
  /** For generated clients: unique, camelCase. Never change it. */
  readonly id: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  /** Absent: no key is needed. */
  readonly role?: Role;
  /** One that the same key needs besides. */
  readonly alsoRole?: Role;
  /** One that does as well. */
  readonly orRole?: Role;
  readonly scope: Scope;
  /** Parameters of the query; any other is refused. */
  readonly query?: Shape;
  readonly body?: BodyDeclaration;
  /** The kind of the record that `{id}` names: it is read for the handler, if the key may see it. */
  readonly record?: Kind;
  /** Whether an `Idempotency-Key` is read, and whether the request is refused without one (or a `reference`). */
  readonly identity?: 'required' | 'optional';
  /** Refused while Redis would not survive a power loss, and mostly in a recovery too: something is accepted here. */
  readonly durable?: true | 'also recovering';
  /** Refused in a recovery, of which Redis is asked: something would leave. */
  readonly releases?: true;
  readonly answers: Answers;
  /** The command that asks this, or only its name. Absent: one that is made by hand, or none. */
  readonly cli?: string | CommandDeclaration;
  /** What can go wrong besides what follows from the rest of the declaration. */
  readonly problems?: readonly ProblemKind[];
}

/** `/v1/disbursements/{id}` → `{ id: string }` */
type ParamsOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [N in Name]: string } & ParamsOf<Rest>
  : unknown;

type BodyOf<B> = B extends { readonly schema: infer S extends z.ZodType }
  ? ReadBody<B, S> | (B extends { readonly files: Files } ? undefined : never)
  : undefined;
type ReadBody<B, S extends z.ZodType> = B extends { readonly readBy: 'acceptance' } ? unknown : z.output<S>;

type TypeOf<B> = B extends { readonly files: infer F } ? keyof F : never;

type QueryOf<D> = D extends { readonly query: infer Q extends Shape } ? OutputOf<Q> : unknown;
type RecordFor<D> = D extends { readonly record: infer K extends Kind } ? RecordAt<K> : undefined;

interface Exchange {
  readonly context: ApiContext;
  /** Of a route that needs no key: one that may do nothing. */
  readonly key: ApiKey;
  readonly idempotencyKey: string | undefined;
  /** What is told in the audit when it is done: to what, and what else there is to tell of it. */
  readonly act: (target?: string, facts?: Act['facts']) => Act;
  /** When the request was taken up, on the monotonic clock. */
  readonly sinceMono: number;
  /** For what is streamed, and for headers. */
  readonly request: Request;
  readonly response: Response;
}

/** What a handler is given: everything that was declared, read and allowed. */
export interface Asked<D extends RouteDeclaration> extends Exchange {
  readonly params: ParamsOf<D['path']>;
  readonly query: QueryOf<D>;
  /** Undefined where none is declared, and where one of the declared files came. */
  readonly body: D extends { readonly body: infer B } ? BodyOf<B> : undefined;
  /** The media type of the declared files that came. */
  readonly type: (D extends { readonly body: infer B } ? TypeOf<B> : never) | undefined;
  readonly record: RecordFor<D>;
  /** The record as it is now, after something was done. */
  readonly again: () => Promise<RecordFor<D>>;
}

/** The same, of any route. */
export interface AnyAsked extends Exchange {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly type: string | undefined;
  readonly record: unknown;
  readonly again: () => Promise<unknown>;
}

/** An answer that is not the only good one that is declared. */
export class Reply<Status extends number = number, Body = unknown> {
  readonly status: Status;
  readonly body: Body;

  constructor(status: Status, body: Body) {
    this.status = status;
    this.body = body;
  }
}

/** It was accepted before: the same answer, with `Idempotency-Replayed`. */
export function replayed(response: Response, was: boolean): void {
  if (was) response.set('Idempotency-Replayed', 'true');
}

/** What may be answered for a schema: with no field that it does not know, and nothing in it is changed any more. */
type Shown<T> = T extends readonly (infer Item)[]
  ? readonly Shown<Item>[]
  : T extends object
    ? { readonly [Name in keyof T as string extends Name ? never : Name]: Shown<T[Name]> }
    : T;

type JsonOf<A> = A extends { readonly schema: infer S extends z.ZodType } ? Shown<z.input<S>> : undefined;
type FileOf<A> = A extends { readonly files: Files } ? undefined : never;
type ReplyOf<All extends Answers> = { [S in keyof All & number]: Reply<S, JsonOf<All[S]>> }[keyof All & number];

/** Undefined: there is no body, or the handler has written one of the declared files itself. */
type Answered<All extends Answers> = { [S in keyof All]: JsonOf<All[S]> | FileOf<All[S]> }[keyof All] | ReplyOf<All>;

export interface Route extends RouteDeclaration {
  /** A method, so that each route may ask for no more than it declares. */
  handle(asked: AnyAsked): unknown;
}

export function route<const D extends RouteDeclaration>(
  declaration: D,
  handle: (asked: Asked<D>) => Answered<D['answers']> | Promise<Answered<D['answers']>>,
): D & Route {
  return { ...declaration, handle };
}

/** `/v1/disbursements/{id}` → `['id']` */
export function pathParameters({ path }: Pick<RouteDeclaration, 'path'>): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

/** Each refuses a parameter that it does not declare. */
const WITH_A_KEY: readonly ProblemKind[] = [
  'unauthenticated',
  'forbidden',
  'invalid',
  'too-many-requests',
  'unavailable',
  'internal',
];
const WITH_A_FILE: readonly ProblemKind[] = ['too-large', 'unsupported-media-type'];
const WITH_JSON: readonly ProblemKind[] = ['malformed', ...WITH_A_FILE];
const STREAMED: readonly ProblemKind[] = ['unsupported-media-type'];

/** Everything that can go wrong, each kind once. */
export function problemsOfRoute(declared: RouteDeclaration): readonly ProblemKind[] {
  const { role, body, identity, durable, releases, problems = [] } = declared;
  const isStreamed = body !== undefined && body.limit === undefined;
  const all: readonly ProblemKind[] = [
    ...(role === undefined ? [] : WITH_A_KEY),
    ...(body === undefined ? [] : isStreamed ? STREAMED : body.schema ? WITH_JSON : WITH_A_FILE),
    ...(pathParameters(declared).length > 0 ? (['not-found'] as const) : []),
    ...(identity === 'required' ? (['no-identity', 'conflict'] as const) : []),
    ...(durable ? (['not-durable', 'memory-full'] as const) : []),
    ...(durable === true || releases ? (['recovering'] as const) : []),
    ...problems,
  ];
  return [...new Set(all)].sort((a, b) => statusOf(a) - statusOf(b));
}

/** Every status that is documented. */
export function statusesOf(declared: RouteDeclaration): readonly number[] {
  const all = [...Object.keys(declared.answers).map(Number), ...problemsOfRoute(declared).map(statusOf)];
  return [...new Set(all)].sort((a, b) => a - b);
}
