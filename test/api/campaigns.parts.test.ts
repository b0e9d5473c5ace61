import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Service, ask, startService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  // Few requests at a time, so that there is something left to pause and to cancel.
  service = await startService({ WORKER_CONCURRENCY: '8' });
});
afterEach(async () => {
  await service.control('DELETE', '/faults');
  await service.control('POST', '/settings', { latencyMs: 0 });
});
afterAll(() => service.stop());

const CSV = { 'content-type': 'text/csv' };

/** `count` people with numbers of Senegal, in the spelling of a spreadsheet. */
const people = (count: number, first = 0): string =>
  [
    'numero;prenom',
    ...Array.from({ length: count }, (_, n) => `77${String(1_000_000 + first + n)};Awa ${first + n}`),
  ].join('\n');

let made = 0;
async function campaign(more: object = {}): Promise<string> {
  made += 1;
  // The number in the text tells the books of one test from those of another.
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
const bins = ({ totals: { total, ...rest } }: { totals: Record<string, number> }): [number, number] => [
  total ?? 0,
  Object.values(rest).reduce((sum, count) => sum + count, 0),
];

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

/** How often each text of the last campaign went out. */
async function sentTimes(): Promise<number[]> {
  const books = (await service.books('messages')) as { items?: Message[] } | Message[];
  const messages = Array.isArray(books) ? books : (books.items ?? []);
  return messages.filter(({ text }) => text.endsWith(`(${made})`)).map(({ times }) => times);
}

interface Message {
  readonly text: string;
  readonly times: number;
}

test('everybody in the file is texted once, or skipped with a reason', async () => {
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

  test('several uploads append, and nobody is in twice', async () => {
    const id = await campaign();
    await upload(id, people(60));
    const second = await upload(id, people(60, 30));
    expect([second.body.recipients, second.body.skipped]).toEqual([30, 30]);
    await act(id, 'start');
    expect((await ended(id)).totals).toMatchObject({ total: 120, sent: 90, skipped: 30 });
    expect(await sentTimes()).toEqual(Array.from({ length: 90 }, () => 1));
  });

  test('two uploads at the same time do not mix: one counts, the other is told to come again', async () => {
    const id = await campaign();
    const answers = await Promise.all([upload(id, people(200)), upload(id, people(200, 500))]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    await act(id, 'start');
    const done = await ended(id);
    expect(done.totals).toMatchObject({ total: 200, sent: 200 });
    const names = (await rows(id)).map(({ to }) => Number(to.slice(-3)) >= 500);
    expect(new Set(names).size).toBe(1);
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

  test('what is no recipients file is refused by its type', async () => {
    expect((await upload(await campaign(), '{}', { 'content-type': 'application/xml' })).status).toBe(415);
  });
});

test('a campaign without recipients does not start', async () => {
  const { status, body } = await act(await campaign(), 'start');
  expect([status, body.detail]).toEqual([409, expect.stringContaining('recipients')]);
});

describe('pause, resume, cancel', () => {
  test('paused means that nothing more leaves; resumed, everybody is texted once', async () => {
    await service.control('POST', '/settings', { latencyMs: 40 });
    const id = await campaign();
    await upload(id, people(2_000));
    await act(id, 'start');
    await service.until(`/v1/campaigns/${id}`, ({ totals }) => totals.sent > 0);
    expect((await act(id, 'pause')).body.state).toBe('paused');
    const paused = await service.until(`/v1/campaigns/${id}`, ({ totals }) => totals.sending === 0);
    expect(paused.state).toBe('paused');
    expect(bins(paused)[0]).toBe(bins(paused)[1]);
    await act(id, 'resume');
    expect((await ended(id)).totals).toMatchObject({ total: 2_000, sent: 2_000 });
    expect(await sentTimes()).toEqual(Array.from({ length: 2_000 }, () => 1));
  });

  test('cancelled means that only what was in flight still leaves, and the bins sum to the upload', async () => {
    await service.control('POST', '/settings', { latencyMs: 40 });
    const id = await campaign();
    await upload(id, people(5_000));
    await act(id, 'start');
    await service.until(`/v1/campaigns/${id}`, ({ totals }) => totals.sent > 0);
    await act(id, 'cancel');
    const cancelled = await service.until(`/v1/campaigns/${id}`, ({ totals }) => totals.sending === 0);
    expect(cancelled.state).toBe('cancelled');
    expect(bins(cancelled)[0]).toBe(bins(cancelled)[1]);
    expect(cancelled.totals.cancelled).toBeGreaterThan(0);
    expect((await sentTimes()).length).toBe(cancelled.totals.sent);
    expect(await rows(id, '&state=cancelled')).toHaveLength(cancelled.totals.cancelled);
    expect((await act(id, 'resume')).status).toBe(409);
  });
});

describe('unclear answers', () => {
  const fault = (name: string, more: object = {}) =>
    service.control('POST', '/faults', { fault: name, operation: 'sms.send', ...more });

  test.for([
    'resets the connection after doing the work',
    'answers 5000 after doing the work',
    'cuts its JSON',
    'answers HTML',
    'answers 5xx after doing the work',
  ])('%s: nobody is texted twice, and statistics tell who was', async (name) => {
    await fault(name, { count: 2 });
    const id = await campaign();
    await upload(id, people(200));
    await act(id, 'start');
    expect((await ended(id)).totals).toMatchObject({ total: 200, sent: 200, unknown: 0 });
    expect(await sentTimes()).toEqual(Array.from({ length: 200 }, () => 1));
  });

  test('a request that was never sent, as far as anybody can see, stays unknown and is never sent again', async () => {
    await fault('resets the connection before doing the work', { count: 1 });
    const id = await campaign();
    await upload(id, people(100));
    await act(id, 'start');
    expect((await ended(id)).totals).toMatchObject({ total: 100, sent: 50, unknown: 50 });
    expect((await sentTimes()).length).toBe(50);
    expect(await rows(id, '&state=unknown')).toHaveLength(50);
  });

  test('a part of a request that is missing in the answer is asked about', async () => {
    await fault('accepts only part of an SMS chunk', { count: 1 });
    const id = await campaign();
    await upload(id, people(50));
    await act(id, 'start');
    expect((await ended(id)).totals).toMatchObject({ total: 50, sent: 25, unknown: 25 });
  });

  test('a refused connection and a slow-down cost nothing: everybody is texted once', async () => {
    await fault('answers 429 with Retry-After', { count: 2 });
    const id = await campaign();
    await upload(id, people(100));
    await act(id, 'start');
    expect((await ended(id)).totals).toMatchObject({ total: 100, sent: 100 });
    expect(await sentTimes()).toEqual(Array.from({ length: 100 }, () => 1));
  });

  test('an expired token is renewed once, and the request is sent once', async () => {
    await fault('says the token expired', { count: 1 });
    const id = await campaign();
    await upload(id, people(60));
    await act(id, 'start');
    expect((await ended(id)).totals).toMatchObject({ sent: 60 });
    expect(await sentTimes()).toEqual(Array.from({ length: 60 }, () => 1));
  });

  test('an empty balance stops the campaign instead of burning it; resumed, it goes on', async () => {
    await fault('says the SMS balance is insufficient', { count: 1 });
    await service.control('POST', '/settings', { latencyMs: 20 });
    const id = await campaign();
    await upload(id, people(3_000));
    await act(id, 'start');
    const held = await service.until(
      `/v1/campaigns/${id}`,
      ({ state, totals }) => state === 'held' && totals.sending === 0,
    );
    expect(held.totals.queued).toBeGreaterThan(0);
    const { body } = await service.call('GET', '/v1/accounts');
    expect(body.items[0].held).toMatchObject([{ area: 'messaging', reason: 'funds' }]);
    await act(id, 'resume');
    const done = await ended(id);
    expect(bins(done)[0]).toBe(bins(done)[1]);
    expect((await service.call('GET', '/v1/accounts')).body.items[0].held).toEqual([]);
    expect(Math.max(...(await sentTimes()))).toBe(1);
  });
});

test('recipients come out as a CSV that a spreadsheet may open', async () => {
  const id = await campaign();
  await upload(id, `${people(1)}\n=1+1;Formule`);
  const answer = await service.call('GET', `/v1/campaigns/${id}/recipients`, { headers: { accept: 'text/csv' } });
  expect(answer.body).toContain("'=1+1");
  expect(answer.body).toContain("'+221771000000");
});
