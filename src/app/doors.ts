/** The listeners of a process: the HTTP API, the callback receiver, the metrics page. Each reports its address. */
import { createApi } from '../api/app.ts';
import { BatchAdvisor } from '../api/batch-advice.ts';
import { eraseAgain } from '../api/purge.ts';
import { signInBuckets } from '../api/buckets.ts';
import { REQUEST_TIME_MS } from '../api/route.ts';
import type { ApiContext, QueueSwitches } from '../api/context.ts';
import type { Config } from '../config.ts';
import { Proxies } from '../lib/addresses.ts';
import { type Bounds, shareOf } from '../lib/bounded-server.ts';
import { type Clock, describeMs, withDeadline } from '../lib/clock.ts';
import type { Database } from '../ledger/pool.ts';
import { HeldBytes } from '../lib/held-bytes.ts';
import { startMetricsServer } from '../metrics/server.ts';
import { whyUnusable } from '../ledger/diagnostics.ts';
import { RECOVERING, isLedgerAway } from '../ledger/errors.ts';
import { isAway } from '../redis/connections.ts';
import type { Act } from '../ledger/acts.ts';
import type { ProcessorContext } from '../processors/context.ts';
import { providerSays } from '../processors/recovery/says.ts';
import { beneficiaryOf } from '../producer/acceptance.ts';
import { resolveDisbursement } from '../processors/disbursement/resolve.ts';
import { type AnyQueueName, queueNames } from '../queues/index.ts';
import { IntakeJobs } from '../queues/intake-jobs.ts';
import { stopSecrets } from '../lib/stop-link.ts';
import type { Traces } from '../lib/traces.ts';
import { knownHashes, ownDigest } from '../webhooks/hash.ts';
import { type CallbackVerdict, type Noted, createReceiver } from '../webhooks/receiver.ts';
import type { StopOutcome } from '../webhooks/stop-page.ts';
import { acceptanceOf, batchDoorOf, collectAcceptanceOf, refusalOf } from './acceptance.ts';
import { consoleOf } from './console.ts';
import { type Container, timingOf } from './container.ts';
import { endpointServiceOf, outgoingOf } from './deliveries.ts';
import type { Keys } from './key-keeper.ts';
import { listen } from './listener.ts';
import type { Part } from './parts.ts';
import { type Urls, publicUrlOf } from './processor-context.ts';
import { callbackSecrets } from './secrets.ts';
import { queueFigures, withoutRedis } from './queue-figures.ts';
import { message } from '../messages/message.ts';
import { textOf } from '../messages/texts.ts';

type TellUrl = (url: string) => void;

export interface ApiPartOptions {
  readonly keys: Keys;
  readonly tellUrl: TellUrl;
  readonly doctor: ApiContext['doctor'];
  /** Read at each use: in development the receiver's address is known only after it listens. */
  readonly urls: Urls;
}

export function apiPart(
  container: Container,
  context: ProcessorContext,
  { keys, tellUrl, urls, doctor }: ApiPartOptions,
): Part {
  const { config, book } = container;
  return {
    name: 'the API',
    start: async () => {
      const outgoing = outgoingOf(container);
      const app = createApi({
        ...storesOf(container),
        ...keys,
        ...toldBy(config, doctor),
        heldBytes: new HeldBytes(CALLERS_HOLD),
        audit: container.audit,
        auditSeals: container.auditSeals,
        smsPrices: config.SMS_PRICES_FILE?.holds,
        senderOf: (account) => book.get(account)?.smsSender,
        stop: () => stopOf(container, publicUrlOf(config, urls)),
        acceptance: acceptanceOf(container),
        collect: collectAcceptanceOf(container),
        endpoints: container.endpoints,
        endpointService: endpointServiceOf(container, outgoing),
        processing: context,
        recoveryDesk: recoveryDeskOf(container, context),
        ...batchDeskOf(container, context),
        resolve: (id, request) => resolveDisbursement(id, request, context),
        queues: queueSwitches(container),
        ...listenersOf(container),
      });
      const { url, close } = await listen(app, {
        ...CALLERS_TAKE,
        host: config.HOST,
        port: config.API_PORT,
        setting: 'API_PORT',
        ...boundsOf(container, 'api'),
        drainMs: timingOf(config).drainMs,
      });
      tellUrl(url);
      return async () => {
        container.followers.end();
        await close().then(() => outgoing.close());
      };
    },
  };
}

/** Only probes and Prometheus use this port. */
const METRICS_CONNECTIONS = 256;

function boundsOf({ config, metrics }: Container, listener: 'api' | 'webhooks' | 'metrics'): Bounds {
  const most = config.MAX_CONNECTIONS;
  const connections = listener === 'metrics' ? Math.min(METRICS_CONNECTIONS, most) : most;
  return {
    connections,
    share: shareOf(connections),
    proxies: new Proxies(config.TRUSTED_PROXIES),
    onRefused: (reason) => metrics.connectionRefused(listener, reason),
  };
}

/** Two of the largest workbooks; the JSON of a few thousand requests. */
const CALLERS_HOLD = { ofCaller: 100_000_000, ofProcess: 200_000_000 } as const;

/** An upload of a million rows takes long; headers must not. */
const CALLERS_TAKE = { headersMs: 10_000, requestMs: REQUEST_TIME_MS, silenceMs: 30_000 } as const;

function listenersOf({
  metrics,
  logger,
  quietly,
}: Container): Pick<ApiContext, 'onWrongKey' | 'onWrite' | 'onError'> {
  return {
    onWrongKey: metrics.wrongKey,
    onWrite: (outcome, facts) => logger.info(facts, `write ${outcome}`),
    onError: (error, request) =>
      isAway(error) || isLedgerAway(error)
        ? quietly('a request', error)
        : logger.error({ err: error, ...request }, 'a request failed'),
  };
}

function toldBy(config: Config, doctor: ApiContext['doctor']) {
  return {
    doctor,
    ratePerSecond: config.API_RATE,
    environment: config.ENVIRONMENT,
    defaultCountry: config.DEFAULT_COUNTRY,
    trialNumbers: config.TRIAL_NUMBERS?.items,
  };
}

/** The value of `{{stop}}`, if known. */
function stopOf({ config, stopLinks }: Container, publicUrl: string | undefined) {
  const secrets = stopSecrets(callbackSecrets(config));
  return publicUrl === undefined || secrets.length === 0 ? undefined : { links: stopLinks, publicUrl, secrets };
}

/** The stores that the routes use, from those shared by all roles. */
function storesOf(container: Container) {
  const { clock, random, operations, queries, campaigns, uploads, optOuts, wake } = container;
  const { batches, limits, accounts, events, followers, balances, balanceRows, traces } = container;
  return {
    ...consoleOf(container),
    accountNames: [...container.book.keys()],
    signIns: signInBuckets(clock),
    refusal: () => refusalOf(container),
    reports: {
      book: container.dayBook,
      timezone: container.config.TIMEZONE,
      keepMs: container.config.REPORTS_KEEP,
    },
    purge: container.purge,
    intakeJobs: new IntakeJobs(container.bullQueues.intake),
    rejections: container.rejections,
    clock,
    random,
    traces,
    operations,
    queries,
    budgets: container.budgets,
    campaigns,
    uploads,
    recipients: container.recipients,
    messages: container.messages,
    optOuts,
    keptFiles: container.keptFiles,
    wake,
    batches,
    limits,
    accounts,
    events,
    followers,
    status: container.status,
    workersHere: container.workersHere,
    seenBalances: balances,
    balanceRows,
  };
}

function recoveryDeskOf(container: Container, context: ProcessorContext) {
  const { quietMs, leaseMs, settleDelayMs } = context.policy;
  return container.recoveryDesk({
    quietMs: leaseMs + quietMs,
    settleMs: settleDelayMs,
    says: (_, most) => providerSays(context, most),
    erase: (facts, after) => eraseAgain(container, facts, after),
    beneficiaryOf: (payee) => beneficiaryOf(payee, container.config.EXTRA_WITHDRAW_MODES),
  });
}

function batchDeskOf(container: Container, context: ProcessorContext) {
  const { clock, queries } = container;
  return {
    batchDoor: batchDoorOf(container),
    batchAdvisor: new BatchAdvisor({ clock, queries, processing: context }),
  };
}

function queueSwitches({ switches, jobs, queries, clock }: Container): QueueSwitches {
  const figures = queueFigures({ jobs: withoutRedis(jobs), queries, clock });
  const change = async (name: string, how: 'pause' | 'resume', act: Act) => {
    if (!queueNames.includes(name as AnyQueueName)) return false;
    await switches.switchQueue(name, { how, act });
    return true;
  };
  return {
    pause: (name, act) => change(name, 'pause', act),
    resume: (name, act) => change(name, 'resume', act),
    backlog: () =>
      Promise.all(
        queueNames.map(async (name) => {
          const [{ waiting = 0 }, oldestAt] = await Promise.all([figures.counts(name), figures.oldestAt(name)]);
          return { name, waiting, oldestAt };
        }),
      ),
    list: async () => {
      const paused = await switches.paused();
      const backlog = new Map((await queries.backlog()).map(({ queue, due }) => [queue as string, due]));
      return Promise.all(
        queueNames.map(async (name) => {
          const { waiting = 0, active = 0 } = await figures.counts(name);
          return { name, paused: paused.has(name), waiting, active, due: backlog.get(name) ?? 0 };
        }),
      );
    },
  };
}

export function webhooksPart(container: Container, { tellUrl }: { readonly tellUrl: TellUrl }): Part {
  const { config, book, keyHashes, metrics, operations, clock, wake, quietly, logger, traces } = container;
  const digests = new Map([...book].map(([name, account]) => [name, ownDigest(account)]));
  return {
    name: 'the callback receiver',
    start: async () => {
      const app = createReceiver({
        secrets: callbackSecrets(config),
        hashes: async (account) => knownHashes(await keyHashes.of(account), book.get(account)),
        ownDigest: (account) => digests.get(account),
        operations,
        clock,
        wake,
        onCallback: (kind, verdict, target, noted) => {
          metrics.callbackReceived(kind, verdict, noted?.hash);
          if (traces && noted) tellCallback(traces, verdict, { kind, id: target?.id, ...noted });
          logger.debug({ kind, verdict, id: target?.id }, 'callback');
          // The provider paid for an operation that relais does not know: a sign of lost data.
          if (verdict === 'unmatched')
            logger.error({ kind, id: target?.id }, 'a signed callback for no record of ours');
          if (noted?.hash !== undefined && noted.hash !== 'hash_right')
            logger.warn(
              { kind, id: target?.id, account: target?.account, hash: noted.hash },
              'a callback with a hash of no known key',
            );
          if (verdict === 'contradicts')
            logger.error({ kind, id: target?.id }, 'a signed callback claims the opposite of the end that was told');
        },
        onError: (error) => quietly('callback', error),
        stop: stopPageOf(container),
      });
      const { url, close } = await listen(app, {
        host: config.HOST,
        port: config.WEBHOOKS_PORT,
        setting: 'WEBHOOKS_PORT',
        headersMs: 10_000,
        requestMs: 15_000,
        silenceMs: 15_000,
        ...boundsOf(container, 'webhooks'),
        drainMs: 15_000,
      });
      tellUrl(url);
      return close;
    },
  };
}

/**
 * In the trace of its operation. A `traceparent` in the request is ignored: it comes from outside, and an attacker
 * could write into our traces. The path is signed, so it is not recorded either.
 */
function tellCallback(
  traces: Traces,
  verdict: CallbackVerdict,
  { kind, id, trace, durationMs }: Noted & { readonly kind: string; readonly id: string | undefined },
): void {
  const route = `/cb/${kind}`;
  const span = traces.open({
    name: `POST ${route}`,
    kind: 'server',
    mark: trace,
    agoMs: durationMs,
    attributes: {
      'http.request.method': 'POST',
      'http.route': route,
      'url.path': route,
      'url.scheme': 'http',
      'http.response.status_code': 200,
      'relais.id': id,
      'relais.outcome': verdict,
    },
  });
  if (verdict === 'contradicts') span.failed(verdict);
  span.end();
}

function stopPageOf(container: Container) {
  const { random, config, book, metrics, clock, quietly, logger, stopLinks, optOuts } = container;
  return {
    secrets: stopSecrets(callbackSecrets(config)),
    links: stopLinks,
    optOuts,
    senderOf: (account: string) => book.get(account)?.smsSender,
    acting: () => ({ by: 'link', person: '', role: '', source: 'link', requestId: random.hex(8) }) as const,
    clock,
    onStop: (outcome: StopOutcome, campaign?: string) => {
      metrics.stopLinkUsed(outcome);
      if (campaign !== undefined) logger.info({ campaign, outcome }, 'a person used the link of a text');
    },
    onError: (error: unknown) => quietly('opt-out by link', error),
  };
}

/** `unfinished`: why the process itself is not ready, whatever the state of PostgreSQL: it starts, or it stops. */
export function metricsPart(
  container: Container,
  { tellUrl, unfinished }: { readonly tellUrl: TellUrl; readonly unfinished: () => string | undefined },
): Part {
  const { config, metrics, database, life, watchdog, quietly, limits, clock } = container;
  return {
    name: 'the metrics page',
    start: async () => {
      const server = await startMetricsServer({
        metrics,
        host: config.HOST,
        port: config.METRICS_PORT,
        readiness: async () => {
          const away = await awayReason(database, clock, life.trouble);
          const itself = unfinished();
          // A state that is not known yet is no reason.
          if (itself !== undefined) return [itself, ...(away === undefined ? [] : [away])];
          return [
            ...(life.recovering() ? [`recovering: ${RECOVERING}`] : []),
            ...(life.isUnwitnessed ? [UNWITNESSED] : []),
            ...(away === undefined ? [] : [away]),
            ...watchdog.reasons(),
            ...(away === undefined ? await limits.reasons(clock.now()) : []),
          ];
        },
        ...boundsOf(container, 'metrics'),
        onError: (error) => quietly('metrics page', error),
      });
      tellUrl(server.url);
      return () => server.close();
    },
  };
}

/** Probes have a few seconds, and the next request does not wait for this one. */
const ANSWER_MS = 1_000;

/**
 * Why PostgreSQL cannot be used now; undefined: it can. Redis is never a reason: polling finds all work without it.
 */
async function awayReason(database: Database, clock: Clock, trouble: unknown): Promise<string | undefined> {
  let why: string | undefined;
  const asked = database.run('read_deployment').then(
    () => undefined,
    (error: unknown) => (why = reasonOf(error)),
  );
  if (!(await withDeadline(clock, ANSWER_MS, () => asked)))
    return `PostgreSQL has not answered within ${describeMs(ANSWER_MS)}: is it overloaded, or cut off?`;
  // A full disk, or a read-only server, shows in this process's writes.
  return why ?? (trouble === undefined ? undefined : reasonOf(trouble));
}

function reasonOf(error: unknown): string {
  const why = whyUnusable(error) ?? (error instanceof Error ? error.message : String(error));
  return textOf(message('postgres_unusable', { why }));
}

const UNWITNESSED = 'no witness knows this ledger: relais recover, or WITNESS=none if it is no earlier copy';
