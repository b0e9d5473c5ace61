/** The doctor reports the integrity of the audit log, also while no process with the role api runs. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { examineAudit } from '../../src/app/examine/audit.ts';
import { noteAct } from '../../src/ledger/acts.ts';
import { AuditSeals } from '../../src/ledger/audit-seals.ts';
import { AuditVerification } from '../../src/ledger/audit-verified.ts';
import { Database } from '../../src/ledger/pool.ts';
import { Publisher } from '../../src/ledger/publisher.ts';
import { Secret } from '../../src/lib/secret.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';
import { reworded } from '../support/reworded.ts';

const AT = Date.parse('2026-11-28T14:02:00Z');
const DAY_MS = 86_400_000;

let ledger: FreshLedger;
let database: Database;
beforeAll(async () => {
  ledger = await freshLedger();
  database = new Database({ url: ledger.url, schema: ledger.schema });
});
afterAll(async () => {
  await database.close();
  await ledger.close();
});

async function examined(now = AT) {
  const verification = new AuditVerification({ database, now: () => new Date(now) });
  return (await examineAudit(verification, new AuditSeals({ database, secrets: [] })))[0];
}

test('a verified audit log is reported with the time and the number of its lines', async () => {
  expect(reworded(await examined())).toMatchObject({ is: 'skipped' });
  await new AuditVerification({ database }).ended({ at: AT, lines: 18_203 });
  expect(reworded(await examined())).toMatchObject({
    is: 'ok',
    says: 'verified at 2026-11-28T14:02:00.000Z, 18203 lines',
  });
  expect(reworded(await examined(AT + 3 * DAY_MS))).toMatchObject({
    is: 'fault',
    fix: expect.stringContaining('role api'),
  });
});

test('an invalid line is a fault, with its place and the entry of the runbook', async () => {
  const fault = { id: '1764338520000-1', why: 'changed' };
  await new AuditVerification({ database }).ended({ at: AT, lines: 7, fault });
  expect(reworded(await examined())).toMatchObject({
    is: 'fault',
    says: 'a line is not valid: 1764338520000-1 (changed)',
    fix: expect.stringContaining('docs/runbook.md#relaisauditbroken'),
  });
});

test('a removed line is a fault before the next verification', async () => {
  await new AuditVerification({ database }).ended({ at: AT, lines: 7 });
  const act = { by: 'checker', person: '', role: 'approve', source: 'api', requestId: 'r', target: '' } as const;
  await database.transaction(async (run) => {
    for (const name of ['account.stop', 'account.release'] as const) await noteAct(run, { ...act, act: name });
  });
  const publisher = new Publisher({
    database,
    process: 'test',
    timezone: 'UTC',
    keepDays: 400,
    secrets: [new Secret('a-secret-of-the-audit-of-a-test')],
    clock: systemClock,
    onError: (error) => {
      throw error;
    },
  });
  while ((await publisher.step()).more);
  expect(reworded(await examined())).toMatchObject({ is: 'ok' });
  await ledger.query(`delete from relais.audit_line where act = 'account.stop'`);
  expect(reworded(await examined())).toMatchObject({ is: 'fault', says: 'a line was removed or inserted' });
});
