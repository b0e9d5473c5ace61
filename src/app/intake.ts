/** Requests of the queue `intake` and of SQL clients: how this process accepts them. */
import { DelayedError, type Job, WaitingError } from 'bullmq';
import type { AskedKind } from '../kinds/index.ts';
import { Intake } from '../ledger/intake.ts';
import { type IntakeOptions, intakeProcessor, isPassing } from '../processors/intake.ts';
import type { Announce } from '../processors/run.ts';
import { repeatUntil } from '../processors/sweeper.ts';
import { askForBatch } from '../producer/batch/door.ts';
import { IntakeJobs } from '../queues/intake-jobs.ts';
import { MISPLACED_QUEUE } from '../queues/misplaced.ts';
import { acceptanceOf, batchDoorOf, collectAcceptanceOf } from './acceptance.ts';
import { type Container, timingOf } from './container.ts';
import type { Part } from './parts.ts';
import { type Poller, serial } from './poller.ts';
import type { Watch } from './watchdog.ts';

interface IntakeTools {
  readonly watch: Watch;
  readonly announce: Announce;
  /** Whether jobs are accepted now. */
  readonly isOpen: () => boolean;
}

const INTAKE_AT_ONCE = 200;

/** Requests come as BullMQ jobs, or from SQL as rows of a table. */
export function intakePoller(container: Container, { watch, announce, isOpen }: IntakeTools): Poller {
  const { life, clock, quietly } = container;
  const process = jobsOf(container, announce);
  const rows = rowsOf(container);
  const step = (): Promise<number> => rows.run(INTAKE_AT_ONCE).finally(watch.moved);
  const taken = (job: Job, token: string | undefined): Promise<unknown> =>
    process(job).catch((error: unknown) => {
      if (!isPassing(error)) throw error;
      quietly('a request of the queue intake', error);
      return putOff(job, token, clock.now() + AGAIN_MS);
    });
  return {
    ...serial(async () => life.recovering() === undefined && (await step()) === INTAKE_AT_ONCE),
    job: (job, token) => (isOpen() ? watch.attempt<unknown>(() => taken(job, token)) : putBack(job, token)),
  };
}

/** The delay before a job is retried whose request PostgreSQL could not record. */
const AGAIN_MS = 1_000;

async function putOff(job: Job, token: string | undefined, until: number): Promise<never> {
  await job.moveToDelayed(until, token);
  throw new DelayedError();
}

/** A paused worker may have fetched one job before. */
async function putBack(job: Job, token: string | undefined): Promise<never> {
  await job.moveToWait(token);
  throw new WaitingError();
}

function jobsOf(container: Container, announce: Announce) {
  const { clock, config, traces, rejections, life } = container;
  const acceptance = acceptanceOf(container);
  const collect = collectAcceptanceOf(container, true);
  const batchDoor = batchDoorOf(container);
  return intakeProcessor({
    reject: (rejection) => rejections.add(rejection),
    clock,
    traces,
    announce,
    environment: config.ENVIRONMENT,
    recovering: () => life.recovering() !== undefined,
    batch: (request) => askForBatch(batchDoor, request),
    accept: {
      disbursement: (request, { idempotencyKey }) => acceptance.disbursement(request, idempotencyKey),
      message: (request, { idempotencyKey, fallback }) => acceptance.message(request, idempotencyKey, fallback),
      campaign: (request, { idempotencyKey }) => acceptance.campaign(request, idempotencyKey),
      invoice: (request, { idempotencyKey }) => collect.invoice(request, idempotencyKey),
      payment_request: (request, { idempotencyKey }) => collect.paymentRequest(request, idempotencyKey),
      direct_credit: (request, { idempotencyKey }) => collect.directCredit(request, idempotencyKey),
    } satisfies Record<AskedKind, IntakeOptions['accept'][string]>,
  });
}

function rowsOf(container: Container): Intake {
  const { config, database, quietly, metrics } = container;
  const { leaseMs } = timingOf(config);
  const acceptance = acceptanceOf(container);
  const collect = collectAcceptanceOf(container, true);
  return new Intake({
    database,
    environment: config.ENVIRONMENT,
    leaseMs,
    onError: (error) => quietly('a request of SQL', error),
    onRejected: ({ kind }) => metrics.intakeRejected(kind),
    accept: {
      disbursement: (request, { idempotencyKey, by }) => acceptance.disbursement(request, idempotencyKey, by),
      message: (request, { idempotencyKey }) => acceptance.message(request, idempotencyKey),
      campaign: (request, { idempotencyKey, by }) => acceptance.campaign(request, idempotencyKey, by),
      invoice: (request, { idempotencyKey, by }) => collect.invoice(request, idempotencyKey, by),
      payment_request: (request, { idempotencyKey, by }) => collect.paymentRequest(request, idempotencyKey, by),
      direct_credit: (request, { idempotencyKey, by }) => collect.directCredit(request, idempotencyKey, by),
    },
  });
}

const FORGET_EVERY_MS = 600_000;

/** Requests in finished `intake` jobs are erased in time, even if no further job ends. */
export function jobKeeperPart({ clock, quietly, bullQueues }: Container): Part {
  const jobs = new IntakeJobs(bullQueues.intake);
  return {
    name: 'the keeper of finished jobs',
    start: async () => {
      let cancel = (): void => undefined;
      const forget = (): void => {
        cancel = clock.after(FORGET_EVERY_MS, forget);
        jobs.forgetOld().catch((error: unknown) => quietly('forgetting finished jobs', error));
      };
      forget();
      return async () => cancel();
    },
  };
}

const LOOK_FOR_MISPLACED_EVERY_MS = 60_000;

/** Requests added without the prefix wait for ever, and their program gets no answer. */
export function misplacedPart({ clock, config, quietly, logger, misplaced }: Container): Part {
  const look = async (): Promise<void> => {
    const waiting = await misplaced();
    if (waiting === 0) return;
    const prefix = config.REDIS_PREFIX;
    const facts = { queue: MISPLACED_QUEUE, waiting, prefix };
    logger.warn(
      facts,
      `jobs wait in ${MISPLACED_QUEUE}, where nobody takes them: add them with the prefix ${prefix}`,
    );
  };
  return {
    name: 'the look for misplaced jobs',
    start: async () => {
      const stop = new AbortController();
      const onError = (error: unknown): void => quietly('misplaced jobs', error);
      const interval = { clock, intervalMs: LOOK_FOR_MISPLACED_EVERY_MS, onError };
      const watched = repeatUntil(stop.signal, interval, look);
      return async () => {
        stop.abort();
        await watched;
      };
    },
  };
}
