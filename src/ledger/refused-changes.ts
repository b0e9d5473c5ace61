/** A change that PostgreSQL refuses even alone: its essential data for the review is stored in another form. */
import { type Kind, asDeclared, isFinal, queueOf } from '../kinds/index.ts';
import type { RecordBase } from '../operations/record.ts';
import { NAMED } from '../operations/transition.ts';
import { clean } from './changes.ts';
import { StatementRefused, ValueRefused } from './errors.ts';
import type { Change } from './operation-items.ts';
import type { LedgerKind } from './records.ts';

/** The reason of a review whose result could not be stored. */
export const NOT_STORABLE = 'result_not_storable';

const UNIQUE = '23505';
/** Time-outs and locks: the change can be stored later. */
const PASSING: readonly string[] = ['55P03', '57014'];
const DAILY_MS = 86_400_000;

/** The provider's references for one operation of an account. */
export type UniqueName = Partial<Pick<Change, 'token' | 'transactionId' | 'providerRef'>>;

/** The provider reference that already belongs to another operation of the account. */
export function collisionIn(error: unknown, change: Change): UniqueName | undefined {
  if (!(error instanceof StatementRefused) || error.code !== UNIQUE) return undefined;
  const { token, transactionId, providerRef } = change;
  if (error.constraint === 'operation_token') return { token };
  if (error.constraint === 'operation_transaction') return { transactionId };
  return error.constraint === 'operation_request_ref' ? { providerRef } : undefined;
}

/** The change itself is the cause, so retries fail too. */
export function isOfItself(error: unknown): boolean {
  if (error instanceof ValueRefused) return true;
  return (
    error instanceof StatementRefused &&
    !PASSING.includes(error.code) &&
    (/^(22|23|54)/.test(error.code) || error.code === 'P0001')
  );
}

/** The smallest change that stores it. Undefined: it is a user's act, whose author gets the failure. */
export function reviewed(record: RecordBase<LedgerKind>, asked: Change, error: unknown): Change | undefined {
  const { kind, id, state: was } = record;
  if (asked.act !== undefined || asked.lease === undefined) return undefined;
  const state: string = canBeReviewed(kind, was) ? 'needs_review' : was;
  const queue = queueOf(kind, state);
  return {
    id,
    lease: asked.lease,
    was,
    state,
    queue,
    dueMs: queue === undefined ? undefined : DAILY_MS,
    reason: NOT_STORABLE,
    lines: [...linesIn(asked), `${NAMED}|state||${asked.state}`, `ledger|${causeOf(error)}`],
    ...(state !== was ? { event: eventOf(kind, id, record) } : {}),
    finished: isFinal(kind, state),
  };
}

function canBeReviewed(kind: Kind, was: string): boolean {
  const { states } = asDeclared(kind);
  const { to = [], late = [] } = states[was] ?? {};
  return was === 'needs_review' || [...to, ...late].includes('needs_review');
}

function eventOf(kind: Kind, id: string, record: RecordBase<LedgerKind>) {
  const reference = record.reference === undefined ? {} : { reference: record.reference };
  return { type: `${kind}.needs_review`, data: { id, state: 'needs_review', ...reference, reason: NOT_STORABLE } };
}

function linesIn({ lines = [], token, transactionId, providerRef }: Change): readonly string[] {
  const names = Object.entries({ token, transactionId, providerRef }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${NAMED}|${name}||${clean(value).slice(0, 100)}`],
  );
  return [...lines.map(clean), ...names];
}

const causeOf = (error: unknown): string => (error instanceof StatementRefused ? error.code : 'value');
