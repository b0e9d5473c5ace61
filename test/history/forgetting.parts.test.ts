/** Who is forgotten is forgotten in history too: what left, the recipients, and the file that is kept for a draft. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { copyOf } from '../../src/history/rows.ts';
import { HistoryStore } from '../../src/history/store.ts';
import { recipientTable } from '../../src/kinds/tables.ts';
import { fingerprint } from '../../src/lib/ids.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { keys } from '../../src/operations/keys.ts';
import { acceptMessages } from '../../src/operations/messages.ts';
import { type FreshPostgres, freshPostgres } from '../support/fresh-postgres.ts';
import { type Service, startService } from '../support/service.ts';
import { historyWorld, PAID, trimmerOf, writerOf } from './history-world.ts';

const AWA = '+221771000000';
const OTHER = '+221771234599';
const DAY_MS = 86_400_000;
const NOON = Date.parse('2026-11-01T12:00:00Z');

let database: FreshPostgres;
let service: Service;
beforeEach(async () => {
  database = await freshPostgres();
});
afterEach(async () => {
  await service.stop();
  await database.close();
});

async function serve(url: string): Promise<void> {
  // The payment below is led to its end by hand, and a worker would take it.
  service = await startService({ DEFAULT_COUNTRY: 'SN', HISTORY_URL: url }, { roles: ['api'] });
}

interface Purged {
  readonly status: number;
  readonly after: string | undefined;
  readonly found: Readonly<Record<string, number>>;
  readonly [more: string]: unknown;
}

async function purge(phone: string): Promise<Purged[]> {
  const pages: Purged[] = [];
  for (let after: string | undefined; ; ) {
    const { status, body } = await service.call('POST', '/v1/purge', { body: { phone, ...(after && { after }) } });
    pages.push({ status, after, ...body });
    if (status !== 200 || body.next === undefined) return pages;
    after = body.next;
  }
}

const total = (pages: readonly Purged[], name: string): number =>
  pages.reduce((sum, page) => sum + (page.found[name] ?? 0), 0);

/** A message and a payment that left Redis, and the recipients of two days. */
async function whatLeft(): Promise<void> {
  const { redis } = service;
  let now = NOON;
  const world = historyWorld(redis, NOON);
  const writer = () => {
    const after = { disbursement: DAY_MS, message: DAY_MS };
    return writerOf(redis, () => database.url, {
      trimmer: trimmerOf(redis, world.operations, { now: () => now, after }),
    });
  };
  const pass = async (): Promise<void> => {
    const one = writer();
    await redis.del(keys.historyTurn);
    await one.pass();
    await one.close();
  };
  const one = { id: 'msg_a', fingerprint: fingerprint('a'), to: AWA, text: 'Bonjour Awa Secret' };
  const slice = { id: 'slc_1', account: 'main', lane: 'normal', dueInMs: 0 } as const;
  await acceptMessages(redis, slice, [one], { now: () => now });
  await redis.hset(keys.record('msg_a'), 'state', 'sent');
  await redis.zrem(keys.listed('message', 'main', 'queued'), 'msg_a');
  await redis.zadd(keys.listed('message', 'main', 'sent'), NOON, 'msg_a');
  await redis.zadd(keys.historyWaiting, 0, 'msg_a');
  await world.accept('dsb_a');
  await world.go('dsb_a', ...PAID);
  await pass();
  now = NOON + 8 * DAY_MS;
  world.turnTo(now);
  for (const id of ['msg_a', 'dsb_a']) while ((await redis.exists(keys.record(id))) === 1) await pass();
  await redis.del(keys.record('slc_1'));
  const options = { url: database.url, newName: () => systemRandom.hex(8), timezone: 'UTC' };
  const store = await HistoryStore.open(options, () => undefined);
  const person = { campaign: 'cmp_1', account: 'main', rev: 1, state: 'sent', values: ['Awa Secret', 'x'] };
  const leftOut = { campaign: 'cmp_1', account: 'main', rev: 0, state: 'skipped', reason: 'repeated' };
  await store.write([
    copyOf(recipientTable, [
      { ...person, slice: 'cmp_1.0', place: 0, row: 2, to: AWA, createdAt: NOON },
      { ...person, slice: 'cmp_1.0', place: 1, row: 3, to: OTHER, values: ['Binta', 'y'], createdAt: NOON },
      {
        ...person,
        slice: 'cmp_1.0',
        place: 2,
        row: 4,
        to: OTHER,
        values: ['Coumba'],
        own: ['77 100 00 00', 'Rue 5'],
        createdAt: NOON,
      },
      { ...leftOut, slice: 'cmp_1.ab', place: 0, row: 5, to: '77 100 00 00', own: ['Awa Secret'], createdAt: NOON },
      { ...leftOut, slice: 'cmp_1.ab', place: 1, row: 6, to: '771000000.0', createdAt: NOON },
      { ...leftOut, slice: 'cmp_1.ab', place: 2, row: 7, to: '77 100 00 00 / 70 111 22 33', createdAt: NOON },
      {
        ...person,
        slice: 'cmp_1.0',
        place: 3,
        row: 8,
        to: OTHER,
        values: ['Fatou'],
        own: ['appeler 77 100 00 00 demain a 10h'],
        createdAt: NOON,
      },
      { ...person, slice: 'cmp_2.0', place: 0, row: 2, to: AWA, createdAt: NOON + DAY_MS },
    ]),
  ]);
  await store.close();
}

const everything = async (table: string): Promise<string> =>
  JSON.stringify(await database.query(`select * from relais.${table}`));

test('what left and the recipients lose the number and the words; money keeps its number, and is not found by it', async () => {
  await serve(database.url);
  await whatLeft();
  expect(await everything('messages')).toContain('Awa Secret');
  const pages = await purge('77 100 00 00');
  expect(pages.at(-1)).toMatchObject({ status: 200 });
  expect([total(pages, 'messages'), total(pages, 'recipients')]).toEqual([1, 7]);
  for (const table of ['messages', 'recipients']) {
    expect(await everything(table)).not.toMatch(/771000000|77 100 00 00|Secret/);
    expect(await everything(table)).toContain('purged-');
  }
  expect(await everything('recipients')).toContain('Binta');
  expect(await everything('recipients')).toContain('Rue 5');
  const money = await database.query<{ account_alias: string; names: string[] }>(
    'select account_alias, names from relais.disbursements',
  );
  expect(money).toMatchObject([{ account_alias: '771000000', names: ['d:dsb_a'] }]);
  const audit = JSON.stringify(await service.redis.xrange(keys.audit, '-', '+'));
  expect(audit).toContain('recipients_2026_11_02');
  expect(audit).not.toContain('771000000');
  expect(total(await purge(AWA), 'recipients'), 'once').toBe(0);
});

test('history that is away is said, and the walk goes on where it was', async () => {
  await serve('postgres://127.0.0.1:1/none');
  const pages = await purge(AWA);
  expect(pages.at(-1)).toMatchObject({ status: 503, after: 'history-' });
  expect(pages.at(-1)?.['detail']).toContain('history is away');
});

test('the file that is kept for a draft is dropped where the person is in it, and no other', async () => {
  await serve('');
  const draft = async (reference: string, csv: string): Promise<string> => {
    const body = { name: reference, text: 'Bonjour {{prenom}}', reference };
    const { body: campaign } = await service.call('POST', '/v1/campaigns', { body });
    const headers = { 'content-type': 'text/csv' };
    await service.call('POST', `/v1/campaigns/${campaign.id}/file?name=liste.csv`, { body: csv, headers });
    return campaign.id;
  };
  const [hers, others] = [
    await draft('hers', `numero;prenom\n77 100 00 00;Awa\n${OTHER};Binta\n`),
    await draft('others', `numero;prenom\n${OTHER};Binta\n`),
  ];
  const name = async (id: string) => (await service.call('GET', `/v1/campaigns/${id}/file`)).body.name;
  expect([await name(hers), await name(others)]).toEqual(['liste.csv', 'liste.csv']);
  // A workbook that nobody can read may have the person in it.
  const broken = await draft('broken', 'PK\u0003\u0004 and no more');
  expect(total(await purge(AWA), 'files')).toBe(2);
  expect(await name(broken)).toBeNull();
  expect([await name(hers), await name(others)]).toEqual([null, 'liste.csv']);
});
