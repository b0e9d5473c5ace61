/** A worker is killed in the middle and another one is started: how long nothing leaves, and until all is over. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { keys } from '../../../src/operations/keys.ts';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../../src/redis/embedded.ts';
import { acceptAll } from '../contenders/relais-disbursements.ts';
import { prepareCampaign } from '../contenders/relais-campaign.ts';
import { type Relais, startRelais } from '../contenders/relais.ts';
import { median } from '../measure.ts';
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

/** A lease of 4 s, and the statistics are asked once no request can still be under way. */
const SHORT = { UPSTREAM_TIMEOUT: '1s', UPSTREAM_CONNECT_TIMEOUT: '1s', SMS_SETTLE_DELAY: '2s' } as const;

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
  const struck = await interleaved<'struck', Struck>(Math.min(rounds, 3), { struck: () => struckAll(stage) });
  return [
    struckRow(struck.struck),
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
  const relais = await startRelais(stage, { settings: SHORT });
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

const STRUCK_RECIPIENTS = 20_000;
const STRUCK_WORKERS = 3;
const STRUCK_SLOTS = 4;
/** Past the lease, which lasts 4 s. */
const FROZEN_MS = 6_000;

/** Fifty, ten of each kind, spread over the requests. */
const FAULTS = [
  'resets the connection before doing the work',
  'resets the connection after doing the work',
  'answers 5xx before doing the work',
  'answers 5xx after doing the work',
  'cuts its JSON',
] as const;
const EACH_FAULT = { operation: 'sms.send', probability: 0.1, count: 10 } as const;

type Strike = 'kill' | 'freeze' | 'crash' | 'faults';

/** By how many requests have come to the service: whatever the machine does in a second. */
const STRIKES: ReadonlyMap<number, Strike> = new Map([
  // Not the first: a campaign whose first request is in doubt waits for the statistics before it goes on.
  [20, 'faults'],
  [40, 'kill'],
  [80, 'freeze'],
  [120, 'kill'],
  [160, 'crash'],
  [200, 'freeze'],
  [240, 'kill'],
  [280, 'kill'],
]);

interface Struck {
  /** From the start of the campaign until it is finished, ms. */
  readonly over: number;
  /** The longest time in which no request came to the service, ms. */
  readonly silent: number;
  readonly unknown: number;
}

function struckRow(runs: readonly Struck[]): Row {
  const figure = (label: string, of: (one: Struck) => number, unit: string) => ({
    label,
    values: runs.map(of),
    unit,
  });
  return {
    title: `${STRUCK_RECIPIENTS.toLocaleString('en')} recipients through four kills, two freezes, a crash of Redis and fifty faults`,
    figures: [
      figure('until the campaign is finished', ({ over }) => over / 1_000, 's'),
      figure('the longest silence', ({ silent }) => silent / 1_000, 's'),
      figure('whose fate is unclear, and is told so', ({ unknown }) => unknown, 'recipients'),
    ],
    aims: [{ text: 's until it is finished', value: median(runs.map(({ over }) => over / 1_000)), most: 25 }],
    notes: [
      `${STRUCK_WORKERS} workers of ${STRUCK_SLOTS} slots, ${LATENCY_MS} ms of latency, a lease of 4 s; frozen for ${FROZEN_MS / 1_000} s. Nobody got a text twice.`,
    ],
  };
}

async function struckAll(stage: Stage): Promise<Struck> {
  await stage.freshBooks();
  const dir = mkdtempSync(join(stage.dir, 'struck-'));
  const before = await startEmbeddedRedis({ dir });
  const relais = await startRelais(stage, {
    workers: STRUCK_WORKERS,
    concurrency: STRUCK_SLOTS,
    redis: before,
    settings: SHORT,
  });
  const crew = [...relais.workers];
  let after: EmbeddedRedis | undefined;
  const strike: Readonly<Record<Strike, () => Promise<void>>> = {
    faults: async () => {
      for (const [index, fault] of FAULTS.entries()) await stage.fault({ fault, seed: index + 1, ...EACH_FAULT });
    },
    kill: async () => {
      const worker = crew.shift();
      await worker?.kill();
      crew.push(await relais.start('another', 'worker'));
    },
    freeze: async () => {
      const worker = crew.shift();
      if (!worker) return;
      process.kill(worker.pid, 'SIGSTOP');
      await delay(FROZEN_MS);
      process.kill(worker.pid, 'SIGCONT');
      crew.push(worker);
    },
    crash: async () => {
      process.kill(before.pid, 'SIGKILL');
      await before.stop();
      after = await startEmbeddedRedis({ dir, port: before.port });
    },
  };
  try {
    const { id } = await prepareCampaign(relais, 'struck', { first: 0, recipients: STRUCK_RECIPIENTS });
    await stage.latency(LATENCY_MS);
    const isOver = async (): Promise<boolean> => (await relais.look.hget(keys.record(id), 'state')) === 'finished';
    await relais.ask('POST', `/v1/campaigns/${id}/start`);
    const { over, silent, struck } = await watchThrough(stage, isOver, strike);
    await Promise.all(struck);
    const { totals } = await relais.ask<{ readonly totals: Readonly<Record<string, number>> }>(
      'GET',
      `/v1/campaigns/${id}`,
    );
    const { messagesRepeated } = await stage.books();
    const told = (totals['sent'] ?? 0) + (totals['unknown'] ?? 0);
    if (messagesRepeated > 0 || struck.length < STRIKES.size || told !== STRUCK_RECIPIENTS) {
      throw new Error(`${messagesRepeated} twice, ${struck.length} strikes, ${JSON.stringify(totals)}`);
    }
    return { over, silent, unknown: totals['unknown'] ?? 0 };
  } finally {
    await relais.stop();
    await after?.stop();
  }
}

/** Strikes when it is time to, and does not wait until the struck are well again. */
async function watchThrough(
  stage: Stage,
  isOver: () => Promise<boolean>,
  strike: Readonly<Record<Strike, () => Promise<void>>>,
) {
  const began = performance.now();
  const ahead = [...STRIKES];
  const struck: Promise<void>[] = [];
  let [last, lastAt, silent] = [0, began, 0];
  await until(async () => {
    const came = (await stage.books()).requests['sms.send'] ?? 0;
    const now = performance.now();
    if (came > last) {
      silent = Math.max(silent, now - lastAt);
      [last, lastAt] = [came, now];
    }
    const [next] = ahead;
    if (next && came >= next[0]) {
      ahead.shift();
      struck.push(strike[next[1]]());
    }
    return isOver();
  });
  return { over: performance.now() - began, silent, struck };
}
