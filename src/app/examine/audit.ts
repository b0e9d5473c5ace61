/** The result of the last verification of the audit log, by the processes of the API. */
import type { AuditSeals } from '../../ledger/audit-seals.ts';
import { VERIFY_EVERY_MS, type AuditVerification } from '../../ledger/audit-verified.ts';
import { said } from '../../messages/said.ts';
import { type Finding, fault, ok, skipped } from './finding.ts';

const REMEDY = 'Follow docs/runbook.md#relaisauditbroken. To verify every line again: relais audit verify.';

export async function examineAudit(
  verification: Pick<AuditVerification, 'read'>,
  seals: Pick<AuditSeals, 'isCountRight'>,
): Promise<readonly Finding[]> {
  // Lines are only counted here, so no secret is needed.
  const [{ last, now }, isRight] = await Promise.all([verification.read(), seals.isCountRight()]);
  if (last?.fault) {
    const { id, why } = last.fault;
    return [fault('audit', said('a line is not valid: {id} ({why})', { id, why }), REMEDY)];
  }
  if (!isRight) return [fault('audit', 'a line was removed or inserted', REMEDY)];
  if (last === undefined) return [skipped('audit', 'not verified yet')];
  const values = { lines: last.lines, at: new Date(last.at).toISOString() };
  if (now - last.at > 2 * VERIFY_EVERY_MS) {
    const late = said('not verified since {at}', values);
    return [fault('audit', late, 'Start a process with the role api: it verifies the audit once a day.')];
  }
  return [ok('audit', said('verified at {at}, {lines} lines', values))];
}
