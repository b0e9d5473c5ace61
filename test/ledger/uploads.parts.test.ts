/**
 * Files of recipients on real PostgreSQL: every row is stored and counted one time or not at all, by one process at a
 * time.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkRecipients } from '../../src/campaigns/check/check-recipients.ts';
import { TooManyUploads, UPLOADS_MOST, uploadRecipients } from '../../src/campaigns/upload.ts';
import { AnswerLost, DatabaseAway } from '../../src/ledger/errors.ts';
import { Partitions } from '../../src/ledger/partitions.ts';
import { Database } from '../../src/ledger/pool.ts';
import { StopLinks } from '../../src/ledger/stop-links.ts';
import { UploadUnderWay } from '../../src/ledger/upload.ts';
import { Uploads } from '../../src/ledger/uploads.ts';
import { unpackValues } from '../../src/lib/packed-values.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { Secret } from '../../src/lib/secret.ts';
import { readStopToken, stopTokenIn } from '../../src/lib/stop-link.ts';
import type { CampaignRecord } from '../../src/operations/record.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';
import { madeCampaign, readCampaign } from '../support/ledger-campaign.ts';

let ledger: FreshLedger;
let database: Database;
let partitions: Partitions;
let store: Uploads;
beforeAll(async () => {
  ledger = await freshLedger();
  database = new Database(ledger);
  partitions = new Partitions({ database });
  store = new Uploads({ database, partitions, random: systemRandom, clock: systemClock, patienceMs: 0 });
});
afterAll(async () => {
  await database?.close();
  await ledger?.close();
});

interface Stored {
  readonly n: number;
  readonly row: number;
  readonly phone: string;
  readonly variables: string;
  readonly own: string | null;
}

const stored = (id: string) =>
  ledger.query<Stored>(
    `select n, row, phone, variables, own from relais.recipient
     where campaign = (select number from relais.campaign where id = '${id}') order by n`,
  );
const leavings = async (id: string) => {
  const [row] = await ledger.query<{ rows: number; left: number; leases: number }>(
    `select (select count(*) from relais.recipient r where r.campaign = c.number)::int as rows,
       (select count(*) from relais.left_out_row l where l.campaign = c.number)::int as left,
       (select count(*) from relais.upload_in_progress u where u.campaign = c.number)::int as leases
     from relais.campaign c where c.id = '${id}'`,
  );
  return row;
};

async function* file(lines: Iterable<string>, atOnce = 1_000): AsyncGenerator<Uint8Array> {
  let part: string[] = ['numero;prenom;ville'];
  for (const line of lines) {
    part.push(line);
    if (part.length < atOnce) continue;
    yield Buffer.from(`${part.join('\n')}\n`);
    part = [];
  }
  yield Buffer.from(part.join('\n'));
}

function* people(count: number, from = 0): Generator<string> {
  for (let at = from; at < from + count; at += 1) yield `77${1_000_000 + at};Awa ${at};Dakar`;
}

test('200,000 rows are stored as the file has them, in its order, with the rows that were left out', async () => {
  const count = 200_000;
  function* lines(): Generator<string> {
    for (let at = 0; at < count; at += 1) {
      if (at % 1_000 === 7) yield `nobody ${at};Awa;Dakar`;
      else if (at % 1_000 === 8) yield `77${1_000_000 + at - 2};twice;Dakar`;
      else
        yield `77${1_000_000 + at};${at % 5 === 0 ? String.raw`A\wa` : 'Awa'} ${at};${at % 3 === 0 ? '' : `Ville ${at}`}`;
    }
  }
  const campaign = await madeCampaign(ledger, 'cmp_large');
  const answer = await uploadRecipients(campaign, file(lines()), { store });
  expect(answer).toMatchObject({ is: 'counted', upload: { recipients: 199_600, skipped: 400 } });
  const rows = await stored('cmp_large');
  const leftOut = await ledger.query<{ row: number; written: string; reason: string; own: string | null }>(
    `select row, written, reason, own from relais.left_out_row order by n`,
  );
  let [n, skipped] = [0, 0];
  for await (const row of checkRecipients(file(lines()), { text: campaign.text, country: 'SN' })) {
    if (row.is === 'recipient') {
      const { phone, variables, own, ...place } = rows[n] as Stored;
      const found = { to: `+${phone}`, prenom: unpackValues(variables)[0], own, ...place };
      const expected = { to: row.to, prenom: row.vars['prenom'], own: row.own ?? null, n, row: row.row };
      // One expectation per row would take a minute.
      if (JSON.stringify(found) !== JSON.stringify(expected)) expect(found).toEqual(expected);
      n += 1;
    } else {
      expect(leftOut[skipped]).toEqual({
        row: row.row,
        written: row.to,
        reason: row.reason,
        own: row.own ?? null,
      });
      skipped += 1;
    }
  }
  expect([n, skipped]).toEqual([rows.length, leftOut.length]);
  expect(await readCampaign(ledger, 'cmp_large')).toMatchObject({
    state: 'ready',
    segments: 199_600,
    totals: { total: count, queued: 199_600, skipped: 400 },
  });
  const [size] = await ledger.query<{ bytes: number }>(
    `select sum(pg_total_relation_size(c.oid))::float8 / ${rows.length} as bytes from pg_class c where c.relname = 'recipient_0'`,
  );
  expect(size?.bytes).toBeLessThan(150);
});

test('a second file continues the numbers, skips existing ones, and the same bytes are a replay', async () => {
  await madeCampaign(ledger, 'cmp_two');
  const add = async (lines: Iterable<string>) =>
    uploadRecipients(await readCampaign(ledger, 'cmp_two'), file(lines), { store, by: 'filler' });
  expect(await add(people(60))).toMatchObject({ is: 'counted', upload: { recipients: 60 } });
  expect(await add(people(60))).toMatchObject({ is: 'replayed' });
  expect(await add(people(60, 50))).toMatchObject({
    is: 'counted',
    summary: { reasons: { already_in_campaign: { count: 10 } } },
  });
  const rows = await stored('cmp_two');
  expect(rows.map(({ n }) => n)).toEqual(Array.from({ length: 110 }, (_, n) => n));
  expect(new Set(rows.map(({ phone }) => phone)).size).toBe(110);
  const [{ hands } = { hands: {} }] = await ledger.query<{ hands: object }>(
    `select hands from relais.campaign where id = 'cmp_two'`,
  );
  expect(Object.keys(hands)).toEqual(['filler']);
  expect((await leavings('cmp_two'))?.leases).toBe(0);
});

test('of files that are added at once one counts, and the others leave nothing', async () => {
  const campaign = await madeCampaign(ledger, 'cmp_race');
  const answers = await Promise.all(
    [0, 1, 2].map((n) =>
      uploadRecipients(campaign, file(people(2_000 + n, n * 10_000)), { store }).catch((error: unknown) => {
        if (error instanceof UploadUnderWay) return { is: 'under way' } as const;
        throw error;
      }),
    ),
  );
  expect(answers.filter(({ is }) => is === 'counted')).toHaveLength(1);
  expect(answers.filter(({ is }) => is === 'changed' || is === 'under way')).toHaveLength(2);
  const { totals } = await readCampaign(ledger, 'cmp_race');
  expect(await leavings('cmp_race')).toEqual({ rows: totals.queued, left: 0, leases: 0 });
});

/** The real database, except for the parts that a test breaks. */
function broken(breaks: Partial<Pick<Database, 'run' | 'transaction'>>): Database {
  return Object.assign(Object.create(database) as Database, {
    run: database.run,
    transaction: database.transaction.bind(database),
    ...breaks,
  });
}

/** Its process dies during the copy: nothing of it is removed. */
async function dying(campaign: CampaignRecord, process?: string): Promise<void> {
  let copied = 0;
  const dead = broken({
    run: async (name, values) => {
      if (name === 'sweep_upload' && copied > 0) throw new Error('dead');
      return database.run(name, values);
    },
    transaction: async (work) => {
      copied += 1;
      if (copied === 2) throw new Error('dead');
      return database.transaction(work);
    },
  });
  const half = new Uploads({ database: dead, partitions, random: systemRandom, clock: systemClock, process });
  await expect(uploadRecipients(campaign, file(people(60_000)), { store: half })).rejects.toThrow('dead');
  expect(await leavings(campaign.id)).toMatchObject({ rows: 50_000, leases: 1 });
  expect(await store.unfinished()).toBe(1);
}

test('rows of a process that dies during the copy are removed by the next file, after its lease', async () => {
  const campaign = await madeCampaign(ledger, 'cmp_dead');
  await dying(campaign);
  await expect(uploadRecipients(campaign, file(people(10)), { store })).rejects.toThrow(UploadUnderWay);
  await ledger.query(`update relais.upload_in_progress set lease_until = now() - interval '1 s'`);
  expect(await uploadRecipients(campaign, file(people(10)), { store })).toMatchObject({ is: 'counted' });
  expect(await leavings('cmp_dead')).toEqual({ rows: 10, left: 0, leases: 0 });
});

test('the lease of a process that is gone is free at once, and that of one that lives is not', async () => {
  const campaign = await madeCampaign(ledger, 'cmp_gone');
  await ledger.query(
    `insert into relais.worker (process, slot, boot_id, pid_namespace, pid, pid_started, version, schema_version, roles)
     values ('api-1', 'api', 'b', 'n', 1, 's', '1', 1, '{api}')`,
  );
  await dying(campaign, 'api-1');
  await expect(uploadRecipients(campaign, file(people(10)), { store })).rejects.toThrow(UploadUnderWay);
  // A file with patience waits for its end.
  const sleep = async (): Promise<void> =>
    void (await ledger.query(`delete from relais.worker where process = 'api-1'`));
  const clock = Object.assign(Object.create(systemClock) as typeof systemClock, { sleep });
  const patient = new Uploads({ database, partitions, random: systemRandom, clock });
  expect(await uploadRecipients(campaign, file(people(10)), { store: patient })).toMatchObject({ is: 'counted' });
  expect(await leavings('cmp_gone')).toEqual({ rows: 10, left: 0, leases: 0 });
});

test('a file that failed while PostgreSQL was away can come again to the same process at once', async () => {
  const campaign = await madeCampaign(ledger, 'cmp_again');
  let isAway = false;
  const away = broken({
    run: async (name, values) => {
      if (isAway) throw new DatabaseAway('away');
      return database.run(name, values);
    },
    transaction: async (work) => {
      isAway = true;
      throw new DatabaseAway(String(work.length));
    },
  });
  const uploads = new Uploads({ database: away, partitions, random: systemRandom, clock: systemClock });
  const add = (to: Uploads) => uploadRecipients(campaign, file(people(10)), { store: to });
  for (let tries = 0; tries < 2; tries += 1) await expect(add(uploads)).rejects.toThrow(DatabaseAway);
  // No other process knows that the lease is free.
  await expect(add(store)).rejects.toThrow(UploadUnderWay);
  Object.assign(away, { run: database.run, transaction: database.transaction.bind(database) });
  expect(await add(uploads)).toMatchObject({ is: 'counted', upload: { recipients: 10 } });
  expect(await leavings('cmp_again')).toEqual({ rows: 10, left: 0, leases: 0 });
});

test('a file whose commit succeeded with a lost answer is a replay when it is sent again', async () => {
  const campaign = await madeCampaign(ledger, 'cmp_told');
  let transactions = 0;
  const silent = broken({
    transaction: async (work) => {
      transactions += 1;
      const result = transactions === 1 ? await database.transaction(work) : undefined;
      if (transactions === 2) await database.transaction(work);
      if (transactions > 1) throw new AnswerLost('the answer is lost');
      return result as never;
    },
  });
  const uploads = new Uploads({ database: silent, partitions, random: systemRandom, clock: systemClock });
  await expect(uploadRecipients(campaign, file(people(10)), { store: uploads })).rejects.toThrow(AnswerLost);
  // The caller has an outdated campaign.
  expect(await uploadRecipients(campaign, file(people(10)), { store })).toMatchObject({ is: 'replayed' });
  expect(await uploadRecipients(campaign, file(people(11)), { store })).toEqual({ is: 'changed' });
  expect(await readCampaign(ledger, 'cmp_told')).toMatchObject({ totals: { total: 10 } });
});

test('and by the sweep, where no other file comes', async () => {
  const campaign = await madeCampaign(ledger, 'cmp_swept');
  await dying(campaign);
  expect(await store.sweep()).toBe(0);
  expect(await store.sweep(new Date(Date.now() + 120_000))).toBe(1);
  expect(await leavings('cmp_swept')).toEqual({ rows: 0, left: 0, leases: 0 });
  expect(await readCampaign(ledger, 'cmp_swept')).toMatchObject({ state: 'draft', totals: { total: 0 } });
});

test('a commit whose answer is lost counts one time', async () => {
  let transactions = 0;
  const losing = broken({
    transaction: async (work) => {
      transactions += 1;
      const result = await database.transaction(work);
      if (transactions === 2) throw new AnswerLost('the answer is lost');
      return result;
    },
  });
  const campaign = await madeCampaign(ledger, 'cmp_lost');
  const uploads = new Uploads({ database: losing, partitions, random: systemRandom, clock: systemClock });
  const answer = await uploadRecipients(campaign, file(people(10)), { store: uploads });
  expect(answer).toMatchObject({ is: 'counted' });
  expect(transactions).toBe(3);
  expect(await readCampaign(ledger, 'cmp_lost')).toMatchObject({
    totals: { total: 10 },
    uploads: [{ recipients: 10 }],
  });
});

test('a file that breaks off, or whose campaign was changed or started meanwhile, leaves nothing', async () => {
  const campaign = await madeCampaign(ledger, 'cmp_cut');
  async function* cut(): AsyncGenerator<Uint8Array> {
    yield* file(people(100));
    throw new Error('the sender went away');
  }
  await expect(uploadRecipients(campaign, cut(), { store })).rejects.toThrow('went away');
  async function* amended(): AsyncGenerator<Uint8Array> {
    yield* file(people(100));
    await ledger.query(`update relais.campaign set body = 'Salut', version = version + 1 where id = 'cmp_cut'`);
  }
  expect(await uploadRecipients(campaign, amended(), { store })).toEqual({ is: 'changed' });
  expect(await leavings('cmp_cut')).toEqual({ rows: 0, left: 0, leases: 0 });
});

test('no transaction is open while a slow file comes in: it would keep dead rows', async () => {
  const campaign = await madeCampaign(ledger, 'cmp_slow');
  const open: object[] = [];
  async function* slow(): AsyncGenerator<Uint8Array> {
    for await (const part of file(people(120_000), 20_000)) {
      yield part;
      open.push(
        ...(await ledger.query(`select query from pg_stat_activity
        where datname = current_database() and application_name = 'relais' and state like 'idle in%'`)),
      );
    }
  }
  expect(await uploadRecipients(campaign, slow(), { store })).toMatchObject({ is: 'counted' });
  expect(open).toEqual([]);
});

test('values that PostgreSQL cannot store as they are fail no other row', async () => {
  const campaign = await madeCampaign(ledger, 'cmp_odd');
  const rows = [
    { numero: '771234567', prenom: 'Awa', ville: 'a\0b\ud800c' },
    { numero: '771234568', prenom: 'Ali', ville: 'tab\there \\ and\r\nlines' },
  ];
  async function* lines(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n'));
  }
  expect(await uploadRecipients(campaign, lines(), { store, format: 'ndjson' })).toMatchObject({ is: 'counted' });
  const [first, second] = await stored('cmp_odd');
  expect(first?.own).toContain('ab');
  expect(unpackValues(second?.own ?? '').join('')).toContain('tab\there');
});

test('a thousand files are as many as a campaign may have', async () => {
  await madeCampaign(ledger, 'cmp_many');
  const one = { tag: 'a', hash: 'h', slices: 0, recipients: 0, skipped: 0 };
  const uploads = Array.from({ length: UPLOADS_MOST }, () => one);
  await ledger.query(`update relais.campaign set uploads = '${JSON.stringify(uploads)}' where id = 'cmp_many'`);
  const full = await readCampaign(ledger, 'cmp_many');
  await expect(uploadRecipients(full, file(people(1)), { store })).rejects.toThrow(TooManyUploads);
});

test('the link in the SMS of a recipient leads to this recipient, also in the second file and at its end', async () => {
  const links = new StopLinks({ database, random: systemRandom });
  const secrets = [new Secret('s')];
  const stop = { links, publicUrl: 'https://sms.example.com', secrets };
  await madeCampaign(ledger, 'cmp_stop', { text: 'Salut {{prenom}} {{stop}}', from: 'SHOP' });
  for (const from of [0, 5_000])
    await uploadRecipients(await readCampaign(ledger, 'cmp_stop'), file(people(3_000, from)), { store, stop });
  const rows = await stored('cmp_stop');
  for (const at of [0, 1_023, 1_024, 2_999, 3_000, 5_999]) {
    const { phone = '', variables = '' } = rows[at] ?? {};
    const [, link = ''] = unpackValues(variables);
    const place = readStopToken(secrets, stopTokenIn(link.split('/s/')[1] ?? ''));
    expect(place).toBeDefined();
    const found = place && (await links.find(place));
    expect(found).toEqual({ account: 'main', campaign: 'cmp_stop', from: 'SHOP', to: `+${phone}` });
  }
  const [first] = rows;
  const place = readStopToken(secrets, stopTokenIn(unpackValues(first?.variables ?? '')[1]?.split('/s/')[1] ?? ''));
  await ledger.query(`update relais.recipient set phone = null where phone = ${first?.phone}`);
  expect(place && (await links.find(place))).toBeUndefined();
  expect(await links.find({ upload: 'zzzz', slice: 0, index: 0 })).toBeUndefined();
});

test('the memory of an upload does not grow with its rows', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  async function heapOf(id: string, count: number): Promise<number> {
    const campaign = await madeCampaign(ledger, id);
    collect();
    const before = process.memoryUsage().heapUsed;
    let most = 0;
    const look = (): void => {
      collect();
      most = Math.max(most, process.memoryUsage().heapUsed - before);
    };
    const watch = setInterval(look, 500);
    async function* watched(): AsyncGenerator<Uint8Array> {
      let chunks = 0;
      for await (const chunk of file(people(count))) {
        chunks += 1;
        if (chunks % 25 === 0) look();
        yield chunk;
      }
    }
    await uploadRecipients(campaign, watched(), { store });
    clearInterval(watch);
    return most;
  }
  const small = await heapOf('cmp_small', 50_000);
  const big = await heapOf('cmp_big', 300_000);
  expect(big).toBeLessThan(small * 4);
});
