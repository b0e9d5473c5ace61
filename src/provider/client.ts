import type { Area, UpstreamAccount, UpstreamOptions } from './account.ts';
import { createExchange } from './exchange.ts';
import { createMessaging, type Messaging } from './messaging/messaging.ts';
import { createTokens } from './messaging/token.ts';
import { createPayments } from './payments/payments.ts';
import type { Payments } from './payments/ask.ts';
import type { Admission, Urgency } from './rates.ts';
import { createTransport } from './transport.ts';

export type { UpstreamAccount, UpstreamOptions } from './account.ts';

export interface Upstream {
  readonly payments: Payments;
  readonly messaging: Messaging;
  /** Requests a permit for one call. Call it first; the calls themselves do not wait for it. */
  readonly admit: (account: Pick<UpstreamAccount, 'name'>, area: Area, urgency: Urgency) => Promise<Admission>;
  /** Waits for calls in flight, then closes every connection to the provider. */
  readonly close: () => Promise<void>;
}

/** The provider's whole interface, with verdicts as results. Connects at the first call. */
export function createUpstream(options: UpstreamOptions): Upstream {
  const transports = { payments: createTransport(options), messaging: createTransport(options) };
  const exchange = createExchange({
    clock: options.clock,
    transports,
    onExchange: options.onExchange,
    onThrottle: (account, area, ms) => options.rates.pause(account, area, ms),
  });
  const baseUrl = withoutSlash(options.baseUrl);
  const crmUrl = withoutSlash(options.crmUrl);
  const tokens = createTokens({ ...options, exchange, crmUrl, loginEncoding: options.smsLoginEncoding });
  const { livePathsInTest, softpayCard, timeoutMs, smsNumberFormat = 'plus', extraWithdrawModes = [] } = options;
  return {
    payments: createPayments({ exchange, baseUrl, livePathsInTest, softpayCard, timeoutMs, extraWithdrawModes }),
    messaging: createMessaging({ exchange, tokens, crmUrl, numberFormat: smsNumberFormat }),
    admit: (account, area, urgency) => options.rates.admit(account.name, area, urgency),
    close: async () => {
      await Promise.all([transports.payments.close(), transports.messaging.close()]);
    },
  };
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
