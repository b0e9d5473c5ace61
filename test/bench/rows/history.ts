/**
 * History: what is over goes to PostgreSQL and leaves Redis. In tenths: each is lived through while nobody writes, then a
 * process with the role `history` copies it and takes it out. Beside it the same work with a writer at work, and without.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { keys } from '../../../src/operations/keys.ts';
import { systemRandom } from '../../../src/lib/random.ts';
import { type OwnPostgres, startPostgres } from '../../support/postgres.ts';
import { acceptAll, liveAll } from '../contenders/relais-disbursements.ts';
import { prepareCampaign, runCampaign } from '../contenders/relais-campaign.ts';
import { type Relais, startRelais } from '../contenders/relais.ts';
import { median } from '../measure.ts';
import { enlist } from '../programs.ts';
import { interleaved, type Options, perSecond, type Row, type RowMaker } from '../rows.ts';
import type { Stage } from '../stage.ts';

const TENTHS = 10;
const LOOK_EVERY_MS = 20;
const WAIT_MS = 3_600_000;
/** What is over leaves after so long, and before it is looked at once more. */
const SETTINGS = { HISTORY_AFTER: '1s', HISTORY_TEXTS_AFTER: '1s', RECHECK_SUCCEEDED: 'off' } as const;
const OVER_FOR_MS = 1_500;
const ROUNDS_MOST = 3;
const BESIDE_SHARE = 0.1;
const SUCCEEDED = keys.listed('disbursement', 'main', 'succeeded');

type Work = Options['history'];

export const historyRows: RowMaker = async (stage, { rounds, history }) => {
  const server = await startPostgres(enlist);
  try {
    const kept = await inTenths(stage, await freshDatabase(server), history);
    const beside = await interleaved<'without' | 'with', Beside>(Math.min(rounds, ROUNDS_MOST), {
      without: () => lived(stage, history),
      with: async () => lived(stage, history, await freshDatabase(server)),
    });
    return [...rowsOfTenths(history, kept), rowOfBeside(beside)];
  } finally {
    await server.stop();
  }
};

async function freshDatabase({ url }: OwnPostgres): Promise<string> {
  const name = `bench_${systemRandom.hex(6)}`;
  await query(url, `create database ${name}`);
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}

async function query<Found extends object>(url: string, sql: string): Promise<readonly Found[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Found>(sql)).rows;
  } finally {
    await client.end();
  }
}

interface Tenth {
  /** Rows of all tables. */
  readonly rows: number;
  readonly copiedMs: number;
  readonly leftMs: number;
  /** Of Redis, afterwards. */
  readonly bytes: number;
}

interface Kept {
  readonly tenths: readonly Tenth[];
  readonly tables: readonly TableSize[];
  /** Before anything was asked for. */
  readonly emptyBytes: number;
}

export interface TableSize {
  readonly name: string;
  readonly rows: number;
  readonly heap: number;
  readonly indexes: number;
}

async function inTenths(stage: Stage, url: string, { disbursements, recipients }: Work): Promise<Kept> {
  const relais = await startRelais(stage, { settings: { ...SETTINGS, HISTORY_URL: url } });
  try {
    // From its first turn on, what ends is noted.
    await (await relais.start('history', 'history')).stop();
    const emptyBytes = await relais.usedMemory();
    const [count, people] = [Math.ceil(disbursements / TENTHS), Math.ceil(recipients / TENTHS)];
    const tenths: Tenth[] = [];
    for (let nth = 0; nth < TENTHS; nth += 1) {
      await stage.freshBooks();
      await live(relais, { nth, count, people });
      await delay(OVER_FOR_MS);
      tenths.push(await copied(relais, url));
    }
    return { tenths, tables: await sizesIn(url), emptyBytes };
  } finally {
    await relais.stop();
  }
}

async function live(relais: Relais, part: { nth: number; count: number; people: number }): Promise<Beside> {
  const { nth, count, people } = part;
  const began = performance.now();
  await acceptAll(relais, { first: nth * count, count });
  const acceptedMs = performance.now() - began;
  const paidMs = await liveAll(relais, count);
  const prepared = await prepareCampaign(relais, `tenth-${nth}`, { first: 0, recipients: people });
  const sentMs = await runCampaign(relais, prepared, people);
  return {
    accept: perSecond(count, acceptedMs),
    pay: perSecond(count, paidMs),
    send: perSecond(people, sentMs),
  };
}

async function copied(relais: Relais, url: string): Promise<Tenth> {
  const { look } = relais;
  const before = await rowsIn(url);
  const scribe = await relais.start('history', 'history');
  const began = performance.now();
  await until(async () => (await look.zcard(keys.historyWaiting)) === 0);
  const copiedMs = performance.now() - began;
  await until(async () => (await look.zcard(SUCCEEDED)) === 0);
  const leftMs = performance.now() - began - copiedMs;
  await scribe.stop();
  return { rows: (await rowsIn(url)) - before, copiedMs, leftMs, bytes: await relais.usedMemory() };
}

async function until(reached: () => Promise<boolean>): Promise<void> {
  const giveUp = AbortSignal.timeout(WAIT_MS);
  while (!(await reached())) {
    if (giveUp.aborted) throw new Error(`not reached within ${WAIT_MS} ms`);
    await delay(LOOK_EVERY_MS);
  }
}

const COUNTED = ['disbursements', 'recipients', 'events'] as const;

async function rowsIn(url: string): Promise<number> {
  const counts = COUNTED.map((table) => `(select count(*) from relais.${table})`).join(' + ');
  const [row] = await query<{ rows: string }>(url, `select ${counts} as rows`);
  return Number(row?.rows ?? 0);
}

/** A table is the sum of its parts. */
export async function sizesIn(url: string): Promise<TableSize[]> {
  const sizes = COUNTED.map(
    (name) => `select '${name}' as name, (select count(*)::int from relais.${name}) as rows,
      sum(pg_table_size(relid))::bigint::text as heap, sum(pg_indexes_size(relid))::bigint::text as indexes
      from pg_partition_tree('relais.${name}')`,
  );
  const rows = await query<{ name: string; rows: number; heap: string; indexes: string }>(
    url,
    sizes.join(' union all '),
  );
  return rows.map(({ name, rows: many, heap, indexes }) => ({
    name,
    rows: many,
    heap: Number(heap),
    indexes: Number(indexes),
  }));
}

interface Beside {
  /** A second. */
  readonly accept: number;
  readonly pay: number;
  readonly send: number;
}

/** A tenth of the work, with a writer at work all the while, or with none. */
async function lived(stage: Stage, { disbursements, recipients }: Work, url?: string): Promise<Beside> {
  await stage.freshBooks();
  const relais = await startRelais(stage, { settings: url === undefined ? {} : { ...SETTINGS, HISTORY_URL: url } });
  try {
    if (url !== undefined) await relais.start('history', 'history');
    const [count, people] = [Math.ceil(disbursements * BESIDE_SHARE), Math.ceil(recipients * BESIDE_SHARE)];
    return await live(relais, { nth: 0, count, people });
  } finally {
    await relais.stop();
  }
}

function rowsOfTenths({ disbursements, recipients }: Work, { tenths, tables, emptyBytes }: Kept): Row[] {
  const megabytes = (bytes: number): string => (bytes / 1_048_576).toFixed(1);
  const many = `${disbursements.toLocaleString('en')} disbursements and ${recipients.toLocaleString('en')} recipients`;
  const left = disbursements / TENTHS;
  const [first, last] = [tenths[0]?.bytes ?? 0, tenths.at(-1)?.bytes ?? 0];
  return [
    {
      title: `${many} to PostgreSQL, a tenth at a time`,
      figures: [
        { label: 'copied', values: tenths.map(({ rows, copiedMs }) => perSecond(rows, copiedMs)), unit: 'rows/s' },
        {
          label: 'taken out of Redis',
          values: tenths.map(({ leftMs }) => perSecond(left, leftMs)),
          unit: 'payments/s',
        },
        {
          label: 'Redis for each disbursement and its recipients that are over',
          values: [(last - first) / ((disbursements * (TENTHS - 1)) / TENTHS)],
          unit: 'bytes',
        },
      ],
      aims: [],
      notes: [
        `Redis empty: ${megabytes(emptyBytes)} MB; after each tenth: ${tenths.map(({ bytes }) => megabytes(bytes)).join(', ')} MB.`,
        'A row is a disbursement, a recipient or an event. Copied: read, merged, read back and compared.',
      ],
    },
    {
      title: 'PostgreSQL for a row',
      figures: tables.flatMap(({ name, rows, heap, indexes }) => [
        { label: `${name}, table`, values: [heap / rows], unit: 'bytes' },
        { label: `${name}, indexes`, values: [indexes / rows], unit: 'bytes' },
      ]),
      aims: [],
    },
  ];
}

function rowOfBeside(runs: Readonly<Record<'without' | 'with', readonly Beside[]>>): Row {
  const works = { accept: 'disbursements accepted', pay: 'disbursements paid', send: 'recipients sent to' } as const;
  const names = Object.keys(works) as (keyof Beside)[];
  const valuesOf = (how: 'without' | 'with', name: keyof Beside): number[] => runs[how].map((run) => run[name]);
  return {
    title: 'with a writer of history at work, and without',
    figures: names.flatMap((name) =>
      (['without', 'with'] as const).map((how) => ({
        label: `${works[name]}, ${how}`,
        values: valuesOf(how, name),
        unit: 'a second',
      })),
    ),
    aims: names.map((name) => ({
      text: `times as many ${works[name]} with it`,
      value: median(valuesOf('with', name)) / median(valuesOf('without', name)),
    })),
  };
}
