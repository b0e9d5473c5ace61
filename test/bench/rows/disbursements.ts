/** Disbursements, complete life: token, submit, callback, status, event. */
import { acceptAll, liveAll } from '../contenders/relais-disbursements.ts';
import { startRelais } from '../contenders/relais.ts';
import { median, type Used, whileWatching } from '../measure.ts';
import { startHand } from '../programs.ts';
import { interleaved, perSecond, type RowMaker } from '../rows.ts';
import type { Stage } from '../stage.ts';

interface Run {
  readonly rate: number;
  readonly used: Used;
  readonly finishedBytes?: number;
}

const WARM_UP = 300;
const WARM_UP_FROM = 5_000_000;

export const disbursementRows: RowMaker = async (stage, { rounds, disbursements: count }) => {
  const runs = await interleaved<string, Run>(rounds, {
    'bare loop': () => bare(stage, count),
    'usual code': () => usual(stage, count),
    relais: () => relaisRun(stage, count),
  });
  const rateOf = (name: string): number => median((runs[name] ?? []).map(({ rate }) => rate));
  const relais = runs['relais'] ?? [];
  const finished = relais.map(({ finishedBytes }) => finishedBytes ?? 0);
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
      aims: [{ text: 'of the bare loop', value: rateOf('relais') / rateOf('bare loop'), least: 0.25 }],
    },
    { title: 'what a disbursement costs the machine', figures: cpu, aims: [] },
    {
      title: 'Redis per finished disbursement, all told',
      figures: [{ label: 'relais', values: finished, unit: 'bytes' }],
      aims: [{ text: 'bytes', value: median(finished), most: 1_000 }],
      notes: ['Record, index, event and the last callback, as the memory of Redis grows.'],
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
      hand.do<{ drainMs: number }>('usualDisbursements', { ...order, first: 0, count }),
    );
    return { rate: perSecond(count, value.drainMs), used };
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
    const before = await relais.usedMemory();
    await acceptAll(relais, { first: 0, count });
    const { value, used } = await whileWatching(relais.pids(), () => liveAll(relais, count));
    const finishedBytes = ((await relais.usedMemory()) - before) / count;
    return { rate: perSecond(count, value), used, finishedBytes };
  } finally {
    await relais.stop();
  }
}
