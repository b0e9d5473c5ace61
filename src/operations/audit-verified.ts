/** The result of the last verification of the whole audit, for all processes: who verifies next, and what operators see. */
import type { Redis } from 'ioredis';
import { keys } from './keys.ts';
import type { AuditFault } from './audit.ts';

export const VERIFY_EVERY_MS = 86_400_000;
/** A process that ended in the middle keeps the others from it no longer than this. */
const TURN_MS = 600_000;

export interface AuditVerified {
  /** ms since the epoch. */
  readonly at: number;
  readonly lines: number;
  /** The first line that does not fit. */
  readonly fault?: AuditFault | undefined;
}

export class AuditVerification {
  readonly #redis: Redis;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  async last(): Promise<AuditVerified | undefined> {
    const text = await this.#redis.get(keys.auditVerified);
    // Written by `ended`.
    return text === null ? undefined : (JSON.parse(text) as AuditVerified);
  }

  /** Whether this process is to verify now: one at a time. */
  async begun(): Promise<boolean> {
    return (await this.#redis.set(keys.auditVerifying, '1', 'PX', TURN_MS, 'NX')) === 'OK';
  }

  async ended(found: AuditVerified): Promise<void> {
    await this.#redis.multi().set(keys.auditVerified, JSON.stringify(found)).del(keys.auditVerifying).exec();
  }
}
