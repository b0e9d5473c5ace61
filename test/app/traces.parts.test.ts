/** Traces as a receiver gets them. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, connect, createServer as createSocketServer } from 'node:net';
import { Queue } from 'bullmq';
import { afterEach, expect, test, vi } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { freshLedger } from '../support/fresh-ledger.ts';
import { freshRedis } from '../support/fresh-redis.ts';
import { startRelais } from '../support/relais-process.ts';
import { relaisSettings } from '../support/relais-settings.ts';
import { KEYS, type Service, ask, startService } from '../support/service.ts';
import { type SeenSpan, type TraceReceiver, startTraceReceiver, treeOf } from '../support/trace-receiver.ts';

const toClose: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of toClose.splice(0).toReversed()) await close();
});

const CALLER = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const TRACEPARENT = `00-${CALLER.traceId}-${CALLER.spanId}-01`;
const ORDER = { accountAlias: '771234567', amount: 5_000, withdrawMode: 'wallet-a-senegal' };

interface Taken {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A caller's webhook endpoint. */
async function shop(): Promise<{ readonly url: string; readonly taken: readonly Taken[] }> {
  const taken: Taken[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (part: Buffer) => (text += part.toString()));
    request.on('end', () => {
      taken.push({ headers: request.headers, text });
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  toClose.push(async () => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/of-the-shop`, taken };
}

/** Records every byte sent to the provider. */
async function wire(): Promise<{ readonly url: string; readonly heard: () => string; leadTo(url: string): void }> {
  let port = 0;
  let heard = '';
  const server = createSocketServer((ours) => {
    const theirs = connect(port, '127.0.0.1');
    for (const socket of [ours, theirs]) socket.on('error', () => undefined);
    ours.on('data', (part) => (heard += part.toString('latin1')));
    ours.pipe(theirs).pipe(ours);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  toClose.push(async () => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, heard: () => heard, leadTo: (to) => (port = Number(new URL(to).port)) };
}

interface Traced {
  readonly service: Service;
  readonly receiver: TraceReceiver;
}

async function startTraced(env: Readonly<Record<string, string>> = {}): Promise<Traced> {
  const receiver = await startTraceReceiver();
  toClose.push(() => receiver.close());
  // The poll interval is so long that the callback triggers the check.
  const service = await startService({
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    ALLOW_LOOPBACK_ENDPOINTS: 'on',
    DISBURSEMENT_POLL: '10m',
    ...env,
  });
  toClose.push(() => service.stop());
  return { service, receiver };
}

const pay = (service: Service, reference: string, headers: Readonly<Record<string, string>> = {}) =>
  service.call('POST', '/v1/disbursements', { body: { ...ORDER, reference }, headers });

const named = (spans: readonly SeenSpan[], name: string) => spans.filter((span) => span.name === name);

test('one trace leads from the request over the callback to the signed delivery', async () => {
  const { service, receiver } = await startTraced();
  const { url, taken } = await shop();
  await service.call('POST', '/v1/event-endpoints', { body: { url } });

  const { body } = await pay(service, 'traced', { traceparent: TRACEPARENT });
  const all = await receiver.seen((spans) => named(spans, 'POST event').length > 0);

  const spans = all.filter(({ traceId }) => traceId === CALLER.traceId);
  expect(treeOf(spans)).toBe(
    [
      'POST /v1/disbursements',
      '  send disbursement',
      '    process disbursement',
      '      POST disbursement_create',
      '      POST disbursement_submit',
      '    POST /cb/disbursement',
      '    process status-poll',
      '      POST disbursement_status',
      '    POST event',
    ].join('\n'),
  );
  expect(named(spans, 'POST /v1/disbursements')).toMatchObject([
    { parentSpanId: CALLER.spanId, kind: 2, attributes: { 'http.response.status_code': 202 } },
  ]);
  expect(named(spans, 'process status-poll')).toMatchObject([
    {
      kind: 5,
      isRed: false,
      attributes: {
        'messaging.system': 'bullmq',
        'messaging.destination.name': 'status-poll',
        'relais.id': body.id,
        'relais.outcome': 'ended',
        'relais.reason': 'succeeded',
      },
    },
  ]);
  // The trace continues in the caller's programs.
  const [delivery] = named(spans, 'POST event');
  const { events } = (await service.call('GET', '/v1/events')).body;
  expect(taken).toMatchObject([
    { headers: { traceparent: `00-${CALLER.traceId}-${delivery?.spanId}-01`, 'webhook-id': events[0].id } },
  ]);
  expect(taken[0]?.headers['webhook-signature']).toMatch(/^v1,/);
});

test('the provider gets no trace context, and no trace has a number, an amount, a name of the caller or an address', async () => {
  const toService = await wire();
  const { service, receiver } = await startTraced({ SERVICE_BASE_URL: toService.url });
  toService.leadTo(service.sandbox.base);
  const { url } = await shop();
  await service.call('POST', '/v1/event-endpoints', { body: { url } });
  await pay(service, 'order-of-awa', { traceparent: TRACEPARENT });
  await service.call('GET', '/v1/disbursements?phone=%2B221771234567');
  await receiver.seen((spans) => named(spans, 'POST event').length > 0);

  expect(toService.heard()).toMatch(/service-master-key/i);
  expect(toService.heard()).not.toMatch(/traceparent|tracestate|4bf92f3577b34da6/i);
  // Times are long numbers, and contain any short one.
  const told = JSON.stringify(receiver.spans().map(({ name, attributes }) => [name, attributes]));
  for (const secret of ['771234567', '5000', 'order-of-awa', 'of-the-shop', 'maker', '/cb/d/', 'whsec_']) {
    expect(told).not.toContain(secret);
  }
});

async function traceOf({ ledger }: Service, id: string): Promise<string | null> {
  const [row] = await ledger.query<{ trace: string | null }>(`select trace from relais.operation where id = '${id}'`);
  return row?.trace ?? null;
}

test('a caller without a trace is not traced, nor is an unknown client', async () => {
  const { service, receiver } = await startTraced();
  const { body } = await pay(service, 'unsampled', { traceparent: TRACEPARENT.replace(/01$/, '00') });
  await service.until(`/v1/disbursements/${body.id}`, ({ state }) => state === 'succeeded');
  await service.call('GET', '/v1/disbursements', { key: 'nobodys', headers: { traceparent: TRACEPARENT } });
  expect(await traceOf(service, body.id)).toBeNull();
  await service.drain();
  expect(receiver.spans().filter(({ traceId }) => traceId === CALLER.traceId)).toEqual([]);
});

test('a share of the requests is traced, as it was asked for', async () => {
  const { service, receiver } = await startTraced({ OTEL_TRACES_SAMPLER_ARG: '0' });
  await pay(service, 'of-nobody');
  await pay(service, 'of-the-caller', { traceparent: TRACEPARENT });
  await receiver.seen((spans) => named(spans, 'process status-poll').length > 0);
  await service.drain();
  expect(new Set(receiver.spans().map(({ traceId }) => traceId))).toEqual(new Set([CALLER.traceId]));
});

test('work hours later is a trace of its own, which links to that of the request', async () => {
  const { service, receiver } = await startTraced();
  const { body } = await pay(service, 'late', { traceparent: TRACEPARENT });
  await service.until(`/v1/disbursements/${body.id}`, ({ state }) => state === 'succeeded');
  await receiver.seen((spans) => named(spans, 'process status-poll').length > 0);
  // As if the request had been made two hours ago.
  const mark = Buffer.from((await traceOf(service, body.id)) ?? '', 'base64url');
  mark.writeUInt32BE(mark.readUInt32BE(24) - 7_200, 24);
  await service.ledger.query(
    `update relais.operation set trace = '${mark.toString('base64url')}', due_at = now() where id = '${body.id}'`,
  );

  const spans = await receiver.seen((all) => named(all, 'process status-poll').length > 1);

  const [producer] = named(spans, 'send disbursement');
  const late = named(spans, 'process status-poll').filter(({ traceId }) => traceId !== CALLER.traceId);
  expect(late).toMatchObject([{ parentSpanId: '', links: [`${CALLER.traceId}-${producer?.spanId}`] }]);
});

test('a payment released by a second person belongs to that person’s request, which links to the first', async () => {
  const { service, receiver } = await startTraced({ APPROVAL_ABOVE: '1000' });
  const { body } = await pay(service, 'approved', { traceparent: TRACEPARENT });
  await service.call('POST', `/v1/disbursements/${body.id}/approve`, { key: 'checker-secret', body: {} });
  const spans = await receiver.seen((all) => named(all, 'process status-poll').length > 0);
  const [approval] = named(spans, 'POST /v1/disbursements/{id}/approve');
  const [producer] = named(spans, 'send disbursement').concat(named(spans, 'accept disbursement'));
  expect(approval?.links).toEqual([`${CALLER.traceId}-${producer?.spanId}`]);
  expect(named(spans, 'process disbursement')).toMatchObject([{ parentSpanId: approval?.spanId }]);
});

test.each(['away', 'silent'] as const)(
  'a receiver that is %s holds up no payment, and no end of the process',
  async (how) => {
    const receiver = await startTraceReceiver('silent');
    if (how === 'away') await receiver.close();
    else toClose.push(() => receiver.close());
    const service = await startService({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, DRAIN_TIMEOUT: '2s' });
    toClose.push(() => service.stop());
    const ids = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => (await pay(service, `one-${n}`)).body.id),
    );
    for (const id of ids) await service.until(`/v1/disbursements/${id}`, ({ state }) => state === 'succeeded');
    if (how === 'silent') await vi.waitUntil(() => receiver.bodies.length > 0, { timeout: 10_000 });
    await service.drain();
  },
);

test('a log line names the trace, and the spans at the end of a process are sent', async () => {
  const receiver = await startTraceReceiver();
  toClose.push(() => receiver.close());
  const fresh = await freshRedis();
  toClose.push(() => fresh.close());
  const ledger = await freshLedger({ isNew: true });
  toClose.push(() => ledger.close());
  const sandbox = await startSandbox();
  toClose.push(() => sandbox.stop());
  const env = {
    ...relaisSettings({ ...sandbox, redisUrl: fresh.url, databaseUrl: ledger.url }),
    CALLBACK_SECRET: 'callback-secret',
    API_KEYS: KEYS,
    DISBURSEMENT_POLL: '10m',
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=shop%20of%20awa',
    OTEL_SERVICE_NAME: 'relais-of-the-shop',
  };
  const relais = await startRelais(env, 'api,worker,webhooks');
  toClose.push(() => relais.stop());
  const finished = (): Record<string, unknown>[] =>
    relais
      .written()
      .split('\n')
      .filter((line) => line.includes('"attempt finished"'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  await ask(`${relais.urls['api']}/v1/disbursements`, 'POST', {
    body: { ...ORDER, reference: 'logged' },
    headers: { traceparent: TRACEPARENT },
  });
  await vi.waitUntil(() => finished().length >= 2, { timeout: 20_000 });
  await relais.stop();

  const spans = receiver.spans();
  for (const line of finished().filter(({ did }) => did !== 'idle')) {
    const [span] = spans.filter(({ spanId }) => spanId === line['span_id']);
    expect(line['trace_id']).toBe(CALLER.traceId);
    expect(span?.name).toBe(`process ${String(line['queue'])}`);
  }
  expect(named(spans, 'process status-poll')).toHaveLength(1);
  expect(receiver.headers[0]).toMatchObject({ 'x-tenant': 'shop of awa' });
  expect(receiver.bodies[0]).toContain('relais-of-the-shop');
  expect(relais.written()).not.toContain('shop%20of%20awa');
});

test('the end of a campaign is in the trace of its start, and each request in one of its own', async () => {
  const { service, receiver } = await startTraced();
  const { url } = await shop();
  await service.call('POST', '/v1/event-endpoints', { body: { url, types: ['campaign.finished'] } });
  const asked = { name: 'c', text: 'Bonjour', country: 'SN', reference: 'traced-campaign' };
  const { body } = await service.call('POST', '/v1/campaigns', { body: asked });
  const numbers = Array.from({ length: 120 }, (_, n) => `77${String(2_000_000 + n)}`);
  await service.call('POST', `/v1/campaigns/${body.id}/recipients`, {
    body: ['numero', ...numbers].join('\n'),
    headers: { 'content-type': 'text/csv' },
  });
  const headers = { traceparent: TRACEPARENT };
  await service.call('POST', `/v1/campaigns/${body.id}/start`, { body: {}, headers });
  const spans = await receiver.seen((all) => {
    const ids = new Set(all.map(({ spanId }) => spanId));
    const requests = named(all, 'POST sms_send');
    return named(all, 'POST event').length > 0 && requests.every(({ parentSpanId }) => ids.has(parentSpanId));
  });

  const ofStart = spans.filter(({ traceId }) => traceId === CALLER.traceId);
  const [start] = named(ofStart, 'POST /v1/campaigns/{id}/start');
  expect(start).toMatchObject({ parentSpanId: CALLER.spanId });
  expect(named(ofStart, 'POST event')).toMatchObject([{ parentSpanId: start?.spanId }]);
  // A hundred and twenty recipients in three requests: recipients have no spans.
  const requests = named(spans, 'POST sms_send');
  expect(requests).toHaveLength(3);
  const batches = requests.map(({ parentSpanId }) => spans.find(({ spanId }) => spanId === parentSpanId));
  for (const batch of batches) {
    expect(batch).toMatchObject({
      name: 'process sms-batch',
      parentSpanId: '',
      links: [`${CALLER.traceId}-${start?.spanId}`],
      attributes: { 'relais.campaign': body.id, 'messaging.destination.name': 'sms-batch' },
    });
  }
  expect(new Set(batches.map((batch) => batch?.traceId)).size).toBe(3);
  expect(JSON.stringify(spans.map(({ attributes }) => attributes))).not.toMatch(/772000|Bonjour/);
});

test('a job that a traced program added is in the trace of that program', async () => {
  const { service, receiver } = await startTraced();
  const queue = new Queue('intake', {
    connection: { url: service.redisUrl },
    prefix: '{relais}',
  });
  toClose.push(() => queue.close());
  // bullmq-otel's data in a job.
  const telemetry = { metadata: JSON.stringify({ traceparent: TRACEPARENT }) };
  await queue.add('pay', { kind: 'disbursement', ...ORDER, reference: 'by-a-job' }, { telemetry });
  const all = await receiver.seen((spans) => named(spans, 'process status-poll').length > 0);
  const [first, second, third] = treeOf(all.filter(({ traceId }) => traceId === CALLER.traceId)).split('\n');
  expect([first, second, third]).toEqual(['process intake', '  send disbursement', '    process disbursement']);
});
