/** `relais run`: starts the parts of the given roles in order, and stops them in reverse when the signal fires. */
import type { Logger } from 'pino';
import { type Part, startAll } from './parts.ts';
import type { RunOptions } from '../cli/io.ts';
import { type Config, describeConfig, loadConfig, missingFor } from '../config.ts';
import { systemClock } from '../lib/clock.ts';
import { createLogger, hearConsole, logOptionsOf } from '../logger.ts';
import { type AnyQueueName, queueNames } from '../queues/index.ts';
import { type Urls, createBench } from './processor-context.ts';
import { doctorOf } from './doctor.ts';
import { type ApiPartOptions, apiPart, metricsPart, webhooksPart } from './doors.ts';
import type { ProcessorContext } from '../processors/context.ts';
import { type Container, createContainer, timingOf } from './container.ts';
import { keyKeeperPart, keysOf } from './key-keeper.ts';
import { ledgerParts } from './ledger.ts';
import { Outage } from './outage.ts';
import { type RunningTraces, openTraces } from './traces.ts';
import { workerParts } from './worker.ts';
import { isLedgerAway } from '../ledger/errors.ts';

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Fires when the process must stop. */
  readonly signal: AbortSignal;
  /** Ends the process at once with a reason: continuing would do harm. */
  readonly giveUp: (error: Error) => void;
  /** The only line on stdout. */
  readonly ready: (facts: Readonly<Record<string, unknown>>) => void;
}

export async function run(
  { roles, queues }: RunOptions,
  { env, signal, ready, giveUp }: Surroundings,
): Promise<number> {
  const config = loadConfig(env, (given) => missingFor(given, roles));
  const logger = createLogger(logOptionsOf(config));
  hearConsole(logger);
  const names = queues as readonly AnyQueueName[] | undefined;
  const started = startRoles(config, roles, names, { signal, giveUp, logger });
  const running = await started.catch((error: unknown) => {
    if (signal.aborted && error instanceof Error && isLedgerAway(error.cause)) return undefined;
    throw error;
  });
  // Stopped while it waited for PostgreSQL.
  if (running === undefined) return 0;
  ready({ ready: true, ...running.urls });
  await aborted(signal);
  await running.stop();
  return 0;
}

interface StartOptions extends Pick<Surroundings, 'signal' | 'giveUp'> {
  readonly logger: Logger;
}

export async function startRoles(
  config: Config,
  roles: RunOptions['roles'],
  queues: readonly AnyQueueName[] = queueNames,
  { signal, giveUp = fail, logger = createLogger(logOptionsOf(config)) }: Partial<StartOptions> = {},
): Promise<{ urls: Urls; stop: () => Promise<void> }> {
  logger.info({ settings: describeConfig(config), roles }, 'starting');
  const timing = timingOf(config);
  const tracing = await tracingOf(config, logger);
  const container = createContainer(config, logger, { signal, traces: tracing?.traces, roles, giveUp });
  container.metrics.rolesAre(roles);
  const urls: Urls = {};
  const { context, close } = createBench(container, timing, urls);
  const upstream: Part = { name: 'the upstream client', start: async () => close };
  // From the first moment, probes can ask whether this process lives and why it is not ready.
  let unfinished: string | undefined = 'it has not started yet';
  const parts = [
    metricsPart(container, { tellUrl: (url) => (urls.metrics = url), unfinished: () => unfinished }),
    ...container.parts,
    ...ledgerParts(container, roles),
    upstream,
    // The receiver before the worker: the provider may call it while the first disbursement is created.
    ...(roles.includes('webhooks') ? [webhooksPart(container, { tellUrl: (url) => (urls.webhooks = url) })] : []),
    ...(roles.includes('worker') ? workerParts(container, context, timing, queues) : []),
    ...(roles.includes('api')
      ? apiParts(container, context, { tellUrl: (url) => (urls.api = url), urls, roles })
      : []),
  ];
  const stop = await startAll(parts, (name) => (unfinished = `it has not started yet: ${name} is next`));
  unfinished = undefined;
  return {
    urls,
    stop: async () => {
      unfinished = 'it is stopping';
      logger.info('stopping');
      const untilMono = container.clock.monotonic() + timing.drainMs;
      await stop();
      await tracing?.close(untilMono - container.clock.monotonic());
      logger.info('stopped');
    },
  };
}

/** If traces are off: none, and no library is loaded. */
function tracingOf(config: Config, logger: Logger): Promise<RunningTraces | undefined> {
  const outage = new Outage({ of: 'the receiver of traces', clock: systemClock, logger });
  const onSent = (failed: string | undefined): void => {
    if (failed === undefined) outage.answered();
    else outage.failed(failed);
  };
  return openTraces(config, { clock: systemClock, onSent });
}

interface DoorOptions extends Omit<ApiPartOptions, 'keys' | 'doctor'> {
  readonly roles: RunOptions['roles'];
}

function apiParts(container: Container, context: ProcessorContext, { roles, ...options }: DoorOptions): Part[] {
  const keys = keysOf(container);
  const doctor = doctorOf(container.config, { ...container, roles });
  return [keyKeeperPart(container, keys), apiPart(container, context, { ...options, keys, doctor })];
}

function fail(error: Error): never {
  throw error;
}

export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
