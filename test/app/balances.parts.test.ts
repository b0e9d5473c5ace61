/** One worker for all reads the accounts' balances at intervals. */
import { Queue } from 'bullmq';
import { afterEach, expect, onTestFailed, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { startRoles } from '../../src/app/run.ts';
import { Balances } from '../../src/ledger/balances.ts';
import { Database } from '../../src/ledger/pool.ts';
import { samplesOf } from '../metrics/by-hand.ts';
import { spawnRelais } from '../support/relais-process.ts';
import { relaisSettings } from '../support/relais-settings.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
afterEach(() => service.stop());

const looks = async () => ((await service.books()).requests['balance.all'] as number | undefined) ?? 0;

test('the status, the metrics and the history show a worker’s reading', async () => {
  service = await startService({ BALANCE_INTERVAL: '300ms' });
  await service.control('POST', '/settings', { balances: { SN: 1_250_000, CI: 7 } });
  const seen = (body: { readonly balances: readonly { readonly country: string; readonly xof: number }[] }) =>
    body.balances.find(({ country }) => country === 'SN')?.xof === 1_250_000;
  const { balances } = await service.until('/v1/status', seen);
  expect(balances).toContainEqual({ account: 'main', country: 'CI', xof: 7, inFlight: 0, at: expect.any(String) });
  const { body: told } = await service.call('GET', '/v1/reports/balances?account=main');
  expect(told.items[0]).toMatchObject({ account: 'main', balances: { SN: 1_250_000, CI: 7 } });
  const later = await service.call('GET', '/v1/reports/balances?from=2999-01-01T00:00:00Z');
  expect([later.status, later.body]).toEqual([200, { items: [], next: null }]);
  const csv = await service.call('GET', '/v1/reports/balances?limit=1', { headers: { accept: 'text/csv' } });
  const [head, ...lines] = String(csv.body).trim().split('\r\n');
  expect(head?.replace('\ufeff', '')).toBe('at;account;country;xof');
  expect(lines.find((line: string) => line.endsWith(';main;SN;1250000'))).toMatch(/^\d{4}-.*\+00:00;main;/);
  const page = await (await fetch(`${service.metrics}/metrics`)).text();
  expect(samplesOf(page, 'relais_balance_xof')).toContain('{account="main",country="CI"} 7');
  expect(samplesOf(page, 'relais_in_flight_xof')).toContain('{account="main",country="CI"} 0');
});

test('of any number of workers, one reads the balances', async () => {
  service = await startService({ BALANCE_INTERVAL: '1h' });
  const others = await Promise.all(
    [1, 2].map(() =>
      startRoles(
        loadConfig({
          ...relaisSettings({ ...service.sandbox, redisUrl: service.redisUrl, databaseUrl: service.ledger.url }),
          CALLBACK_SECRET: 'callback-secret',
          LOG_LEVEL: 'silent',
          BALANCE_INTERVAL: '1h',
        }),
        ['worker'],
      ),
    ),
  );
  await expect.poll(looks).toBe(1);
  await Promise.all(others.map((other) => other.stop()));
  expect(await looks()).toBe(1);
});

test('an hour-old balance is not shown as current, and the amount still to leave is', async () => {
  service = await startService({ BALANCE_INTERVAL: '10m' }, { roles: ['api'] });
  const database = new Database({ url: service.ledger.url, schema: service.ledger.schema });
  onTestFinished(() => database.close());
  const balances = new Balances({ database });
  const told = async () => {
    const page = await (await fetch(`${service.metrics}/metrics`)).text();
    return ['relais_balance_xof', 'relais_in_flight_xof'].map((name) => samplesOf(page, name).length);
  };
  await balances.note('main', { at: Date.now() - 3_600_000, balances: { SN: 5_000 } });
  expect(await told()).toEqual([0, 1]);
  await balances.note('main', { at: Date.now() - 1_200_000, balances: { SN: 4_000 } });
  await expect.poll(told).toEqual([1, 1]);
});

test('a request that was added without the prefix is warned of, with the prefix to use, and counted', async () => {
  service = await startService();
  const { hostname, port, pathname } = new URL(service.redisUrl);
  const queue = new Queue('intake', {
    connection: { host: hostname, port: Number(port), db: Number(pathname.slice(1) || 0) },
  });
  onTestFinished(() => queue.close());
  await queue.add('disbursement', { kind: 'disbursement' });
  const settings = {
    ...relaisSettings({ ...service.sandbox, redisUrl: service.redisUrl, databaseUrl: service.ledger.url }),
    LOG_LEVEL: 'warn',
  };
  let warn = (_line: string): void => undefined;
  const warned = new Promise<string>((resolve) => (warn = resolve));
  const starting = spawnRelais({ ...settings, CALLBACK_SECRET: 'callback-secret' }, 'worker', (written) => {
    const line = written.split('\n').find((one) => one.includes('bull:intake') && one.endsWith('}'));
    if (line !== undefined) warn(line);
  });
  onTestFailed(() => console.error(starting.written()));
  const worker = await starting.ready;
  onTestFinished(() => worker.stop());
  expect(JSON.parse(await warned)).toMatchObject({
    level: 'warn',
    queue: 'bull:intake',
    waiting: 1,
    prefix: '{relais}',
    msg: expect.stringContaining('add them with the prefix {relais}'),
  });
  const page = await (await fetch(`${service.metrics}/metrics`)).text();
  expect(samplesOf(page, 'relais_misplaced_jobs')).toEqual(['1']);
});
