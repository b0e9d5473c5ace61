/** The tables read by an erasure, and what it removes from an operation. */
import type { PersonWords } from './person-words.ts';

export interface Walked {
  readonly looked: number;
  readonly messages: number;
  readonly payments: number;
  readonly recipients: number;
  readonly rows: number;
  readonly files: number;
  readonly events: number;
  readonly intake: number;
  readonly open: number;
  /** The end of the part; absent at the end of the table. */
  readonly last?: string | undefined;
}

export const NOTHING: Walked = {
  looked: 0,
  messages: 0,
  payments: 0,
  recipients: 0,
  rows: 0,
  files: 0,
  events: 0,
  intake: 0,
  open: 0,
};

/** Tables whose texts are searched only for the number. */
export const scans = {
  events: { scan: 'purge_events', save: 'purge_event', counted: 'events' },
  outbox: { scan: 'purge_outbox', save: 'purge_outbox_row', counted: 'events' },
  letters: { scan: 'purge_dead_letters', save: 'purge_dead_letter', counted: 'events' },
  callbacks: { scan: 'purge_callbacks', save: 'purge_callback', counted: 'events' },
  deliveries: { scan: 'purge_delivery_logs', save: 'purge_delivery_log', counted: 'events' },
  intake: { scan: 'purge_intake', save: 'purge_intake_row', counted: 'intake' },
} as const;

export type Step = keyof typeof scans | 'operations' | 'recipients' | 'cells' | 'rows' | 'batches' | 'files' | 'sums';

type Json = Readonly<Record<string, unknown>>;

export interface OperationFound {
  /** Set in the first row only: the end of the page. */
  readonly last: string | null;
  readonly looked: string | null;
  readonly key: string;
  readonly kind: string;
  readonly theirs: boolean;
  readonly open: boolean;
  readonly op: string;
  readonly value: {
    readonly request: Json;
    readonly metadata: Json | null;
    readonly facts: Json;
    readonly evidence: readonly string[];
    readonly payeeName: string | null;
    readonly purpose: string | null;
    readonly beneficiary: string | null;
  };
}

/** Accounting records: they are retained as sent. */
const ACCOUNTS = ['accountAlias', 'debitAccountNumber'] as const;
/** Other personal data in requests. */
const SAID = ['payeeName', 'purpose', 'metadata'] as const;

/** Values of `purge_operation`, from the request on; undefined: the operation has no data of the person. */
export function withoutOperation(
  { kind, theirs, value }: OperationFound,
  words: PersonWords,
): readonly unknown[] | undefined {
  const { request, metadata, facts, evidence, payeeName, purpose, beneficiary } = value;
  const becomes = {
    request: requestWithout(kind, theirs, request, words),
    metadata: theirs ? null : words.without(metadata),
    facts: factsWithout(theirs, facts, words),
    evidence: words.without(evidence),
    payeeName: theirs ? null : words.without(payeeName),
    purpose: theirs ? null : words.without(purpose),
    beneficiary: theirs ? null : beneficiary,
  };
  if (isSame(becomes, value)) return undefined;
  return Object.values(becomes);
}

function requestWithout(kind: string, theirs: boolean, request: Json, words: PersonWords): Json {
  if (kind === 'message' && theirs) return { ...without(request, SAID), to: words.name, text: '' };
  const { phone = '' } = (request['notify'] ?? {}) as { readonly phone?: string };
  const isTold = words.isIn(phone);
  const said = isTold || theirs ? without(request, ['notify']) : request;
  const accounts = Object.fromEntries(ACCOUNTS.flatMap((name) => (name in request ? [[name, request[name]]] : [])));
  return { ...words.without(theirs ? without(said, SAID) : said), ...accounts };
}

/** Fields of an invoice about its payer. */
const PAYER = ['customer', 'customData'] as const;

function factsWithout(theirs: boolean, facts: Json, words: PersonWords): Json {
  return words.without(theirs ? without(facts, PAYER) : facts);
}

/** An invoice has no beneficiary: its payer is the person, once the provider has named them. */
export function isPayer({ kind, value }: OperationFound, words: PersonWords): boolean {
  const { customer } = value.facts;
  if (kind !== 'invoice' || typeof customer !== 'object' || customer === null) return false;
  const { phone } = customer as { readonly phone?: unknown };
  return typeof phone === 'string' && words.isIn(phone);
}

/** The same object if it has none of them. */
function without(fields: Json, names: readonly string[]): Json {
  if (!names.some((name) => name in fields)) return fields;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

/** In any order of their keys. */
export function isSame(one: object, other: object): boolean {
  const sorted = (value: object): string =>
    JSON.stringify(value, (_key, member: unknown) =>
      typeof member === 'object' && member !== null && !Array.isArray(member)
        ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : member,
    );
  return sorted(one) === sorted(other);
}
