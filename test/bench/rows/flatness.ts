/**
 * Whether Redis stays as large as it was while history grows: disbursements and people of campaigns are accepted, ended,
 * copied and taken out, a tenth at a time, by the scripts, the writer and the trimmer as they are. Nobody waits for a
 * service: an answer comes at once, and five days go by between two tenths by a clock that is turned by hand, since a
 * campaign stays for four and a half.
 */
import type { Redis } from 'ioredis';
import { EventStream } from '../../../src/events/stream.ts';
import { keys } from '../../../src/operations/keys.ts';
import { SAME_TEXTS_MS } from '../../../src/operations/same-texts.ts';
import { openCommands, waitUntilReady } from '../../../src/redis/connections.ts';
import { historyWorld, trimmerOf, writerOf } from '../../history/history-world.ts';
import { campaignWorld, MIDNIGHT } from '../../processors/campaign-world.ts';
import { type OwnPostgres, startPostgres } from '../../support/postgres.ts';
import { memoryOfData } from '../contenders/relais.ts';
import { enlist } from '../programs.ts';
import { type Options, perSecond, type Row, type RowMaker } from '../rows.ts';
import { CONCURRENCY, inParallel } from '../work.ts';
import { sizesIn, type TableSize } from './history.ts';

const READY_MS = 10_000;
const TENTHS = 10;
const PEOPLE_A_CAMPAIGN = 100_000;
const PEOPLE_A_SLICE = 1_000;
const SLICES_AT_ONCE = 8;
const DAY_MS = 86_400_000;
const HALF_DAY_MS = DAY_MS / 2;
/** The trimmer begins a round once a minute. */
const ROUND_MS = 61_000;

type Work = Options['history'];

interface Tenth {
  readonly endedMs: number;
  readonly copiedMs: number;
  readonly leftMs: number;
  /** Of Redis, when all of it had ended, and when nothing of it was there any more. */
  readonly most: number;
  readonly bytes: number;
}

export const flatnessRows: RowMaker = async (stage, { history }) => {
  const [server, store] = [await startPostgres(enlist), await stage.redis()];
  const redis = openCommands({ url: store.url }, { name: 'flatness', onError: () => undefined });
  try {
    await waitUntilReady(redis, READY_MS);
    const run = new Run(redis, server);
    await run.begin();
    const empty = await run.bytes();
    const tenths: Tenth[] = [];
    for (let nth = 0; nth < TENTHS; nth += 1) {
      tenths.push(await run.tenth(nth, history));
      process.stderr.write(`${(nth + 1) * 10} %: ${describe(tenths.at(-1))}\n`);
    }
    return rowsOf(history, { tenths, empty, tables: await sizesIn(server.url) });
  } finally {
    redis.disconnect();
    await store.stop();
    await server.stop();
  }
};

class Run {
  readonly #redis: Redis;
  readonly #campaigns: ReturnType<typeof campaignWorld>;
  readonly #payments: ReturnType<typeof historyWorld>;
  readonly #writer: ReturnType<typeof writerOf>;
  /** What is over is this much older for what takes it out. */
  #aheadMs = 0;

  constructor(redis: Redis, { url }: OwnPostgres) {
    this.#redis = redis;
    this.#campaigns = campaignWorld(redis, { size: PEOPLE_A_SLICE });
    this.#payments = historyWorld(redis, MIDNIGHT);
    const trimmer = trimmerOf(redis, this.#payments.operations, {
      now: () => this.#campaigns.now() + this.#aheadMs,
      after: { disbursement: DAY_MS, campaign: SAME_TEXTS_MS },
    });
    // The writer's own pass copies; what leaves is measured apart.
    this.#writer = writerOf(redis, () => url, {
      trimmer: { pass: async (...words) => (this.#isTrimming ? trimmer.pass(...words) : 0) },
    });
  }

  #isTrimming = false;

  /** From its first turn on, what ends is noted. */
  async begin(): Promise<void> {
    await this.#writer.pass();
  }

  async bytes(): Promise<number> {
    return memoryOfData(await this.#redis.info('memory'));
  }

  async tenth(nth: number, { disbursements, recipients }: Work): Promise<Tenth> {
    const began = performance.now();
    const count = Math.ceil(disbursements / TENTHS);
    this.#payments.turnTo(this.#campaigns.now());
    await inParallel(count, CONCURRENCY, (index) => this.#pay(`dsb_${nth}x${index}`));
    for (let left = Math.ceil(recipients / TENTHS); left > 0; left -= PEOPLE_A_CAMPAIGN) {
      await this.#send(Math.min(left, PEOPLE_A_CAMPAIGN));
    }
    const ended = performance.now();
    const most = await this.bytes();
    while ((await this.#redis.zcard(keys.historyWaiting)) > 0) await this.#writer.pass();
    const copied = performance.now();
    await this.#trimAll();
    const left = performance.now();
    // As EVENTS_KEEP does: history has them by now.
    await new EventStream({ redis: this.#redis }).trim(0);
    return {
      endedMs: ended - began,
      copiedMs: copied - ended,
      leftMs: left - copied,
      most,
      bytes: await this.bytes(),
    };
  }

  /** Accepted, and cancelled: two scripts, one event, the shortest way to an end that a payment has. */
  async #pay(id: string): Promise<void> {
    await this.#payments.accept(id);
    await this.#payments.go(id, 'cancelled');
  }

  async #send(people: number): Promise<void> {
    const { started, feed, read, send, out, advance, posts } = this.#campaigns;
    const id = await started(people, { canary: 0 });
    while ((await read(id)).state !== 'finished') {
      await feed(id);
      const slices = await out();
      await inParallel(slices.length, SLICES_AT_ONCE, async (at) => void (await send(slices[at] ?? '')));
      advance(1_000);
      // What was said to the service is of no interest here, and is much.
      posts.length = 0;
    }
  }

  /** Five days go by. */
  async #trimAll(): Promise<void> {
    this.#campaigns.advance(SAME_TEXTS_MS + HALF_DAY_MS);
    this.#isTrimming = true;
    while ((await this.#standing()) > 0) {
      this.#campaigns.advance(ROUND_MS);
      await this.#writer.pass();
    }
    this.#isTrimming = false;
  }

  async #standing(): Promise<number> {
    const payments = await this.#redis.zcard(keys.listed('disbursement', 'main', 'cancelled'));
    return payments + (await this.#redis.zcard(keys.index('campaign')));
  }
}

const megabytes = (bytes: number): string => (bytes / 1_048_576).toFixed(1);
const seconds = (ms: number): string => (ms / 1_000).toFixed(1);

function describe(tenth: Tenth | undefined): string {
  if (tenth === undefined) return '';
  const { endedMs, copiedMs, leftMs, most, bytes } = tenth;
  const times = `ended in ${seconds(endedMs)} s, copied in ${seconds(copiedMs)} s, left in ${seconds(leftMs)} s`;
  return `Redis ${megabytes(most)} MB, then ${megabytes(bytes)} MB; ${times}`;
}

function rowsOf(
  { disbursements, recipients }: Work,
  { tenths, empty, tables }: { tenths: readonly Tenth[]; empty: number; tables: readonly TableSize[] },
): Row[] {
  const many = `${disbursements.toLocaleString('en')} disbursements and ${recipients.toLocaleString('en')} recipients`;
  const rows = tables.reduce((sum, table) => sum + table.rows, 0) / TENTHS;
  const [first, last] = [tenths[0]?.bytes ?? 0, tenths.at(-1)?.bytes ?? 0];
  const left = (disbursements * (TENTHS - 1)) / TENTHS;
  return [
    {
      title: `${many} through Redis to PostgreSQL, a tenth at a time`,
      figures: [
        { label: 'copied', values: tenths.map(({ copiedMs }) => perSecond(rows, copiedMs)), unit: 'rows/s' },
        {
          label: 'taken out of Redis, people and payments',
          values: tenths.map(({ leftMs }) => perSecond((disbursements + recipients) / TENTHS, leftMs)),
          unit: 'a second',
        },
        {
          label: 'Redis for each disbursement and its recipients that left',
          values: [(last - first) / left],
          unit: 'bytes',
        },
        ...tables.flatMap((table) => [
          { label: `${table.name}, table`, values: [table.heap / table.rows], unit: 'bytes a row' },
          { label: `${table.name}, indexes`, values: [table.indexes / table.rows], unit: 'bytes a row' },
        ]),
      ],
      aims: [],
      notes: [
        `Redis empty: ${megabytes(empty)} MB; with all of a tenth: ${tenths.map(({ most }) => megabytes(most)).join(', ')} MB; once it left: ${tenths.map(({ bytes }) => megabytes(bytes)).join(', ')} MB.`,
        'What stays: a stub for each disbursement and campaign, and the days of the book. Each was cancelled: one event, and no word of the service in its row.',
      ],
    },
  ];
}
