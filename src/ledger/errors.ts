/**
 * Errors of PostgreSQL and their meaning for the caller. Their texts can contain personal data, so they are not
 * stored.
 */

const CLOSED = {
  RL001: 'restored',
  RL002: 'fenced',
  RL003: 'recovering',
  RL004: 'epoch',
  RL005: 'superseded',
  RL006: 'not compared',
} as const;
const RULE = 'RL100';

/** The ledger is behind the memory of this process, or recovering, or this lane was taken over: nothing may leave. */
export class LedgerClosed extends Error {
  override readonly name = 'LedgerClosed';
  readonly reason: (typeof CLOSED)[keyof typeof CLOSED];

  constructor(reason: LedgerClosed['reason']) {
    super(`The ledger accepts nothing from this process: ${reason}`);
    this.reason = reason;
  }
}

export const RECOVERING =
  'PostgreSQL may have lost data, so nothing is accepted and nothing is sent until a person decides: relais recover';

/** A recovery is running: the caller can retry after it. */
export class Recovering extends Error {
  override readonly name = 'Recovering';

  constructor() {
    super(RECOVERING);
  }
}

/** A rule refused one request; its statement wrote nothing. */
export class RuleRefused extends Error {
  override readonly name = 'RuleRefused';
  readonly rule: string;
  /** For example, the value of a limit. */
  readonly detail: string;

  constructor(message: string) {
    const [rule = '', detail = ''] = message.split(' ');
    super(`refused by ${rule}`);
    this.rule = rule;
    this.detail = detail;
  }
}

/** PostgreSQL cannot store the value; nothing was sent. */
export class ValueRefused extends Error {
  override readonly name = 'ValueRefused';
}

/** PostgreSQL is unreachable, or no connection was free in time: nothing was sent. */
export class DatabaseAway extends Error {
  override readonly name = 'DatabaseAway';
}

/** PostgreSQL may lose commits, or its sessions lack settings that statements rely on. No statement was sent. */
export class UnsafeDatabase extends Error {
  override readonly name = 'UnsafeDatabase';
}

/** The server is a standby: it accepts no writes. */
export class IsStandby extends Error {
  override readonly name = 'IsStandby';

  constructor() {
    super('This PostgreSQL is a standby, which only follows its primary: name the primary in DATABASE_URL');
  }
}

/** It is unknown whether the statement was committed: `written_by` answers this on another connection. */
export class AnswerLost extends Error {
  override readonly name = 'AnswerLost';
}

/** PostgreSQL is away or cannot be used now, or its answer was lost: the call can be repeated. */
export const isLedgerAway = (error: unknown): boolean =>
  error instanceof DatabaseAway ||
  error instanceof AnswerLost ||
  error instanceof UnsafeDatabase ||
  error instanceof IsStandby ||
  isTransient(error) ||
  (error instanceof StatementRefused && (error.code.startsWith('53') || CANNOT_NOW.includes(error.code)));

/** Read-only, or stopped by a lock or a time-out. Class 53: a full disk or no connection left. */
const CANNOT_NOW: readonly string[] = ['25006', '55P03', '57014'];

/** PostgreSQL refused the statement and wrote nothing. */
export class StatementRefused extends Error {
  override readonly name = 'StatementRefused';
  /** SQLSTATE. */
  readonly code: string;
  readonly constraint: string | undefined;

  constructor(code: string, constraint: string | undefined) {
    super(`PostgreSQL refused the statement: ${code}${constraint === undefined ? '' : ` (${constraint})`}`);
    this.code = code;
    this.constraint = constraint;
  }
}

/** Deadlock, serialisation or a new partition: the whole statement may succeed if it is repeated. */
export const isTransient = (error: unknown): boolean =>
  error instanceof StatementRefused && (['40P01', '40001'].includes(error.code) || isOfNewPartition(error));

/**
 * While the statement waited for the default partition, a partition for its row was attached. All our checks have
 * names; partition bounds have none.
 */
const isOfNewPartition = ({ code, constraint }: StatementRefused): boolean =>
  code === '23514' && constraint === undefined;

/** A unique index refused the statement: another row has the same identity. */
export const isTaken = (error: unknown): boolean => error instanceof StatementRefused && error.code === '23505';

/** One row of a shared statement may be the cause, so the statement is repeated in halves. */
export const isOfOneRow = (error: unknown): boolean =>
  error instanceof RuleRefused ||
  error instanceof ValueRefused ||
  (error instanceof StatementRefused &&
    (/^(22|23|54)/.test(error.code) || ['P0001', '55P03', '57014'].includes(error.code)));

/** A lock or the server's time-out stopped the statement: it may succeed later. */
export const isHeldUp = (error: unknown): boolean =>
  error instanceof StatementRefused && ['55P03', '57014', '40P01', '40001'].includes(error.code);

/**
 * The connection is no longer usable, and nothing was written: its server became a standby, its plans are outdated,
 * or a pooler lost its prepared statements.
 */
export const isOfConnection = (error: unknown): boolean =>
  error instanceof StatementRefused && ['25006', '0A000', '26000', '42P05'].includes(error.code);

interface DatabaseError {
  readonly code?: unknown;
  readonly severity?: unknown;
  readonly message?: unknown;
  readonly constraint?: unknown;
}

/**
 * Translates an error of `pg`. An error reported by PostgreSQL means that nothing was written; for all other errors,
 * above all a broken connection, this is unknown. FATAL and class 57P mean that the server ends the connection.
 */
export function readError(error: unknown): Error {
  const { code, severity, message, constraint } = error as DatabaseError;
  if (typeof code !== 'string' || typeof severity !== 'string' || isEnd(code, severity)) {
    return new AnswerLost('the connection to PostgreSQL ended before the answer came', { cause: causeOf(error) });
  }
  if (isClosed(code)) return new LedgerClosed(CLOSED[code]);
  if (code === RULE) return new RuleRefused(String(message));
  return new StatementRefused(code, typeof constraint === 'string' ? constraint : undefined);
}

/** Reads a failure to open a connection or to prepare its session. No statement was sent yet. */
export function readOpening(error: unknown): unknown {
  if (isConnectionOver(error)) return new DatabaseAway('PostgreSQL cannot be reached', { cause: error });
  const { severity } = error as DatabaseError;
  return typeof severity === 'string' ? readError(error) : error;
}

/** PostgreSQL ended the connection, or its socket broke. */
export function isConnectionOver(error: unknown): boolean {
  const { code, severity } = error as DatabaseError;
  if (typeof severity === 'string') return typeof code === 'string' && isEnd(code, severity);
  return error instanceof Error && (typeof code === 'string' || error.constructor === Error);
}

const isEnd = (code: string, severity: string): boolean =>
  /^(57P|08)/.test(code) || ['FATAL', 'PANIC'].includes(severity);
const isClosed = (code: string): code is keyof typeof CLOSED => Object.hasOwn(CLOSED, code);

/** For errors of PostgreSQL, only the code. */
function causeOf(error: unknown): string {
  const { code, severity } = error as DatabaseError;
  if (typeof severity === 'string') return `${severity} ${String(code)}`;
  return error instanceof Error ? `${error.name}: ${error.message}` : 'unknown';
}
