/** The result of the last verification of the audit log by the API processes. */
import type { AuditSeals } from '../../ledger/audit-seals.ts';
import { VERIFY_EVERY_MS, type AuditVerification } from '../../ledger/audit-verified.ts';
import { message } from '../../messages/message.ts';
import { type Finding, fault, ok, skipped } from './finding.ts';

const REMEDY = message('audit_verify');

export async function examineAudit(
  verification: Pick<AuditVerification, 'read'>,
  seals: Pick<AuditSeals, 'isCountRight'>,
): Promise<readonly Finding[]> {
  // Lines are only counted here, so no secret is needed.
  const [{ last, now }, isRight] = await Promise.all([verification.read(), seals.isCountRight()]);
  if (last?.fault) {
    const { id, why } = last.fault;
    return [fault('audit', message('audit_line_invalid', { id, why }), REMEDY)];
  }
  if (!isRight) return [fault('audit', message('audit_lines_differ'), REMEDY)];
  if (last === undefined) return [skipped('audit', message('audit_not_verified'))];
  const values = { lines: last.lines, at: new Date(last.at).toISOString() };
  if (now - last.at > 2 * VERIFY_EVERY_MS) {
    const late = message('audit_not_verified_since', values);
    return [fault('audit', late, message('audit_start_api'))];
  }
  return [ok('audit', message('audit_verified', values))];
}
