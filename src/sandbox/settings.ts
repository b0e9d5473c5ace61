/**
 * The behaviour of the sandbox where the interface is silent, one row per question. Every setting can be changed at
 * run time (`POST /settings`). The table in docs/sandbox-reference.md is generated from these rows.
 */
import { z } from 'zod';
import { type CallbackEncoding, encodingNames } from './encodings.ts';

const ms = (initial: number, says: string) => z.int().min(0).default(initial).describe(says);
const on = (initial: boolean, says: string) => z.boolean().default(initial).describe(says);
// Includes decimals: the amount of a direct credit may be one (interface: Direct credit).
const xof = z.number();

/** Countries that have a balance (interface: Balance record). */
export const balanceCountries = ['SN', 'CI', 'BJ', 'TG', 'ML', 'BF'] as const;
export type BalanceCountry = (typeof balanceCountries)[number];

const RICH = 1_000_000_000;

const schema = z.strictObject({
  strictness: z
    .enum(['strict', 'lenient'])
    .default('strict')
    .describe(
      'A body with unknown fields or wrong types is refused. Lenient: the breach is recorded and the body is understood, except for SMS and their statistics.',
    ),
  latencyMs: ms(0, 'Every answer waits this long; the work is done on arrival.'),
  rateLimitPerSecond: z
    .int()
    .min(0)
    .default(0)
    .describe('Requests per second and host; above it HTTP 429 with Retry-After 1. 0: no limit.'),
  settleDelayMs: ms(300, 'From an accepted submit (or the consent of a payer) to the final status.'),
  statusLagMs: ms(0, 'check-status keeps showing the previous status this long after a change.'),
  tokenSingleUse: on(true, 'A second submit of a submitted token has no effect. Off: it pays again.'),
  repeatedSubmit: z
    .enum(['refuses', 'repeats'])
    .default('refuses')
    .describe('Answer to a second submit of a submitted token: 5000, or 00 with the present status.'),
  disburseIdUnique: on(true, 'A used disburse_id is refused with 5000. Off: it is ignored.'),
  lostSubmitSpendsId: on(false, 'A submit that failed before its work uses its disburse_id up all the same.'),
  disburseTokenLifetimeMs: ms(0, 'A token that was never submitted becomes unknown after this time. 0: never.'),
  submitAnswer: z
    .enum(['pending', 'bare', 'success'])
    .default('pending')
    .describe('A good submit says status pending, says no status, or succeeds at once and says success.'),
  withdrawModeRequired: on(true, 'get-invoice without withdraw_mode is refused.'),
  disbursementEnabled: on(true, 'The disbursement option of the application.'),
  directCreditEnabled: on(true, 'The direct credit option of the application.'),
  keyMode: z
    .enum(['any', 'test', 'live'])
    .default('any')
    .describe('Which paths the configured keys open: sandbox paths (test), the others (live), or both.'),
  notifiedAnswer: z
    .enum(['success', 'code'])
    .default('success')
    .describe('A payment request that notifies answers success true, or response-code 00; neither has a reference.'),
  notFoundCode: z.string().default('4004').describe('The code for an unknown token (not documented).'),
  errorStatus: z
    .enum(['200', '4xx'])
    .default('200')
    .describe('HTTP status of errors whose status is not documented (payment request, softpay, balance, SMS).'),
  dateOrder: z.enum(['dmy', 'mdy']).default('dmy').describe('The order of day and month in updated_at.'),
  callbackEncoding: z
    .enum(encodingNames as [CallbackEncoding, ...CallbackEncoding[]])
    .default('flat JSON')
    .describe('How disbursement callbacks are written (not documented). Invoices always use a nested form.'),
  callbackDelayMs: ms(0, 'From the final status to the callback.'),
  callbackHash: on(false, 'Disbursement callbacks carry a hash too.'),
  callbackOnFailure: on(false, 'Failed disbursements call back too.'),
  callbackRetries: ms(0, 'How often a callback that was not answered with 2xx is posted again.'),
  callbackRetryDelayMs: ms(1_000, 'The wait before each repeated callback.'),
  probeCallbackUrl: on(false, 'Every get-invoice asks the callback URL first.'),
  probeMethod: z.enum(['GET', 'HEAD', 'POST']).default('GET').describe('How a callback URL is probed.'),
  loginKillsTokens: on(false, 'An SMS login makes the earlier bearer tokens invalid.'),
  smsTokenLifetimeMs: ms(3_600_000, 'How long a bearer token really lives; expires_in always says 3600.'),
  loginEncoding: z
    .enum(['any', 'form', 'json'])
    .default('any')
    .describe('The encoding that the SMS login reads: form fields, JSON, or both (the interface names both).'),
  smsBalance: z.int().min(-1).default(-1).describe('Messages that can still be sent. -1: no limit.'),
  smsItemCode: z
    .enum(['outcome', 'reference'])
    .default('outcome')
    .describe('The code of a sent message: 00, or a reference of the message.'),
  smsMaxTextLength: z.int().min(1).default(1_530).describe('Characters of one SMS; above it ERROR_113.'),
  statsLagMs: ms(0, 'A message shows in the statistics this long after it was sent.'),
  statsZoneMinutes: z.int().default(0).describe('Minutes east of UTC in which the statistics read their period.'),
  balanceFormat: z
    .enum(['plain', 'spaces', 'commas'])
    .default('plain')
    .describe('How balances group their digits: 1250.00, 1 250.00 or 1,250.00.'),
  balanceError: xof.default(0).describe('Added to every balance shown: balances are approximate.'),
  balances: z
    .partialRecord(z.enum(balanceCountries), xof)
    .default({ SN: RICH, CI: RICH, BJ: RICH, TG: RICH, ML: RICH, BF: RICH })
    .describe('XOF per country; disbursements are paid from them.'),
  accounts: z
    .record(z.string(), z.enum(balanceCountries))
    .default({ BBJ0000000001: 'SN', BBJ0000000002: 'CI', BBJ0000000003: 'BJ' })
    .describe('Account numbers and the country whose balance they show.'),
});

export type SettingValues = z.output<typeof schema>;
export type SettingPatch = z.input<typeof schema>;

/** The current settings. `values` is replaced on a change and never mutated. */
export class Settings {
  readonly #initial: SettingValues;
  values: SettingValues;

  constructor(patch: SettingPatch) {
    this.#initial = merge(schema.parse({}), patch);
    this.values = this.#initial;
  }

  /** Throws a ZodError for an unknown name or a wrong value. */
  change(patch: SettingPatch): void {
    this.values = merge(this.values, patch);
  }

  /** Changes the balance of a country by `amount` XOF. */
  moveBalance(country: BalanceCountry, amount: number): void {
    const { balances } = this.values;
    this.values = { ...this.values, balances: { ...balances, [country]: (balances[country] ?? 0) + amount } };
  }

  reset(): void {
    this.values = this.#initial;
  }
}

function merge(values: SettingValues, patch: SettingPatch): SettingValues {
  const balances = { ...values.balances, ...patch.balances };
  return schema.parse({ ...values, ...patch, balances });
}

/** For the table in docs/sandbox-reference.md. */
export function describeSettings(): ReadonlyArray<{ name: string; initial: unknown; says: string }> {
  const initial: Record<string, unknown> = schema.parse({});
  return Object.entries(schema.shape).map(([name, type]) => ({
    name,
    initial: initial[name],
    says: type.description ?? '',
  }));
}
