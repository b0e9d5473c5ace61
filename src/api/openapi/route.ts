/** What a route promises, said once. openapi.json, the page at /docs and the tests of this door come from it. */
import type { z } from 'zod';
import type { Role } from '../keys.ts';
import { type ProblemKind, statusOf } from '../problem.ts';

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
  /** The request names the account: another one is refused (403). */
  | 'named'
  /** Only what belongs to the accounts of the key is listed. */
  | 'list'
  /** Has nothing to do with accounts. */
  | 'none';

export interface FileBody {
  readonly says: string;
  readonly example: string;
}

export interface BodyDeclaration {
  /** As `application/json`; must have an `id` in its meta. */
  readonly schema?: z.ZodType;
  /** Bodies of other types, by media type. */
  readonly files?: Readonly<Record<string, FileBody>>;
  /** In words; absent: streamed, however large. */
  readonly limit?: string;
}

export interface AnswerDeclaration {
  readonly says: string;
  /** As `application/json`; must have an `id` in its meta. Absent: no body, or only `files`. */
  readonly schema?: z.ZodType;
  readonly files?: Readonly<Record<string, FileBody>>;
  /** `Location`-like facts in headers: name and meaning. */
  readonly headers?: Readonly<Record<string, string>>;
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
  readonly scope: Scope;
  readonly query?: Readonly<Record<string, z.ZodType>>;
  readonly body?: BodyDeclaration;
  /** Whether an `Idempotency-Key` is read, and whether the request is refused without one (or a `reference`). */
  readonly identity?: 'required' | 'optional';
  /** Refused while Redis would not survive a power loss, and mostly in a recovery too: something is accepted here. */
  readonly durable?: true | 'also recovering';
  /** By status, the ones that are no problem. */
  readonly answers: Readonly<Record<number, AnswerDeclaration>>;
  /** What can go wrong besides what follows from the rest of the declaration. */
  readonly problems?: readonly ProblemKind[];
}

export function defineRoutes<const Routes extends readonly RouteDeclaration[]>(routes: Routes): Routes {
  return routes;
}

/** `/v1/disbursements/{id}` → `['id']` */
export function pathParameters({ path }: Pick<RouteDeclaration, 'path'>): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

const WITH_A_KEY: readonly ProblemKind[] = [
  'unauthenticated',
  'forbidden',
  'too-many-requests',
  'unavailable',
  'internal',
];
const WITH_A_FILE: readonly ProblemKind[] = ['too-large', 'unsupported-media-type', 'invalid'];
const WITH_A_BODY: readonly ProblemKind[] = ['malformed', ...WITH_A_FILE];

const OF_A_STREAM: readonly ProblemKind[] = ['unsupported-media-type', 'invalid'];

/** Everything that can go wrong, each kind once. */
export function problemsOfRoute(route: RouteDeclaration): readonly ProblemKind[] {
  const { role, body, query, identity, durable, problems = [] } = route;
  const streamed = body !== undefined && body.limit === undefined;
  const all: readonly ProblemKind[] = [
    ...(role === undefined ? [] : WITH_A_KEY),
    ...(body === undefined ? [] : streamed ? OF_A_STREAM : body.schema ? WITH_A_BODY : WITH_A_FILE),
    ...(query === undefined ? [] : (['invalid'] as const)),
    ...(pathParameters(route).length > 0 ? (['not-found'] as const) : []),
    ...(identity === undefined ? [] : (['invalid'] as const)),
    ...(identity === 'required' ? (['no-identity', 'conflict'] as const) : []),
    ...(durable ? (['not-durable', 'memory-full'] as const) : []),
    ...(durable === true ? (['recovering'] as const) : []),
    ...problems,
  ];
  return [...new Set(all)].sort((a, b) => statusOf(a) - statusOf(b));
}

/** Every status that is documented. */
export function statusesOf(route: RouteDeclaration): readonly number[] {
  const all = [...Object.keys(route.answers).map(Number), ...problemsOfRoute(route).map(statusOf)];
  return [...new Set(all)].sort((a, b) => a - b);
}
