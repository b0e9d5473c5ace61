/** Real restores: a base backup restored, an asynchronous standby promoted. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import type { EmbeddedPostgres } from '../../src/ledger/embedded.ts';
import { openPostgres } from '../support/postgres.ts';
import type { NewOperation } from '../../src/ledger/operations.ts';
import { RecoveryDesk } from '../../src/ledger/recovery.ts';
import { startLedger } from '../../src/ledger/start.ts';
import { RedisWitness } from '../../src/ledger/witness.ts';
import { type FreshRedis, freshRedis } from '../support/fresh-redis.ts';
import { type LedgerWorker, ledgerWorker } from '../support/ledger-worker.ts';

let folder: string;
let redis: FreshRedis;
const closing: (() => unknown)[] = [];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'relais-restores-'));
  // If the tests run as root, the server runs as another user.
  chmodSync(folder, 0o755);
  redis = await freshRedis();
});
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
  rmSync(folder, { recursive: true });
  await redis.close();
});

async function server(name: string, parameters: Readonly<Record<string, string>> = {}): Promise<EmbeddedPostgres> {
  const one = await openPostgres(join(folder, name), { parameters });
  closing.push(() => one.stop());
  return one;
}

/** A copy of a stopped server's files, unchanged. */
function copyOf({ data }: EmbeddedPostgres, name: string): string {
  const home = join(folder, name);
  mkdirSync(home);
  execFileSync('cp', ['-a', data, join(home, 'data')]);
  return join(home, 'data');
}

/** An address that leads to one server, and later to another. */
async function address(url: string): Promise<{ readonly url: string; readonly leadsTo: (url: string) => void }> {
  let target = new URL(url);
  const proxy = createServer((socket) => {
    const far = connect(Number(target.port), '127.0.0.1');
    socket.on('error', () => far.destroy()).on('close', () => far.destroy());
    far.on('error', () => socket.destroy()).on('close', () => socket.destroy());
    socket.pipe(far).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  closing.push(() => proxy.close());
  const { port } = proxy.address() as AddressInfo;
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    leadsTo: (next) => void (target = new URL(next)),
  };
}

async function query<Row extends object>(url: string, sql: string): Promise<readonly Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function started(url: string): Promise<boolean> {
  const { database, isRecovering } = await startLedger({
    database: { url, schema: 'relais', size: 2 },
    migrates: true,
    deployment: { environment: 'shop', addresses: {} },
    patienceMs: 30_000,
    clock: systemClock,
    random: systemRandom,
    onWait: () => undefined,
  });
  await database.close();
  return isRecovering;
}

async function worker(url: string): Promise<LedgerWorker> {
  const witnesses = [new RedisWitness(redis.redis)];
  const one = await ledgerWorker({ url, schema: 'relais', redis: redis.redis }, witnesses);
  closing.push(() => one.kill().catch(() => undefined));
  return one;
}

const payment = (id: string): NewOperation => ({
  id,
  kind: 'disbursement',
  account: 'main',
  fingerprint: Buffer.from(id),
  state: 'queued',
  queue: 'disbursement',
  amount: 1_000,
  providerId: `p-${id}`,
  request: { accountAlias: '771234567', amount: 1_000, withdrawMode: 'wallet-a-senegal' },
  createdBy: 'shop',
  dueMs: 0,
});

async function paid({ operations }: LedgerWorker): Promise<void> {
  for (const { id, lease } of await operations.claim('disbursement', ['main'], 9, 60_000)) {
    const intent = { id, lease, was: 'queued', state: 'submitting', queue: 'status-poll', token: `tok-${id}` };
    const item = { id, kind: 'disbursement', account: 'main', fingerprint: '00', request: {}, createdBy: 'shop' };
    const journalItem = { ...item, createdAt: new Date().toISOString(), token: `tok-${id}` };
    await operations.change({ ...intent, keepMs: 60_000, sendMs: 5_000, intends: true, journalItem });
  }
}

/** Turn by turn, like the operator's command. */
async function recovered({ database }: LedgerWorker): Promise<void> {
  const desk = new RecoveryDesk({
    database,
    redis: redis.redis,
    witnesses: [new RedisWitness(redis.redis)],
    clock: systemClock,
    quietMs: 60_000,
    settleMs: 60_000,
    quietly: () => undefined,
    says: async () => [],
  });
  await expect.poll(() => desk.apply({ by: 'awa' })).toMatchObject({ is: 'over' });
}

test('a base backup restored under a stopped deployment is detected at the next start, and nothing is paid again', async () => {
  const primary = await server('primary');
  expect(await started(primary.url)).toBe(false);
  const one = await worker(primary.url);
  await one.operations.accept(payment('dsb_1'));
  await one.end();
  await primary.stop();
  copyOf(primary, 'backup');
  await primary.start();
  const two = await worker(primary.url);
  await two.life.beat();
  await paid(two);
  await two.kill();
  await primary.stop();
  const backup = await server('backup');
  expect(await started(backup.url)).toBe(false);
  const three = await worker(backup.url);
  expect(three.life.recovering()).toMatchObject({ because: 'witness' });
  await recovered(three);
  expect(await three.operations.claim('disbursement', ['main'], 9, 60_000)).toEqual([]);
  expect(await query(backup.url, 'select state, token from relais.operation')).toEqual([
    { state: 'submitting', token: 'tok-dsb_1' },
  ]);
});

test('a worker that survives the promotion of an asynchronous standby detects its losses', async () => {
  const primary = await server('primary', { wal_level: 'replica' });
  await started(primary.url);
  await primary.stop();
  const data = copyOf(primary, 'standby');
  await primary.start();
  const { port } = new URL(primary.url);
  writeFileSync(join(data, 'standby.signal'), '');
  const from = `host=127.0.0.1 port=${port} user=postgres`;
  const standby = await server('standby', { primary_conninfo: from, hot_standby: 'on' });
  const { url, leadsTo } = await address(primary.url);
  const one = await worker(url);
  await one.operations.accept(payment('dsb_1'));
  const reached = async (): Promise<unknown> => query(standby.url, 'select id from relais.operation');
  await expect.poll(reached).toEqual([{ id: 'dsb_1' }]);
  // From here on the standby receives nothing.
  await query(standby.url, `alter system set primary_conninfo = ''`);
  await standby.stop();
  await one.operations.accept(payment('dsb_2'));
  await paid(one);
  await one.life.beat();
  await primary.crash();
  const promoted = await server('standby', { primary_conninfo: '', hot_standby: 'on' });
  leadsTo(promoted.url);
  await expect(one.operations.accept(payment('dsb_3'))).rejects.toThrow();
  await query(promoted.url, 'select pg_promote()');
  await expect
    .poll(async () => (await query(promoted.url, 'select pg_is_in_recovery() as is'))[0])
    .toEqual({ is: false });
  await expect(one.operations.accept(payment('dsb_3'))).rejects.toMatchObject({
    name: 'LedgerClosed',
    reason: 'restored',
  });
  await one.life.beat();
  expect(one.life.recovering()).toMatchObject({ because: 'rolled_back' });
  await one.life.beat();
  await recovered(one);
  expect(await query(promoted.url, 'select id, state, token from relais.operation order by id')).toEqual([
    { id: 'dsb_1', state: 'submitting', token: 'tok-dsb_1' },
    { id: 'dsb_2', state: 'submitting', token: 'tok-dsb_2' },
  ]);
});

test('a dump that was restored elsewhere is detected as a copy', async () => {
  const primary = await server('primary');
  await started(primary.url);
  const [row] = await query<{ id: string }>(primary.url, 'select id from relais.deployment');
  const other = await server('other');
  await started(other.url);
  await query(other.url, 'alter table relais.operation rename to operation_old');
  await query(other.url, 'create table relais.operation (like relais.operation_old including all)');
  await query(other.url, `update relais.deployment set id = '${row?.id ?? ''}'`);
  expect(await started(other.url)).toBe(true);
  expect(await query(other.url, 'select because from relais.recovery')).toEqual([{ because: 'copy' }]);
});
