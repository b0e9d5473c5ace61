/** The settings in the form of limits and processor policies. */
import type { Opinions } from '../kinds/limits.ts';
import type { Config } from './settings.ts';

/** Limits in the settings of a process. */
export function opinionsOf({ CAMPAIGN_APPROVAL_ABOVE: campaign, ...config }: Config): Opinions {
  return {
    ...config,
    CAMPAIGN_APPROVAL_ABOVE_XOF: campaign?.xof,
    CAMPAIGN_APPROVAL_ABOVE_RECIPIENTS: campaign?.recipients,
  };
}

/** Values derived from several settings, or from the roles of a process. */
interface Derived {
  /**
   * Twice the maximum duration of one exchange with the provider; after it a killed worker's operations are taken
   * over.
   */
  readonly leaseMs: number;
  /** Maximum slices in flight, shared by all campaigns. */
  readonly feedWindow: number;
}

/** Waits and limits of processors, all in ms. Each setting that a processor needs has its line here. */
export const policyOf = (config: Config, derived: Derived) => ({
  ...derived,
  resubmit: config.DISBURSEMENT_RESUBMIT === 'resubmit',
  quietMs: config.DISBURSEMENT_QUIET_PERIOD,
  pollMs: config.DISBURSEMENT_POLL,
  limitMs: config.DISBURSEMENT_LIMIT,
  /** The delays after a success at which a disbursement is checked again. */
  recheckMs: config.RECHECK_SUCCEEDED,
  invoicePollMs: config.INVOICE_POLL,
  paymentRequestPollMs: config.PAYMENT_REQUEST_POLL,
  holdRecheckMs: config.HOLD_RECHECK,
  settleDelayMs: config.SMS_SETTLE_DELAY,
  /** Whether a request that was refused because of one recipient is split. */
  split: config.SMS_SPLIT === 'on',
  /** Default for recipients that two status checks did not find; a campaign can override it. */
  onUnknown: config.SMS_ON_UNKNOWN,
  /** The quiet hours of campaigns that use the default, and their time zone. */
  quietHours: config.QUIET_HOURS,
  timezone: config.TIMEZONE,
  /** XOF per segment, by country. */
  prices: config.SMS_PRICES_FILE?.holds,
});

export type Policy = Readonly<ReturnType<typeof policyOf>>;
