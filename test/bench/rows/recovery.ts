/** A worker is killed in the middle and another one is started: how long nothing leaves, and until all is over. */
import { setTimeout as delay } from 'node:timers/promises';
import { keys } from '../../../src/operations/keys.ts';
import { acceptAll } from '../contenders/relais-disbursements.ts';
import { prepareCampaign } from '../contenders/relais-campaign.ts';
import { type Relais, startRelais } from '../contenders/relais.ts';
import { interleaved, type Row, type RowMaker } from '../rows.ts';
import type { Stage } from '../stage.ts';

const LATENCY_MS = 200;
const RECIPIENTS = 50_000;
const DISBURSEMENTS = 1_000;
/** In the middle of it, whatever the machine does in a second. */
const TEXTS_BEFORE = 200;
const PAYMENTS_BEFORE = 300;
const LOOK_EVERY_MS = 5;
const WAIT_MS = 120_000;

interface Killed {
  /** From the end of the one to the readiness of the other, ms: the start of a process. */
  readonly ready: number;
  /** From the end of the one to the next request that moves something, ms. */
  readonly next: number;
  /** From the end of the one until nothing is open, ms. */
  readonly over: number;
}

export const recoveryRows: RowMaker = async (stage, { rounds }) => {
  const runs = await interleaved<'texts' | 'payments', Killed>(Math.min(rounds, 3), {
    texts: () => killed(stage, texts),
    payments: () => killed(stage, payments),
  });
  return [
    row(`a worker is killed in a campaign at ${LATENCY_MS} ms of latency`, 'text', runs.texts),
    row(`a worker is killed among disbursements at ${LATENCY_MS} ms of latency`, 'payment', runs.payments),
  ];
};

function row(title: string, what: string, runs: readonly Killed[]): Row {
  const figure = (label: string, of: (one: Killed) => number) => ({ label, values: runs.map(of), unit: 'ms' });
  return {
    title,
    figures: [
      figure('until another worker is ready', ({ ready }) => ready),
      figure(`until the next ${what}`, ({ next }) => next),
      figure('until nothing is open', ({ over }) => over),
    ],
    aims: [],
    notes: [
      'A supervisor starts the other at once. What was in flight is waited for as long as its lease lasts: 4 s here.',
    ],
  };
}

interface Work {
  /** What leaves: its name in the books of the service. */
  readonly request: string;
  readonly before: number;
  readonly begin: (relais: Relais) => Promise<() => Promise<boolean>>;
}

const texts: Work = {
  request: 'sms.send',
  before: TEXTS_BEFORE,
  begin: async (relais) => {
    const { id } = await prepareCampaign(relais, 'interrupted', { first: 0, recipients: RECIPIENTS });
    await relais.ask('POST', `/v1/campaigns/${id}/start`);
    return async () => (await relais.look.hget(keys.record(id), 'state')) === 'finished';
  },
};

const payments: Work = {
  request: 'disbursement.submit',
  before: PAYMENTS_BEFORE,
  begin: async (relais) => {
    await acceptAll(relais, { first: 0, count: DISBURSEMENTS });
    await relais.ask('POST', '/v1/queues/disbursement/resume');
    const succeeded = keys.counts('disbursement');
    return async () => Number((await relais.look.hget(succeeded, 'succeeded')) ?? 0) === DISBURSEMENTS;
  },
};

async function killed(stage: Stage, { request, before, begin }: Work): Promise<Killed> {
  await stage.freshBooks();
  const relais = await startRelais(stage, { settings: { UPSTREAM_TIMEOUT: '1s', UPSTREAM_CONNECT_TIMEOUT: '1s' } });
  try {
    await stage.latency(LATENCY_MS);
    const isOver = await begin(relais);
    const left = async (): Promise<number> => (await stage.books()).requests[request] ?? 0;
    await until(async () => (await left()) >= before);
    await relais.workers[0]?.kill();
    const dead = performance.now();
    // Those that had left the process arrive a moment later.
    const another = relais.start('worker-2', 'worker');
    const atTheEnd = await left();
    const starting = another.then(() => performance.now() - dead);
    await until(async () => (await left()) > atTheEnd);
    const next = performance.now() - dead;
    await until(isOver);
    return { ready: await starting, next, over: performance.now() - dead };
  } finally {
    await relais.stop();
  }
}

async function until(reached: () => Promise<boolean>): Promise<void> {
  const giveUp = AbortSignal.timeout(WAIT_MS);
  while (!(await reached())) {
    if (giveUp.aborted) throw new Error(`not reached within ${WAIT_MS} ms`);
    await delay(LOOK_EVERY_MS);
  }
}
