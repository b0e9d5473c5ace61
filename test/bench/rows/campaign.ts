/** Campaigns without latency, and what they cost in processor time, memory and bytes of Redis. */
import { Redis } from 'ioredis';
import { prepareCampaign, runCampaign } from '../contenders/relais-campaign.ts';
import { startRelais } from '../contenders/relais.ts';
import { cpuOf, median, type Used, whileWatching } from '../measure.ts';
import { startHand } from '../programs.ts';
import { type RedisCost, whileCounting } from '../redis-cost.ts';
import { type Aim, interleaved, type Options, perSecond, type Row, type RowMaker } from '../rows.ts';
import type { Stage } from '../stage.ts';
import { PER_REQUEST } from '../work.ts';

interface Run {
  readonly rate: number;
  readonly used: Used;
  readonly asked?: RedisCost;
  readonly more?: Readonly<Record<'uploadRate' | 'waitingBytes' | 'finishedBytes', number>>;
}

/** Of a good programmer that wants to see what it does. */
const TOLD = 'usual code with a log line and figures';
const WARM_UP = 5_000;
const WARM_UP_FROM = 5_000_000;
/** One job per recipient is so much slower that it gets less to do. */
const SINGLE_SHARE = 0.1;

export const campaignRows: RowMaker = async (stage, options) => {
  const { rounds, recipients, largeCampaign } = options;
  const rows = [await campaignRow(stage, recipients, rounds, true)];
  if (largeCampaign > 0) rows.push(await campaignRow(stage, largeCampaign, 1, false));
  return [...rows.map(({ row }) => row), ...costRows(rows[0], options)];
};

async function campaignRow(stage: Stage, recipients: number, rounds: number, single: boolean) {
  const runs = await interleaved<string, Run>(rounds, {
    'bare loop': () => bare(stage, recipients),
    'usual code': () => usual(stage, { recipients, perJob: PER_REQUEST }),
    [TOLD]: () => usual(stage, { recipients, perJob: PER_REQUEST, told: true }),
    ...(single
      ? {
          'usual code, one job per recipient': () =>
            usual(stage, { recipients: recipients * SINGLE_SHARE, perJob: 1 }),
        }
      : {}),
    relais: () => relaisRun(stage, recipients),
  });
  const rateOf = (name: string): number => median((runs[name] ?? []).map(({ rate }) => rate));
  // All processes of each, Redis and the door with them.
  const cpuOfRuns = (name: string): number => median((runs[name] ?? []).map(({ used }) => cpuOf(used)));
  const aims: Aim[] = [
    { text: 'of the bare loop', value: rateOf('relais') / rateOf('bare loop'), least: 0.55 },
    { text: 'of the usual code', value: rateOf('relais') / rateOf('usual code'), least: 0.95 },
    { text: `of the ${TOLD}`, value: rateOf('relais') / rateOf(TOLD), least: 1.05 },
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
  const uploadRates = relais.map(({ more }) => more?.uploadRate ?? 0);
  aims.push({ text: 'rows of an upload a second', value: median(uploadRates), least: 150_000 });
  const upload = { label: 'relais, upload', values: uploadRates, unit: 'rows/s' };
  const title = `campaign of ${recipients.toLocaleString('en')} recipients`;
  return { row: { title, figures: [...figures, upload], aims }, relais, usual: runs['usual code'] ?? [] };
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

interface UsualWork {
  readonly recipients: number;
  readonly perJob: number;
  /** With a line of the log and figures for each request. */
  readonly told?: boolean;
}

async function usual(stage: Stage, { recipients, perJob, told = false }: UsualWork): Promise<Run> {
  await stage.freshBooks();
  const redis = await stage.redis();
  const look = new Redis({ port: redis.port, host: '127.0.0.1' });
  const hand = await startHand('usual', stage.dir);
  try {
    const order = { crm: stage.crm, port: redis.port, perJob, told };
    const warmUp = WARM_UP * (perJob === 1 ? SINGLE_SHARE : 1);
    await hand.do('usualCampaign', { ...order, first: WARM_UP_FROM, recipients: warmUp });
    const pids = { worker: hand.pid, redis: redis.pid, sandbox: stage.sandbox.pid };
    const run = (): Promise<{ drainMs: number }> => hand.do('usualCampaign', { ...order, first: 0, recipients });
    const { value, asked } = await whileCounting(look, () => whileWatching(pids, run));
    return { rate: perSecond(recipients, value.value.drainMs), used: value.used, asked };
  } finally {
    look.disconnect();
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
    const { value: watched, asked } = await whileCounting(relais.look, () =>
      whileWatching(relais.pids(), () => runCampaign(relais, prepared, recipients)),
    );
    const finishedBytes = ((await relais.usedMemory()) - before) / recipients;
    const { messagesSent: sent, messagesRepeated: repeated } = await stage.books();
    if (sent !== recipients + WARM_UP || repeated !== 0)
      throw new Error(`${sent} texts were sent, ${repeated} twice`);
    const more = { uploadRate: perSecond(recipients, prepared.uploadMs), waitingBytes, finishedBytes };
    return { rate: perSecond(recipients, watched.value), used: watched.used, asked, more };
  } finally {
    await relais.stop();
  }
}

function costRows(row: Awaited<ReturnType<typeof campaignRow>> | undefined, { recipients }: Options): Row[] {
  const relais = row?.relais ?? [];
  const bytes = (of: 'waitingBytes' | 'finishedBytes'): number[] => relais.map(({ more }) => more?.[of] ?? 0);
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
      title: 'Redis per recipient (number and one small variable)',
      figures: [
        { label: 'waiting', values: bytes('waitingBytes'), unit: 'bytes' },
        { label: 'when the campaign is over', values: bytes('finishedBytes'), unit: 'bytes' },
      ],
      aims: [{ text: 'bytes for one that waits', value: median(bytes('waitingBytes')), most: 28 }],
    },
    redisRow({ relais, 'usual code': row?.usual ?? [] }, recipients),
    {
      title: 'what a campaign costs the machine',
      figures: [...cpu, ...memory],
      aims: [],
      notes: ['What is ms for 1,000 is seconds for a million.'],
    },
  ];
}

function redisRow(runs: Readonly<Record<'relais' | 'usual code', readonly Run[]>>, recipients: number): Row {
  const requests = recipients / PER_REQUEST;
  const of = (who: keyof typeof runs, what: keyof RedisCost, each: number): number[] =>
    runs[who].map(({ asked }) => (asked?.[what] ?? 0) / each);
  const whos = ['relais', 'usual code'] as const;
  return {
    title: 'what a request of fifty texts asks of Redis',
    figures: whos.flatMap((who) => [
      { label: `${who}: scripts`, values: of(who, 'scripts', requests), unit: 'a request' },
      { label: `${who}: commands, those in scripts too`, values: of(who, 'commands', requests), unit: 'a request' },
      { label: `${who}: written to its file`, values: of(who, 'fileBytes', recipients), unit: 'bytes a recipient' },
    ]),
    aims: [
      { text: 'scripts a request', value: median(of('relais', 'scripts', requests)), most: 0.3 },
      { text: 'commands a request', value: median(of('relais', 'commands', requests)), most: 5 },
      { text: 'bytes a recipient in its file', value: median(of('relais', 'fileBytes', recipients)), most: 8 },
    ],
  };
}
