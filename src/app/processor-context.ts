import type { ProcessorContext } from '../processors/context.ts';
import { createUpstream } from '../provider/client.ts';
import type { ExchangeSummary } from '../provider/verdict.ts';
import { isLoopbackHost } from '../events/outgoing/endpoint.ts';
import { callbackPath } from '../webhooks/receiver.ts';
import type { Traces } from '../lib/traces.ts';
import type { Config } from '../config.ts';
import { policyOf } from '../settings/policy.ts';
import type { Container, Timing } from './container.ts';
import { Readability } from './readability.ts';
import { callbackSecrets } from './secrets.ts';

/** The addresses of this process's listeners, as soon as they listen. */
export interface Urls {
  api?: string;
  webhooks?: string;
  metrics?: string;
}

/** Slices in flight per worker slot: enough for several workers, few enough to pause quickly. */
const FEED_PER_SLOT = 8;

interface UpstreamNeeds extends Pick<Container, 'config' | 'rates' | 'tokenStores' | 'clock' | 'random'> {
  readonly metrics: Pick<Container['metrics'], 'exchanged'>;
  readonly traces?: Container['traces'];
  readonly readability?: Pick<Readability, 'heard'>;
  readonly quietly?: Container['quietly'];
}

/**
 * Records one request to the provider when it has ended. Only the host of the address: the rest may be a token. The
 * provider receives no trace context, because it is outside of our traces.
 */
function tellExchange(
  traces: Traces,
  { operation, account, code, httpStatus, durationMs }: ExchangeSummary,
  { method, url }: { readonly method: string; readonly url: string },
): void {
  const { hostname, port, protocol } = new URL(url);
  const span = traces.open({
    name: `${method} ${operation}`,
    kind: 'client',
    agoMs: durationMs,
    attributes: {
      'http.request.method': method,
      'http.response.status_code': httpStatus,
      'server.address': hostname,
      'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
      'relais.operation': operation,
      'relais.account': account,
      'relais.code': code,
    },
  });
  if (code !== 'ok') span.failed(code);
  span.end();
}

export function openUpstream({
  config,
  clock,
  random,
  metrics,
  traces,
  readability,
  quietly,
  ...shared
}: UpstreamNeeds) {
  return createUpstream({
    baseUrl: config.SERVICE_BASE_URL ?? '',
    crmUrl: config.SERVICE_CRM_URL ?? '',
    timeoutMs: config.UPSTREAM_TIMEOUT,
    connectTimeoutMs: config.UPSTREAM_CONNECT_TIMEOUT,
    livePathsInTest: config.LIVE_PATHS_IN_TEST === 'send',
    extraWithdrawModes: config.EXTRA_WITHDRAW_MODES,
    softpayCard: config.SOFTPAY_CARD === 'on',
    smsLoginEncoding: config.SMS_LOGIN_ENCODING,
    clock,
    random,
    rates: shared.rates,
    tokenStores: shared.tokenStores,
    onExchange: (seen, { method, url }) => {
      metrics.exchanged(seen);
      readability?.heard(seen).catch((error: unknown) => quietly?.('holding an unreadable account', error));
      if (traces) tellExchange(traces, seen, { method, url });
    },
  });
}

/** If the provider is on this machine, so is the receiver; a real provider needs a configured address. */
export function publicUrlOf(config: Config, urls: Urls): string | undefined {
  if (config.PUBLIC_URL !== undefined) return config.PUBLIC_URL;
  if (config.SERVICE_BASE_URL === undefined || !isLoopbackHost(new URL(config.SERVICE_BASE_URL).hostname))
    return undefined;
  if (urls.webhooks !== undefined) return urls.webhooks;
  return config.WEBHOOKS_PORT === 0 ? undefined : `http://${config.HOST}:${config.WEBHOOKS_PORT}`;
}

/** `urls` is read at each use: in development the receiver's address is known only after it listens. */
export function createBench(container: Container, timing: Timing, urls: Urls) {
  const { config, book, fingerprints, clock, operations, queries, accounts, wake, life, traces } = container;
  const secrets = callbackSecrets(config);
  const upstream = openUpstream({ ...container, readability: new Readability(container) });
  const context: ProcessorContext = {
    clock,
    operations,
    queries,
    accounts,
    life,
    wake,
    traces,
    upstream,
    policy: policyOf(config, { leaseMs: timing.leaseMs, feedWindow: FEED_PER_SLOT * config.WORKER_CONCURRENCY }),
    account: (name) => {
      const account = book.get(name);
      if (account === undefined) return undefined;
      return { upstream: account, fingerprint: fingerprints.get(name) ?? '', before: new Set(account.keysBefore) };
    },
    callbackUrl: (account, id, kind = 'disbursement') => {
      const url = publicUrlOf(config, urls);
      if (url === undefined || secrets.length === 0) return undefined;
      return url + callbackPath(secrets, { account, kind, id });
    },
  };
  return { context, close: () => upstream.close() };
}
