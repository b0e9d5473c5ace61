/** Works, their contenders, and their processor time. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../src/redis/embedded.ts';
import { startPostgres } from '../support/postgres.ts';
import { pidOf, Relais } from './contenders/relais.ts';
import { type Used, cpuOf, inTurns, median, whileWatching } from './measure.ts';
import { startHand } from './programs.ts';
import type { Stage } from './stage.ts';
import { memoryBytes } from './watch.ts';
import { PER_REQUEST } from './work.ts';

export interface Size {
  readonly rounds: number;
  readonly payments: number;
  readonly recipients: number;
  readonly requests: number;
}

export interface Figure {
  readonly label: string;
  /** One for each round. */
  readonly values: readonly number[];
  readonly unit: string;
}

export interface Result {
  readonly work: string;
  readonly figures: readonly Figure[];
  /** The compared figures. */
  readonly ratios: readonly { readonly text: string; readonly value: number; readonly aim?: string }[];
}

const WARM_UP = 500;
/** Numbers of recipients and payments that the measured work does not use. */
const WARM_UP_FROM = 5_000_000;
const MIB = 1_048_576;
const RELAIS = 'relais';

interface Run {
  readonly used: Used;
  readonly more?: Readonly<Record<string, number>>;
}

export const works = { payment, campaign, acceptance, idle } as const;
export type WorkName = keyof typeof works;

/** Token, submit, callback, status check, event: from the accepted request on. */
async function payment(stage: Stage, { rounds, payments: count }: Size): Promise<Result> {
  const runs = await inTurns<Run>(rounds, {
    'the calls alone': () =>
      byHand(stage, 'bare', { order: 'barePayments', args: { base: stage.base }, count: count }),
    'BullMQ worker': () =>
      byHand(stage, 'usual', { order: 'usualPayments', args: { base: stage.base }, count: count }),
    [RELAIS]: () => relaisPayments(stage, count),
  });
  return resultOf('payment, complete life', runs, { count, of: '1,000 payments', aim: '≤ 0.95' });
}

async function campaign(stage: Stage, { rounds, recipients }: Size): Promise<Result> {
  const { crm } = stage;
  const runs = await inTurns<Run>(rounds, {
    'the calls alone': () => byHand(stage, 'bare', { order: 'bareCampaign', args: { crm }, count: recipients }),
    'BullMQ worker': () =>
      byHand(stage, 'usual', { order: 'usualCampaign', args: { crm, perJob: PER_REQUEST }, count: recipients }),
    [RELAIS]: () => relaisCampaign(stage, recipients),
  });
  return resultOf('campaign, sending', runs, { count: recipients, of: '1,000 SMS', aim: '≤ 0.75' });
}

/** Requests over HTTP until they are stored, without a worker. */
async function acceptance(stage: Stage, { rounds, requests: count }: Size): Promise<Result> {
  const runs = await inTurns<Run>(rounds, {
    'Express and one INSERT': () => bareAcceptance(stage, count),
    [RELAIS]: () => relaisAcceptance(stage, count),
  });
  return resultOf('acceptance over HTTP', runs, { count, of: '1,000 requests', aim: '≤ 0.8' });
}

async function idle(stage: Stage, { rounds }: Size): Promise<Result> {
  const runs = await inTurns<number>(rounds, {
    worker: async () => {
      const relais = await Relais.start(stage, ['worker']);
      const bytes = memoryBytes(relais.pids['worker'] ?? 0);
      await relais.stop();
      return bytes / MIB;
    },
  });
  const values = runs['worker'] ?? [];
  return {
    work: 'an idle worker',
    figures: [{ label: 'memory', values, unit: 'MiB' }],
    ratios: [{ text: 'MiB', value: median(values), aim: '≤ 110' }],
  };
}

/** Handwritten code in a separate process, with a Redis if it needs one. */
async function byHand(stage: Stage, name: 'bare' | 'usual', { order, args, count }: Ordered): Promise<Run> {
  await stage.freshBooks();
  const redis = name === 'usual' ? await durableRedis(stage) : undefined;
  const hand = await startHand(name, stage.dir);
  try {
    const port = redis?.port;
    const run = (first: number, size: number): Promise<unknown> =>
      hand.do(order, { ...args, port, first, count: size, recipients: size });
    await run(WARM_UP_FROM, WARM_UP);
    const pids = { worker: hand.pid, ...(redis && { redis: redis.pid }) };
    return { used: await whileWatching(pids, () => run(0, count)) };
  } finally {
    await hand.stop();
    await redis?.stop();
  }
}

/** A queue that holds payments has to survive what PostgreSQL survives: each write is on disk before its answer. */
async function durableRedis(stage: Stage): Promise<EmbeddedRedis> {
  const redis = await startEmbeddedRedis({ dir: mkdtempSync(join(stage.dir, 'redis-')) });
  const client = new Redis({ port: redis.port });
  try {
    await client.config('SET', 'appendfsync', 'always');
  } finally {
    await client.quit();
  }
  return redis;
}

interface Ordered {
  readonly order: string;
  readonly args: object;
  readonly count: number;
}

async function relaisPayments(stage: Stage, count: number): Promise<Run> {
  await stage.freshBooks();
  const relais = await Relais.start(stage, ['worker', 'api,webhooks']);
  try {
    await relais.pausePayments();
    await relais.accept(WARM_UP_FROM, WARM_UP);
    await relais.liveAll(WARM_UP);
    await relais.pausePayments();
    await relais.accept(0, count);
    return { used: await whileWatching(relais.pids, () => relais.liveAll(count)) };
  } finally {
    await relais.stop();
  }
}

async function relaisCampaign(stage: Stage, recipients: number): Promise<Run> {
  await stage.freshBooks();
  const relais = await Relais.start(stage, ['worker', 'api,webhooks']);
  try {
    await relais.runCampaign(await relais.prepareCampaign('warm-up', WARM_UP_FROM, WARM_UP));
    const started = performance.now();
    const id = await relais.prepareCampaign('campaign', 0, recipients);
    const uploaded = performance.now() - started;
    const used = await whileWatching(relais.pids, () => relais.runCampaign(id));
    const { messagesSent: sent, messagesRepeated: again } = await stage.books();
    if (sent !== recipients + WARM_UP || again !== 0) throw new Error(`${sent} SMS were sent, ${again} twice`);
    return { used, more: { 'uploaded rows/s': (recipients * 1_000) / uploaded } };
  } finally {
    await relais.stop();
  }
}

async function bareAcceptance(stage: Stage, count: number): Promise<Run> {
  const postgres = await startPostgres();
  const [server, client] = [await startHand('bare-api', stage.dir), await startHand('client', stage.dir)];
  try {
    const url = await server.do<string>('openBareApi', { databaseUrl: postgres.url });
    await client.do('press', { url, first: WARM_UP_FROM, count: WARM_UP });
    const pids = { api: server.pid, postgres: pidOf(postgres) };
    return { used: await whileWatching(pids, () => client.do('press', { url, first: 0, count })) };
  } finally {
    await Promise.all([server.stop(), client.stop()]);
    await postgres.stop();
  }
}

async function relaisAcceptance(stage: Stage, count: number): Promise<Run> {
  const relais = await Relais.start(stage, ['api']);
  const client = await startHand('client', stage.dir);
  try {
    const { api: url } = relais;
    await client.do('press', { url, first: WARM_UP_FROM, count: WARM_UP });
    const before = await relais.tableBytes('operation%');
    const used = await whileWatching(relais.pids, () => client.do('press', { url, first: 0, count }));
    const bytes = ((await relais.tableBytes('operation%')) - before) / count;
    return { used, more: { 'bytes on disk per request': bytes } };
  } finally {
    await client.stop();
    await relais.stop();
  }
}

function resultOf(
  work: string,
  runs: Readonly<Record<string, readonly Run[]>>,
  { count, of, aim }: { readonly count: number; readonly of: string; readonly aim: string },
): Result {
  const perThousand = (run: Run): number => (cpuOf(run.used) * 1_000) / count;
  const figures = Object.entries(runs).flatMap(([label, all]): Figure[] => [
    { label: `${label}: processor time`, values: all.map(perThousand), unit: `ms per ${of}` },
    { label: `${label}: rate`, values: all.map(({ used }) => (count * 1_000) / used.ms), unit: 'per s' },
  ]);
  const ours = runs[RELAIS] ?? [];
  const parts = Object.keys(ours[0]?.used.cpuMs ?? {}).map((name): Figure => {
    const values = ours.map(({ used }) => ((used.cpuMs[name] ?? 0) * 1_000) / count);
    return { label: `relais: processor time, ${name}`, values, unit: `ms per ${of}` };
  });
  const more = Object.keys(ours[0]?.more ?? {}).map((name): Figure => {
    return { label: `relais: ${name}`, values: ours.map((run) => run.more?.[name] ?? 0), unit: '' };
  });
  const others = Object.keys(runs).filter((name) => name !== RELAIS);
  const ratios = others.map((name) => ({
    text: `of the processor time of: ${name}`,
    value: median(ours.map(perThousand)) / median((runs[name] ?? []).map(perThousand)),
    ...(name === others.at(-1) ? { aim } : {}),
  }));
  return { work, figures: [...figures, ...parts, ...more], ratios };
}
