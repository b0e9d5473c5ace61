/** The start of a process on PostgreSQL: migrates, waits, and refuses the ledger of another deployment. */
import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, readFileSync, chmodSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { freePort } from '../../src/lib/listening.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { acceptAddresses, compareStamp } from '../../src/ledger/deployment.ts';
import { Partitions } from '../../src/ledger/partitions.ts';
import { type StartOptions, type StartedLedger, startLedger } from '../../src/ledger/start.ts';
import { freshPostgres } from '../support/fresh-postgres.ts';
import { startPostgres } from '../support/postgres.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function emptyDatabase() {
  const fresh = await freshPostgres();
  closing.push(() => fresh.close());
  return { url: fresh.url, query: <Row extends object>(sql: string) => fresh.query<Row>(sql) };
}

const shop = { environment: 'shop', addresses: { SERVICE_BASE_URL: 'aaaa' }, accounts: { main: 'live' } };

async function started(url: string, over: Partial<StartOptions> = {}): Promise<StartedLedger> {
  const ledger = await startLedger({
    database: { url, schema: 'relais', size: 2 },
    migrates: true,
    deployment: shop,
    patienceMs: 5_000,
    clock: systemClock,
    random: systemRandom,
    onWait: () => undefined,
    ...over,
  });
  closing.push(() => ledger.database.close());
  return ledger;
}

test('two processes that start at once on an empty database make one ledger', async () => {
  const { url } = await emptyDatabase();
  const [one, other] = await Promise.all([started(url), started(url)]);
  expect(one.id).toBe(other.id);
  expect([...one.applied, ...other.applied]).toEqual(['ledger']);
  expect(one.isRecovering).toBe(false);
});

test('a start makes the partitions of the next months, so that no row is in the way of one', async () => {
  const { url } = await emptyDatabase();
  const { database } = await started(url);
  const partitions = new Partitions({ database });
  expect(await partitions.ensureMonths(new Date())).toEqual([]);
  expect((await partitions.list()).map(({ parent }) => parent)).toEqual([
    ...Array(4).fill('audit_line'),
    ...Array(4).fill('event'),
  ]);
});

test('a start that may not migrate names the command, and starts on a schema that is up to date', async () => {
  const { url } = await emptyDatabase();
  await expect(started(url, { migrates: false })).rejects.toThrow(
    'The schema relais lacks ledger, and MIGRATE is off: run relais migrate first.',
  );
  await started(url);
  expect((await started(url, { migrates: false })).applied).toEqual([]);
});

test('another environment or mode is refused with both named, and nothing changes', async () => {
  const { url, query } = await emptyDatabase();
  await started(url);
  const before = await query('select * from relais.deployment');
  const elsewhere = { ...shop, environment: 'staging', accounts: { main: 'test' } };
  await expect(started(url, { deployment: elsewhere })).rejects.toThrow(
    /its environment is shop, and ENVIRONMENT is staging\n.*main is in live mode, and the settings say test/,
  );
  expect(await query('select * from relais.deployment')).toEqual(before);
});

test('a process without accounts does not set the mode', async () => {
  const { url, query } = await emptyDatabase();
  await started(url, { deployment: { environment: 'shop', addresses: {} } });
  await started(url, { deployment: { ...shop, accounts: { main: 'test' } } });
  expect(await query('select mode from relais.deployment')).toEqual([{ mode: 'test' }]);
});

test('an account with a pending payment cannot be removed from the settings', async () => {
  const { url, query } = await emptyDatabase();
  await started(url, { deployment: { ...shop, accounts: { main: 'live', second: 'live' } } });
  await query(`insert into relais.operation (id, kind, account, fingerprint, state, request, created_by, schema_version, op)
    values ('dsb_open', 'disbursement', 'second', '', 'pending', '{}', 'x', 1, gen_random_uuid())`);
  await expect(started(url)).rejects.toThrow(/account second is missing .* dsb_open is pending/);
});

test('a moved provider is accepted by an operator, who is recorded', async () => {
  const { url } = await emptyDatabase();
  const { database } = await started(url);
  const moved = { ...shop, addresses: { SERVICE_BASE_URL: 'bbbb' } };
  await expect(started(url, { deployment: moved })).rejects.toThrow(/SERVICE_BASE_URL is another provider/);
  expect(await acceptAddresses(database, moved, { by: 'awa', at: 7 })).toEqual([]);
  await started(url, { deployment: moved });
  expect((await compareStamp(database, moved))?.stamp.accepted).toEqual([
    { at: 7, by: 'awa', addresses: ['SERVICE_BASE_URL'] },
  ]);
});

test('a copy of the ledger starts recovering', async () => {
  const { url, query } = await emptyDatabase();
  await started(url);
  await query('update relais.deployment set operation_oid = 1');
  expect((await started(url)).isRecovering).toBe(true);
  expect(await query('select because, ended_at from relais.recovery')).toEqual([{ because: 'copy', ended_at: null }]);
  expect(await query('select type, data from relais.outbox')).toEqual([
    { type: 'system.recovering', data: { id: 'system', state: 'recovering', because: 'copy' } },
  ]);
  expect((await started(url)).isRecovering).toBe(true);
  expect(await query('select from relais.recovery')).toHaveLength(1);
});

test('a start waits for PostgreSQL as long as it has patience, and not at all for a wrong name', async () => {
  const waits: string[] = [];
  const onWait = (why: string) => void waits.push(why);
  const port = await freePort();
  const away = started(`postgres://postgres@127.0.0.1:${port}/none`, { patienceMs: 300, onWait });
  await expect(away).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  expect(new Set(waits)).toEqual(new Set(['ECONNREFUSED']));
  waits.length = 0;
  const { url } = await emptyDatabase();
  const wrong = started(Object.assign(new URL(url), { pathname: '/no_such_database' }).href, { onWait });
  await expect(wrong).rejects.toMatchObject({ cause: { code: '3D000' } });
  expect(waits).toEqual([]);
});

test('a certificate of an authority of our own is verified, and another authority is refused', async () => {
  const server = await startPostgres();
  closing.push(() => server.stop());
  const folder = mkdtempSync(join(tmpdir(), 'relais-tls-'));
  closing.push(() => rmSync(folder, { recursive: true }));
  const certificate = (name: string): { readonly cert: string; readonly key: string } => {
    const [cert, key] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)];
    const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=db'];
    const names = ['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert];
    execFileSync('openssl', [...args, ...names], { stdio: 'ignore' });
    return { cert, key };
  };
  const [own, other] = [certificate('own'), certificate('other')];
  const { uid } = await ownerOf(server.url);
  chmodSync(folder, 0o755);
  chmodSync(own.key, 0o600);
  if (process.getuid?.() === 0) chownSync(own.key, uid, uid);
  const admin = new Client({ connectionString: server.url });
  await admin.connect();
  await admin.query(`alter system set ssl_cert_file = '${own.cert}'`);
  await admin.query(`alter system set ssl_key_file = '${own.key}'`);
  await admin.query('alter system set ssl = on');
  await admin.query('select pg_reload_conf()');
  await expect.poll(async () => (await admin.query('show ssl')).rows).toEqual([{ ssl: 'on' }]);
  await admin.end();
  const at = { url: `${server.url}?sslmode=disable`, schema: 'relais', size: 2 };
  const ca = readFileSync(own.cert, 'utf8');
  const { database } = await started('', { database: { ...at, ca } });
  expect(await database.run('marks')).toEqual([]);
  const wrong = started('', { database: { ...at, ca: readFileSync(other.cert, 'utf8') } });
  await expect(wrong).rejects.toMatchObject({ cause: { code: expect.stringMatching(/SELF_SIGNED|UNABLE_TO/) } });
});

/** The user that runs the tests' server. */
async function ownerOf(url: string): Promise<{ readonly uid: number }> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ folder: string }>('show data_directory');
  await client.end();
  const folder = Object.values(rows[0] ?? {})[0] ?? '';
  return { uid: Number(execFileSync('stat', ['-c', '%u', folder]).toString()) };
}
