/** A campaign that is over leaves Redis with all its people, reads as before, and sends to nobody again. */
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { KeptFiles } from '../../src/operations/kept-files.ts';
import { keys } from '../../src/operations/keys.ts';
import { Operations } from '../../src/operations/operations.ts';
import { setAsideFromHistory } from '../../src/operations/set-aside.ts';
import { Purge } from '../../src/operations/purge.ts';
import { type FreshPostgres, freshPostgres } from '../support/fresh-postgres.ts';
import { keysLike } from '../support/fresh-redis.ts';
import { type Service, startService } from '../support/service.ts';
import { trimmerOf, writerOf } from './history-world.ts';

const DAY_MS = 86_400_000;
/** Refused for the number itself: the sandbox answers ERROR_110 for the whole request. */
const POISON = '779999902';

let database: FreshPostgres;
let service: Service;
beforeAll(async () => {
  database = await freshPostgres();
  service = await startService({ DEFAULT_COUNTRY: 'SN', HISTORY_URL: database.url });
});
afterAll(async () => {
  await service.stop();
  await database.close();
});

interface Steps extends Pick<Parameters<typeof trimmerOf>[2], 'at'> {
  /** Between the comparison of all that leaves with it and the script that takes it out. */
  readonly beforeTaken?: () => Promise<unknown>;
}

/** Copies what waits, and takes out what is over, as if four days had gone by. */
async function pass({ beforeTaken, ...how }: Steps = {}): Promise<void> {
  const { redis } = service;
  const operations = new Operations({ redis, random: systemRandom });
  const now = (): number => systemClock.now() + 4 * DAY_MS;
  const trimmer = trimmerOf(redis, operations, {
    now,
    after: { campaign: 3 * DAY_MS, message: 3 * DAY_MS },
    ...how,
  });
  const take = trimmer.trimming.take.bind(trimmer.trimming);
  trimmer.trimming.take = async (...asked) => {
    await beforeTaken?.();
    return take(...asked);
  };
  const writer = writerOf(redis, () => database.url, { trimmer });
  await writer.pass();
  await writer.close();
}

let made = 0;
async function make(text = 'Bonjour {{prenom}}', more: object = {}): Promise<string> {
  made += 1;
  const body = { name: 'test', text: `${text} (${made})`, reference: `leaves-${made}`, ...more };
  return (await service.call('POST', '/v1/campaigns', { body })).body.id;
}
const upload = (id: string, body: string) =>
  service.call('POST', `/v1/campaigns/${id}/recipients`, { body, headers: { 'content-type': 'text/csv' } });

/** Two who get it, one who fails, one who is left out. */
async function finished(text?: string): Promise<string> {
  const id = await make(text);
  const to = (at: number): string => `77${String(3_000_000 + made * 100 + at)}`;
  await upload(
    id,
    `Client;Tel;prenom;Note\nC1;${to(1)};Awa;vu\nC2;${to(2)};Moussa;\nC3;${POISON};Fatou;x\tﬁ\nC4;12;Ali;à voir`,
  );
  await service.call('POST', `/v1/campaigns/${id}/start`);
  await service.until(`/v1/campaigns/${id}`, ({ state }) => state === 'finished');
  return id;
}

const isThere = async (id: string): Promise<boolean> => (await service.redis.exists(keys.record(id))) === 1;
const recipients = (id: string, query = '', headers = {}) =>
  service.call('GET', `/v1/campaigns/${id}/recipients${query}`, { headers });
const texts = async (): Promise<number> =>
  ((await service.books('messages')) as { text: string; times: number }[])
    .filter(({ text }) => text.endsWith(`(${made})`))
    .reduce((all, { times }) => all + times, 0);

async function readings(id: string) {
  const csv = await recipients(id, '', { accept: 'text/csv' });
  return {
    itself: (await service.call('GET', `/v1/campaigns/${id}`)).body,
    people: (await recipients(id)).body,
    failed: (await recipients(id, '?state=failed')).body,
    first: (await recipients(id, '?limit=2')).body,
    skipped: (await recipients(id, '?state=skipped')).body,
    csv: csv.body,
    story: (await service.call('GET', `/v1/explain/${id}`)).status,
    listed: (await service.call('GET', '/v1/campaigns')).body,
    texted: (await service.call('GET', `/v1/recipients?phone=${POISON}`)).body,
  };
}

test('a campaign that left reads as before, with its people and those who were left out', async () => {
  const id = await finished();
  const before = await readings(id);
  expect(before.people.items).toHaveLength(4);
  await pass();
  await pass();
  expect(await keysLike(service.redis, `*${id}*`)).toEqual([]);
  expect(await service.redis.zscore(keys.index('campaign'), id)).toBeNull();
  expect(await readings(id)).toEqual(before);
});

test.for([
  ['one who was sent to', 3],
  ['one who was left out', 5],
] as const)(
  '%s, whom PostgreSQL refuses, keeps the campaign in Redis, and nobody else from history',
  async ([, row]) => {
    await pass();
    const id = await finished();
    await database.query(`alter table relais.recipients add constraint refused
    check (campaign <> '${id}' or row_number <> ${row})`);
    const rows = async (): Promise<number[]> =>
      (
        await database.query<{ row: number }>(
          `select row_number::int as row from relais.recipients where campaign = '${id}' order by 1`,
        )
      ).map((one) => one.row);
    await pass();
    await pass();
    expect(await rows()).toEqual([2, 3, 4, 5].filter((one) => one !== row));
    expect(await isThere(id)).toBe(true);
    const { count, some } = await setAsideFromHistory(service.redis, 10);
    expect([count, some]).toMatchObject([
      1,
      [{ id: expect.stringContaining(id), why: expect.stringContaining('23514') }],
    ]);
    await database.query('alter table relais.recipients drop constraint refused');
    await pass();
    await pass();
    expect([await rows(), await isThere(id)]).toEqual([[2, 3, 4, 5], false]);
    expect((await setAsideFromHistory(service.redis, 1)).count).toBe(0);
  },
);

test.for([
  ['a row that was left out', 'skipped'],
  ['the time of a request', 'slice'],
] as const)(
  '%s, where it is damaged, keeps its campaign in Redis, and nothing else from history or from leaving',
  async ([, what]) => {
    const [torn, sound] = [await finished(), await finished()];
    const mend = what === 'slice' ? await tearSlice(torn) : await tearSkipped(torn);
    await pass();
    await pass();
    expect([await isThere(torn), await isThere(sound)]).toEqual([true, false]);
    const { count, some } = await setAsideFromHistory(service.redis, 10);
    expect([count, some]).toMatchObject([1, [{ id: expect.stringContaining(torn) }]]);
    await mend();
    await pass();
    await pass();
    expect([await isThere(torn), (await setAsideFromHistory(service.redis, 1)).count]).toEqual([false, 0]);
  },
);

/** Answers what mends it. */
async function tearSkipped(id: string): Promise<() => Promise<unknown>> {
  const [list = ''] = await keysLike(service.redis, `skipped:${id}*`);
  const row = (await service.redis.lindex(list, 0)) ?? '';
  await service.redis.lset(list, 0, row.slice(0, -1));
  return () => service.redis.lset(list, 0, row);
}

async function tearSlice(id: string): Promise<() => Promise<unknown>> {
  const [slice = ''] = await keysLike(service.redis, `${keys.record(id)}[.]*`);
  const fields = Object.entries(await service.redis.hgetall(slice)).filter(([name]) => /^r\d/.test(name));
  const torn = fields.map(([name, one]) => [name, one.replace(/^((?:[^,]*,){4})[^,]*/, '$1zzzzzzzzzzzzzz')]);
  await service.redis.hset(slice, Object.fromEntries(torn));
  return () => service.redis.hset(slice, Object.fromEntries(fields));
}

test('what left is sent to nobody again, and says what to do instead', async () => {
  const id = await finished();
  const sent = await texts();
  await pass();
  await pass();
  expect(await isThere(id)).toBe(false);
  const retry = await service.call('POST', `/v1/campaigns/${id}/retry`, { body: { includeUnknown: true } });
  expect([retry.status, retry.body.detail]).toEqual([
    409,
    expect.stringContaining('Create a campaign from the file of its failed recipients'),
  ]);
  for (const act of ['start', 'pause', 'resume', 'cancel']) {
    const { status, body } = await service.call('POST', `/v1/campaigns/${id}/${act}`);
    expect([act, status, body.detail]).toEqual([act, 409, expect.stringContaining('The campaign is finished')]);
  }
  const paced = await service.call('PATCH', `/v1/campaigns/${id}`, { body: { perSecond: 5 } });
  expect([paced.status, paced.body.detail]).toEqual([409, 'The campaign is finished, so it sends no more SMS.']);
  expect((await upload(id, 'to\n771000001')).status).toBe(409);
  expect(await isThere(id)).toBe(false);
  expect(await texts()).toBe(sent);
});

test('the reference of a campaign that left stays taken', async () => {
  const id = await finished();
  await pass();
  await pass();
  const body = { name: 'test', text: `Bonjour {{prenom}} (${made})`, reference: `leaves-${made}` };
  const again = await service.call('POST', '/v1/campaigns', { body });
  expect([again.status, again.headers['idempotency-replayed'], again.body.id, again.body.state]).toEqual([
    201,
    'true',
    id,
    'finished',
  ]);
  const other = await service.call('POST', '/v1/campaigns', { body: { ...body, text: 'Something else' } });
  expect(other.status).toBe(409);
  expect(await isThere(id)).toBe(false);
});

test('what is left unsent of a cancelled campaign is cancelled in history, and leaves with it', async () => {
  const id = await make();
  const rows = Array.from({ length: 600 }, (_, at) => `C${at};76${String(5_000_000 + at)};Awa`);
  await upload(id, ['Client;Tel;prenom', ...rows].join('\n'));
  await service.call('POST', `/v1/campaigns/${id}/cancel`);
  const before = await readings(id);
  await pass();
  await pass();
  expect(await keysLike(service.redis, `*${id}*`)).toEqual([]);
  expect(await readings(id)).toEqual(before);
  expect(
    await database.query(
      `select state, count(*)::int as many from relais.recipients where campaign = '${id}' group by 1`,
    ),
  ).toEqual([{ state: 'cancelled', many: 600 }]);
});

test.for([
  ['is gone', 'delete from relais.recipients'],
  ['says something else', "update relais.recipients set code = 'X'"],
])('a campaign of which a row in history %s stays whole, and leaves once it is copied anew', async ([, how]) => {
  const id = await finished();
  const places = Number(await service.redis.hget(keys.record(id), 'slices'));
  let once = true;
  const spoils = async (step: string): Promise<void> => {
    if (step !== 'compared' || !once) return;
    once = false;
    await database.query(`${how} where campaign = '${id}' and place = 1`);
  };
  await pass({ at: spoils });
  expect([await isThere(id), (await keysLike(service.redis, `op:${id}.*`)).length]).toEqual([true, places]);
  await pass();
  expect(await isThere(id)).toBe(false);
  expect((await recipients(id)).body.items).toHaveLength(4);
});

test('a retry that begins between the comparison and the trim keeps it there, and it goes on', async () => {
  const id = await finished();
  const begins = async (step: string): Promise<void> => {
    if (step !== 'compared') return;
    await service.call('POST', `/v1/campaigns/${id}/retry`, { body: {} });
  };
  await pass({ at: begins });
  expect(await isThere(id)).toBe(true);
  const again = await service.until(`/v1/campaigns/${id}`, ({ state }) => state === 'finished');
  expect(again).toMatchObject({ retries: 1, totals: { sent: 2, failed: 1 } });
  await pass();
  await pass();
  expect(await isThere(id)).toBe(false);
});

test('somebody who is forgotten after the comparison keeps the campaign there until history has that too', async () => {
  const id = await finished();
  const [{ to: phone }] = (await recipients(id)).body.items;
  const files = new KeptFiles({ redis: service.redis, random: systemRandom });
  const purge = new Purge(service.redis, { files });
  await pass({ beforeTaken: () => purge.page({ phone, reads: () => false }) });
  expect(await isThere(id)).toBe(true);
  await pass();
  await pass();
  expect(await isThere(id)).toBe(false);
  expect((await recipients(id)).body.items[0].to).toMatch(/^purged-/);
});

test('the link of a text whose campaign left is heard', async () => {
  const id = await finished('Bonjour {{prenom}}, stop: {{stop}}');
  await pass();
  await pass();
  expect(await isThere(id)).toBe(false);
  const sent = (await service.books('messages')) as { text: string; to: string }[];
  const { text = '', to } = sent.find(({ text: said }) => said.endsWith(`(${made})`)) ?? {};
  const link = /https?:\S+/.exec(text)?.[0] ?? '';
  const path = new URL(link).pathname;
  expect((await request(`${service.webhooks}${path}`, { method: 'POST' })).statusCode).toBe(200);
  const lists = await keysLike(service.redis, 'optouts:*');
  const numbers = await Promise.all(lists.map((list) => service.redis.smembers(list)));
  expect(numbers.flat()).toContain(String(to).replace('+', ''));
});

test('single messages leave with the slice that carried them, once the last of them has', async () => {
  const send = async (text: string): Promise<string> => {
    const { body } = await service.call('POST', '/v1/messages', { body: { to: '+221771112233', text } });
    const [{ id }] = body.items;
    await service.until(`/v1/messages/${id}`, ({ state }) => state === 'sent');
    return id;
  };
  const id = await send('Bonjour');
  await pass();
  await pass();
  expect(await isThere(id)).toBe(false);
  expect(await keysLike(service.redis, 'op:slc_*')).toEqual([]);
  expect((await service.call('GET', `/v1/messages/${id}`)).body.state).toBe('sent');
});
