/** Holds of accounts. */
import { expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { BUDGET, PROVIDER_UNREADABLE, STOPPED } from '../../src/kinds/hold.ts';
import { Holds } from '../../src/ledger/holds.ts';
import { ledgerOfThisFile } from '../support/ledger-of-file.ts';

const ledger = ledgerOfThisFile('hold', 'failure_row', 'outbox', 'audit_line');

const onLedger = (): Holds => new Holds({ database: ledger.database, clock: systemClock });
const ACT = {
  by: 'ops-key',
  person: 'awa@example.org',
  role: 'operate',
  source: 'api',
  requestId: 'r1',
  act: 'account.stop',
  target: 'main',
} as const;
const LONG_MS = 3_600_000;

test('an account is held once for a reason, and released once', async () => {
  const holds = onLedger();
  const begun = await Promise.all([1, 2, 3].map(() => holds.hold('main', 'payments', 'funds')));
  expect(begun.filter(Boolean)).toHaveLength(1);
  await holds.hold('main', 'messaging', BUDGET);
  await holds.hold('other', 'direct_credit', STOPPED, ACT);
  expect(await holds.holdsOf('main')).toMatchObject([
    { account: 'main', area: expect.any(String), since: expect.any(Number), probedAt: expect.any(Number) },
    {},
  ]);
  expect((await holds.allHolds()).map(({ account, area, reason }) => `${account} ${area} ${reason}`).sort()).toEqual([
    'main messaging budget',
    'main payments funds',
    'other direct_credit stopped',
  ]);
  expect(await holds.release('main', 'payments', 'funds')).toBe(true);
  expect(await holds.release('main', 'payments', 'funds')).toBe(false);
  expect((await holds.holdsOf('main')).map(({ reason }) => reason)).toEqual([BUDGET]);
  expect(await holds.holdsOf('unknown')).toEqual([]);
});

test('one operation an interval tries whether a hold has cleared', async () => {
  const holds = onLedger();
  expect(await holds.mayProbe('main', 'payments', 'funds', LONG_MS)).toBe(true);
  await holds.hold('main', 'payments', 'funds');
  expect(await holds.mayProbe('main', 'payments', 'funds', LONG_MS)).toBe(false);
  expect(await holds.mayProbe('main', 'payments', 'funds', 0)).toBe(true);
  expect(await holds.mayProbe('main', 'messaging', 'funds', LONG_MS)).toBe(true);
});

test('failures in a row hold the account, and another answer ends the row', async () => {
  const holds = onLedger();
  const fail = () => holds.countFailure('main', 'payments', 'maintenance', { length: 3, windowMs: LONG_MS });
  expect([await fail(), await fail()]).toEqual([false, false]);
  expect([...(await holds.standingOf('main')).failing]).toEqual(['payments.maintenance']);
  await holds.endRow('main', 'payments', 'maintenance');
  expect((await holds.standingOf('main')).failing.size).toBe(0);
  expect([await fail(), await fail(), await fail()]).toEqual([false, false, true]);
  const { holds: open_, failing } = await holds.standingOf('main');
  expect([open_.map(({ reason }) => reason), failing.size]).toEqual([['maintenance'], 0]);
  expect([await fail(), await fail(), await fail()]).toEqual([false, false, false]);
});

test('an unreadable answer is shown with its hold, the newest one', async () => {
  const holds = onLedger();
  const answers = { operation: 'disbursement_create', came: 'a page of HTML' };
  expect(await holds.holdUnreadable('main', 'payments', answers)).toBe(true);
  const newer = { operation: 'sms_login', came: 'an empty body' };
  expect(await holds.holdUnreadable('main', 'payments', newer)).toBe(false);
  expect(await holds.holdsOf('main')).toMatchObject([{ reason: PROVIDER_UNREADABLE, unreadable: newer }]);
});

test('two concurrent callers begin one hold from a row, and only one reports it', async () => {
  const holds = onLedger();
  const row = { length: 5, windowMs: LONG_MS };
  const all = Array.from({ length: 10 }, () => holds.countFailure('main', 'payments', 'maintenance', row));
  expect((await Promise.all(all)).filter(Boolean)).toHaveLength(1);
  expect(await ledger.query('select type from relais.outbox')).toEqual([{ type: 'account.held' }]);
});

test('a newer unreadable answer is no second event', async () => {
  const holds = onLedger();
  for (const came of ['HTML', 'nothing'])
    await holds.holdUnreadable('main', 'payments', { operation: 'sms_login', came });
  expect(await ledger.query('select type from relais.outbox')).toEqual([{ type: 'account.held' }]);
});

test('a failure later than the window after the last one begins a new row', async () => {
  let now = new Date('2026-01-01T10:00:00Z');
  const holds = new Holds({ database: ledger.database, clock: systemClock, now: () => now });
  const fail = () => holds.countFailure('main', 'payments', 'maintenance', { length: 2, windowMs: 60_000 });
  await fail();
  now = new Date(now.getTime() + 60_001);
  expect(await fail()).toBe(false);
  now = new Date(now.getTime() + 60_000);
  expect(await fail()).toBe(true);
});

test('a hold, its event and its audit entry are one transaction, and repeated calls add none', async () => {
  const told: unknown[] = [];
  const onCommitted = async (kind: string, facts: object) => void told.push({ kind, ...facts });
  const holds = new Holds({ database: ledger.database, clock: systemClock, onCommitted });
  for (const _ of [1, 2]) await holds.hold('main', 'payments', STOPPED, ACT);
  for (const _ of [1, 2]) await holds.release('main', 'payments', STOPPED, ACT);
  const data = { id: 'main', area: 'payments', reason: STOPPED };
  const events = await ledger.query<{ id: string }>('select id, type, data from relais.outbox order by sequence');
  expect(events).toMatchObject([
    { type: 'account.held', data },
    { type: 'account.released', data },
  ]);
  expect(new Set(events.map(({ id }) => id)).size).toBe(2);
  expect(await ledger.query('select act, target, before, facts from relais.audit_line order by sequence')).toEqual([
    { act: 'account.stop', target: 'main', before: null, facts: { held: 'payments.stopped' } },
    { act: 'account.stop', target: 'main', before: { held: 'payments.stopped' }, facts: {} },
  ]);
  // A repeated call is journaled too: the first one may have died before its entry.
  expect(told).toMatchObject([{ kind: 'account.held', ...facts }, { kind: 'account.held' }]);
});

const facts = { account: 'main', area: 'payments', reason: STOPPED };

test('the bulk read is shared for a moment, and a change by the same process is seen at once', async () => {
  let mono = 0;
  const clock = { monotonic: () => mono };
  const [one, other] = [new Holds({ database: ledger.database, clock }), onLedger()];
  expect((await one.standings()).size).toBe(0);
  await other.hold('main', 'payments', STOPPED);
  expect((await one.standings()).size).toBe(0);
  expect((await one.standingOf('main')).holds).toEqual([]);
  expect(await one.holdsOf('main')).toMatchObject([{ reason: STOPPED }]);
  mono = 201;
  expect([...(await one.standings()).keys()]).toEqual(['main']);
  await one.release('main', 'payments', STOPPED);
  expect((await one.standings()).size).toBe(0);
});

test('the statement that records an intent sees the holds of every account', async () => {
  const held = async () => await ledger.query('select account, held from relais.holds_now()');
  expect(await held()).toEqual([]);
  await onLedger().hold('main', 'payments', STOPPED);
  expect(await held()).toEqual([{ account: 'main', held: 'payments.stopped' }]);
});
