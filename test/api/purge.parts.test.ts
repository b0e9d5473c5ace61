import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startService } from '../support/service.ts';
import { keysLike } from '../support/fresh-redis.ts';

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
    if (body.next === null) return pages;
    after = body.next;
  }
}
const total = (pages: Record<string, any>[], name: string): number =>
  pages.reduce((sum, page) => sum + page[name], 0);

/** Whatever Redis holds under our keys, as one text. Upstream's books and BullMQ's own are not ours to look at. */
async function everything(): Promise<string> {
  const found: unknown[] = [];
  for (const key of await keysLike(service.redis, '*')) {
    const type = await service.redis.type(key);
    if (type === 'hash') found.push(await service.redis.hgetall(key));
    if (type === 'list') found.push(await service.redis.lrange(key, 0, -1));
    if (type === 'set') found.push(await service.redis.smembers(key));
    if (type === 'zset') found.push(await service.redis.zrange(key, '0', '-1'));
    if (type === 'string') found.push(await service.redis.get(key));
    if (type === 'stream') found.push(await service.redis.xrange(key, '-', '+'));
  }
  return JSON.stringify(found);
}

test('a forgotten person is written nowhere, is still not texted, and the bins still sum', async () => {
  const sent = await ready(csv);
  await start(sent);
  await ended(sent);
  const waiting = await ready(csv);
  await service.call('POST', '/v1/messages', { body: { to: AWA, text: 'only for Awa Secret', reference: 'm-1' } });
  await service.until('/v1/events?types=message.sent', ({ events }) => events.length === 1);
  await service.call('POST', '/v1/opt-outs', { body: { phones: [AWA] } });

  const pages = await purge('77 123 45 67');
  expect(['messages', 'recipients', 'rows', 'open'].map((name) => total(pages, name))).toEqual([1, 2, 2, 0]);
  expect(pages[0]).toMatchObject({ optOutKept: true, kept: expect.stringContaining('Disbursements') });
  // What stays of a text that was sent to them ends by itself, as they are told.
  expect(pages[0]?.['kept']).toContain('3 days');
  const marks = await keysLike(service.redis, 'texts:main:sent:*');
  const lifetimes = await Promise.all(marks.map((key) => service.redis.ttl(key)));
  expect([marks.length > 0, lifetimes.every((s) => s > 0 && s <= 3 * 86_400)]).toEqual([true, true]);
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

test('who may not forget a person is refused', async () => {
  for (const key of ['reader-secret', 'stranger-secret']) {
    expect((await service.call('POST', '/v1/purge', { body: { phone: AWA }, key })).status).toBe(403);
  }
  expect((await service.call('POST', '/v1/purge', { body: { phone: '12' } })).status).toBe(422);
});

test('a text in doubt keeps its number until it is over, and is counted', async () => {
  await service.control('POST', '/faults', {
    fault: 'resets the connection before doing the work',
    operation: 'sms.send',
    count: 1,
  });
  const number = '+221771234511';
  const id = await ready(`numero;prenom\n${number};Dior`);
  await start(id);
  await service.until(`/v1/campaigns/${id}`, ({ totals }) => totals.unknown === 1);
  const first = total(await purge(number), 'open');
  await ended(id);
  expect([first, total(await purge(number), 'recipients')]).toEqual([1, 1]);
  await service.control('DELETE', '/faults');
});
