import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Service, ask, startService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  // Few requests at a time, so that unsent ones remain to pause and to cancel.
  service = await startService({ WORKER_CONCURRENCY: '8' });
});
afterEach(async () => {
  await service.control('DELETE', '/faults');
  await service.control('POST', '/settings', { latencyMs: 0 });
});
afterAll(() => service.stop());

const CSV = { 'content-type': 'text/csv' };

/** `count` recipients with numbers of Senegal, in a spreadsheet's format. */
const people = (count: number, first = 0): string =>
  [
    'numero;prenom',
    ...Array.from({ length: count }, (_, n) => `77${String(1_000_000 + first + n)};Awa ${first + n}`),
  ].join('\n');

let made = 0;
async function campaign(more: object = {}): Promise<string> {
  made += 1;
  // The number in the text separates the records of the tests.
  const body = {
    name: 'test',
    text: `Bonjour {{prenom}} (${made})`,
    country: 'SN',
    reference: `campaign-${made}`,
    ...more,
  };
  const answer = await service.call('POST', '/v1/campaigns', { body });
  expect(answer.status).toBe(201);
  return answer.body.id;
}

const upload = (id: string, body: string, headers: Record<string, string> = CSV) =>
  service.call('POST', `/v1/campaigns/${id}/recipients`, { body, headers });
const act = (id: string, action: string) => service.call('POST', `/v1/campaigns/${id}/${action}`);
const ended = (id: string) => service.until(`/v1/campaigns/${id}`, ({ state }) => state === 'finished');

async function rows(
  id: string,
  query = '',
): Promise<{ to: string; state: string; code?: string; reason?: string }[]> {
  const all = [];
  for (let after = ''; ; ) {
    const { body } = await service.call('GET', `/v1/campaigns/${id}/recipients?limit=7${query}${after}`);
    all.push(...body.items);
    if (!body.next) return all;
    after = `&after=${body.next}`;
  }
}

/** How often each text of the last campaign was sent. */
async function sentTimes(): Promise<number[]> {
  const messages: Message[] = await service.books('messages');
  return messages.filter(({ text }) => text.endsWith(`(${made})`)).map(({ times }) => times);
}

interface Message {
  readonly text: string;
  readonly times: number;
}

test('every row of the file gets one SMS, or is skipped with a reason', async () => {
  const id = await campaign();
  const { status, body } = await upload(id, `${people(120)}\n123;Faux\n771000000;Double`);
  expect([status, body.recipients, body.skipped]).toEqual([200, 120, 2]);
  await act(id, 'start');
  const done = await ended(id);
  expect(done.totals).toMatchObject({ total: 122, sent: 120, skipped: 2, queued: 0 });
  expect(await sentTimes()).toEqual(Array.from({ length: 120 }, () => 1));
  const all = await rows(id);
  expect(all).toHaveLength(122);
  expect(all.filter(({ state }) => state === 'skipped').map(({ reason }) => reason)).toEqual([
    expect.any(String),
    'duplicate',
  ]);
  expect(await rows(id, '&state=skipped')).toHaveLength(2);
  expect(await rows(id, '&state=sent')).toHaveLength(120);
  expect((await ask(`${service.metrics}/metrics`, 'GET', { key: null })).body).toContain(
    'relais_messages_total{outcome="sent"} 120',
  );
  const { body: events } = await service.published('/v1/events?types=campaign.finished');
  expect(events.events.filter(({ data }: { data: { id: string } }) => data.id === id)).toMatchObject([
    { data: { totals: { total: 122, sent: 120 } } },
  ]);
});

describe('an upload counts whole or not at all', () => {
  test('the same bytes again are a replay', async () => {
    const id = await campaign();
    await upload(id, people(10));
    const again = await upload(id, people(10));
    expect([again.status, again.body.replayed, again.headers['idempotency-replayed']]).toEqual([200, true, 'true']);
    expect((await service.call('GET', `/v1/campaigns/${id}`)).body.totals.total).toBe(10);
  });

  test('a file without a column of numbers is refused, and the campaign stays as it was', async () => {
    const id = await campaign();
    const { status, body } = await upload(id, 'prenom;ville\nAwa;Dakar');
    expect([status, body.problems[0].message]).toEqual([422, expect.stringContaining('ville')]);
    expect((await service.call('GET', `/v1/campaigns/${id}`)).body).toMatchObject({
      state: 'draft',
      totals: { total: 0 },
    });
  });

  test('a file of another type is refused by its type', async () => {
    expect((await upload(await campaign(), '{}', { 'content-type': 'application/xml' })).status).toBe(415);
  });
});

test('a campaign without recipients does not start', async () => {
  const { status, body } = await act(await campaign(), 'start');
  expect([status, body.detail]).toEqual([409, expect.stringContaining('recipients')]);
});

test('recipients come out as a CSV that a spreadsheet may open', async () => {
  const id = await campaign();
  await upload(id, `${people(1)}\n=1+1;Formule`);
  const answer = await service.call('GET', `/v1/campaigns/${id}/recipients`, { headers: { accept: 'text/csv' } });
  expect(answer.body).toContain("'=1+1");
  expect(answer.body).toContain("'+221771000000");
});
