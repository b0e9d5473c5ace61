/** The worker role: one BullMQ worker per queue, and the sweeper that no wake-up can be lost to. */
import { type ConnectionOptions, type Job, UnrecoverableError } from 'bullmq';
import type { AskedKind } from '../kinds/index.ts';
import type { Rejection } from '../kinds/intake.ts';
import type { QueueName } from '../kinds/due-queues.ts';
import { withDeadline } from '../lib/clock.ts';
import { askedWith } from '../operations/batch-rows.ts';
import { RECOVERING } from '../operations/heartbeat.ts';
import { batchProcessor } from '../processors/batch/batch.ts';
import type { ProcessorContext } from '../processors/context.ts';
import {
  type Processor,
  processors,
  type AttemptFinished,
  type Attempts,
  attempts,
  inBulk,
  runner,
  Taker,
} from '../processors/run.ts';
import { type IntakeOptions, intakeProcessor } from '../processors/intake.ts';
import type { Public } from '../lib/public.ts';
import type { Workers } from '../operations/workers.ts';
import { type SweeperOptions, repeatUntil, sweep } from '../processors/sweeper.ts';
import { Slots } from '../processors/text/slots.ts';
import { CollectAcceptance } from '../producer/acceptance-collect.ts';
import { Acceptance } from '../producer/acceptance.ts';
import { type AnyQueueName, queues } from '../queues/index.ts';
import { IntakeJobs } from '../queues/intake-jobs.ts';
import { MISPLACED_QUEUE } from '../queues/misplaced.ts';
import { openWorker } from '../queues/open.ts';
import { prefixOf, workerConnection } from '../redis/connections.ts';
import { MEMORY_SHARE_MAX } from '../redis/durability.ts';
import { balancePart } from './balances.ts';
import type { Container, Timing } from './container.ts';
import { type Delivery, deliveryOf } from './deliveries.ts';
import { Outage } from './outage.ts';
import { type Part, together } from './parts.ts';

export function workerParts(
  container: Container,
  common: ProcessorContext,
  timing: Timing,
  names: readonly AnyQueueName[],
): Part[] {
  const workers = container.newWorker();
  const context: ProcessorContext = { ...common, workers };
  const delivery = deliveryOf(container);
  return [
    sweeperPart(container, context),
    presencePart(container, workers),
    eventKeeperPart(container),
    jobKeeperPart(container),
    balancePart(container, context),
    misplacedPart(container),
    delivery.part,
    watchdogPart(container, names),
    together(
      'the workers',
      names.map((name) => queuePart(container, { context, delivery }, timing, name)),
    ),
  ];
}

export function acceptanceOf({ acceptance, random, config, wake, book, fingerprints }: Container): Acceptance {
  return new Acceptance({
    store: acceptance,
    random,
    wake,
    environment: config.ENVIRONMENT,
    accounts: new Set(book.keys()),
    fingerprints,
    extraWithdrawModes: config.EXTRA_WITHDRAW_MODES,
  });
}

interface Tools {
  readonly context: ProcessorContext;
  readonly delivery: Delivery;
}

function queuePart(container: Container, tools: Tools, timing: Timing, name: AnyQueueName): Part {
  const { config, quietly, logger, metrics, target, watchdog } = container;
  const declaration = queues[name];
  const requests = Math.max(1, Math.round(config.WORKER_CONCURRENCY * declaration.share));
  const concurrency = Math.ceil(requests * (declaration.attemptsPerRequest ?? 1));
  return {
    name: `the worker of ${name}`,
    start: async () => {
      let stopping = false;
      const slots = new Slots(requests);
      const context: ProcessorContext = { ...tools.context, stopping: () => stopping, slots };
      const work = workOf(container, { ...tools, context }, { name, concurrency });
      const worker = openWorker(declaration, work.process, {
        // The recipe differs from BullMQ's type only in that it may spell out `undefined`.
        connection: workerConnection(target) as ConnectionOptions,
        prefix: prefixOf(target),
        concurrency,
        lockMs: timing.lockMs,
        onError: (error) => quietly(`worker of ${name}`, error),
        onFailed: (error) => quietly(`attempt in ${name}`, error),
        onLockLost: (ids) => metrics.lockLost(ids.length),
      });
      await worker.waitUntilReady();
      // Runs until it is closed; what it throws is told by its error event.
      void worker.run().catch((error: unknown) => quietly(`worker of ${name}`, error));
      return async () => {
        watchdog.forget(name);
        stopping = true;
        // Paused first: a worker that was told to close waits for its attempts, and cannot be told otherwise any more.
        const drained = await withDeadline(container.clock, timing.drainMs, () =>
          Promise.all([worker.pause(), work.stop()]),
        );
        if (!drained) {
          logger.warn(
            { queue: name },
            'attempts were still in progress at the end of DRAIN_TIMEOUT; they are taken up again when their lease ends',
          );
        }
        await worker.close(!drained);
      };
    },
  };
}

/** What a worker does with a job, and how it is told to do nothing more. */
interface Work {
  readonly process: (job: Job) => Promise<unknown>;
  /** Resolves when nothing is under way. */
  readonly stop: () => Promise<void>;
}

function workOf(
  container: Container,
  { context, delivery }: Tools,
  { name, concurrency }: { readonly name: AnyQueueName; readonly concurrency: number },
): Work {
  const announce = announcer(container);
  const watched = container.watchdog.watch(name, concurrency);
  if (name === 'intake') {
    const process = intakeOf(container, announce);
    return { process: (job) => watched<unknown>(() => process(job)), stop: async () => undefined };
  }
  const processor =
    name === 'batch'
      ? batchOf(container, acceptanceOf(container))
      : name === 'event-delivery'
        ? delivery.processor
        : processors[name];
  if (!('inBulk' in queues[name])) {
    const process = runner(name, processor, context, announce);
    return { process: (job) => watched(() => process(job)), stop: async () => undefined };
  }
  const attempt = attempts(name, processor, context, announce);
  const { clock, metrics } = container;
  // These have no job whose lock could be lost: the process that froze finds out by its own clock.
  const attemptWatched = async (id: string): Promise<void> => {
    const beganMono = clock.monotonic();
    await watched(() => attempt(id)).finally(() => {
      if (clock.monotonic() - beganMono > context.policy.leaseMs) metrics.lockLost(1);
    });
  };
  return bulkOf(container, context, { name, slots: concurrency, attempt: attemptWatched });
}

/** Takes what is due when it is called, and also uncalled: nothing else looks into the due index for it. */
function bulkOf(
  { config, clock, quietly, operations, call }: Container,
  { policy }: ProcessorContext,
  { name, slots, attempt }: { readonly name: QueueName; readonly slots: number; readonly attempt: Attempts },
): Work {
  const taker = new Taker({
    slots,
    // A quarter of the lock of a job.
    patienceMs: policy.leaseMs / 2,
    clock,
    take: (atMost) => operations.take(name, atMost),
    handBack: (ids) => operations.handBack(name, ids),
    attempt,
    callOthers: () => call(name),
    onFailed: (error) => {
      if (!(error instanceof UnrecoverableError)) quietly(`attempt in ${name}`, error);
    },
  });
  const stop = new AbortController();
  const onError = (error: unknown): void => quietly(`what is due in ${name}`, error);
  const repeated = repeatUntil(stop.signal, { clock, intervalMs: config.SWEEP_INTERVAL, onError }, () => taker.run());
  return {
    process: inBulk(name, taker),
    stop: async () => {
      stop.abort();
      taker.stop();
      await taker.ended();
      await repeated;
    },
  };
}

function intakeOf(container: Container, announce: ReturnType<typeof announcer>) {
  const acceptance = acceptanceOf(container);
  const collect = collectAcceptanceOf(container, true);
  return intakeProcessor({
    reject: (rejection) => container.rejections.add(rejection),
    clock: container.clock,
    traces: container.traces,
    announce,
    refusal: () => refusalOf(container)?.detail,
    recovering: () => container.heartbeat.recovering() !== undefined,
    accept: {
      disbursement: (request) => acceptance.disbursement(request),
      message: (request, fallback) => acceptance.message(request, undefined, fallback),
      campaign: (request) => acceptance.campaign(request),
      invoice: (request) => collect.invoice(request),
      payment_request: (request) => collect.paymentRequest(request),
      direct_credit: (request) => collect.directCredit(request),
    } satisfies Record<AskedKind, IntakeOptions['accept'][string]>,
  });
}

function batchOf({ batches }: Container, acceptance: Acceptance): Processor {
  return batchProcessor({
    batches,
    accept: (row, { id, account, by, approvedBy = '' }) =>
      acceptance.disbursement({ ...askedWith(row), account }, undefined, by, { batch: id, approvedBy }),
  });
}

/** Why an attempt came to nothing where the service cannot be reached, or is not heard. */
const UNHEARD: ReadonlySet<string> = new Set(['unreachable', 'no_answer', 'cut']);
/** Fewer in a row may be chance. */
const OUTAGE_AFTER = 5;

/** One wide line per attempt, and its count. While the service is away, those that failed for it are one line. */
function announcer({ logger, metrics, clock }: Container): (finished: AttemptFinished) => void {
  const outage = new Outage({ of: 'the service', clock, logger, after: OUTAGE_AFTER });
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

/** The facts of its event, under the names that log lines have. */
function reported({ id: rejection, problems, ...about }: Rejection) {
  return { ...about, rejection, problems: problems.map(({ pointer, message }) => `${pointer} ${message}`.trim()) };
}

function sweeperPart(
  { config, clock, quietly, operations, bullQueues, wake }: Container,
  context: ProcessorContext,
): Part {
  return {
    name: 'the sweeper',
    start: async () => {
      const stop = new AbortController();
      const options: SweeperOptions = {
        operations,
        clock,
        wake,
        pushMs: context.policy.leaseMs,
        waiting: (queue) => bullQueues[queue].getWaitingCount(),
        paused: (queue) => bullQueues[queue].isPaused(),
      };
      const onError = (error: unknown): void => quietly('sweep', error);
      const interval = { clock, intervalMs: config.SWEEP_INTERVAL, onError };
      const swept = repeatUntil(stop.signal, interval, () => sweep(options));
      return async () => {
        stop.abort();
        await swept;
      };
    },
  };
}

const PRESENT_EVERY_MS = 1_000;

/** The more workers there are, the more is handed out. */
function presencePart({ clock, quietly }: Container, workers: Public<Workers>): Part {
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

const FORGET_EVERY_MS = 600_000;

/** Events older than EVENTS_KEEP are forgotten; a reader that comes later is told so. */
function eventKeeperPart({ config, clock, quietly, events }: Container): Part {
  return {
    name: 'the keeper of the events',
    start: async () => {
      let cancel = (): void => undefined;
      const forget = (): void => {
        cancel = clock.after(FORGET_EVERY_MS, forget);
        events.trim(config.EVENTS_KEEP).catch((error: unknown) => quietly('forgetting events', error));
      };
      forget();
      return async () => cancel();
    },
  };
}

/** What callers asked for in the queue `intake` is forgotten in time, also where nothing more is asked. */
function jobKeeperPart({ clock, quietly, bullQueues }: Container): Part {
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

/** Requests that were added without the prefix wait for ever, and the program that added them hears nothing. */
function misplacedPart({ clock, config, quietly, logger, misplaced }: Container): Part {
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

const WATCH_EVERY_MS = 5_000;

/** Looks whether the workers of this process take what waits for them. */
function watchdogPart(
  { clock, watchdog, bullQueues, metrics, quietly }: Container,
  names: readonly AnyQueueName[],
): Part {
  const waitingIn = async (name: AnyQueueName): Promise<[string, number]> => {
    const paused = await bullQueues[name].isPaused();
    return [name, paused ? 0 : await bullQueues[name].getWaitingCount()];
  };
  const look = async (): Promise<void> => {
    const waiting = await Promise.all(names.map(waitingIn)).catch((error: unknown) => {
      quietly('watchdog', error);
      return undefined;
    });
    watchdog.look(waiting && new Map(waiting));
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

export function collectAcceptanceOf(
  { acceptance, config, wake, book, fingerprints }: Container,
  nobodyWaits = false,
): CollectAcceptance {
  return new CollectAcceptance({
    store: acceptance,
    wake,
    fingerprints,
    environment: config.ENVIRONMENT,
    accounts: new Set(book.keys()),
    directCredit: config.DIRECT_CREDIT === 'on',
    nobodyWaits,
  });
}

/** Why nothing can be accepted now, through any door, if so. */
export function refusalOf(container: Pick<Container, 'durability' | 'heartbeat'>) {
  if (container.heartbeat.recovering()) return { kind: 'recovering' as const, detail: `${RECOVERING}.` };
  return keepingRefusalOf(container);
}

/** Why what is written down now would not be kept, if so. */
export function keepingRefusalOf({ durability }: Pick<Container, 'durability'>) {
  const { durable, reasons, usedMemoryShare } = durability();
  if (!durable) return { kind: 'not-durable' as const, detail: reasons.join(' ') };
  if (usedMemoryShare === null || usedMemoryShare <= MEMORY_SHARE_MAX) return undefined;
  const percent = Math.round(usedMemoryShare * 100);
  return {
    kind: 'memory-full' as const,
    detail: `Redis uses ${percent} % of its maxmemory. Give Redis more memory, or wait.`,
  };
}
