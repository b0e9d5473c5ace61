/**
 * A route, said once. What is declared here is what runs (`mount.ts`), what openapi.json says (`openapi/`) and what a
 * command of the same name asks (`cli/`): there is no second list that could say something else.
 */
import type { Request, Response } from 'express';
import { z } from 'zod';
import type { Kind } from '../kinds/index.ts';
import type { Moment } from '../lib/clock.ts';
import { accountName } from '../kinds/request-pieces.ts';
import type { Holding } from '../lib/held-bytes.ts';
import type { Act } from '../ledger/acts.ts';
import type { RecordAt } from '../operations/record.ts';
import type { Answer } from '../producer/acceptance.ts';
import { type ApiContext, takeAnswer } from './context.ts';
import type { ApiKey, Role } from './keys.ts';
import { text } from './openapi/answers-shared.ts';
import { type ProblemKind, statusOf } from './problem.ts';
import type { SharedAnswer } from './shared-answer.ts';
import { says, written } from '../messages/schemas.ts';
import { type Message, message } from '../messages/message.ts';
import type { Language } from '../messages/languages.ts';
import { textOf } from '../messages/texts.ts';

/** The chapters of the documentation, in the order in which they are read. */
export const tags = {
  Disbursements: 'Money to a wallet, or to an account of the service: paid once, whatever breaks in between.',
  Batches: 'Files of disbursements: judged whole, approved by a different person, paid row by row.',
  Campaigns: 'One text to many recipients.',
  Messages: 'Send single SMS and one-time passwords.',
  'Opt-outs': 'Who is not to be texted. Asked for when a text is sent.',
  Invoices: 'Collecting money on a payment page, or directly from a wallet (softpay).',
  'Payment requests': 'Asking somebody to pay, by a link.',
  'Direct credits': 'Crediting an account of the service in one step. Off by default (DIRECT_CREDIT).',
  Events: 'How things ended: read with a cursor, or posted to an endpoint of yours, signed.',
  Console: 'Signing in from a browser: a key is exchanged for a session. With CONSOLE=off there is none of this.',
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
  /** It concerns every account: a key that is bound to some is refused (403). */
  | 'all'
  /** Has nothing to do with accounts, or the handler says what. */
  | 'none';

/** The parameter of an entry: an object in a query has a parameter for each. */
export const entryOf = (name: string): string => `${name}.KEY`;

/** The parameters of a query, by name. An object has a parameter for each entry: `metadata.orderId`. */
export type Shape = Readonly<Record<string, z.ZodType>>;
type OutputOf<S extends Shape> = { readonly [Name in keyof S]: z.output<Exclude<S[Name], undefined>> };

export interface FileBody {
  readonly says: string;
  readonly example: string;
}

type Files = Readonly<Record<string, FileBody>>;

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
  /** It is about the session through which it is asked, whatever the roles of its key are. */
  readonly session?: true;
  /** Through a session it asks that the key was shown within the last five minutes. */
  readonly fresh?: true;
  /** One that the same key needs besides. */
  readonly alsoRole?: Role;
  /** One that does as well. */
  readonly orRole?: Role;
  readonly scope: Scope;
  /** Parameters of the query; any other is refused. */
  readonly query?: Shape;
  /** Others are not: somebody else wrote the address, and adds to it as they like. */
  readonly othersInQuery?: 'ignored';
  readonly body?: BodyDeclaration;
  /** The kind of the record that `{id}` names: it is read for the handler, if the key may see it. */
  readonly record?: Kind;
  /** Whether an `Idempotency-Key` is read, and whether the request is refused without one (or a `reference`). */
  readonly identity?: 'required' | 'optional';
  /** Something is accepted here: refused in a recovery, unless it says otherwise. */
  readonly durable?: true | 'also recovering';
  /** Refused in a recovery: something would leave. */
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
  /** The key of a secret in the body. A wrong one, or not the right one, is refused and counted like one in a header. */
  readonly keyOf: (secret: string, isRight?: (key: ApiKey) => boolean) => Promise<ApiKey>;
  /** Where the handler counts the memory that it holds for this request. It ends with the answer. */
  readonly hold: () => Holding;
  /** When the request was taken up. */
  readonly since: Moment;
  /** For what is streamed, and for headers. */
  readonly request: Request;
  readonly response: Response;
}

/** What a handler is given: everything that was declared, read and allowed. */
interface Asked<D extends RouteDeclaration> extends Exchange {
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
  handle: (asked: Asked<D>) => Answered<D['answers']> | SharedAnswer | Promise<Answered<D['answers']>>,
): D & Route {
  return { ...declaration, handle };
}

/** `/v1/disbursements/{id}` → `['id']` */
export function pathParameters({ path }: Pick<RouteDeclaration, 'path'>): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

/** Without a role a body is small: at most 16 kB. */
export const countsBody = ({ role, body }: RouteDeclaration): boolean => role !== undefined && body !== undefined;

/** Memory limit of reading one streamed file. Workbooks and the index of phone numbers are not included. */
export const STREAMED_BYTES = 1_000_000;

/** Each refuses a parameter that it does not declare. */
const WITH_A_KEY: readonly ProblemKind[] = [
  'unauthenticated',
  'forbidden',
  'invalid',
  'too-many-requests',
  'unavailable',
  'internal',
];
const WITH_A_SESSION = WITH_A_KEY.filter((kind) => kind !== 'forbidden');
const WITHOUT_A_KEY: readonly ProblemKind[] = ['invalid'];
const WITH_A_FILE: readonly ProblemKind[] = ['too-large', 'unsupported-media-type'];
const WITH_JSON: readonly ProblemKind[] = ['malformed', ...WITH_A_FILE];
const STREAMED: readonly ProblemKind[] = ['unsupported-media-type'];

/** Everything that can go wrong, each kind once. */
export function problemsOfRoute(declared: RouteDeclaration): readonly ProblemKind[] {
  const { role, session, fresh, body, identity, durable, releases, record, problems = [] } = declared;
  const isStreamed = body !== undefined && body.limit === undefined;
  const all: readonly ProblemKind[] = [
    ...(role !== undefined ? WITH_A_KEY : session ? WITH_A_SESSION : WITHOUT_A_KEY),
    ...(fresh ? (['sign-in-again'] as const) : []),
    ...(body === undefined ? [] : isStreamed ? STREAMED : body.schema ? WITH_JSON : WITH_A_FILE),
    ...(countsBody(declared) ? (['busy'] as const) : []),
    ...(pathParameters(declared).length > 0 ? (['not-found'] as const) : []),
    ...(record === undefined ? [] : (['removed'] as const)),
    ...(identity === 'required' ? (['no-identity', 'conflict'] as const) : []),
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

/** Pieces of declarations that many routes share. */

/** That of `relais dev`. */
export const EXAMPLE_ADDRESS = 'http://127.0.0.1:3000';

/** A request that takes longer is ended, also an upload. */
export const REQUEST_TIME_MS = 300_000;

/** Of a JSON body, packed or not. */
export const JSON_MAX = '1mb';
/** An approval is a hash and little else. */
export const APPROVAL_MAX = '10kb';

export const hashOfContent = z
  .string()
  .regex(/^[0-9a-f]{64}$/, says('sha256'))
  .meta({ example: 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c' });

/** Of exactly what was looked at. */
export const approvalOf = (id: string) => z.strictObject({ contentHash: hashOfContent }).meta({ id });

export const json = <S extends z.ZodType>(schema: S) => ({ schema, limit: JSON_MAX }) as const;

/** The acceptance reads it, as it does for every door. */
export const accepted = <S extends z.ZodType>(schema: S) => ({ ...json(schema), readBy: 'acceptance' }) as const;

export const answer = <S extends z.ZodType>(what: string, schema: S) => ({ says: what, schema }) as const;

export const wholeNumber = (max: number) => z.int().min(1).max(max);

export const limit = (fallback: number, max: number) =>
  wholeNumber(max).default(fallback).meta({ description: 'Maximum number of results.' });

/** `true` or `false`, as a query writes it. */
export const flag = z
  .enum(['true', 'false'])
  .default('false')
  .transform((word) => word === 'true');

export const NO_PLACE = message('no_next');

/** Where a page ended; what is no such place would begin again at the first page. */
export const after = (form: RegExp) =>
  z.string().regex(form, written(NO_PLACE)).optional().meta({ description: '`next` of the previous page.' });

/** Of a list: absent, of all accounts that the key may see. */
export const listedAccount = accountName.optional().meta({ description: 'Only this account.' });

export const accountQuery = z.string().default('main').meta({ description: 'Name of the account.' });

/** A list of people, in the formats that people have. */
export const listFiles = (csv: string, line: string) =>
  ({
    'text/csv': {
      says:
        'Separated by commas, semicolons, tabs or bars; in UTF-8, UTF-16, Windows-1252, Mac Roman or cp850; recognised where ' +
        'no `charset` names it.',
      example: csv,
    },
    'application/x-ndjson': { says: 'One per line.', example: line },
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': WORKBOOK,
    'application/vnd.oasis.opendocument.spreadsheet': WORKBOOK,
    'application/vnd.ms-excel': { says: 'As a browser on Windows calls CSV and workbooks.', example: csv },
  }) as const satisfies Files;

const WORKBOOK = { says: 'A workbook of at most 50 MB, as it is.', example: 'PK…' } as const;

/** One request a line, one verdict a line, in the same order and while lines still come. */
export const inBulk = (line: string) =>
  ({
    'application/x-ndjson': {
      says: 'One request per line, streamed, however many. Each is judged by itself; an account that the key may not use is `invalid`.',
      example: `${line}\n`,
    },
  }) as const satisfies Files;

export const VERDICT_LINES = {
  'application/x-ndjson': {
    says:
      'For a body of lines: a verdict per line (see MessageVerdicts), streamed. `unconfirmed`: ask for the line again; ' +
      '`stopped`: neither this line nor any after it was taken.',
    example: '{"index":0,"id":"dsb_0f6c8d4b2a1e49578c3d","outcome":"accepted"}\n',
  },
} as const satisfies Files;

/** `?dryRun=true`: what is asked for is judged by the same rules as ever, and nothing is written. */

export const dryRunQuery = { dryRun: flag.meta({ description: 'Judge it by every rule, and write nothing.' }) };

const judged = z
  .looseObject({
    dryRun: z.literal(true),
    outcome: z.enum(['valid', 'duplicate']).meta({ description: '`duplicate`: it was accepted before.' }),
    id: text('dsb_0f6c8d4b2a1e49578c3d').meta({ description: 'The id that it has, or would have.' }),
    state: text('queued').meta({ description: 'The state that it is in, or would begin in.' }),
    warnings: z.array(z.string()).meta({ description: 'What looks wrong, and is no reason to refuse.' }),
  })
  .meta({ id: 'DryRun' });

export const JUDGED = answer(
  'With `dryRun`: the request is valid, and nothing was written. An invalid request is refused as usual.',
  judged,
);

/** The one that judges alone, where that is asked for. */
export function acceptanceFor({ context: { acceptance }, query, act }: MayBeJudged) {
  return query.dryRun ? acceptance.dryRun() : acceptance.actingAs(act());
}

export function collectFor({ context: { collect }, query, act }: MayBeJudged) {
  return query.dryRun ? collect.dryRun() : collect.actingAs(act());
}

interface MayBeJudged extends Pick<AnyAsked, 'act'> {
  readonly context: Pick<ApiContext, 'acceptance' | 'collect'>;
  readonly query: { readonly dryRun: boolean };
}

/** Refused as it would have been, or what would have been answered. */
/** `language`: of the warnings. */
export function judgedAs(given: Answer, warnings: readonly Message[] = [], language?: Language) {
  const { id, state, outcome } = takeAnswer(given);
  return new Reply(200, {
    dryRun: true as const,
    outcome: outcome === 'accepted' ? 'valid' : outcome,
    id,
    state,
    warnings: warnings.map((one) => textOf(one, language)),
  });
}
