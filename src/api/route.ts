/**
 * The single declaration of a route: `mount.ts` runs it, openapi.json documents it (`openapi/`), and a command of the
 * same name calls it (`cli/`).
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

/** The chapters of the documentation, in order. */
export const tags = {
  Disbursements: 'Money to a wallet, or to an account of the provider: paid once, whatever breaks in between.',
  Batches: 'Files of disbursements: judged whole, approved by a different person, paid row by row.',
  Campaigns: 'One text to many recipients.',
  Messages: 'Send single SMS and one-time passwords.',
  'Opt-outs': 'Who is not to be texted. Asked for when a text is sent.',
  Invoices: 'Collecting money on a payment page, or directly from a wallet (softpay).',
  'Payment requests': 'Asking somebody to pay, by a link.',
  'Direct credits': 'Crediting an account of the provider in one step. Off by default (DIRECT_CREDIT).',
  Events: 'How things ended: read with a cursor, or posted to an endpoint of yours, signed.',
  Console: 'Signing in from a browser: a key is exchanged for a session. With CONSOLE=off there is none of this.',
  Operating: 'What stands where, what is held and why, and the switches.',
  Documentation: 'This document. No key is needed: nothing in it is secret.',
} as const;

type Tag = keyof typeof tags;

/** How the API treats an account outside the key's rights: as nonexistent, or with a refusal. */
type Scope =
  /** The path names something of one account: another account's looks nonexistent (404). */
  | 'record'
  /** The body or the query names the account: another one is refused (403), and an unknown one too (422). */
  | 'named'
  /** Only data of the key's accounts is listed. */
  | 'list'
  /** Concerns every account: a key that is limited to some is refused (403). */
  | 'all'
  /** Independent of accounts, or the handler decides. */
  | 'none';

/** The parameter of an entry: an object in a query has one for each. */
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
   * The schema belongs to acceptance, which every entry point uses: acceptance parses the body, and the handler
   * receives it unparsed.
   */
  readonly readBy?: 'acceptance';
  /** Bodies of other types, by media type. The handler reads them. */
  readonly files?: Files;
  /** As text; absent: streamed, of any length. */
  readonly limit?: string;
}

export interface AnswerDeclaration<S extends z.ZodType = z.ZodType> {
  readonly says: string;
  /** As `application/json`; must have an `id` in its meta. Absent: no body, or only `files`. */
  readonly schema?: S;
  readonly files?: Files;
  /** Headers of the answer: name and meaning. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Successful answers by status. */
type Answers = Readonly<Record<number, AnswerDeclaration>>;

/** The command for this request and its answer. Its flags are the query and the body. */
interface CommandDeclaration {
  /** As typed: `endpoints list`. */
  readonly name: string;
  /** If the route's summary does not suit a shell. */
  readonly says?: string;
  /** The arguments in the example of its help, if the schemas give none. */
  readonly example?: string;
  /** A body member that is typed without a flag. */
  readonly argument?: string;
  /**
   * The confirmation on a terminal; by `outcome` if there is one. Placeholders in braces are arguments, body members
   * or, with `looks`, fields of the record, which is shown first.
   */
  readonly asks?: string | Readonly<Record<string, string>>;
  readonly looks?: true;
  /** Shown after success. */
  readonly next?: string;
  /** Columns of a list; absent: all fields of its items. */
  readonly columns?: readonly string[];
  /** Shown for an empty list. */
  readonly none?: string;
  /** The command does more than this request, so it is written by hand. */
  readonly byHand?: true;
}

export interface RouteDeclaration {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** OpenAPI's form: `/v1/disbursements/{id}`. */
  readonly path: string;
  /** For generated clients: unique, camelCase. Never change it. */
  readonly id: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  /** Absent: no key is needed. */
  readonly role?: Role;
  /** Concerns the calling session, whatever the roles of its key. */
  readonly session?: true;
  /** In a session: requires that the key was entered within the last five minutes. */
  readonly fresh?: true;
  /** A role required in addition. */
  readonly alsoRole?: Role;
  /** An alternative role. */
  readonly orRole?: Role;
  readonly scope: Scope;
  /** Parameters of the query; any other is refused. */
  readonly query?: Shape;
  /** Others are ignored: another system builds the address, and may add some. */
  readonly othersInQuery?: 'ignored';
  readonly body?: BodyDeclaration;
  /** The kind of the record of `{id}`: it is read for the handler, if the key has access. */
  readonly record?: Kind;
  /** Whether an `Idempotency-Key` is read, and whether the request needs one (or a `reference`). */
  readonly identity?: 'required' | 'optional';
  /** Accepts something: refused during a recovery, unless stated otherwise. */
  readonly durable?: true | 'also recovering';
  /** Refused during a recovery: a request would leave. */
  readonly releases?: true;
  readonly answers: Answers;
  /** The command of this route, or only its name. Absent: a handwritten one, or none. */
  readonly cli?: string | CommandDeclaration;
  /** Refusals in addition to those implied by the declaration. */
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
  /** For a route without authentication: a key without rights. */
  readonly key: ApiKey;
  readonly idempotencyKey: string | undefined;
  /** Builds the audit entry of the action: its target, and further facts. */
  readonly act: (target?: string, facts?: Act['facts']) => Act;
  /** The key of a secret in the body. A wrong or unsuitable one is refused and counted like one in a header. */
  readonly keyOf: (secret: string, isRight?: (key: ApiKey) => boolean) => Promise<ApiKey>;
  /** Counts the memory of this request. Ends with the answer. */
  readonly hold: () => Holding;
  /** When the request arrived. */
  readonly since: Moment;
  /** For streams and headers. */
  readonly request: Request;
  readonly response: Response;
}

/** A handler's input: everything that was declared, read and authorised. */
interface Asked<D extends RouteDeclaration> extends Exchange {
  readonly params: ParamsOf<D['path']>;
  readonly query: QueryOf<D>;
  /** Undefined if none is declared, or if a declared file was sent. */
  readonly body: D extends { readonly body: infer B } ? BodyOf<B> : undefined;
  /** The media type of the sent file. */
  readonly type: (D extends { readonly body: infer B } ? TypeOf<B> : never) | undefined;
  readonly record: RecordFor<D>;
  /** The current record, after an action. */
  readonly again: () => Promise<RecordFor<D>>;
}

/** For any route. */
export interface AnyAsked extends Exchange {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly type: string | undefined;
  readonly record: unknown;
  readonly again: () => Promise<unknown>;
}

/** An answer other than the default success. */
export class Reply<Status extends number = number, Body = unknown> {
  readonly status: Status;
  readonly body: Body;

  constructor(status: Status, body: Body) {
    this.status = status;
    this.body = body;
  }
}

/** A repeated request: the same answer, with `Idempotency-Replayed`. */
export function replayed(response: Response, was: boolean): void {
  if (was) response.set('Idempotency-Replayed', 'true');
}

/** The answer type of a schema: no unknown fields, and read-only. */
type Shown<T> = T extends readonly (infer Item)[]
  ? readonly Shown<Item>[]
  : T extends object
    ? { readonly [Name in keyof T as string extends Name ? never : Name]: Shown<T[Name]> }
    : T;

type JsonOf<A> = A extends { readonly schema: infer S extends z.ZodType } ? Shown<z.input<S>> : undefined;
type FileOf<A> = A extends { readonly files: Files } ? undefined : never;
type ReplyOf<All extends Answers> = { [S in keyof All & number]: Reply<S, JsonOf<All[S]>> }[keyof All & number];

/** Undefined: no body, or the handler has written a declared file itself. */
type Answered<All extends Answers> = { [S in keyof All]: JsonOf<All[S]> | FileOf<All[S]> }[keyof All] | ReplyOf<All>;

export interface Route extends RouteDeclaration {
  /** A method, so that each route can require only what it declares. */
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

/** Without authentication a body is small: at most 16 kB. */
export const countsBody = ({ role, body }: RouteDeclaration): boolean => role !== undefined && body !== undefined;

/** Memory limit of reading one streamed file. Workbooks and the index of phone numbers are not included. */
export const STREAMED_BYTES = 1_000_000;

/** Each refuses undeclared parameters. */
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

/** Every refusal, by kind, without duplicates. */
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

/** Every documented status. */
export function statusesOf(declared: RouteDeclaration): readonly number[] {
  const all = [...Object.keys(declared.answers).map(Number), ...problemsOfRoute(declared).map(statusOf)];
  return [...new Set(all)].sort((a, b) => a - b);
}

/** Common parts of route declarations. */

/** The key of `relais dev`. */
export const EXAMPLE_ADDRESS = 'http://127.0.0.1:3000';

/** Maximum duration of a request, including uploads. */
export const REQUEST_TIME_MS = 300_000;

/** For a JSON body, compressed or not. */
export const JSON_MAX = '1mb';
/** An approval has little more than a hash. */
export const APPROVAL_MAX = '10kb';

export const hashOfContent = z
  .string()
  .regex(/^[0-9a-f]{64}$/, says('sha256'))
  .meta({ example: 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c' });

/** The approval of exactly the reviewed content. */
export const approvalOf = (id: string) => z.strictObject({ contentHash: hashOfContent }).meta({ id });

export const json = <S extends z.ZodType>(schema: S) => ({ schema, limit: JSON_MAX }) as const;

/** Acceptance parses it, as for every entry point. */
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

/** A page cursor; an invalid one must not restart at the first page. */
export const after = (form: RegExp) =>
  z.string().regex(form, written(NO_PLACE)).optional().meta({ description: '`next` of the previous page.' });

/** In a list: absent means all accounts that the key can see. */
export const listedAccount = accountName.optional().meta({ description: 'Only this account.' });

export const accountQuery = z.string().default('main').meta({ description: 'Name of the account.' });

/** A list of people, in common formats. */
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

/** One request per line, one result per line, in the same order and while lines still arrive. */
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

/** `?dryRun=true`: the request is checked by the usual rules, and nothing is written. */

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

/** The dry-run acceptance, if requested. */
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

/** The refusal or the answer that the request would get. */
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
