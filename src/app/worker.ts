/** The worker role: a poller for each queue, and a BullMQ worker that rings it. */
import type { ConnectionOptions, Job } from 'bullmq';
import type { AskedKind } from '../kinds/index.ts';
import type { Rejection } from '../kinds/intake.ts';
import { BatchWork } from '../ledger/batch-work.ts';
import { Intake } from '../ledger/intake.ts';
import type { Workers } from '../ledger/workers.ts';
import { withDeadline } from '../lib/clock.ts';
import { askedWith } from '../operations/batch-rows.ts';
import { RECOVERING } from '../operations/heartbeat.ts';
import type { ProcessorContext } from '../processors/context.ts';
import { type IntakeOptions, intakeProcessor } from '../processors/intake.ts';
import { type AttemptFinished, type AttemptQueue, Taker, attempts, processors } from '../processors/run.ts';
import { repeatUntil } from '../processors/sweeper.ts';
import { CollectAcceptance } from '../producer/acceptance-collect.ts';
import { acceptanceInLedger } from '../producer/acceptance-store.ts';
import { Acceptance } from '../producer/acceptance.ts';
import { BatchDoor, askForBatch } from '../producer/batch/door.ts';
import { IntakeJobs } from '../queues/intake-jobs.ts';
import { type AnyQueueName, queues } from '../queues/index.ts';
import { MISPLACED_QUEUE } from '../queues/misplaced.ts';
import { openWorker } from '../queues/open.ts';
import { prefixOf, workerConnection } from '../redis/connections.ts';
import { balancePart } from './balances.ts';
import { type Container, type Timing, timingOf } from './container.ts';
import { type Delivery, deliveryOf } from './deliveries.ts';
import { Outage } from './outage.ts';
import { type Part, together } from './parts.ts';

export function workerParts(
  container: Container,
  context: ProcessorContext,
  timing: Timing,
  names: readonly AnyQueueName[],
): Part[] {
  const workers = container.newWorker();
  const delivery = deliveryOf(container);
  return [
    presencePart(container, workers),
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

export function acceptanceOf(container: Container): Acceptance {
  const { random, config, wake, book, fingerprints } = container;
  return new Acceptance({
    store: acceptanceInLedger(container),
    random,
    wake,
    environment: config.ENVIRONMENT,
    accounts: new Set(book.keys()),
    fingerprints,
    extraWithdrawModes: config.EXTRA_WITHDRAW_MODES,
  });
}

export function batchDoorOf({ batches, limits, config, book, clock }: Container): BatchDoor {
  return new BatchDoor({
    batches,
    limits,
    environment: config.ENVIRONMENT,
    accounts: new Set(book.keys()),
    extraWithdrawModes: config.EXTRA_WITHDRAW_MODES,
    now: () => clock.now(),
  });
}

interface Tools {
  readonly context: ProcessorContext;
  readonly delivery: Delivery;
}

/** Does what is due in one queue. */
interface Poller {
  /** Resolves when all that was due at this moment has been begun, here or elsewhere. */
  readonly run: () => Promise<void>;
  /** Begins nothing more; resolves when nothing is under way. */
  readonly stop: () => Promise<void>;
  /** What a job of the queue asks for. Absent: a job is a bell. */
  readonly job?: (job: Job) => Promise<unknown>;
}

/** Polling is the way, and a job of BullMQ only rings sooner: without Redis nothing but latency is lost. */
function queuePart(container: Container, tools: Tools, timing: Timing, name: AnyQueueName): Part {
  const { config, clock, quietly, logger, metrics, target, watchdog } = container;
  const declaration = queues[name];
  const slots = Math.max(1, Math.round(config.WORKER_CONCURRENCY * declaration.share));
  return {
    name: `the worker of ${name}`,
    start: async () => {
      const poller = pollerOf(container, tools, { name, slots });
      const stop = new AbortController();
      const onError = (error: unknown): void => quietly(`what is due in ${name}`, error);
      const polled = repeatUntil(stop.signal, { clock, intervalMs: config.SWEEP_INTERVAL, onError }, poller.run);
      const bell = openWorker(declaration, poller.job ?? (() => poller.run()), {
        // The recipe differs from BullMQ's type only in that it may spell out `undefined`.
        connection: workerConnection(target) as ConnectionOptions,
        prefix: prefixOf(target),
        concurrency: poller.job ? slots : 1,
        lockMs: timing.lockMs,
        onError: (error) => quietly(`worker of ${name}`, error),
        onFailed: (error) => quietly(`attempt in ${name}`, error),
        onLockLost: (ids) => metrics.lockLost(ids.length),
      });
      // Runs until it is closed; what it throws is told by its error event.
      void bell.run().catch((error: unknown) => quietly(`worker of ${name}`, error));
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

interface Queue {
  readonly name: AnyQueueName;
  readonly slots: number;
}

function pollerOf(container: Container, { context, delivery }: Tools, { name, slots }: Queue): Poller {
  if (name === 'intake') return intakePoller(container, slots);
  if (name === 'batch') return batchPoller(container, context);
  if (name === 'event-delivery') return deliveryPoller(container, delivery);
  return attemptsPoller(container, context, { name, slots });
}

/** Takes what is due, and begins an attempt with each. */
function attemptsPoller(
  container: Container,
  context: ProcessorContext,
  { name, slots }: Queue & { readonly name: AttemptQueue },
): Poller {
  const { clock, metrics, operations, call, quietly, watchdog } = container;
  const attempt = attempts(name, processors[name], context, announcer(container));
  const watched = watchdog.watch(name, slots);
  // These have no job whose lock could be lost: the process that froze finds out by its own clock.
  const attemptWatched = async (id: string): Promise<void> => {
    const beganMono = clock.monotonic();
    await watched(() => attempt(id)).finally(() => {
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
    callOthers: () => call(name),
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

function batchPoller(container: Container, { policy }: ProcessorContext): Poller {
  const { database, batches, book, clock, call } = container;
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
    const result = await work.attemptLeased(batch);
    announce({
      queue: 'batch',
      id: batch.id,
      result,
      durationMs: clock.monotonic() - beganMono,
      account: batch.account,
    });
    if (result.outcome === 'advanced') call('disbursement');
  };
  return serial(async () => {
    const taken = await work.take(BATCHES_AT_ONCE);
    await Promise.all(taken.map(one));
    return taken.length === BATCHES_AT_ONCE;
  });
}

/** One run at a time, again while there is more. */
function serial(step: () => Promise<boolean>): Poller {
  let stopping = false;
  let running: Promise<void> | undefined;
  const all = async (): Promise<void> => {
    while (!stopping && (await step()));
  };
  return {
    run: () => (running ??= all().finally(() => (running = undefined))),
    stop: async () => {
      stopping = true;
      await running?.catch(() => undefined);
    },
  };
}

const ENDPOINTS_AT_ONCE = 20;

function deliveryPoller({ endpoints }: Container, { deliver }: Delivery): Poller {
  return serial(async () => {
    const due = await endpoints.due(ENDPOINTS_AT_ONCE);
    await Promise.all(due.map(deliver));
    return due.length === ENDPOINTS_AT_ONCE;
  });
}

const INTAKE_AT_ONCE = 200;

/** Jobs of BullMQ are requests; those of SQL wait in a table. */
function intakePoller(container: Container, slots: number): Poller {
  const { clock, config, database, traces, quietly, metrics, watchdog, rejections, life } = container;
  const { leaseMs } = timingOf(config);
  const acceptance = acceptanceOf(container);
  const collect = collectAcceptanceOf(container, true);
  const batchDoor = batchDoorOf(container);
  const process = intakeProcessor({
    reject: (rejection) => rejections.add(rejection),
    clock,
    traces,
    announce: announcer(container),
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
  const intake = new Intake({
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
  const watched = watchdog.watch('intake', slots);
  return {
    ...serial(async () => life.recovering() === undefined && (await intake.run(INTAKE_AT_ONCE)) === INTAKE_AT_ONCE),
    job: (job) => watched<unknown>(() => process(job)),
  };
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

const PRESENT_EVERY_MS = 1_000;

/** The more workers there are, the more is handed out. */
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

const FORGET_EVERY_MS = 600_000;

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

export function collectAcceptanceOf(container: Container, nobodyWaits = false): CollectAcceptance {
  const { config, wake, book, fingerprints } = container;
  return new CollectAcceptance({
    store: acceptanceInLedger(container),
    wake,
    fingerprints,
    environment: config.ENVIRONMENT,
    accounts: new Set(book.keys()),
    directCredit: config.DIRECT_CREDIT === 'on',
    nobodyWaits,
  });
}

/** Why nothing can be accepted now, if so. */
export function refusalOf({ life }: Pick<Container, 'life'>) {
  return life.recovering() ? { kind: 'recovering' as const, detail: `${RECOVERING}.` } : undefined;
}
