/** The worker role: a poller for each queue, and a BullMQ worker that triggers it. */
import type { ConnectionOptions, Worker } from 'bullmq';
import type { Rejection } from '../kinds/intake.ts';
import { BatchWork } from '../ledger/batch-work.ts';
import type { Workers } from '../ledger/workers.ts';
import { withDeadline } from '../lib/clock.ts';
import { askedWith } from '../kinds/batch-rows.ts';
import type { ProcessorContext } from '../processors/context.ts';
import { type AttemptFinished, type AttemptQueue, Taker, attempts, processors } from '../processors/run.ts';
import { repeatUntil } from '../processors/sweeper.ts';
import { type AnyQueueName, queues } from '../queues/index.ts';
import { openWorker } from '../queues/open.ts';
import { prefixOf, workerConnection } from '../redis/connections.ts';
import { acceptanceOf } from './acceptance.ts';
import { approversPart } from './approvers.ts';
import { balancePart } from './balances.ts';
import type { Container, Timing } from './container.ts';
import { type Delivery, deliveryOf } from './deliveries.ts';
import { intakePoller, jobKeeperPart, misplacedPart } from './intake.ts';
import { Outage } from './outage.ts';
import { type Part, together } from './parts.ts';
import { PausedQueues, pausedPart } from './paused.ts';
import { type Poller, serial } from './poller.ts';
import { campaignPoller, messageChecker, messagePoller } from './sms.ts';
import type { Watch } from './watchdog.ts';

export function workerParts(
  container: Container,
  context: ProcessorContext,
  timing: Timing,
  names: readonly AnyQueueName[],
): Part[] {
  const workers = container.newWorker();
  const delivery = deliveryOf(container);
  const paused = new PausedQueues(container.switches);
  return [
    presencePart(container, workers),
    jobKeeperPart(container),
    balancePart(container, context),
    misplacedPart(container),
    delivery.part,
    approversPart(container),
    watchdogPart(container, { names, paused }),
    pausedPart(container, paused),
    together(
      'the workers',
      names.map((name) => queuePart(container, { context, delivery, paused }, timing, name)),
    ),
  ];
}

interface Tools {
  readonly context: ProcessorContext;
  readonly delivery: Delivery;
  readonly paused: PausedQueues;
}

/** Polling finds all work, and a BullMQ job only triggers it sooner: without Redis only latency is lost. */
function queuePart(container: Container, tools: Tools, timing: Timing, name: AnyQueueName): Part {
  const { config, clock, quietly, logger, metrics, target, watchdog } = container;
  const { paused } = tools;
  const declaration = queues[name];
  const slots = Math.max(1, Math.round(config.WORKER_CONCURRENCY * declaration.share));
  return {
    name: `the worker of ${name}`,
    start: async () => {
      const isOpen = (): boolean => (name === 'intake' ? isIntakeOpen(paused) : !paused.has(name));
      const watch = watchdog.watch(name, { slots: slotsSeen(name, slots), pollMs: config.SWEEP_INTERVAL });
      const poller = pollerOf(container, tools, { name, slots, isOpen, watch });
      const run = async (): Promise<void> => (paused.has(name) ? undefined : poller.run());
      const stop = new AbortController();
      const onError = (error: unknown): void => quietly(`what is due in ${name}`, error);
      const bell = openWorker(declaration, poller.job ?? run, {
        // The recipe differs from BullMQ's type only by explicit `undefined` values.
        connection: workerConnection(target) as ConnectionOptions,
        prefix: prefixOf(target),
        concurrency: poller.job ? slots : 1,
        lockMs: timing.lockMs,
        onError: (error) => quietly(`worker of ${name}`, error),
        onFailed: (error) => quietly(`attempt in ${name}`, error),
        onLockLost: (ids) => metrics.lockLost(ids.length),
      });
      await bell.pause(true);
      const turn = async (): Promise<void> => {
        await heed(bell, isOpen());
        await run().finally(watch.moved);
      };
      const polled = repeatUntil(stop.signal, { clock, intervalMs: config.SWEEP_INTERVAL, onError }, turn);
      return async () => {
        watchdog.forget(name);
        stop.abort();
        const drained = await withDeadline(clock, timing.drainMs, () => Promise.all([poller.stop(), polled]));
        if (!drained) {
          logger.warn(
            { queue: name },
            'attempts were still in progress at the end of DRAIN_TIMEOUT; they are taken up again when their lease ends',
          );
        }
        await bell.close(true);
      };
    },
  };
}

/** A job waits while PostgreSQL cannot record its request. */
const isIntakeOpen = (paused: PausedQueues): boolean => !paused.has('intake') && paused.isKnown;

async function heed(bell: Worker, isOpen: boolean): Promise<void> {
  if (isOpen === !bell.isPaused()) return;
  if (isOpen) await bell.resume();
  else await bell.pause(true);
}

interface Queue {
  readonly name: AnyQueueName;
  readonly slots: number;
  readonly isOpen: () => boolean;
  readonly watch: Watch;
}

/** These start a few attempts at a time and wait for all of them. */
const ONE_ROUND: ReadonlySet<AnyQueueName> = new Set(['batch', 'event-delivery']);

const slotsSeen = (name: AnyQueueName, slots: number): number => (ONE_ROUND.has(name) ? 1 : slots);

function pollerOf(container: Container, { context, delivery }: Tools, queue: Queue): Poller {
  const { name, slots, isOpen, watch } = queue;
  if (name === 'intake') return intakePoller(container, { isOpen, watch, announce: announcer(container) });
  if (name === 'batch') return batchPoller(container, context, watch);
  if (name === 'event-delivery') return deliveryPoller(container, delivery, watch);
  const sms = { context, slots, watch, announce: announcer(container) };
  if (name === 'campaign') return campaignPoller(container, sms);
  if (name === 'sms-batch') return messagePoller(container, 'normal', sms);
  if (name === 'sms-otp') return messagePoller(container, 'otp', sms);
  return attemptsPoller(container, context, { name, slots, watch });
}

/** Takes due operations and starts an attempt for each. */
function attemptsPoller(
  container: Container,
  context: ProcessorContext,
  { name, slots, watch }: Pick<Queue, 'slots' | 'watch'> & { readonly name: AttemptQueue },
): Poller {
  const { clock, metrics, operations, wake, quietly } = container;
  const announce = announcer(container);
  const attemptOne = attempts(name, processors[name], context, announce);
  const checksMessage = messageChecker(container, { context, slots, announce });
  const attempt = async (id: string): Promise<void> => {
    if (!(await checksMessage(id))) await attemptOne(id);
  };
  // These have no job with a lock to lose: a frozen process detects the pause by its own clock.
  const attemptWatched = async (id: string): Promise<void> => {
    const beganMono = clock.monotonic();
    await watch
      .attempt(() => attempt(id))
      .finally(() => {
        if (clock.monotonic() - beganMono > context.policy.leaseMs) metrics.lockLost(1);
      });
  };
  const taker = new Taker({
    slots,
    // A quarter of the lock of a job.
    patienceMs: context.policy.leaseMs / 2,
    clock,
    take: (atMost) => operations.take(name, atMost),
    handBack: (ids) => operations.handBack(name, ids),
    attempt: attemptWatched,
    callOthers: () => wake(name),
    onFailed: (error) => quietly(`attempt in ${name}`, error),
  });
  return {
    run: () => taker.run(),
    stop: async () => {
      taker.stop();
      await taker.ended();
    },
  };
}

const BATCHES_AT_ONCE = 4;

function batchPoller(container: Container, { policy }: ProcessorContext, watch: Watch): Poller {
  const { database, batches, book, clock, wake } = container;
  const acceptance = acceptanceOf(container);
  const work = new BatchWork({
    database,
    batches,
    accept: (row, { id, account, by, approvedBy = '', options: { notBefore } }) => {
      const asked = { ...askedWith(row), account, ...(notBefore === undefined ? {} : { notBefore }) };
      return acceptance.disbursement(asked, undefined, by, { batch: id, approvedBy });
    },
    hasAccount: (account) => book.has(account),
    clock,
    leaseMs: policy.leaseMs,
    recheckMs: policy.holdRecheckMs,
  });
  const announce = announcer(container);
  const one = async (batch: Awaited<ReturnType<typeof work.take>>[number]): Promise<void> => {
    const beganMono = clock.monotonic();
    const result = await watch.attempt(() => work.attemptLeased(batch));
    announce({
      queue: 'batch',
      id: batch.id,
      result,
      durationMs: clock.monotonic() - beganMono,
      account: batch.account,
    });
    if (result.outcome === 'advanced') wake('disbursement');
  };
  return serial(async () => {
    const taken = await work.take(BATCHES_AT_ONCE);
    await Promise.all(taken.map(one));
    return taken.length === BATCHES_AT_ONCE;
  });
}

const ENDPOINTS_AT_ONCE = 20;

function deliveryPoller({ endpoints }: Container, { deliver }: Delivery, watch: Watch): Poller {
  return serial(async () => {
    const due = await endpoints.due(ENDPOINTS_AT_ONCE);
    await Promise.all(due.map((one) => watch.attempt(() => deliver(one))));
    return due.length === ENDPOINTS_AT_ONCE;
  });
}

/** Reasons of attempts that failed because the provider was unreachable or did not answer. */
const UNHEARD: ReadonlySet<string> = new Set(['unreachable', 'no_answer', 'cut']);
/** Fewer in a row may be accidental. */
const OUTAGE_AFTER = 5;

/** Logs one line per attempt, and counts it. While the provider is away, the failed attempts share one line. */
function announcer({ logger, metrics, clock }: Container): (finished: AttemptFinished) => void {
  const outage = new Outage({ of: 'the provider', clock, logger, after: OUTAGE_AFTER });
  return (finished) => {
    const { queue, id, result, durationMs, account, rejected } = finished;
    metrics.attemptFinished(finished);
    if (rejected) metrics.intakeRejected(rejected.kind);
    const { outcome: did, reason: because } = result;
    const isTold = UNHEARD.has(because) && outage.failed(because);
    if (did === 'advanced' || did === 'ended') outage.answered();
    const isLoud = did === 'needs_review' || did === 'lost';
    const level = isLoud ? 'warn' : did === 'idle' || isTold ? 'debug' : 'info';
    const facts = { queue, id, account, did, because, durationMs: Math.round(durationMs) };
    if (rejected) logger.warn({ ...facts, ...reported(rejected) }, 'intake job refused');
    else logger[level](facts, 'attempt finished');
  };
}

/** The facts of its event, under the names of log lines. */
function reported({ id: rejection, problems, ...about }: Rejection) {
  return { ...about, rejection, problems: problems.map(({ pointer, message }) => `${pointer} ${message}`.trim()) };
}

const PRESENT_EVERY_MS = 1_000;

/** The total capacity grows with the number of workers. */
function presencePart({ clock, quietly }: Container, workers: Workers): Part {
  return {
    name: 'the presence of this worker',
    start: async () => {
      let cancel = (): void => undefined;
      let said: Promise<void> = Promise.resolve();
      const say = (): void => {
        cancel = clock.after(PRESENT_EVERY_MS, say);
        said = workers.say().catch((error: unknown) => quietly('the presence of this worker', error));
      };
      say();
      return async () => {
        cancel();
        await said;
        await workers.leave().catch((error: unknown) => quietly('the presence of this worker', error));
      };
    },
  };
}

const WATCH_EVERY_MS = 5_000;

/** Watches the progress of this process's workers. Only `intake` has jobs as its work. */
function watchdogPart(
  { clock, watchdog, jobs, metrics, quietly }: Container,
  { names, paused }: { readonly names: readonly AnyQueueName[]; readonly paused: PausedQueues },
): Part {
  const waiting = async (): Promise<[string, number][]> =>
    names.includes('intake') && isIntakeOpen(paused) ? [['intake', await jobs.waiting('intake')]] : [];
  const look = async (): Promise<void> => {
    const seen = await waiting().catch((error: unknown) => {
      quietly('watchdog', error);
      return [];
    });
    watchdog.look(new Map(seen));
    metrics.workersSeen(watchdog.stuckMs());
  };
  return {
    name: 'the watchdog',
    start: async () => {
      const stop = new AbortController();
      const onError = (error: unknown): void => quietly('watchdog', error);
      const watched = repeatUntil(stop.signal, { clock, intervalMs: WATCH_EVERY_MS, onError }, look);
      return async () => {
        stop.abort();
        await watched;
      };
    },
  };
}
