/**
 * An asynchronous standby is promoted under running processes: what the primary committed last is lost. The journal in
 * Redis knows what left, or it is lost too and a person decides.
 */
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { afterEach, expect, test, vi } from 'vitest';
import type { DisbursementView } from '../../script/demonstration/views.ts';
import { type EmbeddedPostgres, openEmbeddedPostgres } from '../../src/ledger/embedded.ts';
import { Deployment } from '../support/deployment.ts';

const EACH = 3;
const PATIENCE = { timeout: 120_000, interval: 200 };

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

interface Booked {
  readonly accountAlias: string;
  readonly effects: number;
}

const until = (true_: () => Promise<boolean>): Promise<unknown> => vi.waitUntil(true_, PATIENCE);

const alias = (group: number, nth: number): string => `77${group}${String(nth).padStart(6, '0')}`;

async function pay({ maker }: Deployment, reference: string, accountAlias: string): Promise<string> {
  const body = { reference, accountAlias, amount: 5_000, withdrawMode: 'wallet-a-senegal' };
  return (await maker.post<{ id: string }>('/v1/disbursements', body)).id;
}

const everyPayment = ({ maker }: Deployment): Promise<readonly DisbursementView[]> =>
  maker.all<DisbursementView>('/v1/disbursements', 500);

async function statesOf(deployment: Deployment): Promise<Readonly<Record<string, string>>> {
  return Object.fromEntries((await everyPayment(deployment)).map(({ reference, state }) => [reference, state]));
}

async function paid({ control }: Deployment): Promise<Readonly<Record<string, number>>> {
  const booked = await control.get<readonly Booked[]>('/books/disbursements');
  const sums: Record<string, number> = {};
  for (const { accountAlias, effects } of booked) sums[accountAlias] = (sums[accountAlias] ?? 0) + effects;
  return sums;
}

async function query<Row extends object>({ url }: EmbeddedPostgres, sql: string): Promise<readonly Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** It follows the primary until it is stopped. `data`: of a base backup. */
async function standbyOf({ postgres }: Deployment, data: string): Promise<EmbeddedPostgres> {
  writeFileSync(join(data, 'standby.signal'), '');
  const from = `host=127.0.0.1 port=${new URL(postgres.url).port} user=postgres`;
  return opened(data, from);
}

async function opened(data: string, from: string): Promise<EmbeddedPostgres> {
  const server = await openEmbeddedPostgres(dirname(data), {
    parameters: { primary_conninfo: from, hot_standby: 'on', max_connections: '500' },
  });
  closing.push(() => server.stop());
  return server;
}

async function promote(data: string): Promise<void> {
  const server = await opened(data, '');
  await query(server, 'select pg_promote()');
  await until(async () => {
    const [row] = await query<{ is: boolean }>(server, 'select pg_is_in_recovery() as is');
    return row?.is === false;
  });
  await server.stop();
}

test.for([
  ['with the journal, the provider settles what left', false, 'succeeded', 'cancelled'],
  ['without the journal, a person decides about what was open', true, 'needs_review', 'needs_review'],
] as const)(
  'a standby that is promoted is noticed, and nothing is paid again: %s',
  async ([, isFlushed, left, cancelled]) => {
    const deployment = await Deployment.open();
    closing.push(() => deployment.close());
    const { maker, control } = deployment;
    await deployment.start();
    // A provider that pays as often as it is asked.
    await control.post('/settings', { disburseIdUnique: false });
    await maker.post('/v1/accounts/main/stop');
    const withdrawn: string[] = [];
    for (let nth = 0; nth < EACH; nth += 1) {
      await pay(deployment, `left-${nth}`, alias(1, nth));
      withdrawn.push(await pay(deployment, `cancelled-${nth}`, alias(2, nth)));
    }
    const data = await deployment.copy();
    const standby = await standbyOf(deployment, data);
    const last = await pay(deployment, 'left-last', alias(1, EACH));
    await until(async () => {
      const rows = await query<{ id: string }>(standby, 'select id from relais.operation');
      return rows.some(({ id }) => id === last);
    });
    await standby.stop();

    for (const id of withdrawn) await maker.post(`/v1/disbursements/${id}/cancel`);
    await maker.post('/v1/accounts/main/release');
    const isOver = (state: string): boolean => state === 'succeeded' || state === 'cancelled';
    await until(async () => Object.values(await statesOf(deployment)).every(isOver));
    const before = await paid(deployment);
    if (isFlushed) await deployment.bell.strike('flush', 0);
    await promote(data);
    await deployment.restore(data);

    await until(async () => (await deployment.metrics.ask('/readyz')).status === 503);
    await until(async () => (await recovery(deployment)).state === 'recovering');
    expect(await recovery(deployment)).toMatchObject({ because: 'rolled_back', proven: true });
    const { code, log } = await deployment.command('recover', '--apply', '--json');
    expect(code, log).toBe(0);
    await maker.post('/v1/accounts/main/release');
    const open = ['queued', 'held', 'created', 'submitting', 'unknown', 'pending'];
    await until(async () => !Object.values(await statesOf(deployment)).some((state) => open.includes(state)));

    expect(await paid(deployment)).toEqual(before);
    for (const [reference, state] of Object.entries(await statesOf(deployment))) {
      expect(state, reference).toBe(reference.startsWith('left') ? left : cancelled);
    }
  },
);

interface Recovery {
  readonly state: string;
  readonly because?: string;
}

async function recovery({ checker }: Deployment): Promise<Recovery> {
  return (await checker.ask('/v1/recovery')).body as unknown as Recovery;
}
