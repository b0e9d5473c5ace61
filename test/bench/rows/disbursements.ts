/** Disbursements, complete life: token, submit, callback, status, event. */
import type { Redis } from 'ioredis';
import { keys } from '../../../src/operations/keys.ts';
import { idOf } from '../../../src/operations/places.ts';
import { keysLike } from '../../support/fresh-redis.ts';
import { setsOf } from '../../support/listed.ts';
import { acceptAll, acceptAndLiveAll, liveAll } from '../contenders/relais-disbursements.ts';
import { startRelais } from '../contenders/relais.ts';
import { cpuOf, median, type Used, whileWatching } from '../measure.ts';
import { startHand } from '../programs.ts';
import { whileCounting } from '../redis-cost.ts';
import { interleaved, perSecond, type RowMaker } from '../rows.ts';
import type { Stage } from '../stage.ts';

interface Run {
  readonly rate: number;
  /** With what comes before: the filling of a queue, or acceptance over HTTP. */
  readonly fromTheStart?: number;
  readonly used: Used;
  /** Commands of Redis from acceptance to the event. */
  readonly commands?: number;
  readonly finished?: Bytes;
}

/** What Redis keeps of one that is over. */
interface Bytes {
  readonly record: number;
  readonly event: number;
  readonly index: number;
}

const WARM_UP = 300;
const WARM_UP_FROM = 5_000_000;
const ACCEPTED_LIVE_FROM = 2_000_000;

export const disbursementRows: RowMaker = async (stage, { rounds, disbursements: count }) => {
  const runs = await interleaved<string, Run>(rounds, {
    'bare loop': () => bare(stage, count),
    'usual code': () => usual(stage, count),
    relais: () => relaisRun(stage, count),
  });
  const rateOf = (name: string): number => median((runs[name] ?? []).map(({ rate }) => rate));
  const fromTheStart = (name: string): number[] => (runs[name] ?? []).map((run) => run.fromTheStart ?? run.rate);
  const cpuOfRuns = (name: string): number => median((runs[name] ?? []).map(({ used }) => cpuOf(used)));
  const [usualRate, usualFromTheStart] = [rateOf('usual code'), median(fromTheStart('usual code'))];
  const relais = runs['relais'] ?? [];
  const finished = relais.flatMap((run) => run.finished ?? []);
  const commands = relais.map((run) => run.commands ?? 0);
  const allTold = finished.map(({ record, event, index }) => record + event + index);
  const cpu = Object.keys(relais[0]?.used.cpuMs ?? {}).map((name) => ({
    label: `processor time, ${name}`,
    values: relais.map(({ used }) => ((used.cpuMs[name] ?? 0) * 1_000) / count),
    unit: 'ms per 1,000 disbursements',
  }));
  return [
    {
      title: 'disbursements, complete life',
      figures: Object.entries(runs).map(([label, of]) => ({
        label,
        values: of.map(({ rate }) => rate),
        unit: 'disbursements/s',
      })),
      aims: [
        { text: 'of the bare loop', value: rateOf('relais') / rateOf('bare loop'), least: 0.45 },
        { text: 'of the usual code', value: rateOf('relais') / usualRate, least: 0.7 },
        { text: 'of the processor time of the usual code', value: cpuOfRuns('relais') / cpuOfRuns('usual code') },
      ],
    },
    {
      title: 'disbursements, with their acceptance inside the clock',
      figures: Object.keys(runs).map((label) => ({ label, values: fromTheStart(label), unit: 'disbursements/s' })),
      aims: [
        { text: 'of the bare loop', value: median(fromTheStart('relais')) / rateOf('bare loop'), least: 0.3 },
        { text: 'of the usual code', value: median(fromTheStart('relais')) / usualFromTheStart, least: 0.6 },
      ],
      notes: ['relais accepts one by one over HTTP; the usual code adds its jobs in bulk, without a door.'],
    },
    {
      title: 'what a disbursement costs the machine',
      figures: [
        ...cpu,
        { label: 'commands of Redis, those in scripts too', values: commands, unit: 'a disbursement' },
      ],
      aims: [{ text: 'commands of Redis, acceptance to event', value: median(commands), most: 75 }],
    },
    {
      title: 'Redis per finished disbursement, all told',
      figures: [
        { label: 'record, and what was last posted', values: finished.map(({ record }) => record), unit: 'bytes' },
        { label: 'event', values: finished.map(({ event }) => event), unit: 'bytes' },
        { label: 'index', values: finished.map(({ index }) => index), unit: 'bytes' },
        { label: 'all told', values: allTold, unit: 'bytes' },
      ],
      aims: [],
      notes: ['As Redis tells of the keys themselves (MEMORY USAGE), not of its memory as a whole.'],
    },
  ];
};

async function bare(stage: Stage, count: number): Promise<Run> {
  await stage.freshBooks();
  const hand = await startHand('bare', stage.dir);
  try {
    const { base, sandbox } = stage;
    await hand.do('bareDisbursements', { base, first: WARM_UP_FROM, count: WARM_UP });
    const { value, used } = await whileWatching({ loop: hand.pid, sandbox: sandbox.pid }, () =>
      hand.do<number>('bareDisbursements', { base, first: 0, count }),
    );
    return { rate: perSecond(count, value), used };
  } finally {
    await hand.stop();
  }
}

async function usual(stage: Stage, count: number): Promise<Run> {
  await stage.freshBooks();
  const redis = await stage.redis();
  const hand = await startHand('usual', stage.dir);
  try {
    const order = { base: stage.base, port: redis.port };
    await hand.do('usualDisbursements', { ...order, first: WARM_UP_FROM, count: WARM_UP });
    const pids = { worker: hand.pid, redis: redis.pid, sandbox: stage.sandbox.pid };
    const { value, used } = await whileWatching(pids, () =>
      hand.do<{ fillMs: number; drainMs: number }>('usualDisbursements', { ...order, first: 0, count }),
    );
    const fromTheStart = perSecond(count, value.fillMs + value.drainMs);
    return { rate: perSecond(count, value.drainMs), fromTheStart, used };
  } finally {
    await hand.stop();
    await redis.stop();
  }
}

async function relaisRun(stage: Stage, count: number): Promise<Run> {
  await stage.freshBooks();
  const relais = await startRelais(stage);
  try {
    await acceptAll(relais, { first: WARM_UP_FROM, count: WARM_UP });
    await liveAll(relais, WARM_UP);
    const before = await bytesOfShared(relais.look);
    await acceptAll(relais, { first: 0, count });
    const { value, used } = await whileWatching(relais.pids(), () => liveAll(relais, count));
    const after = await bytesOfShared(relais.look);
    const set = keys.listed('disbursement', 'main', 'succeeded');
    const places = await relais.look.zrange(set, String(WARM_UP), '-1');
    const ids = places.map((member) => idOf({ member, score: 0 }));
    const finished = {
      record: await meanBytes(relais.look, ids),
      event: (after.events - before.events) / count,
      index: (after.index - before.index) / count,
    };
    const { value: startedMs, asked } = await whileCounting(relais.look, () =>
      acceptAndLiveAll(relais, { first: ACCEPTED_LIVE_FROM, count }),
    );
    const fromTheStart = perSecond(count, startedMs);
    return { rate: perSecond(count, value), fromTheStart, used, commands: asked.commands / count, finished };
  } finally {
    await relais.stop();
  }
}

/** What all disbursements stand in together. */
async function bytesOfShared(redis: Redis): Promise<{ readonly events: number; readonly index: number }> {
  const index = [...(await setsOf(redis, 'disbursement')), ...(await keysLike(redis, keys.names('*')))];
  const bytes = await Promise.all(index.map((key) => bytesOf(redis, key)));
  return { events: await bytesOf(redis, keys.events), index: bytes.reduce((sum, one) => sum + one, 0) };
}

async function meanBytes(redis: Redis, ids: readonly string[]): Promise<number> {
  const bytes = await Promise.all(
    ids.flatMap((id) => [bytesOf(redis, keys.record(id)), bytesOf(redis, keys.callback(id))]),
  );
  return bytes.reduce((sum, each) => sum + each, 0) / ids.length;
}

/** Every part of it is looked at: what Redis guesses from five of them differs from run to run. */
async function bytesOf(redis: Redis, key: string): Promise<number> {
  return (await redis.memory('USAGE', key, 'SAMPLES', 0)) ?? 0;
}
