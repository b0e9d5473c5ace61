/** A service that takes its time: how full the slots are kept, and whether more workers bring more. */
import { prepareCampaign, runCampaign } from '../contenders/relais-campaign.ts';
import { startRelais } from '../contenders/relais.ts';
import { median } from '../measure.ts';
import { startHand } from '../programs.ts';
import { type Aim, interleaved, type Options, perSecond, type Row, type RowMaker } from '../rows.ts';
import type { Stage } from '../stage.ts';
import { CONCURRENCY, PER_REQUEST } from '../work.ts';

/** So many requests per slot, at a share of 1; few enough and the beginning and the end would be most of it. */
const REQUESTS_PER_SLOT = 30;
const LEAST_PER_SLOT = 20;
const WARM_UP = 5_000;
const WARM_UP_FROM = 5_000_000;

export const latencyRows: RowMaker = async (stage, options) => [
  await latencyRow(stage, 20, options),
  await latencyRow(stage, 200, options),
  await workersRow(stage, options),
];

const bound = (latencyMs: number, slots: number): number => (slots * 1_000) / latencyMs;

const requestsOf = ({ share }: Options): number => Math.max(LEAST_PER_SLOT, REQUESTS_PER_SLOT * share) * CONCURRENCY;

async function latencyRow(stage: Stage, latencyMs: number, options: Options): Promise<Row> {
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
    relais: async () => (await campaignRates(stage, latencyMs, recipients, 1)).requests,
  });
  const relais = median(runs['relais'] ?? []);
  const most = bound(latencyMs, CONCURRENCY);
  const aims: Aim[] = [
    { text: 'of concurrency ÷ latency', value: relais / most, ...(latencyMs === 200 ? { least: 0.9 } : {}) },
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
    results.push({ workers, ...(await campaignRates(stage, 200, recipients, workers)) });
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

async function campaignRates(stage: Stage, latencyMs: number, recipients: number, workers: number) {
  await stage.freshBooks();
  const relais = await startRelais(stage, { workers });
  try {
    const warmUp = { first: WARM_UP_FROM, recipients: WARM_UP };
    await runCampaign(relais, await prepareCampaign(relais, 'warm-up', warmUp), WARM_UP);
    const { logins } = await stage.books();
    await stage.latency(latencyMs);
    const ms = await runCampaign(relais, await prepareCampaign(relais, 'slow', { first: 0, recipients }), recipients);
    return { requests: perSecond(recipients / PER_REQUEST, ms), logins };
  } finally {
    await relais.stop();
  }
}
