/** In a separate process: libraries loaded by another test stay loaded in the shared one. */
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { freshLedger } from '../support/fresh-ledger.ts';
import { freshRedis } from '../support/fresh-redis.ts';
import { startRelais } from '../support/relais-process.ts';
import { relaisSettings } from '../support/relais-settings.ts';
import { KEYS, ask } from '../support/service.ts';
import { startTraceReceiver } from '../support/trace-receiver.ts';

const toClose: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of toClose.splice(0).toReversed()) await close();
});

/** A process that completes one payment: the libraries it loaded, and its data in Redis. */
async function payOne(settings: Readonly<Record<string, string>>) {
  const fresh = await freshRedis();
  toClose.push(() => fresh.close());
  const ledger = await freshLedger({ isNew: true });
  toClose.push(() => ledger.close());
  const sandbox = await startSandbox();
  toClose.push(() => sandbox.stop());
  // V8 writes every script of the process at its end: imported and required ones.
  const coverage = await mkdtemp(join(tmpdir(), 'relais-loaded-'));
  toClose.push(() => rm(coverage, { recursive: true }));
  const env = {
    ...relaisSettings({ ...sandbox, redisUrl: fresh.url, databaseUrl: ledger.url }),
    CALLBACK_SECRET: 'callback-secret',
    API_KEYS: KEYS,
    ...settings,
  };
  const relais = await startRelais({ ...env, NODE_V8_COVERAGE: coverage }, 'api,worker,webhooks');
  toClose.push(() => relais.stop());
  const orders = `${relais.urls['api']}/v1/disbursements`;
  const order = { accountAlias: '771234567', amount: 5_000, withdrawMode: 'wallet-a-senegal', reference: 'traced?' };
  const headers = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' };
  const { body } = await ask(orders, 'POST', { body: order, headers });
  const state = async (): Promise<unknown> => (await ask(`${orders}/${body.id}`, 'GET', {})).body.state;
  await vi.waitUntil(async () => (await state()) === 'succeeded', { timeout: 60_000, interval: 25 });
  const [recorded] = await ledger.query<{ trace: string | null }>(
    `select trace from relais.operation where id = '${body.id}'`,
  );
  await relais.stop();
  const written = await Promise.all((await readdir(coverage)).map((file) => readFile(join(coverage, file), 'utf8')));
  const loaded = written.flatMap((text) =>
    (JSON.parse(text) as { result: { url: string }[] }).result.map(({ url }) => url),
  );
  return { trace: recorded?.trace ?? null, loaded };
}

// `api` comes with prom-client.
const libraries = (loaded: readonly string[]): readonly string[] =>
  loaded.filter((url) => /@opentelemetry\/(?!api\/)/.test(url));

test('traces that are off cost nothing: no library, and no byte of a record', async () => {
  const { trace, loaded } = await payOne({});
  expect(trace).toBeNull();
  expect(libraries(loaded)).toEqual([]);
  expect(loaded.filter((url) => url.includes('bullmq')).length).toBeGreaterThan(0);
});

test('traces that are on load the libraries, and are stored with the record', async () => {
  const receiver = await startTraceReceiver();
  toClose.push(() => receiver.close());
  const { trace, loaded } = await payOne({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
  expect(trace).not.toBeNull();
  expect(libraries(loaded).length).toBeGreaterThan(0);
});
