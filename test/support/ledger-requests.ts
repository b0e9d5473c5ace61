/** Workers that take requests of campaigns step by step, with a manual clock. */
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { Memory } from '../../src/ledger/lane.ts';
import {
  type Decision,
  SmsRequests,
  type SmsRequestsOptions,
  type StepAsked,
} from '../../src/ledger/sms-requests.ts';
import type { RequestResult, TakenRequest } from '../../src/ledger/sms-rows.ts';
import type { FreshLedger } from './fresh-ledger.ts';
import type { CampaignBench } from './ledger-campaigns.ts';

export const LEASE_MS = 60_000;
export const SETTLE_MS = 120_000;
export const ALL: Decision = { room: 1_000, alone: false };

export const TABLES =
  'relais.campaign, relais.campaign_country, relais.sms_request, relais.recipient, relais.outbox, relais.worker, relais.audit_line, relais.tombstone';

export interface OpenRequests {
  readonly requests: SmsRequests;
  readonly process: string;
}

export function openRequests(
  ledger: FreshLedger,
  bench: CampaignBench,
  over: Pick<SmsRequestsOptions, 'journal'> = {},
): OpenRequests {
  const process = `worker-${systemRandom.hex(4)}`;
  const requests = new SmsRequests({
    database: { url: ledger.url, schema: ledger.schema },
    memory: new Memory(),
    campaigns: bench.campaigns,
    process,
    clock: systemClock,
    random: systemRandom,
    leaseMs: LEASE_MS,
    sendMs: LEASE_MS / 2,
    now: () => bench.now(),
    ...over,
  });
  return { requests, process };
}

export const asked = (more: Partial<StepAsked> = {}): StepAsked => ({
  results: [],
  accounts: new Map([['main', 1_000]]),
  most: 1_000,
  decide: () => ALL,
  ...more,
});

/** One letter for all recipients, or one for each. */
export const letters = (
  taken: TakenRequest,
  letter: string,
  state: RequestResult['state'] = 'settled',
): RequestResult => ({
  campaign: taken.campaign,
  n: taken.n,
  lease: taken.lease,
  size: taken.recipients.length,
  state,
  letters: letter.length === 1 ? letter.repeat(taken.recipients.length) : letter,
});

/** Nothing of it left. */
export const withdrawn = (taken: TakenRequest): RequestResult => ({
  ...letters(taken, 's', 'queued'),
  letters: undefined,
});

export const only = (taken: readonly TakenRequest[]): TakenRequest => {
  const [one] = taken;
  if (one === undefined || taken.length > 1) throw new Error(`not one request, but ${taken.length}`);
  return one;
};
