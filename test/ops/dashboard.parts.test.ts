import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { metricNames } from '../../src/metrics/declarations.ts';
import { missing, promtool, until } from './prometheus.ts';
import { metricsIn, readOps, rulesOf } from './rules-files.ts';
import { startWatched, type Watched } from './watched.ts';

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

const dashboard = JSON.parse(readOps('grafana/dashboards/relais.json')) as { panels: readonly Panel[] };
const queries = dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));

/** Panels without data in a healthy relais on a Redis without limit and replicas. */
const MAY_BE_EMPTY = [
  'Redis memory',
  'Lost locks, and workers that are stuck',
  'Refused jobs of the queue intake',
  'Hashes in callbacks',
  'Connections and requests that were refused',
  'Audit is intact',
];

test('the dashboard leaves out none of the metrics', () => {
  const shown = queries.flatMap(({ expr }) => [
    ...metricsIn(expr),
    ...rulesOf('recording').flatMap((rule) => (expr.includes(rule.record ?? '') ? metricsIn(rule.expr) : [])),
  ]);
  expect(metricNames.filter((name) => !shown.includes(name))).toEqual([]);
});

describe.skipIf(missing)('a real Prometheus', () => {
  let watched: Watched;
  let close: () => Promise<void>;
  beforeAll(async () => {
    watched = await startWatched(undefined, { settings: { BALANCE_INTERVAL: '1s' } });
    close = await somethingOfEverything(watched);
  });
  afterAll(async () => {
    await close();
    await watched.stop();
  });

  test.for(queries)('has an answer to: $title: $expr', async ({ title, expr }) => {
    const concrete = expr.replaceAll('$job', 'relais').replaceAll('$__rate_interval', '1m');
    if (MAY_BE_EMPTY.includes(title)) {
      await watched.prometheus.query(concrete);
      return;
    }
    const some = async () => (await watched.prometheus.query(concrete)).length > 0;
    await until('there is an answer', some, 30_000);
  });

  test('finds every target up, with equal values of the whole deployment', async () => {
    const differing = `max by (__name__, queue, kind, state) (relais_operations) - min by (__name__, queue, kind, state) (relais_operations) != 0`;
    const same = async () => (await watched.prometheus.query(differing)).length === 0;
    await until('all tell the same', same, 15_000);
    const tellers = await watched.prometheus.query('count by (kind, state) (relais_operations{kind="disbursement"})');
    expect(new Set(tellers.map(({ value }) => value))).toEqual(new Set([3]));
  });

  test('is shown no more than 2,000 series by a process', async () => {
    const [most] = await watched.prometheus.query('max(scrape_samples_scraped)');
    expect(most?.value).toBeGreaterThan(300);
    expect(most?.value).toBeLessThan(2_000);
  });

  test('and all its scrapes made Redis walk through nothing', async () => {
    const stats = await watched.redis.info('commandstats');
    expect(stats).toMatch(/cmdstat_hgetall:/);
    expect(stats).not.toMatch(/cmdstat_(keys|scan|hscan|sscan|zscan):/);
  });

  test('and promtool finds nothing wrong with the page of a running worker', async () => {
    const page = await (await request(`${watched.urls.workerMetrics}/metrics`)).body.text();
    const ours = page.split('\n').filter((line) => /^(# (HELP|TYPE) )?relais_/.test(line));
    expect(await promtool(['check', 'metrics'], `${ours.join('\n')}\n`)).toEqual({ ok: true, output: '' });
  });
});

/** One event of each counted type: paid, held, texted, called back, forged, billed, delivered. */
async function somethingOfEverything({ api, urls }: Watched): Promise<() => Promise<void>> {
  const receiver = createServer((_request, response) => void response.end()).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo;
  await api('POST', '/v1/event-endpoints', { url: `http://127.0.0.1:${port}/events` });
  const pay = (reference: string, accountAlias: string) =>
    api('POST', '/v1/disbursements', { accountAlias, amount: 1_000, withdrawMode: 'wallet-a-senegal', reference });
  for (let number = 0; number < 5; number += 1) await pay(`paid-${number}`, '771234567');
  await pay('pending', '779999902');
  await pay('failed', '779999901');
  await pay('refused-for-now', '779999907');
  await api('POST', '/v1/messages', [{ to: '+221771234567', text: 'Bonjour', reference: 'm1' }]);
  await api('POST', '/v1/invoices', { totalAmount: 5_000, store: { name: 'Shop' }, reference: 'i1' });
  await api('POST', '/v1/campaigns', { name: 'c', text: 'Bonjour', reference: 'c1' });
  await (await request(`${urls.webhooks}/callbacks/nobody`, { method: 'POST', body: '{}' })).body.dump();
  const paid = async () =>
    ((await api('GET', '/v1/disbursements?state=succeeded'))['items'] as unknown[]).length === 5;
  await until('five are paid', paid, 20_000);
  await api('POST', '/v1/accounts/main/stop', {});
  return async () => {
    receiver.close();
    receiver.closeAllConnections();
  };
}
