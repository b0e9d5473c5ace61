/** The context of a worker of campaigns. Time, randomness and the network come only from here. */
import type { Clock } from '../../lib/clock.ts';
import { type SpanDraft, type Traces, takenFrom } from '../../lib/traces.ts';
import type { Campaigns } from '../../ledger/campaigns.ts';
import type { SameTexts } from '../../ledger/same-texts.ts';
import type { SmsCharges } from '../../ledger/sms-charges.ts';
import type { SmsRequests } from '../../ledger/sms-requests.ts';
import type { CampaignContent } from '../../ledger/sms-rows.ts';
import type { Holds } from '../../ledger/holds.ts';
import type { Upstream } from '../../provider/client.ts';
import type { AccountKeys, AttemptResult, Policy } from '../context.ts';

interface Addressee {
  readonly to: string;
  readonly sender?: string | undefined;
}

export interface SmsContext {
  readonly clock: Clock;
  /** Absent: traces are off. */
  readonly traces?: Traces | undefined;
  readonly policy: Pick<
    Policy,
    | 'leaseMs'
    | 'limitMs'
    | 'holdRecheckMs'
    | 'settleDelayMs'
    | 'split'
    | 'onUnknown'
    | 'quietHours'
    | 'timezone'
    | 'prices'
  >;
  readonly accounts: Pick<Holds, 'hold' | 'release' | 'holdsOf' | 'mayProbe'>;
  readonly upstream: Pick<Upstream, 'messaging' | 'admit'>;
  readonly campaigns: Pick<Campaigns, 'read' | 'switch' | 'due' | 'putOff'>;
  readonly requests: Pick<
    SmsRequests,
    'step' | 'settle' | 'contentOf' | 'mayLeave' | 'sendingAccounts' | 'rescue' | 'claimChecks'
  >;
  readonly optOuts: { among(account: string, people: readonly Addressee[]): Promise<boolean[]> };
  readonly sameTexts: Pick<SameTexts, 'freeCodes'>;
  /** Absent: costs are not counted. */
  readonly charges?: Pick<SmsCharges, 'charge' | 'giveBack'> | undefined;
  /** Absent: no limits. */
  readonly budgets?: {
    costOf(to: string, text: string): number;
    hasRoom(account: string, at: number): Promise<boolean>;
  };
  /** Accounts whose keys this process has. */
  readonly names: readonly string[];
  /** The account of that name, if this process has its keys. */
  account(name: string): AccountKeys | undefined;
  /** Why nothing may leave now; undefined: requests may leave. */
  closed(): string | undefined;
  /** Concurrent requests. */
  readonly concurrency: number;
  /** The interval of polls for work without a signal, ms. */
  readonly sweepMs: number;
  /** Receives the outcome of each attempt, for metrics. */
  readonly report?: (queue: 'sms-batch' | 'status-poll' | 'campaign', result: AttemptResult) => void;
  /** Receives errors after which the worker continues. */
  readonly onError?: (error: unknown) => void;
}

/** Each request of a campaign is its own trace, since a campaign has thousands of requests. */
export const spanOf = (queue: 'sms-batch' | 'status-poll', { id, account, trace }: CampaignContent): SpanDraft => ({
  name: `process ${queue}`,
  kind: 'consumer',
  mark: trace ?? undefined,
  apart: true,
  attributes: { ...takenFrom(queue), 'relais.campaign': id, 'relais.account': account },
});
