/** Whether every line of the audit is as it was written, as the processes of the API verified it last. */
import type { Redis } from 'ioredis';
import { Audit, AuditSeals } from '../../operations/audit.ts';
import { AuditVerification, VERIFY_EVERY_MS } from '../../operations/audit-verified.ts';
import { said } from '../../words/said.ts';
import { type Finding, fault, ok, skipped } from './finding.ts';

const REMEDY = 'docs/runbook.md#relaisauditbroken says what to do; relais audit verify reads every line again.';

export async function examineAudit(redis: Redis, now: number): Promise<readonly Finding[]> {
  const audit = new Audit(redis);
  const [last, isRight, line] = await Promise.all([
    new AuditVerification(redis).last(),
    // Only the number is looked at here, for which no secret is needed.
    new AuditSeals(redis, audit, []).isCountRight(),
    audit.last(),
  ]);
  if (last?.fault) {
    const { id, why } = last.fault;
    return [fault('audit', said('a line does not fit: {id} ({why})', { id, why }), REMEDY)];
  }
  if (!isRight) return [fault('audit', 'a line was taken out or put in', REMEDY)];
  if (last === undefined) {
    return [skipped('audit', line ? 'not verified yet' : 'no line is written yet')];
  }
  const values = { lines: last.lines, at: new Date(last.at).toISOString() };
  if (now - last.at > 2 * VERIFY_EVERY_MS) {
    const late = said('not verified since {at}', values);
    return [fault('audit', late, 'Start a process with the role api: it verifies the audit once a day.')];
  }
  return [ok('audit', said('verified at {at}, {lines} lines', values))];
}
