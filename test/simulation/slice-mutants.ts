/** Slices with one guard taken away. Each must be noticed: a guard that nobody misses is not tested. */
import type { SliceBegun, SlicesContract } from '../../src/operations/slices.ts';
import type { TextContext } from '../../src/processors/text/sending.ts';
import type { Messaging } from '../../src/upstream/messaging/messaging.ts';
import type { SliceWorldOptions } from './slice-world.ts';

interface SliceMutant {
  readonly without: string;
  /** The promise that breaks. */
  readonly breaks: RegExp;
  readonly options: Omit<SliceWorldOptions, 'seed'>;
}

const kept = { onUnknown: 'hold', durability: 'each' } as const;
const fenced = { onUnknown: 'hold', durability: 'fenced' } as const;
/** Processes that stand still often, and rollbacks. */
const wild = { ...fenced, troubles: { freeze: 0.02, rollback: 0.04, standsStillBeforeSend: 0 } } as const;

export const sliceMutants: readonly SliceMutant[] = [
  {
    // Each of these finds out by itself that another attempt is at the slice, so one alone is not missed.
    without: 'the lease on a step, and all that is compared',
    breaks: /P7|S1|S3|S4|S7/,
    options: { ...wild, guards: { lease: false, compare: false, numbers: false, order: false } },
  },
  {
    without: 'the second reading',
    breaks: /P7|S1|S7/,
    options: { ...wild, tamper: (context) => withSlices(context, { kept: async () => true }) },
  },
  {
    without: 'the step before, which must still be the last',
    breaks: /L /,
    options: {
      onUnknown: 'resend',
      durability: 'fenced',
      troubles: { statusStale: 0, submitFault: 0.1, rollback: 0.1 },
      guards: { order: false },
    },
  },
  {
    without: 'the fence',
    breaks: /P7|S1|S7/,
    options: { ...wild, tamper: (context) => ({ ...context, fence: async () => true }) },
  },
  {
    without: 'the deadline before a request is sent',
    breaks: /P7/,
    options: {
      ...wild,
      tamper: (context) =>
        withMessaging(context, { send: (account, asked) => context.upstream.messaging.send(account, asked) }),
    },
  },
  {
    without: 'the lease, and the comparison of a request with what was read of it',
    breaks: /S\d|P7|L /,
    options: { ...wild, guards: { compare: false, lease: false, order: false } },
  },
  {
    without: 'a number of its own for each request',
    breaks: /S\d|P7/,
    options: {
      ...kept,
      guards: { numbers: false, order: false },
      tamper: (context) => withBegun(context, lastNumberAgain),
    },
  },
  {
    without: 'the doubt about what was on its way when a process died',
    breaks: /S1|S7/,
    options: { ...kept, tamper: (context) => withBegun(context, neverLeft) },
  },
  {
    without: 'the budget',
    breaks: /B /,
    options: { ...kept, guards: { budget: false } },
  },
  {
    without: 'the doubt about silence',
    breaks: /S1|S4|S7/,
    options: { ...kept, tamper: (context) => withMessaging(context, silenceIsNotSent(context)) },
  },
  {
    without: 'the time after which a message is of no use, right before it is sent',
    breaks: /P7|S8/,
    options: {
      ...kept,
      singles: true,
      troubles: { freeze: 0.02, standsStillBeforeSend: 0 },
      tamper: (context) =>
        withMessaging(context, { send: (account, asked) => context.upstream.messaging.send(account, asked) }),
    },
  },
  {
    without: 'a message that goes where its slice goes',
    breaks: /M /,
    options: {
      ...kept,
      singles: true,
      tamper: (context) =>
        withSlices(context, {
          step: (record, lease, step) => context.slices.step(record, lease, { ...step, messages: [] }),
        }),
    },
  },
  {
    without: 'the question whether the campaign runs',
    breaks: /S\d|L /,
    options: { ...kept, guards: { gate: false }, tamper: (context) => withBegun(context, alwaysRunning) },
  },
];

function withSlices(context: TextContext, changes: Partial<SlicesContract>): TextContext {
  const { slices } = context;
  return {
    ...context,
    slices: {
      read: (id) => slices.read(id),
      begin: (...asked) => slices.begin(...asked),
      step: (...asked) => slices.step(...asked),
      kept: (...asked) => slices.kept(...asked),
      ...changes,
    },
  };
}

function withMessaging(context: TextContext, changes: Partial<Messaging>): TextContext {
  const { upstream } = context;
  const { prepare, send, statistics } = upstream.messaging;
  return { ...context, upstream: { ...upstream, messaging: { prepare, send, statistics, ...changes } } };
}

type Acquired = Extract<SliceBegun, { is: 'acquired' }>;

function withBegun(context: TextContext, change: (begun: Acquired) => Acquired): TextContext {
  return withSlices(context, {
    begin: async (...asked) => {
      const begun = await context.slices.begin(...asked);
      return begun.is === 'acquired' ? change(begun) : begun;
    },
  });
}

function lastNumberAgain(begun: Acquired): Acquired {
  return { ...begun, record: { ...begun.record, next: Math.max(0, begun.record.next - 1) } };
}

function neverLeft(begun: Acquired): Acquired {
  const requests = begun.record.requests.map((request) =>
    request.is === 'going'
      ? { ...request, is: 'waiting' as const, letters: request.letters.replaceAll('g', 'q') }
      : request,
  );
  return { ...begun, record: { ...begun.record, requests } };
}

function alwaysRunning(begun: Acquired): Acquired {
  return { ...begun, campaign: begun.campaign && { ...begun.campaign, state: 'running' } };
}

function silenceIsNotSent({ upstream: { messaging } }: TextContext): Partial<Messaging> {
  return {
    send: async (...asked) => {
      const verdict = await messaging.send(...asked);
      return verdict.is !== 'ok' && verdict.exchange.code === 'no_answer'
        ? { ...verdict, exchange: { ...verdict.exchange, sent: 'never' } }
        : verdict;
    },
  };
}
