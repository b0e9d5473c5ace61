/**
 * Doors and two workers on a Redis Cluster as one is rented: its nodes speak with encryption alone, certified by a signer
 * of their own for their names, ask for a password, and come and go.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { freePort } from '../../src/lib/listening.ts';
import type { RunningProcess } from '../../script/demonstration/processes.ts';
import { certifiedBy, makeCertificates } from '../redis/certificates.ts';
import { moveSlot, startCluster, type TestCluster } from '../redis/clusters.ts';
import { type Paid, payingThrough } from '../redis/paid.ts';
import { relaisSettings } from '../support/relais-settings.ts';
import { ask, KEYS } from '../support/service.ts';
import { openProcesses } from '../support/world.ts';

const PREFIX = '{relais}';
const PASSWORD = 'of-the-cluster';
const WITHIN = { timeout: 120_000, interval: 100 };
const LIMIT = { timeout: 300_000 };
const PAYMENTS = 60;
const TEXTS = 60;
const LOST_AFTER = 15;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** What its nodes tell of each other are names; that is how the certificate knows them. */
async function rented(dir: string, replicas: number): Promise<TestCluster> {
  makeCertificates(dir, 'DNS:localhost');
  const cluster = await startCluster({
    prefix: PREFIX,
    replicas,
    encrypted: true,
    settings: {
      ...certifiedBy(dir),
      requirepass: PASSWORD,
      masterauth: PASSWORD,
      'cluster-announce-hostname': 'localhost',
      'cluster-preferred-endpoint-type': 'hostname',
    },
    client: { password: PASSWORD, tls: { rejectUnauthorized: false } },
  });
  closing.push(() => cluster.stop());
  return cluster;
}

interface Running {
  readonly ours: readonly RunningProcess[];
  readonly paid: Paid;
  readonly call: (method: string, path: string, body?: unknown) => ReturnType<typeof ask>;
  readonly sent: () => Promise<readonly string[]>;
}

/** A cluster, the double of the service, and what a relais is told about them. */
async function environment(replicas: number, more: Readonly<Record<string, string>> = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'relais-cluster-'));
  closing.push(() => rmSync(dir, { recursive: true, force: true }));
  const cluster = await rented(dir, replicas);
  const { processes, close } = openProcesses();
  closing.push(close);
  const free = { SANDBOX_PORT: '0', SANDBOX_CRM_PORT: '0', SANDBOX_CONTROL_PORT: '0' };
  const { urls: service } = await processes.start('sandbox', ['sandbox', '--latency', '100ms'], free);
  const nobody = await freePort();
  const settings = {
    ...relaisSettings({
      redisUrl: `rediss://:${PASSWORD}@ignored`,
      base: service['base'] ?? '',
      crm: service['crm'] ?? '',
    }),
    // The first that is named is no more.
    REDIS_CLUSTER: `localhost:${nobody},${cluster.nodes.map(({ port }) => `localhost:${port}`).join()}`,
    REDIS_CA_FILE: join(dir, 'ca.crt'),
    CALLBACK_SECRET: 'callback-secret-of-24-characters',
    API_KEYS: KEYS,
    UPSTREAM_TIMEOUT: '1s',
    UPSTREAM_CONNECT_TIMEOUT: '500ms',
    DISBURSEMENT_QUIET_PERIOD: '1s',
    DISBURSEMENT_POLL: '500ms,1s',
    SMS_SETTLE_DELAY: '500ms',
    SWEEP_INTERVAL: '200ms',
    HOLD_RECHECK: '1s',
    ...more,
  };
  return { cluster, processes, settings, service };
}

async function running(replicas: number, more: Readonly<Record<string, string>> = {}) {
  const { cluster, processes, settings, service } = await environment(replicas, more);
  const doors = await processes.start('doors', ['run', '--roles', 'api,webhooks'], settings);
  const forWorkers = { ...settings, PUBLIC_URL: doors.urls['webhooks'] ?? '' };
  const worker = (name: string) => processes.start(name, ['run', '--roles', 'worker'], forWorkers);
  const workers = [await worker('worker-1'), await worker('worker-2')];
  const call: Running['call'] = (method, path, body) => ask(`${doors.urls['api']}${path}`, method, { body });
  const books = async (section: string): Promise<any> =>
    (await ask(`${service['control']}/books/${section}`, 'GET', { key: null })).body;
  const paid = payingThrough({
    call: (method, path, how) => call(method, path, how?.body),
    books: (section = '') => books(section),
  });
  const sent = async (): Promise<readonly string[]> =>
    ((await books('messages')) as readonly { to: string; times: number }[]).flatMap(({ to, times }) =>
      Array.from({ length: times }, () => to),
    );
  return { cluster, here: { ours: [doors, ...workers], paid, call, sent } satisfies Running };
}

/** All are accepted, and some have left. */
async function underLoad({ paid, call }: Running): Promise<readonly string[]> {
  const texts = Array.from({ length: TEXTS }, (_, at) => ({ to: `+22177${2_000_000 + at}`, text: 'cluster' }));
  const asked = texts.map((one, at) => call('POST', '/v1/messages', { ...one, reference: `text-${at}` }));
  expect(new Set((await Promise.all(asked)).map(({ status }) => status))).toEqual(new Set([202]));
  const references = await paid.accepted('cluster', PAYMENTS);
  const done = async (): Promise<number> => (await paid.effects(references)).filter((times) => times > 0).length;
  await vi.waitFor(async () => expect(await done()).toBeGreaterThan(LOST_AFTER), WITHIN);
  return references;
}

const readyz = async ({ urls }: RunningProcess) => ask(`${urls['metrics']}/readyz`, 'GET', { key: null });

async function refusedEverywhere({ ours, paid }: Running, reason: RegExp): Promise<void> {
  for (const one of ours) {
    await vi.waitFor(async () => {
      const { status, body } = await readyz(one);
      expect([one.name, status, JSON.stringify(body)]).toEqual([one.name, 503, expect.stringMatching(reason)]);
    }, WITHIN);
  }
  expect((await paid.ask('meanwhile')).status).toBe(503);
}

/** Nobody has started anything anew. */
async function readyAgain({ ours, paid }: Running): Promise<void> {
  for (const one of ours) {
    await vi.waitFor(async () => {
      const { status, body } = await readyz(one);
      expect([one.name, status, body]).toEqual([one.name, 200, expect.anything()]);
    }, WITHIN);
  }
  await vi.waitFor(async () => expect((await paid.ask('meanwhile')).status).toBeLessThan(300), WITHIN);
}

async function eachOnce({ paid, sent, call }: Running, references: readonly string[]): Promise<void> {
  await paid.once([...references, 'meanwhile']);
  await vi.waitFor(async () => expect(new Set(await sent()).size).toBe(TEXTS), WITHIN);
  expect(await sent()).toHaveLength(TEXTS);
  expect((await call('GET', '/v1/recovery')).body).toMatchObject({ state: 'none' });
}

test('who does not know the signer is told so, and which setting names it', LIMIT, async () => {
  const { processes, settings } = await environment(0);
  const { REDIS_CA_FILE: _, ...without } = settings;
  const { code, stdout } = await processes.run(['doctor'], without);
  expect(code).toBe(1);
  expect(stdout).toMatch(/✗ redis .*certificate[^]*REDIS_CA_FILE/);
});

test('our slot is given to another node under load: all wait, say why, and go on by themselves', LIMIT, async () => {
  const { cluster, here } = await running(0);
  const references = await underLoad(here);
  let seen = false;
  const from = await cluster.primary();
  await moveSlot({
    cluster,
    prefix: PREFIX,
    onMoved: async (moved) => {
      if (seen || moved < 100) return;
      seen = true;
      await refusedEverywhere(here, /keys are on their way to another node/);
    },
  });
  expect([seen, (await cluster.primary()).id === from.id]).toEqual([true, false]);
  await readyAgain(here);
  await eachOnce(here, references);
});

test(
  'the node that has our keys is killed under load: a replica takes over, and all go on with it',
  LIMIT,
  async () => {
    const { cluster, here } = await running(2, { REDIS_WAIT_REPLICAS: '1' });
    const references = await underLoad(here);
    const primary = await cluster.primary();
    const [spare] = await cluster.replicasOf(primary);
    if (!spare) throw new Error('a primary without replicas');
    // One of two has to have what is confirmed, and Redis may promote the other. With this one stopped they are the same.
    process.kill(spare.pid, 'SIGSTOP');
    try {
      // Refused while the other one is slow under this load; asked again under its reference it is the same payment.
      const asked = async () => {
        const { status, body } = await here.paid.ask('confirmed');
        expect([200, 202], JSON.stringify(body)).toContain(status);
      };
      await vi.waitFor(asked, WITHIN);
      process.kill(primary.pid, 'SIGKILL');
      await refusedEverywhere(here, /Redis/);
      const promoted = async (): Promise<string> => (await cluster.primary()).id;
      await vi.waitFor(async () => expect([primary.id, spare.id]).not.toContain(await promoted()), WITHIN);
    } finally {
      process.kill(spare.pid, 'SIGCONT');
    }
    await readyAgain(here);
    await eachOnce(here, [...references, 'confirmed']);
  },
);
