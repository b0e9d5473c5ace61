/** Campaigns without latency, and what they cost in processor time, memory and bytes of Redis. */
import { prepareCampaign, runCampaign } from '../contenders/relais-campaign.ts';
import { startRelais } from '../contenders/relais.ts';
import { cpuOf, median, type Used, whileWatching } from '../measure.ts';
import { startHand } from '../programs.ts';
import { type Aim, interleaved, type Options, perSecond, type Row, type RowMaker } from '../rows.ts';
import type { Stage } from '../stage.ts';
import { PER_REQUEST } from '../work.ts';

interface Run {
  readonly rate: number;
  readonly used: Used;
  readonly more?: Readonly<Record<'uploadRate' | 'waitingBytes', number>>;
}

const WARM_UP = 5_000;
const WARM_UP_FROM = 5_000_000;
/** One job per recipient is so much slower that it gets less to do. */
const SINGLE_SHARE = 0.1;

export const campaignRows: RowMaker = async (stage, options) => {
  const { rounds, recipients, largeCampaign } = options;
  const rows = [await campaignRow(stage, recipients, rounds, true)];
  if (largeCampaign > 0) rows.push(await campaignRow(stage, largeCampaign, 1, false));
  return [...rows.map(({ row }) => row), ...costRows(rows[0]?.relais ?? [], options)];
};

async function campaignRow(stage: Stage, recipients: number, rounds: number, single: boolean) {
  const runs = await interleaved<string, Run>(rounds, {
    'bare loop': () => bare(stage, recipients),
    'usual code': () => usual(stage, recipients, PER_REQUEST),
    ...(single ? { 'usual code, one job per recipient': () => usual(stage, recipients * SINGLE_SHARE, 1) } : {}),
    relais: () => relaisRun(stage, recipients),
  });
  const rateOf = (name: string): number => median((runs[name] ?? []).map(({ rate }) => rate));
  // All processes of each, Redis and the door with them.
  const cpuOfRuns = (name: string): number => median((runs[name] ?? []).map(({ used }) => cpuOf(used)));
  const aims: Aim[] = [
    { text: 'of the bare loop', value: rateOf('relais') / rateOf('bare loop'), least: 0.55 },
    { text: 'of the usual code', value: rateOf('relais') / rateOf('usual code'), least: 0.95 },
    {
      text: 'of the processor time of the usual code',
      value: cpuOfRuns('relais') / cpuOfRuns('usual code'),
      most: 0.85,
    },
  ];
  const figures = Object.entries(runs).map(([label, of]) => ({
    label,
    values: of.map(({ rate }) => rate),
    unit: 'recipients/s',
  }));
  const relais = runs['relais'] ?? [];
  const upload = { label: 'relais, upload', values: relais.map(({ more }) => more?.uploadRate ?? 0), unit: 'rows/s' };
  const title = `campaign of ${recipients.toLocaleString('en')} recipients`;
  return { row: { title, figures: [...figures, upload], aims }, relais, bare: runs['bare loop'] ?? [] };
}

async function bare(stage: Stage, recipients: number): Promise<Run> {
  await stage.freshBooks();
  const hand = await startHand('bare', stage.dir);
  try {
    const { crm, sandbox } = stage;
    await hand.do('bareCampaign', { crm, first: WARM_UP_FROM, recipients: WARM_UP });
    const { value, used } = await whileWatching({ loop: hand.pid, sandbox: sandbox.pid }, () =>
      hand.do<number>('bareCampaign', { crm, first: 0, recipients }),
    );
    return { rate: perSecond(recipients, value), used };
  } finally {
    await hand.stop();
  }
}

async function usual(stage: Stage, recipients: number, perJob: number): Promise<Run> {
  await stage.freshBooks();
  const redis = await stage.redis();
  const hand = await startHand('usual', stage.dir);
  try {
    const order = { crm: stage.crm, port: redis.port, perJob };
    const warmUp = WARM_UP * (perJob === 1 ? SINGLE_SHARE : 1);
    await hand.do('usualCampaign', { ...order, first: WARM_UP_FROM, recipients: warmUp });
    const pids = { worker: hand.pid, redis: redis.pid, sandbox: stage.sandbox.pid };
    const { value, used } = await whileWatching(pids, () =>
      hand.do<{ drainMs: number }>('usualCampaign', { ...order, first: 0, recipients }),
    );
    return { rate: perSecond(recipients, value.drainMs), used };
  } finally {
    await hand.stop();
    await redis.stop();
  }
}

async function relaisRun(stage: Stage, recipients: number): Promise<Run> {
  await stage.freshBooks();
  const relais = await startRelais(stage);
  try {
    const warmUp = { first: WARM_UP_FROM, recipients: WARM_UP };
    await runCampaign(relais, await prepareCampaign(relais, 'warm-up', warmUp), WARM_UP);
    const before = await relais.usedMemory();
    const prepared = await prepareCampaign(relais, 'campaign', { first: 0, recipients });
    const waitingBytes = ((await relais.usedMemory()) - before) / recipients;
    const { value, used } = await whileWatching(relais.pids(), () => runCampaign(relais, prepared, recipients));
    const { messagesSent: sent, messagesRepeated: repeated } = await stage.books();
    if (sent !== recipients + WARM_UP || repeated !== 0)
      throw new Error(`${sent} texts were sent, ${repeated} twice`);
    const more = { uploadRate: perSecond(recipients, prepared.uploadMs), waitingBytes };
    return { rate: perSecond(recipients, value), used, more };
  } finally {
    await relais.stop();
  }
}

function costRows(relais: readonly Run[], { recipients }: Options): Row[] {
  const waiting = relais.map(({ more }) => more?.waitingBytes ?? 0);
  const names = Object.keys(relais[0]?.used.cpuMs ?? {});
  const cpu = names.map((name) => ({
    label: `processor time, ${name}`,
    values: relais.map(({ used }) => ((used.cpuMs[name] ?? 0) * 1_000) / recipients),
    unit: 'ms per 1,000 recipients',
  }));
  const memory = names.map((name) => ({
    label: `memory at most, ${name}`,
    values: relais.map(({ used }) => (used.peakBytes[name] ?? 0) / 1_048_576),
    unit: 'MB',
  }));
  return [
    {
      title: 'Redis per waiting recipient (number and one small variable)',
      figures: [{ label: 'relais', values: waiting, unit: 'bytes' }],
      aims: [{ text: 'bytes', value: median(waiting), most: 100 }],
    },
    { title: 'what a campaign costs the machine', figures: [...cpu, ...memory], aims: [] },
  ];
}
