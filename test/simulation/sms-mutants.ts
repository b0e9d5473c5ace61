/** Campaigns with one guard removed. Each must be detected: an unnoticed removal means an untested guard. */
import type { SmsContext } from '../../src/processors/sms/context.ts';
import type { SmsOptions } from './sms.ts';

export interface SmsMutant {
  readonly without: string;
  /** The broken guarantee. */
  readonly breaks: RegExp;
  readonly options: Omit<SmsOptions, 'seed'>;
}

type Messaging = SmsContext['upstream']['messaging'];

/** Processes that pause for longer than any time-out. */
const late = { freeze: 0.2, standstillMs: 6 * 3_600_000, standsStillBeforeSend: 0 };

export const smsMutants: readonly SmsMutant[] = [
  {
    without: 'the intent before the bytes',
    breaks: /P7/,
    options: { onUnknown: 'hold', guards: { intent: false } },
  },
  {
    without: 'the lease on a result',
    breaks: /S\d/,
    options: { onUnknown: 'resend', faults: { answerLost: 0.3, freeze: 0, provider: 0.6 }, guards: { lease: false } },
  },
  {
    without: 'the doubt about a request whose worker is gone',
    breaks: /S1/,
    options: { onUnknown: 'hold', guards: { doubt: false } },
  },
  {
    without: 'the deadline before the first byte',
    breaks: /S1/,
    options: {
      onUnknown: 'resend',
      faults: late,
      tamper: (context) => withMessaging(context, noDeadline(context.upstream.messaging)),
    },
  },
  {
    without: 'the wait until the statistics show what was sent',
    breaks: /S1/,
    options: {
      onUnknown: 'resend',
      faults: { provider: 0.5 },
      tamper: (context) => withPolicy(context, { settleDelayMs: 0 }),
    },
  },
  {
    without: 'the doubt about silence: what is unknown counts as failed',
    breaks: /S4/,
    options: {
      onUnknown: 'hold',
      tamper: (context) => withMessaging(context, silenceFails(context.upstream.messaging)),
    },
  },
  {
    without: 'what the statistics say was sent',
    breaks: /S1/,
    options: {
      onUnknown: 'resend',
      tamper: (context) => withMessaging(context, nothingSent(context.upstream.messaging)),
    },
  },
];

function withMessaging(context: SmsContext, changed: Partial<Messaging>): SmsContext {
  const { prepare, send, statistics } = context.upstream.messaging;
  return {
    ...context,
    upstream: { ...context.upstream, messaging: { prepare, send, statistics, ...changed } },
  };
}

function withPolicy(context: SmsContext, changed: Partial<SmsContext['policy']>): SmsContext {
  return { ...context, policy: { ...context.policy, ...changed } };
}

function noDeadline(messaging: Messaging): Partial<Messaging> {
  return { send: (account, batch) => messaging.send(account, batch) };
}

function silenceFails(messaging: Messaging): Partial<Messaging> {
  return {
    send: async (...asked) => {
      const verdict = await messaging.send(...asked);
      if (verdict.is !== 'unknown') return verdict;
      return { ...verdict, is: 'refused', exchange: { ...verdict.exchange, sent: 'answered' } };
    },
  };
}

function nothingSent(messaging: Messaging): Partial<Messaging> {
  return {
    statistics: async (...asked) => {
      const verdict = await messaging.statistics(...asked);
      if (verdict.is !== 'ok') return verdict;
      const sent = new Map([...verdict.value.sent.keys()].map((digits) => [digits, []]));
      return { ...verdict, value: { ...verdict.value, sent } };
    },
  };
}
