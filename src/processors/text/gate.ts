/** What may stand in the way of the requests of a slice, and what becomes of the attempt then. */
import { toMs } from '../../lib/clock.ts';
import { smsBatch } from '../../queues/index.ts';
import type { UpstreamAccount } from '../../upstream/client.ts';
import { quietNow } from '../campaign.ts';
import { type AttemptResult, type ProcessorContext, closedFor, retryAt } from '../context.ts';
import type { Committed } from './committing.ts';
import type { HeldSlice } from './held-slice.ts';
import { type Judgement, unsent } from './request.ts';

const RETRY_MS = smsBatch.retryAfter.map(toMs);
/** A slice whose campaign is ahead of its pace looks again this soon, since the pace may be changed meanwhile. */
const PACE_LOOK_MS = 5_000;

/** Why no more requests of the slice leave in this attempt. */
export interface Stop {
  readonly reason: string;
  readonly dueInMs: number;
  readonly outcome: AttemptResult['outcome'];
  /** Those whose intent is written, and who have not left, do not leave either. */
  readonly withdraws?: true;
  readonly tries?: number;
}

type Unsent = Extract<Judgement, { is: 'unsent' }>;

export class Gate {
  readonly #held: HeldSlice;
  readonly #account: UpstreamAccount;
  readonly #context: ProcessorContext;
  /** An attempt gives way when this is over, on our own monotonic clock. */
  readonly #untilMono: number;
  /** The service has answered a request of this attempt. */
  answered = false;

  constructor(held: HeldSlice, account: UpstreamAccount, context: ProcessorContext) {
    this.#held = held;
    this.#account = account;
    this.#context = context;
    this.#untilMono = context.clock.monotonic() + context.policy.leaseMs / 4;
  }

  /** Asked for each request, before its intent is written. Undefined: it may leave. */
  async mayLeave(): Promise<Stop | undefined> {
    const { upstream, campaigns, policy, clock } = this.#context;
    const { campaign, at } = this.#held;
    if (this.#context.stopping?.()) return { reason: 'stopping', dueInMs: 0, outcome: 'advanced' };
    if (clock.monotonic() >= this.#untilMono) return { reason: 'gave_way', dueInMs: 0, outcome: 'advanced' };
    const closed = closedFor(this.#context);
    if (closed) return { reason: closed, dueInMs: policy.holdRecheckMs, outcome: 'waits' };
    const until = campaign && quietNow({ campaign, at }, policy);
    if (campaign && until !== undefined) {
      // The step finds the campaign held, and what was handed out in the evening is not sent at night.
      await campaigns.switch(campaign.id, 'hold', { reason: 'quiet_hours', againInMs: until - at });
      return { reason: 'quiet_hours', dueInMs: until - at, outcome: 'waits' };
    }
    const prepared = await upstream.messaging.prepare(this.#account);
    if (prepared.is !== 'ok') {
      const judgement = unsent(prepared);
      await this.hold(judgement);
      return this.stopUnsent(judgement);
    }
    const admission = await upstream.admit(this.#account, 'messaging', 'act');
    return admission.admitted ? undefined : { reason: 'rate', dueInMs: admission.retryAfterMs, outcome: 'waits' };
  }

  /** What the step has found. */
  stopAt({ why, waitMs }: Extract<Committed, { is: 'kept' }>): Stop {
    const { policy } = this.#context;
    if (why === 'paced') return { reason: 'pace', dueInMs: Math.min(waitMs, PACE_LOOK_MS), outcome: 'waits' };
    if (why === 'fence') return this.stopUnsent({ is: 'unsent', reason: why, retryAfterMs: 0 });
    if (why === 'parked' || why === 'cancelled') return { reason: `campaign_${why}`, dueInMs: 0, outcome: 'waits' };
    return { reason: why === 'held' ? 'account_held' : why, dueInMs: policy.holdRecheckMs, outcome: 'waits' };
  }

  /** Provably nothing was sent: it is tried again later, or when what holds the account has cleared. */
  stopUnsent({ reason, hold, retryAfterMs }: Unsent): Stop {
    const { policy } = this.#context;
    if (hold) return { reason: hold, dueInMs: policy.holdRecheckMs, outcome: 'waits', withdraws: true };
    const before = { tries: this.answered ? 0 : this.#held.record.tries, because: reason };
    const { dueInMs, tries } = retryAt(RETRY_MS, before, policy);
    return { reason, dueInMs: Math.max(retryAfterMs, dueInMs), tries, outcome: 'retries', withdraws: true };
  }

  async hold({ hold }: Unsent): Promise<void> {
    if (hold) await this.#context.accounts.hold(this.#held.record.account, 'messaging', hold);
  }
}
