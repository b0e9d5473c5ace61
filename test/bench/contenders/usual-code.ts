/** The usual code of a user: a BullMQ worker with the payload in the job, five attempts, and no records. */
import { type Job, Queue, Worker } from 'bullmq';
import { pino } from 'pino';
import { Counter, Histogram } from 'prom-client';
import { defaultCredentials } from '../../../src/sandbox/sandbox.ts';
import { CONCURRENCY, paymentOf, numberOf, SENDER, textOf } from '../work.ts';
import { type CampaignOrder, callbackUrl, type PaymentsOrder } from './bare-loop.ts';
import { createToken, logIn, type Payment, send, status, submit } from './calls.ts';

const BULK = 500;
const attempts = { attempts: 5, removeOnComplete: true, removeOnFail: true } as const;

interface WithRedis {
  readonly port: number;
}

async function fill(queue: Queue, count: number, jobOf: (index: number) => object): Promise<void> {
  for (let from = 0; from < count; from += BULK) {
    const size = Math.min(BULK, count - from);
    await queue.addBulk(
      Array.from({ length: size }, (_, offset) => ({ name: 'do', data: jobOf(from + offset), opts: attempts })),
    );
  }
}

/** From the start of the worker to the end of the last job, ms. */
async function drain(worker: Worker, count: number, isOver: (job: Job) => boolean): Promise<number> {
  await worker.waitUntilReady();
  let over = 0;
  const done = new Promise<void>((resolve) => {
    worker.on('completed', (job) => {
      if (isOver(job) && ++over === count) resolve();
    });
  });
  const started = performance.now();
  void worker.run();
  await done;
  const ms = performance.now() - started;
  await worker.close();
  return ms;
}

export async function usualCampaign(
  order: CampaignOrder & WithRedis & { readonly perJob: number; readonly told?: boolean },
): Promise<{ fillMs: number; drainMs: number }> {
  const { crm, first, recipients, port, perJob, told = false, concurrency = CONCURRENCY } = order;
  const connection = { host: '127.0.0.1', port, maxRetriesPerRequest: null };
  const queue = new Queue('texts', { connection });
  const jobs = Math.ceil(recipients / perJob);
  const started = performance.now();
  await fill(queue, jobs, (job) => {
    const from = first + job * perJob;
    const count = Math.min(perJob, recipients - job * perJob);
    return Array.from({ length: count }, (_, offset) => ({
      from: SENDER,
      to: numberOf(from + offset),
      text: textOf(from + offset),
    }));
  });
  const fillMs = performance.now() - started;
  const token = await logIn(crm);
  const work = async (job: Job): Promise<void> => {
    const body = { type: 'application', app_key: defaultCredentials.smsAppKey, sms: job.data };
    const began = performance.now();
    await send(crm, token, JSON.stringify({ send_sms_request: body }));
    if (told) tell(job.id, perJob, performance.now() - began);
  };
  const worker = new Worker('texts', work, { connection, concurrency, autorun: false });
  const drainMs = await drain(worker, jobs, () => true);
  await queue.close();
  return { fillMs, drainMs };
}

const log = pino({ base: { service: 'usual' } });
const counts = {
  requests: new Counter({ name: 'requests_total', help: 'Requests', labelNames: ['outcome'] }),
  recipients: new Counter({ name: 'recipients_total', help: 'Recipients', labelNames: ['state'] }),
  seconds: new Histogram({ name: 'request_seconds', help: 'How long they took', labelNames: ['operation'] }),
};

/** The output that relais has too: a log line, and counters. */
function tell(id: string | undefined, recipients: number, ms: number): void {
  log.info({ id, recipients, ms, outcome: 'sent', operation: 'sms.send' }, 'attempt');
  counts.requests.inc({ outcome: 'sent' });
  counts.recipients.inc({ state: 'sent' }, recipients);
  counts.seconds.observe({ operation: 'sms.send' }, ms / 1_000);
}

interface PayJob extends Payment {
  readonly disburseId: string;
  readonly token?: string;
}

/** One job pays and adds another one that checks the status, as BullMQ's documentation suggests. */
export async function usualPayments(order: PaymentsOrder & WithRedis): Promise<{ fillMs: number; drainMs: number }> {
  const { base, first, count, port, concurrency = CONCURRENCY } = order;
  const connection = { host: '127.0.0.1', port, maxRetriesPerRequest: null };
  const queue = new Queue('payments', { connection });
  const url = await callbackUrl();
  const started = performance.now();
  await fill(
    queue,
    count,
    (index): PayJob => ({
      ...paymentOf(first + index),
      callbackUrl: url,
      disburseId: `usual-${process.pid}-${first + index}`,
    }),
  );
  const fillMs = performance.now() - started;
  const work = async (job: Job<PayJob>): Promise<void> => {
    const { token, disburseId } = job.data;
    if (token !== undefined) {
      if ((await status(base, token)) !== 'success') throw new Error('not yet');
      return;
    }
    const created = await createToken(base, job.data);
    await submit(base, created, disburseId);
    const opts = { ...attempts, delay: SETTLES_WITHIN_MS, backoff: { type: 'fixed', delay: SETTLES_WITHIN_MS } };
    await queue.add('look', { ...job.data, token: created }, opts);
  };
  const worker = new Worker<PayJob>('payments', work, { connection, concurrency, autorun: false });
  const drainMs = await drain(worker, count, (job: Job<PayJob>) => job.data.token !== undefined);
  await queue.close();
  return { fillMs, drainMs };
}

const SETTLES_WITHIN_MS = 100;
