/** API keys, users and sessions. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ApiKeys, type MadeKey } from '../../src/ledger/api-keys.ts';
import { KeyHashes } from '../../src/ledger/key-hashes.ts';
import { Persons } from '../../src/ledger/persons.ts';
import { Database } from '../../src/ledger/pool.ts';
import { Sessions } from '../../src/ledger/sessions.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { Secret } from '../../src/lib/secret.ts';
import { digestOfKey } from '../../src/operations/key-hashes.ts';
import { ledgerOfThisFile } from '../support/ledger-of-file.ts';

const ledger = ledgerOfThisFile('api_key', 'person', 'person_address', 'session', 'provider_key_hash', 'audit_line');

const START = Date.parse('2026-05-01T08:00:00Z');
const ACT = {
  by: 'root',
  person: 'awa',
  role: 'admin',
  source: 'api',
  requestId: 'r1',
  act: 'key.create',
  target: 'k',
} as const;
const keyOf = (id: string, more: Partial<MadeKey> = {}): MadeKey => ({
  id,
  name: 'phone',
  roles: ['read', 'approve'],
  digest: createHash('sha256').update(id).digest('hex'),
  createdAt: START,
  madeBy: 'awa',
  ...more,
});
const acts = () => ledger.query<{ act: string }>('select act from relais.audit_line order by sequence');

const random = systemRandom;
/** This many active keys, `k0` and so on. */
const fill = (count: number) =>
  ledger.query(`insert into relais.api_key (id, name, hash, roles, created_by)
    select 'k' || n, 'k', decode(lpad(n::text, 8, '0'), 'hex'), '{read}', 'x' from generate_series(0, ${count - 1}) n`);
const openKeys = () => new ApiKeys({ database: ledger.database });
const openPersons = () => new Persons({ database: ledger.database });
const openSessions = (now: () => number) => new Sessions({ database: ledger.database, clock: { now }, random });

describe('API keys', () => {
  test('a key is listed with all that is known of it, the newest first', async () => {
    const keys = openKeys();
    const full = keyOf('k2', { createdAt: START + 1, accounts: ['main'], person: 'moussa', expiresAt: START + 99 });
    expect(await keys.add(keyOf('k1', { service: 'payroll' }), ACT)).toBe(true);
    expect(await keys.add(full, ACT)).toBe(true);
    expect(await keys.add(full, ACT)).toBe(true);
    expect(await keys.all()).toEqual([full, keyOf('k1', { service: 'payroll' })]);
  });

  test('a revoked key keeps everything but its hash, and is revoked once', async () => {
    const keys = openKeys();
    await keys.add(keyOf('k1'), ACT);
    const { digest: _gone, ...rest } = keyOf('k1', { revokedAt: START + 5 });
    const ended = await Promise.all([keys.revoke('k1', START + 5, ACT), keys.revoke('k1', START + 5, ACT)]);
    expect(ended.filter((one) => one !== undefined)).toEqual([expect.objectContaining(rest)]);
    expect(await keys.all()).toEqual([rest]);
    expect(await keys.revoke('unknown', START, ACT)).toBeUndefined();
  });

  test('a thousand keys can be in use, and a revoked one makes room', async () => {
    const keys = openKeys();
    await fill(999);
    const last = await Promise.all(['x', 'y', 'z'].map((id) => keys.add(keyOf(id), ACT)));
    expect(last.filter(Boolean)).toHaveLength(1);
    await keys.revoke('k1', START, ACT);
    expect(await keys.add(keyOf('new'), ACT)).toBe(true);
  });
});

describe('persons', () => {
  test('a user keeps the name of the first sign-in, and a later address is stored', async () => {
    const persons = openPersons();
    const issuer = 'https://id.example.org';
    const of = (sub: string, address?: string) => persons.bind({ issuer, sub, address });
    expect(await of('1', 'awa@example.org')).toBe('awa@example.org');
    expect(await of('1', 'awa.ndiaye@example.org')).toBe('awa@example.org');
    expect(await of('2', 'awa@example.org')).toBe('2');
    expect(await of('3')).toBe('3');
    expect(await of('3', '2')).toBe('3');
    expect(await persons.bind({ issuer: 'https://other', sub: '1', address: 'awa@example.org' })).toBe(
      'awa@example.org',
    );
    expect((await persons.alsoCalled()).map((one) => one.join(' ')).sort()).toEqual([
      '2 awa@example.org',
      '3 2',
      'awa@example.org awa.ndiaye@example.org',
    ]);
  });

  test('concurrent users with one address are different people', async () => {
    const persons = openPersons();
    const subs = Array.from({ length: 12 }, (_, at) => `${at}`);
    const all = subs.map((sub) => persons.bind({ issuer: 'i', sub, address: 'awa@example.org' }));
    expect(new Set(await Promise.all(all)).size).toBe(12);
  });

  test('a user with two concurrent sign-ins has one name', async () => {
    const persons = openPersons();
    const both = ['a@x', 'b@x'].map((address) => persons.bind({ issuer: 'i', sub: '1', address }));
    expect(new Set(await Promise.all(both)).size).toBe(1);
  });
});

describe('sessions', () => {
  const key = { name: 'phone', digest: createHash('sha256').update('s').digest() };
  const provider = { person: 'awa', group: 'staff', subject: '1' };

  test('a session is found by its id, belongs to its key, and ends', async () => {
    const sessions = openSessions(() => Date.now());
    const { id, session } = await sessions.begin(key, ACT, { provider });
    const found = await sessions.find(id);
    expect(found).toMatchObject({ key: 'phone', provider, startedAt: session.startedAt, place: session.place });
    expect(found?.isOf(key)).toBe(true);
    expect(found?.isOf({ ...key, digest: createHash('sha256').update('other').digest() })).toBe(false);
    expect(found?.isOf({ ...key, name: 'other' })).toBe(false);
    expect(await sessions.find('unknown')).toBeUndefined();
    expect(await sessions.goesOn(session)).toBe(true);
    await sessions.end(id, ACT);
    await sessions.end(id, ACT);
    expect([await sessions.find(id), await sessions.goesOn(session)]).toEqual([undefined, false]);
  });

  test('a new session ends the one that the browser had', async () => {
    const sessions = openSessions(() => Date.now());
    const first = await sessions.begin(key, ACT);
    const second = await sessions.begin(key, ACT, { before: first.session });
    expect(await sessions.find(first.id)).toBeUndefined();
    expect(await sessions.find(second.id)).toMatchObject({ key: 'phone' });
  });

  test('use extends a session by half an hour, up to eight hours; a key shown again confirms it', async () => {
    let now = Date.now();
    const minutes = (count: number): void => void (now += count * 60_000);
    const sessions = openSessions(() => now);
    const { id } = await sessions.begin(key, ACT);
    const begunAt = now;
    const used = async () => {
      const session = await sessions.find(id);
      if (session) await sessions.use(id, session);
      return session;
    };
    minutes(29);
    expect(await used()).toMatchObject({ usedAt: begunAt, confirmedUntil: begunAt + 300_000 });
    minutes(29);
    expect(await sessions.confirm(id, ACT)).toMatchObject({ usedAt: now, confirmedAt: now, startedAt: begunAt });
    for (let at = 0; at < 14; at += 1) {
      minutes(29);
      expect(await used()).toMatchObject({ startedAt: begunAt });
    }
    minutes(15);
    expect(await sessions.find(id)).toMatchObject({ idleUntil: begunAt + 8 * 3_600_000 });
    minutes(1);
    expect(await used()).toBeUndefined();
    expect(await sessions.confirm(id, ACT)).toBeUndefined();
  });

  test('a session that was not used for half an hour is over', async () => {
    let now = Date.now();
    const sessions = openSessions(() => now);
    const { id } = await sessions.begin(key, ACT);
    now += 30 * 60_000;
    expect(await sessions.find(id)).toBeUndefined();
  });
});

test('a user’s act and its audit entry are one transaction, and repeated calls add none', async () => {
  const told: unknown[] = [];
  const onCommitted = async (kind: string, facts: object): Promise<void> => void told.push({ kind, ...facts });
  const keys = new ApiKeys({ database: ledger.database, onCommitted });
  for (const _ of [1, 2]) await keys.add(keyOf('k1'), { ...ACT, act: 'add' });
  for (const _ of [1, 2]) await keys.revoke('k1', START, { ...ACT, act: 'revoke' });
  const sessions = new Sessions({ database: ledger.database, clock: { now: Date.now }, random });
  const holder = { name: 'phone', digest: Buffer.alloc(32) };
  const { id } = await sessions.begin(holder, { ...ACT, act: 'begin' });
  await sessions.confirm(id, { ...ACT, act: 'confirm' });
  for (const _ of [1, 2]) await sessions.end(id, { ...ACT, act: 'end' });
  expect((await acts()).map(({ act }) => act)).toEqual(['add', 'revoke', 'begin', 'confirm', 'end']);
  const revoked = { kind: 'key.revoked', id: 'k1', at: new Date(START).toISOString() };
  expect(told).toEqual([revoked, revoked]);
});

test('a recovery ends the sessions of before it', async () => {
  const sessions = new Sessions({ database: ledger.database, clock: { now: Date.now }, random });
  const { id } = await sessions.begin({ name: 'phone', digest: Buffer.alloc(32) }, ACT);
  await ledger.query('update relais.deployment set epoch = epoch + 1');
  expect(await sessions.find(id)).toBeUndefined();
  expect(await sessions.confirm(id, ACT)).toBeUndefined();
});

test('an expired session leaves with the next that begins', async () => {
  let now = START;
  const sessions = new Sessions({ database: ledger.database, clock: { now: () => now }, random });
  const holder = { name: 'phone', digest: Buffer.alloc(32) };
  await sessions.begin(holder, ACT);
  now += 30 * 60_000;
  await sessions.begin(holder, ACT);
  expect(await ledger.query('select count(*)::int from relais.session')).toEqual([{ count: 1 }]);
});

test('hashes of the provider keys are read in the background, and stay known while PostgreSQL is away', async () => {
  let mono = 0;
  const clock = { monotonic: () => mono };
  const database = new Database({ url: ledger.url, schema: 'relais', patience: 1_000 });
  const hashes = new KeyHashes({ database, clock });
  const other = new KeyHashes({ database: ledger.database, clock });
  const [old, current] = ['old', 'current'].map((key) => new Secret(key));
  if (!old || !current) throw new Error('two keys');
  await other.note({ account: 'main', fingerprint: 'f1' }, old);
  await other.note({ account: 'main', fingerprint: 'f1' }, old);
  expect(await hashes.of('main')).toEqual(new Map([['f1', digestOfKey(old)]]));
  await other.note({ account: 'main', fingerprint: 'f2' }, current);
  expect((await hashes.of('main')).size).toBe(1);
  mono = 10_000;
  expect((await hashes.of('main')).size).toBe(1);
  await hashes.refresh();
  expect(await hashes.of('main')).toEqual(
    new Map([
      ['f1', digestOfKey(old)],
      ['f2', digestOfKey(current)],
    ]),
  );
  expect((await hashes.of('other')).size).toBe(0);
  await database.close();
  mono = 90_000;
  expect((await hashes.of('main')).size).toBe(2);
  await expect(new KeyHashes({ database, clock }).of('main')).rejects.toThrow();
});
