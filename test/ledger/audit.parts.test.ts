/** The audit log in the ledger: detection of tampering, deletion of old lines, another secret, reading. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { AuditSeals } from '../../src/ledger/audit-seals.ts';
import { AuditVerification, verifyAudit } from '../../src/ledger/audit-verified.ts';
import { Audit } from '../../src/ledger/audit.ts';
import { ChainBroken } from '../../src/ledger/signing.ts';
import type { Publisher } from '../../src/ledger/publisher.ts';
import { Secret } from '../../src/lib/secret.ts';
import { type EventLedger, eventLedger, publisherOf } from '../support/published.ts';

const DAY_MS = 86_400_000;
const START = Date.parse('2026-11-22T10:00:00Z');
const secret = new Secret('the secret of today');

let world: EventLedger;
let now = START;
let publisher: Publisher;
let errors: unknown[];
beforeAll(async () => {
  world = await eventLedger();
});
afterAll(() => world?.close());
beforeEach(async () => {
  now = START;
  errors = [];
  publisher = signing(secret);
  await world.ledger.query(`truncate relais.audit_line, relais.audit_chain; update relais.leader set lease_until = null;
    update relais.audit_verified set at = null, fault_id = null, fault_why = null, lines = 0, turn_until = null`);
});

const signing = (...secrets: readonly Secret[]): Publisher =>
  publisherOf(world.database, { secrets, now: () => new Date(now), onError: (error) => void errors.push(error) });
const seals = (...secrets: readonly Secret[]): AuditSeals =>
  new AuditSeals({ database: world.database, secrets: secrets.length === 0 ? [secret] : secrets });
const run = (sql: string): Promise<readonly object[]> => world.ledger.query(sql);

interface Noted {
  readonly person?: string;
  readonly act?: string;
  readonly target?: string;
}

async function note(count: number, { person = 'awa', act = 'limits.set', target = '' }: Noted = {}): Promise<void> {
  for (let nth = 0; nth < count; nth += 1) {
    const at = new Date((now += 1_000));
    const facts = { value: nth, kept: 9_007_199_254_740_993n.toString() };
    const line = ['shop', person, 'operate', 'api', act, target || `main-${nth}`, `r${nth}`];
    await world.database.run('note_act', [...line, facts, at, { value: 1 }]);
  }
  await sign();
}

async function sign(): Promise<void> {
  while ((await publisher.step()).is === 'published');
}

async function faultNow(own = seals()): Promise<string | undefined> {
  return (await own.verify(now)).fault?.why;
}

test('lines are numbered in the order of signing, and all of them fit', async () => {
  await note(5);
  expect(await run('select number from relais.audit_line order by sequence')).toEqual(
    [1, 2, 3, 4, 5].map((number) => ({ number: String(number) })),
  );
  const verdict = await seals().verify(now);
  expect(verdict).toMatchObject({ lines: 5, fault: undefined });
  expect(verdict.last).toMatch(/^\d{13}-\d+$/);
  expect(await seals().isCountRight()).toBe(true);
  expect(await faultNow(seals(new Secret('another')))).toContain('no secret that is here');
});

describe('tampering is found:', () => {
  const changes = ['by', 'person', 'role', 'source', 'act', 'target', 'request_id'].map(
    (column) => `${column} = 'x'`,
  );
  test.for([
    ...changes,
    `before = '{"value": 2}'`,
    'before = null',
    `facts = facts || '{"value": 7}'`,
    `at = at + interval '1 microsecond'`,
    `mac = '\\x00'`,
  ])('a line was changed, %s', async (change) => {
    await note(5);
    await run(`update relais.audit_line set ${change} where number = 3`);
    const { fault, lines } = await seals().verify(now);
    expect([fault?.why, lines]).toEqual([expect.stringContaining('its MAC does not fit'), 2]);
  });

  test('a line in the middle was deleted', async () => {
    await note(5);
    const own = seals();
    expect(await own.verifyNew()).toBeUndefined();
    await run('delete from relais.audit_line where number = 3');
    expect(await faultNow()).toBe('the line before it was deleted');
    expect(await own.isCountRight()).toBe(false);
  });

  test('lines at the end were deleted', async () => {
    await note(5);
    await run('delete from relais.audit_line where number >= 4');
    expect(await faultNow()).toBe('lines after it were deleted');
  });

  test('lines at the end were deleted, and the checkpoint of that time was restored', async () => {
    await note(3);
    const own = seals();
    await run('create table old_chain as select * from relais.audit_chain');
    await note(2);
    expect(await own.verify(now)).toMatchObject({ fault: undefined, lines: 5 });
    await run('delete from relais.audit_line where number > 3');
    await run('delete from relais.audit_chain');
    await run('insert into relais.audit_chain select * from old_chain');
    await run('drop table old_chain');
    expect(await faultNow(own)).toContain('this process has seen it signed');
    await note(1);
    expect(errors).toEqual([expect.any(ChainBroken)]);
    expect(await run('select from relais.audit_line where mac is null')).toHaveLength(1);
  });

  test('a line was inserted with the number and the MAC of another', async () => {
    await note(5);
    await run(`insert into relais.audit_line (at, by, source, act, number, mac)
      select at, 'mallory', 'api', 'limits.set', number, mac from relais.audit_line where number = 3`);
    expect(await faultNow()).toMatch(/its number stands twice|its MAC does not fit/);
    expect(await seals().isCountRight()).toBe(false);
  });

  test('a line was inserted beyond the last', async () => {
    await note(5);
    await run(
      `insert into relais.audit_line (at, by, source, act, number, mac) values (now(), 'm', 'api', 'a', 6, '\\x01')`,
    );
    expect(await faultNow()).toContain('beyond the last signed line');
  });

  test('two lines changed places', async () => {
    await note(5);
    await run(`update relais.audit_line set number = 7 - number, mac = o.mac
      from (select number as n, mac from relais.audit_line where number in (3, 4)) o
      where number in (3, 4) and o.n = 7 - number`);
    expect(await faultNow()).toContain('its MAC does not fit');
  });

  test('a checkpoint was made by another', async () => {
    await note(5);
    await run(`update relais.audit_chain set number = 4, digest = '\\x00'`);
    expect(await faultNow()).toContain('its checkpoint was made with no secret');
    await note(1);
    expect(errors).toEqual([expect.any(ChainBroken)]);
  });

  test('a line stays unsigned for more than a minute', async () => {
    await note(2);
    publisher = signing();
    await note(1);
    expect(await faultNow()).toBeUndefined();
    now += 61_000;
    expect(await faultNow()).toContain('no process has signed it');
    publisher = signing(secret);
    await sign();
    expect(await faultNow()).toBeUndefined();
  });

  test('a new line was changed after it was signed', async () => {
    await note(2);
    const own = seals();
    expect(await own.verifyNew()).toBeUndefined();
    await note(2);
    await run(`update relais.audit_line set by = 'x' where number = 4`);
    expect((await own.verifyNew())?.why).toContain('its MAC does not fit');
  });
});

const act = {
  by: 'settings',
  person: '',
  role: '',
  source: 'settings',
  requestId: 'r',
  act: 'audit.forget',
  target: '',
} as const;

test('old lines are deleted once they are verified, the rest still fits, and the deletion is a line', async () => {
  await note(4);
  now += 10 * DAY_MS;
  await note(3);
  expect(await seals().forget({ beforeAt: now - DAY_MS, act })).toBe(4);
  await sign();
  expect(await run('select number from relais.audit_line order by number')).toHaveLength(4);
  expect(await seals().verify(now)).toMatchObject({ fault: undefined, lines: 8 });
  expect(await seals().isCountRight()).toBe(true);
  expect(await seals().forget({ beforeAt: now - DAY_MS, act })).toBe(0);
  await run(`update relais.audit_chain set number = 3 where name = 'first'`);
  expect(await faultNow()).toContain('its checkpoint');
});

test('nothing is deleted where a line does not fit', async () => {
  await note(4);
  now += 10 * DAY_MS;
  await note(1);
  await run(`update relais.audit_line set by = 'x' where number = 2`);
  expect(await seals().forget({ beforeAt: now - DAY_MS, act })).toMatchObject({
    why: expect.stringContaining('MAC'),
  });
  expect(await run('select from relais.audit_line')).toHaveLength(5);
});

test('lines are signed again with another secret, and the older one can go', async () => {
  await note(3);
  const newer = new Secret('the secret of tomorrow');
  await run(`update relais.audit_line set by = 'x' where number = 2`);
  await seals(newer, secret).reseal({ ...act, act: 'secrets.reseal' });
  expect((await seals(newer).verify(now)).lines).toBe(1);
  await run(`update relais.audit_line set by = 'shop' where number = 2`);
  await seals(newer, secret).reseal({ ...act, act: 'secrets.reseal' });
  publisher = signing(newer);
  await sign();
  expect(await faultNow(seals(newer))).toBeUndefined();
  expect(await faultNow(seals(secret))).toContain('no secret that is here');
});

test('all lines are verified once a day, by one process, and a fault is stored for the others', async () => {
  await note(3);
  const verification = new AuditVerification({ database: world.database, now: () => new Date(now) });
  const faults: unknown[] = [];
  const own = seals();
  const look = (): Promise<void> => verifyAudit({ seals: own, verification, onFault: (fault) => faults.push(fault) });
  await look();
  expect(await verification.last()).toEqual({ at: now, lines: 3 });
  await run(`update relais.audit_line set by = 'x' where number = 2`);
  await look();
  expect(faults).toEqual([]);
  now += DAY_MS;
  expect(await verification.begun()).toBe(true);
  await look();
  expect(faults, 'another process verifies').toEqual([]);
  now += 600_000;
  await look();
  expect(await verification.last()).toMatchObject({ at: now, fault: { why: expect.stringContaining('MAC') } });
  expect(faults).toHaveLength(1);
});

test('a page is newest first, and filters by person, act, target and time', async () => {
  const audit = new Audit({ database: world.database });
  await note(3);
  await note(2, { person: 'moussa', act: 'batch.approve', target: 'bat_1' });
  await audit.tell({ ...act, source: 'console', act: 'provider.test', facts: { answered: true } });
  const all = await audit.page({ limit: 10 });
  expect(all.map(({ words }) => words.act).slice(1)).toEqual([
    ...Array.from({ length: 2 }, () => 'batch.approve'),
    ...Array.from({ length: 3 }, () => 'limits.set'),
  ]);
  expect(all[0]?.words).toMatchObject({ source: 'console', after: '{"answered":true}', before: '', hash: '' });
  expect(all[1]?.words).toMatchObject({ person: 'moussa', target: 'bat_1', before: '{"value":1}' });
  expect(all[1]?.words.hash).toMatch(/^[0-9a-f]{64}$/);
  const second = await audit.page({ limit: 2, before: all[1]?.id });
  expect(second.map(({ id }) => id)).toEqual(all.slice(2, 4).map(({ id }) => id));
  expect(await audit.page({ limit: 10, person: 'moussa' })).toHaveLength(2);
  expect(await audit.page({ limit: 10, act: 'limits.set', person: 'awa' })).toHaveLength(3);
  expect(await audit.page({ limit: 10, target: 'bat_1' })).toHaveLength(2);
  const [from, to] = [new Date(START + 2_000), new Date(START + 4_000)];
  expect(await audit.page({ limit: 10, from, to })).toHaveLength(2);
  expect(await audit.last()).toEqual({ id: all[0]?.id, hash: '' });
});
