/** The doors: how fast they take requests and callbacks, beside Express that parses the same and writes once. */
import { request } from 'undici';
import { startRelais } from '../contenders/relais.ts';
import { median } from '../measure.ts';
import { startHand } from '../programs.ts';
import { interleaved, type Options, perSecond, type Row, type RowMaker } from '../rows.ts';
import type { Stage } from '../stage.ts';
import { messageOf } from '../work.ts';

const REQUESTS = 10_000;
const WARM_UP = 1_000;
const BULK_LINES = 20;

interface Rates {
  readonly disbursements: number;
  readonly messages: number;
  readonly callbacks: number;
  readonly bulk?: number;
}

export const doorRows: RowMaker = async (stage, options) => {
  const runs = await interleaved<'bare' | 'relais', Rates>(Math.min(options.rounds, 3), {
    bare: () => bare(stage, options),
    relais: () => relaisRates(stage, options),
  });
  const row = (
    title: string,
    what: 'disbursements' | 'messages' | 'callbacks',
    { unit, least }: { readonly unit: string; readonly least: number },
  ): Row => {
    const [theirs, ours] = [runs.bare, runs.relais].map((of) => of.map((rates) => rates[what]));
    return {
      title,
      figures: [
        { label: 'bare Express', values: theirs ?? [], unit },
        { label: 'relais', values: ours ?? [], unit },
      ],
      aims: [{ text: 'of bare Express', value: median(ours ?? []) / median(theirs ?? []), least }],
    };
  };
  const bulk = runs.relais.map((rates) => rates.bulk ?? 0);
  const single = median(runs.relais.map(({ messages }) => messages));
  return [
    row('accept disbursements over HTTP, one by one', 'disbursements', { unit: 'requests/s', least: 0.6 }),
    row('accept messages over HTTP, one by one', 'messages', { unit: 'requests/s', least: 0.6 }),
    {
      title: 'accept messages over HTTP, in bulk (NDJSON)',
      figures: [{ label: 'relais', values: bulk, unit: 'messages/s' }],
      aims: [{ text: 'times one by one', value: median(bulk) / single, least: 8 }],
    },
    row('callback → durable → 200', 'callbacks', { unit: 'callbacks/s', least: 0.7 }),
  ];
};

async function bare(stage: Stage, { share }: Options): Promise<Rates> {
  const redis = await stage.redis();
  const [server, client] = [await startHand('bare-doors', stage.dir), await startHand('client', stage.dir)];
  try {
    const url = await server.do<string>('openBareDoors', { port: redis.port });
    const rate = async (what: string): Promise<number> => {
      await client.do('press', { what, url, first: 0, count: WARM_UP });
      return client.do<number>('press', { what, url, first: WARM_UP, count: REQUESTS * share });
    };
    return {
      disbursements: await rate('disbursements'),
      messages: await rate('messages'),
      callbacks: await rate('callbacks'),
    };
  } finally {
    await Promise.all([server.stop(), client.stop()]);
    await redis.stop();
  }
}

/** The door alone: no worker takes away what was accepted, or the machine's time. */
async function relaisRates(stage: Stage, { share }: Options): Promise<Rates> {
  await stage.freshBooks();
  const relais = await startRelais(stage, { workers: 0 });
  const client = await startHand('client', stage.dir);
  try {
    const count = REQUESTS * share;
    const rate = async (what: string, url: string): Promise<number> => {
      await client.do('press', { what, url, first: 0, count: WARM_UP });
      return client.do<number>('press', { what, url, first: WARM_UP, count });
    };
    const { api } = relais;
    const disbursements = await rate('disbursements', api);
    const messages = await rate('messages', api);
    const callbacks = await rate('callbacks', relais.door.urls['webhooks'] ?? '');
    return { disbursements, messages, callbacks, bulk: await bulkRate(api, count * BULK_LINES) };
  } finally {
    await client.stop();
    await relais.stop();
  }
}

const BULK_FROM = 2_000_000;

async function bulkRate(api: string, count: number): Promise<number> {
  await postLines(api, BULK_FROM, WARM_UP);
  const started = performance.now();
  await postLines(api, BULK_FROM + WARM_UP, count);
  return perSecond(count, performance.now() - started);
}

async function postLines(api: string, first: number, count: number): Promise<void> {
  const lines = Array.from({ length: count }, (_, index) => `${JSON.stringify(messageOf(first + index))}\n`);
  const answer = await request(`${api}/v1/messages`, {
    method: 'POST',
    headers: { authorization: 'Bearer dev', 'content-type': 'application/x-ndjson' },
    body: lines.join(''),
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const said = await answer.body.text();
  const accepted = said.split('"accepted"').length - 1;
  if (accepted !== count) throw new Error(`${accepted} of ${count} lines were accepted: ${said.slice(0, 300)}`);
}
