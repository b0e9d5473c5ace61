import { afterEach, beforeEach, expect, test } from 'vitest';
import { recipientsPage } from '../../src/campaigns/recipients.ts';
import { TooManyUploads, UPLOADS_MOST, uploadRecipients } from '../../src/campaigns/upload.ts';
import { seededRandom } from '../../src/lib/random.ts';
import { Campaigns, sliceAt, sliceId } from '../../src/operations/campaigns.ts';
import { keys } from '../../src/operations/keys.ts';
import { Operations } from '../../src/operations/operations.ts';
import { Queries } from '../../src/operations/queries.ts';
import { unpackItems } from '../../src/operations/slice-form.ts';
import { Slices } from '../../src/operations/slices.ts';
import type { CampaignRecord } from '../../src/operations/record.ts';
import { type FreshRedis, freshRedis, keysLike } from '../support/fresh-redis.ts';

let fresh: FreshRedis;
let campaign: CampaignRecord;
const random = seededRandom(1);

beforeEach(async () => {
  fresh = await freshRedis();
  const operations = new Operations({ redis: fresh.redis, random });
  await operations.accept({
    kind: 'campaign',
    id: 'cmp_1',
    account: 'main',
    state: 'draft',
    fingerprint: 'f',
    fields: { name: 'n', text: 'Bonjour {{prenom}}', country: 'SN' },
  });
  campaign = await read();
});
afterEach(() => fresh.close());

async function read(): Promise<CampaignRecord> {
  const record = await new Queries(fresh.redis).read('campaign', 'cmp_1');
  if (!record) throw new Error('the campaign has no record');
  return record;
}

async function* file(people = 60): AsyncGenerator<Uint8Array> {
  const rows = Array.from({ length: people }, (_, n) => `77${1_000_000 + n};Awa`);
  yield Buffer.from(['numero;prenom', ...rows].join('\n'));
}

test('a second upload that draws the tag of the first draws another, and the people of both are there', async () => {
  const drawn = ['ab', 'ab', 'cd'];
  const alike = { ...random, hex: () => drawn.shift() ?? '' };
  const slices = new Slices({ redis: fresh.redis, random });
  const options = { campaigns: new Campaigns(fresh.redis), slices, random: alike };
  expect(await uploadRecipients(campaign, file(60), options)).toMatchObject({ is: 'counted' });
  const other = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from('numero;prenom\n781234567;Ali');
  };
  expect(await uploadRecipients(await read(), other(), options)).toMatchObject({ is: 'counted' });
  const { uploads, totals } = await read();
  expect([uploads.map(({ tag }) => tag), totals.queued]).toEqual([['ab', 'cd'], 61]);
  const first = await slices.read(sliceId(campaign.id, 'ab', 0));
  expect(first && unpackItems(first).map(({ to }) => to)).toContain('+221771000000');
  expect(await fresh.redis.ttl(keys.record(sliceId(campaign.id, 'ab', 0)))).toBe(-1);
});

/** Everything as it is, but the answer of the commit never arrives. */
class AnswerLost extends Campaigns {
  override async commit(...args: Parameters<Campaigns['commit']>): Promise<boolean> {
    await super.commit(...args);
    throw new Error('Command timed out');
  }
}

test('a commit whose answer was lost keeps what it counted', async () => {
  const slices = new Slices({ redis: fresh.redis, random });
  const options = { campaigns: new AnswerLost(fresh.redis), slices, random };
  await expect(uploadRecipients(campaign, file(), options)).rejects.toThrow('timed out');
  const after = await read();
  expect(after.totals).toMatchObject({ total: 60, queued: 60 });
  for (const index of [0, 1]) {
    expect(await slices.read(sliceAt(after, index) ?? '')).toBeDefined();
  }
});

const repeated = (times: number, size: number): number[] => Array.from({ length: times }, () => size);

test.each([
  [60, [50, 10]],
  [2_300, [50, ...repeated(9, 250)]],
  [5_049, [50, ...repeated(19, 250), 249]],
  [5_050, [50, ...repeated(8, 250), 1_000, ...repeated(8, 250)]],
  [10_000, [50, ...repeated(8, 250), ...repeated(5, 1_000), ...repeated(11, 250), 200]],
])('%i recipients are in small slices at the beginning and at the end', async (people, sizes) => {
  const slices = new Slices({ redis: fresh.redis, random });
  const options = { campaigns: new Campaigns(fresh.redis), slices, random };
  await uploadRecipients(campaign, file(people), options);
  const after = await read();
  const kept = await Promise.all(
    Array.from({ length: after.slices }, async (_, index) => slices.read(sliceAt(after, index) ?? '')),
  );
  expect(kept.map((slice) => slice?.count)).toEqual(sizes);
  const numbers = kept.flatMap((slice) => (slice ? unpackItems(slice).map(({ row }) => row) : []));
  expect(numbers).toEqual(Array.from({ length: people }, (_, n) => n + 2));
});

test('a thousand uploads are as many as a campaign may have, and one of them is still a replay', async () => {
  const slices = new Slices({ redis: fresh.redis, random });
  const options = { campaigns: new Campaigns(fresh.redis), slices, random };
  await uploadRecipients(campaign, file(), options);
  const [first] = (await read()).uploads;
  await fresh.redis.hset(keys.record('cmp_1'), 'uploads', JSON.stringify(Array(UPLOADS_MOST).fill(first)));
  const full = await read();
  await expect(uploadRecipients(full, file(61), options)).rejects.toThrow(TooManyUploads);
  expect(await uploadRecipients(full, file(), options)).toMatchObject({ is: 'replayed' });
  expect((await read()).totals.total).toBe(60);
});

/** What took over in the midst of the upload had not come so far. */
class Forgetful extends Campaigns {
  override async commit(...args: Parameters<Campaigns['commit']>): Promise<boolean> {
    const [{ id }, { tag }] = args;
    await fresh.redis.unlink(keys.record(sliceId(id, tag, 0)));
    return super.commit(...args);
  }
}

test('an upload of which a slice is gone by its commit does not count', async () => {
  const slices = new Slices({ redis: fresh.redis, random });
  const options = { campaigns: new Forgetful(fresh.redis), slices, random };
  expect(await uploadRecipients(campaign, file(), options)).toEqual({ is: 'changed' });
  expect(await read()).toMatchObject({ state: 'draft', totals: { total: 0 }, slices: 0 });
  expect((await fresh.redis.keys('*')).filter((key) => key.includes('cmp_1.'))).toEqual([]);
});

test('an upload of which some of the rows that were left out are gone by its commit does not count', async () => {
  class Shortened extends Campaigns {
    override async commit(...args: Parameters<Campaigns['commit']>): Promise<boolean> {
      const [{ id }, { tag }] = args;
      await fresh.redis.rpop(keys.skipped(id, tag));
      return super.commit(...args);
    }
  }
  async function* damaged(): AsyncGenerator<Uint8Array> {
    yield* file();
    yield Buffer.from('\nnobody;Awa\nnobody;Ali');
  }
  const slices = new Slices({ redis: fresh.redis, random });
  const answer = await uploadRecipients(campaign, damaged(), {
    campaigns: new Shortened(fresh.redis),
    slices,
    random,
  });
  expect(answer).toEqual({ is: 'changed' });
  expect(await read()).toMatchObject({ state: 'draft', totals: { total: 0 } });
});

test('rows that were left out and are gone keep nobody from the rows behind them', async () => {
  const slices = new Slices({ redis: fresh.redis, random });
  const campaigns = new Campaigns(fresh.redis);
  for (const name of ['Awa', 'Ali']) {
    const rows = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from(`numero;prenom\nnobody;${name}`);
    };
    expect((await uploadRecipients(await read(), rows(), { campaigns, slices, random })).is).toBe('counted');
  }
  const record = await read();
  await fresh.redis.del(keys.skipped(record.id, record.uploads[0]?.tag ?? ''));
  const kept = { campaigns, slices, queries: new Queries(fresh.redis) };
  const first = await recipientsPage(record, kept, { limit: 10 });
  expect(first).toMatchObject({ items: [], next: 's.1.0' });
  expect(await recipientsPage(record, kept, { limit: 10, after: first.next })).toMatchObject({
    items: [{ to: 'nobody', state: 'skipped' }],
  });
});

test('an upload that breaks off leaves nothing behind', async () => {
  async function* cut(): AsyncGenerator<Uint8Array> {
    yield* file();
    throw new Error('the sender went away');
  }
  const slices = new Slices({ redis: fresh.redis, random });
  const options = { campaigns: new Campaigns(fresh.redis), slices, random };
  await expect(uploadRecipients(campaign, cut(), options)).rejects.toThrow('went away');
  expect((await read()).totals.total).toBe(0);
  expect((await fresh.redis.keys('*')).filter((key) => key.includes('cmp_1.'))).toEqual([]);
});

const DAY_MS = 86_400_000;

/** Everything that an upload has written, and for how long it stays, ms; -1: for ever. */
async function staying(): Promise<Record<string, number>> {
  const names = (await keysLike(fresh.redis, '*cmp_1*')).filter((name) => /cmp_1[.:]/.test(name));
  const left = await Promise.all(names.map(async (name) => [name, await fresh.redis.pttl(name)] as const));
  return Object.fromEntries(left);
}

test('an upload whose process dies is forgotten after a day, and told until then', async () => {
  const queries = new Queries(fresh.redis);
  const seen: Record<string, number>[] = [];
  const told: number[] = [];
  async function* long(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('numero;prenom;ville\n');
    for (let part = 0; part < 4; part += 1) {
      const rows = Array.from({ length: 1_000 }, (_, n) => `77${1_000_000 + part * 1_000 + n};Awa;Dakar`);
      // Some are left out.
      yield Buffer.from(`${[...rows, ...rows].join('\n')}\n`);
      // The process may be killed here.
      seen.push(await staying());
      told.push(await queries.unfinishedUploads(Date.now()));
    }
  }
  const slices = new Slices({ redis: fresh.redis, random });
  const answer = await uploadRecipients(campaign, long(), {
    campaigns: new Campaigns(fresh.redis),
    slices,
    random,
  });
  expect(answer.is).toBe('counted');
  const last = seen.at(-1) ?? {};
  expect(Object.keys(last).map((name) => name.split(':')[0])).toEqual(
    expect.arrayContaining(['op', 'own', 'skipped']),
  );
  for (const ms of Object.values(last)) expect(ms).toBeGreaterThan(DAY_MS - 60_000);
  for (const ms of Object.values(last)) expect(ms).toBeLessThanOrEqual(DAY_MS);
  expect(told.at(-1)).toBe(1);
  // What counts stays.
  expect(new Set(Object.values(await staying()))).toEqual(new Set([-1]));
  expect(await queries.unfinishedUploads(Date.now())).toBe(0);
});

test('the same bytes are a replay where they are read in the same way; read in another they bring other people', async () => {
  async function* twoNumbers(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('mobile;bureau;prenom\n771000001;781000001;Awa\n771000002;;Ali\n');
  }
  const slices = new Slices({ redis: fresh.redis, random });
  const add = async (phoneColumn: string) => {
    const options = { campaigns: new Campaigns(fresh.redis), slices, random, phoneColumn };
    return uploadRecipients(await read(), twoNumbers(), options);
  };
  expect(await add('mobile')).toMatchObject({ is: 'counted', upload: { recipients: 2, skipped: 0 } });
  expect(await add(' Mobile')).toMatchObject({ is: 'replayed', upload: { recipients: 2 } });
  expect(await add('bureau')).toMatchObject({ is: 'counted', upload: { recipients: 1, skipped: 1 } });
  expect(await add('bureau')).toMatchObject({ is: 'replayed', upload: { recipients: 1 } });
  expect((await read()).totals).toMatchObject({ total: 4, queued: 3, skipped: 1 });
});

test('an upload of which every row is left out leaves a draft that may be changed, and its bytes count where they have people', async () => {
  const slices = new Slices({ redis: fresh.redis, random });
  const campaigns = new Campaigns(fresh.redis);
  async function* local(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('numero;prenom\n771000001;Awa\nnobody;Ali');
  }
  const add = async () => uploadRecipients(await read(), local(), { campaigns, slices, random });
  await campaigns.amend(campaign.id, { country: '' });
  expect(await add()).toMatchObject({ is: 'counted', upload: { recipients: 0, skipped: 2 } });
  expect(await add()).toMatchObject({ is: 'replayed', upload: { recipients: 0, skipped: 2 } });
  expect(await read()).toMatchObject({ state: 'draft', totals: { total: 2, skipped: 2 } });
  expect(await campaigns.amend(campaign.id, { text: 'Salut {{prenom}}', country: 'SN' })).toMatchObject({
    is: 'applied',
  });
  expect(await add()).toMatchObject({ is: 'counted', upload: { recipients: 1, skipped: 1 } });
  expect(await add()).toMatchObject({ is: 'replayed', upload: { recipients: 1, skipped: 1 } });
  expect(await read()).toMatchObject({ state: 'ready', totals: { total: 4, queued: 1, skipped: 3 } });
  expect(await campaigns.amend(campaign.id, { text: 'Bonsoir' })).toEqual({ is: 'filled' });
});
