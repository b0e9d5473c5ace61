/** The doctor inside each container of docker-compose.yml: a container lacks what its role does not need. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { doctor } from '../../src/app/doctor.ts';
import type { Finding } from '../../src/app/examine/finding.ts';
import { type Role, roles } from '../../src/cli/io.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { Secret } from '../../src/lib/secret.ts';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../src/redis/embedded.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { createReceiver } from '../../src/webhooks/receiver.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';

const CALLBACK_SECRET = 'a-secret-of-the-callbacks-of-a-test';
const compose = parse(readFileSync(new URL('../../docker-compose.yml', import.meta.url), 'utf8'), {
  merge: true,
}) as {
  readonly services: Readonly<Record<Role, { readonly environment: Readonly<Record<string, string>> }>>;
};

let redis: EmbeddedRedis;
let sandbox: Sandbox;
let ledger: FreshLedger;
let webhooks: string;
const receiver = createServer(
  createReceiver({
    secrets: [new Secret(CALLBACK_SECRET)],
    hashes: async () => ({ digests: [], areAll: false }),
    operations: { nudge: async () => Promise.reject(new Error('a probe')) },
    clock: systemClock,
    wake: () => undefined,
    onCallback: () => undefined,
    onError: () => undefined,
  }),
);

beforeAll(async () => {
  redis = await startEmbeddedRedis();
  sandbox = await startSandbox();
  ledger = await freshLedger();
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  webhooks = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
});
afterAll(async () => {
  receiver.close();
  await sandbox.stop();
  await ledger.close();
  await redis.stop();
});

/** As compose provides it, with local addresses instead of those of its network. */
function environmentOf(role: Role): Record<string, string> {
  const told: Readonly<Record<string, string>> = {
    CALLBACK_SECRET,
    SEALING_SECRET: 'a-secret-of-the-seals-of-a-test',
    API_KEYS: 'shop:enqueue+read:a-key-of-a-shop-of-this-test',
    PUBLIC_URL: webhooks,
    SERVICE_BASE_URL: sandbox.base,
    SERVICE_CRM_URL: sandbox.crm,
  };
  const filled = Object.entries(compose.services[role].environment).map(([name, value]) => [
    name,
    value.replace(/\$\{(\w+):-([^}]*)\}/g, (_, asked: string, fallback: string) => told[asked] ?? fallback),
  ]);
  // From the image itself.
  const here = { HOST: '0.0.0.0', REDIS_URL: redis.url, DATABASE_URL: ledger.url, ENVIRONMENT: 'default' };
  return { ...Object.fromEntries(filled), ...here };
}

async function found(role: Role, asked: readonly Role[]): Promise<readonly Finding[]> {
  const printed: string[] = [];
  const { signal } = new AbortController();
  const world = { clock: systemClock, random: systemRandom, signal };
  await doctor({ ...world, env: environmentOf(role), roles: asked, json: true, print: (line) => printed.push(line) });
  return (JSON.parse(printed.join('\n')) as { findings: Finding[] }).findings;
}

test.for(roles)('in the container of %s it finds no fault, and checks what that role needs', async (role) => {
  const findings = await found(role, [role]);
  expect(findings.filter(({ is }) => is === 'fault')).toEqual([]);
  const looked = (check: string): boolean => findings.some((one) => one.check === check && one.is === 'ok');
  expect({
    keys: looked('keys'),
    login: looked('sms login'),
    callbacks: looked('callbacks'),
  }).toEqual(
    {
      api: { keys: true, login: true, callbacks: false },
      worker: { keys: true, login: true, callbacks: true },
      webhooks: { keys: false, login: false, callbacks: true },
    }[role],
  );
});

test('for a role of another container, it names what that one would lack', async () => {
  const faults = (await found('webhooks', ['worker'])).filter(({ is }) => is === 'fault');
  expect(faults.map(({ check }) => check)).toContain('keys');
});
