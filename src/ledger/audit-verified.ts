/**
 * The result of the last verification of the whole audit log, shared by all processes. Doctor, gauge and alert read
 * it.
 */
import type { AuditFault } from './audit-chain.ts';
import type { AuditSeals } from './audit-seals.ts';
import type { Database } from './pool.ts';

/** A process that dies during a verification blocks the others for at most this time. */
const TURN_MS = 600_000;
export const VERIFY_EVERY_MS = 86_400_000;

export interface AuditVerified {
  /** ms since the epoch. */
  readonly at: number;
  readonly lines: number;
  /** The first invalid line. */
  readonly fault?: AuditFault | undefined;
}

interface VerifiedRow {
  readonly at: Date | null;
  readonly lines: string;
  readonly fault_id: string | null;
  readonly fault_why: string | null;
  readonly now: Date;
}

export class AuditVerification {
  readonly #database: Database;
  readonly #now: () => Date | undefined;

  /** `now` is for tests. */
  constructor({ database, now }: { readonly database: Database; readonly now?: () => Date }) {
    this.#database = database;
    this.#now = () => now?.();
  }

  async last(): Promise<AuditVerified | undefined> {
    return (await this.read()).last;
  }

  /** With the time of the ledger, ms since the epoch. */
  async read(): Promise<{ readonly last: AuditVerified | undefined; readonly now: number }> {
    const [row] = await this.#database.run<VerifiedRow>('verified', [this.#now()]);
    if (row === undefined) throw new Error('the ledger has no row of the verification');
    const fault = row.fault_id === null ? {} : { fault: { id: row.fault_id, why: row.fault_why ?? '' } };
    const last = row.at ? { at: row.at.getTime(), lines: Number(row.lines), ...fault } : undefined;
    return { last, now: row.now.getTime() };
  }

  /** Whether this process should verify now: one process at a time. */
  async begun(): Promise<boolean> {
    return (await this.#database.run('begin_verification', [TURN_MS, this.#now()])).length > 0;
  }

  async ended({ at, lines, fault }: AuditVerified): Promise<void> {
    await this.#database.run('end_verification', [new Date(at), lines, fault?.id, fault?.why]);
  }
}

export interface Auditing {
  readonly seals: Pick<AuditSeals, 'verify' | 'verifyNew' | 'isCountRight'>;
  readonly verification: AuditVerification;
  /** Called for each verification that found a fault. */
  readonly onFault: (fault: AuditFault) => void;
}

/**
 * Verifies new lines, and all lines daily or after a cheaper check finds a fault. Call it every half minute, in every
 * process.
 */
export async function verifyAudit({ seals, verification, onFault }: Auditing): Promise<void> {
  const [{ last, now }, newFault, isRight] = await Promise.all([
    verification.read(),
    seals.verifyNew(),
    seals.isCountRight(),
  ]);
  const isDue = last === undefined || now - last.at >= VERIFY_EVERY_MS;
  const isSuspect = !last?.fault && (newFault !== undefined || !isRight);
  if ((!isDue && !isSuspect) || !(await verification.begun())) return;
  const { lines, fault = newFault } = await seals.verify(now);
  await verification.ended({ at: now, lines, fault });
  if (fault) onFault(fault);
}
