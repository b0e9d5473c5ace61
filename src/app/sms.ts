/** The pollers of SMS: campaigns by one worker, and single messages by the queue of their lane. */
import { momentOf } from '../lib/clock.ts';
import { type AttemptResult, type ProcessorContext, closedFor } from '../processors/context.ts';
import { checkMessages } from '../processors/sms/message-checks.ts';
import { type ClaimedMessage, type Lane, type MessageContext, asMessages } from '../processors/sms/message-parts.ts';
import { claimMessages, sendClaimed } from '../processors/sms/messages.ts';
import type { SmsContext } from '../processors/sms/context.ts';
import { SmsWorker } from '../processors/sms/worker.ts';
import type { AttemptFinished } from '../processors/run.ts';
import type { Container } from './container.ts';
import type { Watch } from './watchdog.ts';

interface SmsPoller {
  readonly run: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface SmsTools {
  readonly context: ProcessorContext;
  readonly announce: (finished: AttemptFinished) => void;
  readonly slots: number;
}

/** Its worker polls by itself; each run triggers a poll at once. */
export function campaignPoller(container: Container, { context, slots }: SmsTools): SmsPoller {
  const { smsRequests } = container;
  const worker = new SmsWorker(smsContextOf(container, context, slots));
  return {
    run: async () => {
      worker.start();
      worker.wake();
    },
    stop: async () => {
      await worker.stop();
      await smsRequests.close();
    },
  };
}

function smsContextOf(container: Container, context: ProcessorContext, concurrency: number): SmsContext {
  const { book, config, metrics, quietly, life } = container;
  const { clock, policy, accounts, upstream, traces } = context;
  return {
    clock,
    traces,
    policy,
    accounts,
    upstream,
    campaigns: container.campaigns,
    requests: container.smsRequests,
    optOuts: container.optOuts,
    sameTexts: container.sameTexts,
    charges: container.charges,
    budgets: container.budgets,
    names: [...book.keys()],
    account: (name) => context.account(name),
    closed: () => closedFor({ life }, true),
    concurrency,
    sweepMs: config.SWEEP_INTERVAL,
    report: (queue, result) => metrics.attemptFinished({ queue, result, durationMs: 0 }),
    onError: (error) => quietly('campaigns', error),
  };
}

/** interface: Limits. One claim fills one request. */
const MESSAGES_AT_ONCE = 50;

/** Claims due messages while there are free slots; a claim is sent while the next one is made. */
export function messagePoller(
  container: Container,
  lane: Lane,
  tools: SmsTools & { readonly watch: Watch },
): SmsPoller {
  const { book, quietly, life } = container;
  const { watch, slots } = tools;
  const [accounts, sending] = [[...book.keys()], new Set<Promise<void>>()];
  const stop = new AbortController();
  let isAsked = false;
  let running: Promise<void> | undefined;
  const context = messageContextOf(container, tools, () => stop.signal.aborted);
  const begin = (claimed: readonly ClaimedMessage[]): void => {
    const one = watch
      .attempt(() => sendClaimed(lane, claimed, context))
      .catch((error: unknown) => quietly('sending messages', error))
      .finally(() => sending.delete(one));
    sending.add(one);
  };
  const claimAll = async (): Promise<void> => {
    for (let isFull = true; isFull && !stop.signal.aborted && closedFor({ life }, false) === undefined; ) {
      while (sending.size >= slots) await Promise.race(sending);
      const claimed = await claimMessages(lane, { accounts, most: MESSAGES_AT_ONCE }, context).finally(watch.moved);
      if (claimed.length > 0) begin(claimed);
      isFull = claimed.length === MESSAGES_AT_ONCE;
    }
  };
  const whileAsked = async (): Promise<void> => {
    for (; isAsked && !stop.signal.aborted; ) {
      isAsked = false;
      await claimAll();
    }
  };
  return {
    run: () => {
      isAsked = true;
      return (running ??= whileAsked().finally(() => (running = undefined)));
    },
    stop: async () => {
      stop.abort();
      await running?.catch(() => undefined);
      await Promise.all(sending);
    },
  };
}

/** Messages claimed in one turn share one request to the statistics. */
export function messageChecker(container: Container, tools: SmsTools): (id: string) => Promise<boolean> {
  const context = messageContextOf(container, tools, () => false);
  let waiting: ClaimedMessage[] = [];
  let round: Promise<void> | undefined;
  const checkTogether = async (): Promise<void> => {
    await Promise.resolve();
    const all = waiting;
    [waiting, round] = [[], undefined];
    await checkMessages(all, context);
  };
  return async (id) => {
    const row = container.operations.taken('message', id);
    if (row === undefined) return false;
    waiting.push(...asMessages([row], context.policy, momentOf(context.clock)));
    await (round ??= checkTogether());
    return true;
  };
}

function messageContextOf(
  container: Container,
  { context, announce }: SmsTools,
  stopping: () => boolean,
): MessageContext {
  const { sharedOperations, messages, accounts, optOuts, budgets, life } = container;
  const { clock, policy, upstream } = context;
  return {
    operations: sharedOperations,
    messages,
    holds: accounts,
    optOuts,
    budgets,
    upstream,
    clock,
    policy,
    account: (name) => context.account(name),
    report: (queue: string, id: string, result: AttemptResult) => announce({ queue, id, result, durationMs: 0 }),
    unwitnessedSince: () => life.unwitnessedSince,
    stopping,
  };
}
