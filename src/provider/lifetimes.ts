/** interface: Limits. An unpaid invoice cancels itself after 24 hours. */
export const UNPAID_INVOICE_LIFETIME_MS = 24 * 3_600_000;

/** The interface documents no lifetime of a disburse_token: an older one is not trusted. */
export const DISBURSE_TOKEN_AGE_MAX_MS = 24 * 3_600_000;
