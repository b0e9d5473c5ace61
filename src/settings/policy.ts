/** The settings as the limits and the processors take them. */
import type { Opinions } from '../kinds/limits.ts';
import type { Config } from './settings.ts';

/** Limits that the settings of a process ask for. */
export function opinionsOf({ CAMPAIGN_APPROVAL_ABOVE: campaign, ...config }: Config): Opinions {
  return {
    ...config,
    CAMPAIGN_APPROVAL_ABOVE_XOF: campaign?.xof,
    CAMPAIGN_APPROVAL_ABOVE_RECIPIENTS: campaign?.recipients,
  };
}

/** Values derived from several settings, or from the shape of a process. */
interface Derived {
  /** Twice what one exchange with upstream may take: a killed worker's operations are picked up when it ends. */
  readonly leaseMs: number;
  /** How many slices of all campaigns are out at a time; they share it. */
  readonly feedWindow: number;
}

/** Waits and limits as processors know them, all in ms. A setting that one of them needs has its line here. */
export const policyOf = (config: Config, derived: Derived) => ({
  ...derived,
  resubmit: config.DISBURSEMENT_RESUBMIT === 'resubmit',
  quietMs: config.DISBURSEMENT_QUIET_PERIOD,
  pollMs: config.DISBURSEMENT_POLL,
  limitMs: config.DISBURSEMENT_LIMIT,
  /** How long after its success a disbursement is looked at again, each time. */
  recheckMs: config.RECHECK_SUCCEEDED,
  invoicePollMs: config.INVOICE_POLL,
  paymentRequestPollMs: config.PAYMENT_REQUEST_POLL,
  holdRecheckMs: config.HOLD_RECHECK,
  settleDelayMs: config.SMS_SETTLE_DELAY,
  /** Whether a request that was refused for the sake of one recipient goes out in parts. */
  split: config.SMS_SPLIT === 'on',
  /** Default for recipients that two status checks did not find; a campaign can override it. */
  onUnknown: config.SMS_ON_UNKNOWN,
  /** When campaigns that ask for quiet hours send nothing, and on whose clock. */
  quietHours: config.QUIET_HOURS,
  timezone: config.TIMEZONE,
  /** XOF per segment, by country. */
  prices: config.SMS_PRICES_FILE?.holds,
});

export type Policy = Readonly<ReturnType<typeof policyOf>>;
