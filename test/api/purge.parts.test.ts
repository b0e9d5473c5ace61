import { Queue, QueueEvents } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IntakeJobs } from '../../src/queues/intake-jobs.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ DEFAULT_COUNTRY: 'SN' });
});
afterAll(() => service.stop());

const AWA = '+221771234567';
const OTHER = '+221771234599';

let made = 0;
async function ready(csv: string): Promise<string> {
  made += 1;
  const body = { name: 'test', text: 'Bonjour {{prenom}}', reference: `purge-${made}` };
  const { body: campaign } = await service.call('POST', '/v1/campaigns', { body });
  const headers = { 'content-type': 'text/csv' };
  await service.call('POST', `/v1/campaigns/${campaign.id}/recipients`, { body: csv, headers });
  return campaign.id;
}
const start = (id: string) => service.call('POST', `/v1/campaigns/${id}/start`);
const ended = (id: string) => service.until(`/v1/campaigns/${id}`, ({ state }) => state === 'finished');
const csv = `numero;prenom\n${AWA};Awa Secret\n${OTHER};Binta\n77 123 45 67;Awa Again`;

async function purge(phone: string): Promise<Record<string, any>[]> {
  const pages = [];
  for (let after: string | undefined; ; ) {
    const { status, body } = await service.call('POST', '/v1/purge', {
      body: { phone, ...(after ? { after } : {}) },
    });
    expect(status).toBe(200);
    pages.push(body);
    if (body.next === undefined) return pages;
    after = body.next;
  }
}
const total = (pages: Record<string, any>[], name: string): number =>
  pages.reduce((sum, page) => sum + (page['found'][name] ?? page[name]), 0);

/** Every row of the ledger, as one text. */
async function everything(): Promise<string> {
  const { schema } = service.ledger;
  const tables = await service.ledger.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = '${schema}' and table_type = 'BASE TABLE'`,
  );
  const rows = tables.map(({ name }) =>
    service.ledger.query<{ all: unknown }>(`select jsonb_agg(to_jsonb(t)) as all from ${schema}."${name}" t`),
  );
  return JSON.stringify(await Promise.all(rows));
}

test('an erased person is stored nowhere, still gets no SMS, and the statuses still sum', async () => {
  const sent = await ready(csv);
  await start(sent);
  await ended(sent);
  const waiting = await ready(csv);
  await service.call('POST', '/v1/messages', { body: { to: AWA, text: 'only for Awa Secret', reference: 'm-1' } });
  await service.until('/v1/events?types=message.sent', ({ events }) => events.length === 1);
  await service.call('POST', '/v1/opt-outs', { body: { phones: [AWA] } });

  const pages = await purge('77 123 45 67');
  expect(['messages', 'recipients', 'open'].map((name) => total(pages, name))).toEqual([1, 4, 0]);
  expect(pages[0]).toMatchObject({ found: { optOuts: 1 }, kept: expect.stringContaining('Disbursements') });
  // The remaining data of an SMS expires, as the answer says.
  expect(pages[0]?.['kept']).toContain('72 hours');
  expect(pages[0]?.['phone']).not.toContain('1234567');
  const kept = await everything();
  expect([kept.includes('771234567'), kept.includes('Awa Secret'), kept.includes('Binta')]).toEqual([
    false,
    false,
    true,
  ]);

  const { body } = await service.call('GET', `/v1/campaigns/${sent}/recipients`);
  const names = body.items.map(({ to }: { to: string }) => to);
  expect(names).toEqual([expect.stringMatching(/^purged-/), OTHER, names[0]]);
  await start(waiting);
  expect((await ended(waiting)).totals).toMatchObject({ total: 3, sent: 1, skipped: 2, queued: 0 });
  const rows = await service.call('GET', `/v1/campaigns/${waiting}/recipients?state=skipped`);
  expect(rows.body.items.map(({ reason }: { reason: string }) => reason)).toEqual(['purged', 'duplicate']);

  const later = await ready(`numero;prenom\n${AWA};Awa\n+221771234598;Coumba`);
  await start(later);
  expect((await ended(later)).totals).toMatchObject({ sent: 1, skipped: 1 });
});

test('an invalid number is refused', async () => {
  expect((await service.call('POST', '/v1/purge', { body: { phone: '12' } })).status).toBe(422);
});

/** A connection without a key prefix. */
function bare(): Redis {
  const { host = '', port = 0, db = 0 } = service.redis.options;
  return new Redis({ host, port, db });
}

/** Every key with the prefix, including BullMQ's. */
async function allOf(): Promise<string> {
  const client = bare();
  const found: unknown[] = [];
  for (const key of await client.keys('*')) {
    const type = await client.type(key);
    if (type === 'hash') found.push(key, await client.hgetall(key));
    if (type === 'list') found.push(key, await client.lrange(key, 0, -1));
    if (type === 'stream') found.push(key, await client.xrange(key, '-', '+'));
  }
  await client.quit();
  return JSON.stringify(found);
}

describe('requests that came by the queue', () => {
  const NUMBER = '+221771239876';
  let queue: Queue;
  let events: QueueEvents;
  beforeAll(async () => {
    const { host = '', port = 0, db = 0 } = service.redis.options;
    const options = { connection: { host, port, db }, prefix: '{relais}' };
    queue = new Queue('intake', options);
    events = new QueueEvents('intake', options);
    await events.waitUntilReady();
  });
  afterAll(async () => {
    await events.close();
    await queue.close();
  });
  const text = 'Your code is 884417';

  test('contain nothing of their request after their end', async () => {
    const sent = await queue.add('request', { kind: 'message', to: NUMBER, text, lane: 'otp', reference: 'q-1' });
    const answer = await sent.waitUntilFinished(events, 10_000);
    const wrong = { kind: 'message', to: NUMBER, text: '', '884417': 1, quiet: NUMBER, [NUMBER]: text };
    const refused = await queue.add('request', wrong);
    await expect(refused.waitUntilFinished(events, 10_000)).rejects.toThrow('/text');
    const [one, other] = await Promise.all([sent, refused].map(({ id = '' }) => queue.getJob(id)));
    expect([one?.data, one?.returnvalue]).toEqual([answer, answer]);
    expect(other?.data).toMatchObject({ id: '', outcome: 'invalid', request: { kind: 'message' } });
    expect(other?.failedReason).toContain('/quiet');
    await service.until('/v1/events?types=message.sent', ({ events: told }) => told.length >= 2);
    const written = await allOf();
    expect(written).not.toContain('884417');
    const jobs = JSON.stringify([one, other]);
    expect(jobs).not.toContain('1239876');
  });

  test('are erased in time on a quiet queue', async () => {
    const client = bare();
    const old = await queue.getJobs(['completed', 'failed']);
    for (const state of ['completed', 'failed'])
      for (const id of await client.zrange(queue.toKey(state), '0', '-1'))
        await client.zadd(queue.toKey(state), '1', id);
    for (const { id } of old)
      await client.hset(queue.toKey(id ?? ''), { timestamp: '1', finishedOn: '1', processedOn: '1' });
    await client.quit();
    await new IntakeJobs(queue).forgetOld();
    expect([old.length > 0, await queue.getJobs(['completed', 'failed'])]).toEqual([true, []]);
  });

  test('and have not been taken are erased with the person, except payments', async () => {
    await service.drain();
    await queue.add('request', { kind: 'message', to: '77 123 98 76', text });
    await queue.add('request', { kind: 'message', to: OTHER, text: 'hello' });
    await queue.add('request', { kind: 'disbursement', accountAlias: '771239876', amount: 5 });
    const jobs = new IntakeJobs(queue);
    const isAbout = (words: string): boolean => words.replace(/[ +]/g, '').includes('771239876');
    const { removed, open, next } = await jobs.forget(isAbout);
    expect([removed, open]).toEqual([1, 1]);
    expect(await jobs.forget(isAbout, { from: next ?? 0 })).toMatchObject({ looked: 0, removed: 0 });
    const left = await queue.getJobs(['waiting']);
    expect(new Set(left.map(({ data }) => data.kind))).toEqual(new Set(['disbursement', 'message']));
  });
});
