/** Drills: data that is an hour old, data that is gone, and two copies of relais that share one Redis. */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { type Service, startService } from '../support/service.ts';
import { type Server, startServer } from './servers.ts';

const BEFORE = 3;
const AFTER = 4;
const SETTLED = { timeout: 45_000, interval: 100 };
/** As the runbook tells: ids are made from these, so they stay what they were. */
const SAME = { ENVIRONMENT: 'drill', CALLBACK_SECRET: 'callback-of-the-drill' };

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

interface Drill {
  readonly dir: string;
  readonly backup: string;
  /** Outlives every Redis, as the service does. */
  readonly sandbox: Sandbox;
  start(env?: Readonly<Record<string, string>>): Promise<{ service: Service; url: string; end: () => Promise<void> }>;
}

async function drill(): Promise<Drill> {
  const dir = mkdtempSync(join(tmpdir(), 'relais-drill-'));
  const backup = `${dir}-backup`;
  closing.push(() => [dir, backup].forEach((one) => rmSync(one, { recursive: true, force: true })));
  const sandbox = await startSandbox();
  closing.push(() => sandbox.stop());
  return {
    dir,
    backup,
    sandbox,
    start: async (env = {}) => {
      const server: Server = await startServer({ dir });
      const upstream = { SERVICE_BASE_URL: sandbox.base, SERVICE_CRM_URL: sandbox.crm };
      const url = `redis://127.0.0.1:${server.port}`;
      const service = await startService({ REDIS_URL: url, ...upstream, ...SAME, ...env });
      let open = true;
      const end = async (): Promise<void> => {
        if (!open) return;
        open = false;
        await service.stop();
        await server.stop();
      };
      closing.push(end);
      return { service, url, end };
    },
  };
}

const order = (nth: number) => ({
  reference: `drill-${nth}`,
  accountAlias: `77${1_000_000 + nth}`,
  amount: 5_000,
  withdrawMode: 'wallet-a-senegal',
});
const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, index) => from + index);

async function askFor(service: Service, numbers: readonly number[]): Promise<void> {
  for (const nth of numbers) {
    const { status } = await service.call('POST', '/v1/disbursements', { body: order(nth) });
    expect(status).toBeLessThan(300);
  }
}

async function statesOf(service: Service): Promise<Readonly<Record<string, string>>> {
  const { body } = await service.call('GET', '/v1/disbursements?limit=100');
  return Object.fromEntries(
    body.items.map((one: { reference: string; state: string }) => [one.reference, one.state]),
  );
}

/** How often the service has paid each, by the alias. */
async function timesPaid({ sandbox }: Drill, numbers: readonly number[]): Promise<readonly number[]> {
  const answer = await fetch(`${sandbox.control}/books/disbursements`);
  const booked = (await answer.json()) as readonly { accountAlias: string; effects: number }[];
  return numbers.map((nth) =>
    booked.filter((one) => one.accountAlias === order(nth).accountAlias).reduce((sum, one) => sum + one.effects, 0),
  );
}

const allAre = (state: string, numbers: readonly number[]) =>
  Object.fromEntries(numbers.map((nth) => [`drill-${nth}`, state]));

/** Paid before anything is lost; a copy of the files is made after the first few. */
async function paidWithBackup(world: Drill): Promise<readonly number[]> {
  const { service, end } = await world.start();
  const numbers = range(1, BEFORE + AFTER);
  await askFor(service, numbers.slice(0, BEFORE));
  const early = numbers.slice(0, BEFORE);
  await vi.waitFor(async () => expect(await statesOf(service)).toEqual(allAre('succeeded', early)), SETTLED);
  // As docs/operating.md does it, while it runs.
  cpSync(world.dir, world.backup, { recursive: true });
  await askFor(service, numbers.slice(BEFORE));
  await vi.waitFor(async () => expect(await statesOf(service)).toEqual(allAre('succeeded', numbers)), SETTLED);
  await end();
  return numbers;
}

test.for([
  ['a backup that is older than some payments', true, BEFORE],
  ['nothing: the data is lost for good', false, 0],
] as const)(
  '%s: who was paid since is asked for again, refused by the service, and needs review',
  async ([, restore, kept]) => {
    const world = await drill();
    const numbers = await paidWithBackup(world);
    rmSync(world.dir, { recursive: true });
    if (restore) cpSync(world.backup, world.dir, { recursive: true });
    else mkdirSync(world.dir);
    const { service } = await world.start({ DISBURSEMENT_RESUBMIT: 'strict' });
    // Callers repeat what they do not know the end of, and relais makes the same ids of it.
    await askFor(service, numbers);
    const expected = {
      ...allAre('succeeded', numbers.slice(0, kept)),
      ...allAre('needs_review', numbers.slice(kept)),
    };
    await vi.waitFor(async () => expect(await statesOf(service)).toEqual(expected), SETTLED);
    expect(await timesPaid(world, numbers), 'nobody was paid again').toEqual(numbers.map(() => 1));
  },
);

test('two copies of relais on one Redis are one deployment: each is paid once', async () => {
  const world = await drill();
  const { service, url } = await world.start();
  const other = await startService({
    REDIS_URL: url,
    SERVICE_BASE_URL: world.sandbox.base,
    SERVICE_CRM_URL: world.sandbox.crm,
    ...SAME,
  });
  closing.push(() => other.stop());
  const numbers = range(1, 20);
  // Both doors are asked for all of it.
  await Promise.all([askFor(service, numbers), askFor(other, numbers.toReversed())]);
  await vi.waitFor(async () => expect(await statesOf(service)).toEqual(allAre('succeeded', numbers)), SETTLED);
  expect(await timesPaid(world, numbers)).toEqual(numbers.map(() => 1));
});
