/** A service that takes its time: how full the slots are kept, and whether more workers bring more. */
import { prepareCampaign, runCampaign } from '../contenders/relais-campaign.ts';
import { startRelais } from '../contenders/relais.ts';
import { cpuOf, median, whileWatching } from '../measure.ts';
import { startHand } from '../programs.ts';
import { type Aim, interleaved, type Options, perSecond, type Row, type RowMaker } from '../rows.ts';
import type { Stage } from '../stage.ts';
import { CONCURRENCY, PER_REQUEST } from '../work.ts';

/** So many requests per slot, at a share of 1; few enough and the beginning and the end would be most of it. */
const REQUESTS_PER_SLOT = 30;
const LEAST_PER_SLOT = 20;
const WARM_UP = 5_000;
const WARM_UP_FROM = 5_000_000;

/** By latency, ms: the shorter it is, the more of it all is what a request costs. */
const LEAST_OF_BARE = { 20: 0.7, 200: 0.96 } as const;

export const latencyRows: RowMaker = async (stage, options) => [
  await latencyRow(stage, 20, options),
  await latencyRow(stage, 200, options),
  await workersRow(stage, options),
];

/** Small workers and a slow service: what is possible is slots ÷ latency, whatever the machine. */
export const scaleRows: RowMaker = async (stage, { rounds }) => {
  const crews = SCALED.map((workers) => [String(workers), () => scaled(stage, workers)] as const);
  const runs = await interleaved<string, Scaled>(Math.min(rounds, 3), Object.fromEntries(crews));
  const of = (workers: number): readonly Scaled[] => runs[String(workers)] ?? [];
  const share = (workers: number): number =>
    median(of(workers).map(({ requests }) => requests)) / bound(SCALED_LATENCY_MS, SCALED_SLOTS * workers);
  const cpu = (workers: number): number => median(of(workers).map(({ cpuMs }) => cpuMs));
  const named = (workers: number): string => `${workers} × ${SCALED_SLOTS} slots`;
  return [
    {
      title: `small workers at ${SCALED_LATENCY_MS} ms of latency`,
      figures: SCALED.flatMap((workers) => [
        { label: named(workers), values: of(workers).map(({ requests }) => requests), unit: 'requests/s' },
        {
          label: `${named(workers)}: processor`,
          values: of(workers).map(({ cpuMs }) => cpuMs),
          unit: 'ms a request',
        },
      ]),
      aims: [
        ...SCALED.map((workers) => ({ text: `of what ${named(workers)} can do`, value: share(workers), least: 0.9 })),
        { text: 'times the processor a request, four workers ÷ one', value: cpu(4) / cpu(1), most: 1.3 },
      ],
      notes: ['Processor is that of all processes of relais and Redis; starting them is not in it.'],
    },
  ];
};

const SCALED = [1, 2, 4, 8] as const;
const SCALED_SLOTS = 4;
const SCALED_LATENCY_MS = 800;
const SCALED_PER_SLOT = 20;

type Scaled = Awaited<ReturnType<typeof campaignRates>>;

function scaled(stage: Stage, workers: number): Promise<Scaled> {
  const recipients = SCALED_PER_SLOT * SCALED_SLOTS * workers * PER_REQUEST;
  return campaignRates(stage, SCALED_LATENCY_MS, recipients, { workers, slots: SCALED_SLOTS });
}

const bound = (latencyMs: number, slots: number): number => (slots * 1_000) / latencyMs;

const requestsOf = ({ share }: Options): number => Math.max(LEAST_PER_SLOT, REQUESTS_PER_SLOT * share) * CONCURRENCY;

async function latencyRow(stage: Stage, latencyMs: keyof typeof LEAST_OF_BARE, options: Options): Promise<Row> {
  const requests = requestsOf(options);
  const recipients = requests * PER_REQUEST;
  const runs = await interleaved<string, number>(Math.min(options.rounds, 3), {
    'bare loop': async () => {
      const { crm } = stage;
      const hand = await startHand('bare', stage.dir);
      try {
        await stage.freshBooks();
        await hand.do('bareCampaign', { crm, first: WARM_UP_FROM, recipients: WARM_UP });
        await stage.freshBooks({ latencyMs });
        return perSecond(requests, await hand.do<number>('bareCampaign', { crm, first: 0, recipients }));
      } finally {
        await hand.stop();
      }
    },
    relais: async () => (await campaignRates(stage, latencyMs, recipients, { workers: 1 })).requests,
  });
  const relais = median(runs['relais'] ?? []);
  const most = bound(latencyMs, CONCURRENCY);
  const aims: Aim[] = [
    { text: 'of the bare loop', value: relais / median(runs['bare loop'] ?? []), least: LEAST_OF_BARE[latencyMs] },
    { text: 'of concurrency ÷ latency', value: relais / most },
  ];
  return {
    title: `campaign at ${latencyMs} ms of latency, ${CONCURRENCY} slots`,
    figures: [
      { label: 'concurrency ÷ latency', values: [most], unit: 'requests/s' },
      ...Object.entries(runs).map(([label, values]) => ({ label, values, unit: 'requests/s' })),
    ],
    aims,
  };
}

const WORKERS = [1, 2, 4] as const;

async function workersRow(stage: Stage, options: Options): Promise<Row> {
  const results = [];
  for (const workers of WORKERS) {
    const recipients = requestsOf(options) * PER_REQUEST * workers;
    results.push({ workers, ...(await campaignRates(stage, 200, recipients, { workers })) });
  }
  const logins = Math.max(...results.map((one) => one.logins));
  return {
    title: 'several worker processes at 200 ms of latency',
    figures: results.map(({ workers, requests }) => ({
      label: `${workers} × ${CONCURRENCY} slots`,
      values: [requests],
      unit: 'requests/s',
    })),
    aims: [{ text: 'SMS logins, whatever the number of workers', value: logins, most: 1 }],
    notes: [`Concurrency ÷ latency is ${bound(200, CONCURRENCY)} requests/s per worker.`],
  };
}

interface Crew {
  readonly workers: number;
  readonly slots?: number;
}

async function campaignRates(stage: Stage, latencyMs: number, recipients: number, { workers, slots }: Crew) {
  await stage.freshBooks();
  const relais = await startRelais(stage, { workers, ...(slots === undefined ? {} : { concurrency: slots }) });
  try {
    const warmUp = { first: WARM_UP_FROM, recipients: WARM_UP };
    await runCampaign(relais, await prepareCampaign(relais, 'warm-up', warmUp), WARM_UP);
    const { logins } = await stage.books();
    await stage.latency(latencyMs);
    const slow = await prepareCampaign(relais, 'slow', { first: 0, recipients });
    const { value: ms, used } = await whileWatching(relais.pids(), () => runCampaign(relais, slow, recipients));
    const requests = recipients / PER_REQUEST;
    return { requests: perSecond(requests, ms), logins, cpuMs: cpuOf(used) / requests };
  } finally {
    await relais.stop();
  }
}
