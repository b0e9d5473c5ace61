/** The doctor says whether the audit is whole, also while no process with the role api runs. */
import { beforeEach, expect, test } from 'vitest';
import { examineAudit } from '../../src/app/examine/audit.ts';
import { Secret } from '../../src/lib/secret.ts';
import { Audit, AuditSeals } from '../../src/operations/audit.ts';
import { AuditVerification } from '../../src/operations/audit-verified.ts';
import { keys } from '../../src/operations/keys.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';

const store = storeOfThisFile();
const AT = Date.parse('2026-11-28T14:02:00Z');
const DAY_MS = 86_400_000;
const act = {
  by: 'checker',
  person: '',
  role: 'approve',
  source: 'api',
  requestId: 'r',
  act: 'account.stop',
} as const;

beforeEach(async () => {
  await store.redis.del(keys.audit, keys.auditLast, keys.auditSeals, keys.auditVerified);
});

const examined = async (now: number) => (await examineAudit(store.redis, now))[0];

test('an audit that was verified is well, with the time and the number of its lines', async () => {
  expect(await examined(AT)).toMatchObject({ is: 'skipped' });
  await new AuditVerification(store.redis).ended({ at: AT, lines: 18_203 });
  expect(await examined(AT)).toMatchObject({ is: 'ok', says: 'verified at 2026-11-28T14:02:00.000Z, 18203 lines' });
  expect(await examined(AT + 3 * DAY_MS)).toMatchObject({ is: 'fault', fix: expect.stringContaining('role api') });
});

test('a line that does not fit is a fault, with its place and the entry of the runbook', async () => {
  await new AuditVerification(store.redis).ended({ at: AT, lines: 3, fault: { id: '7-0', why: 'it is gone' } });
  const fix = expect.stringContaining('docs/runbook.md#relaisauditbroken');
  expect(await examined(AT)).toMatchObject({ is: 'fault', says: 'a line does not fit: 7-0 (it is gone)', fix });
});

test('a line that was taken out a moment ago is a fault before anything has verified it', async () => {
  const audit = new Audit(store.redis);
  for (const target of ['main', 'other']) await audit.tell({ ...act, target });
  // Lines without a mark are of a process without a secret; only their number matters here.
  await new AuditSeals(store.redis, audit, [new Secret('of-the-processes')], []).seal(AT);
  const [first] = await audit.page({ limit: 1 });
  await store.redis.xdel(keys.audit, first?.id ?? '');
  expect(await examined(AT)).toMatchObject({ is: 'fault', says: 'a line was taken out or put in' });
});
