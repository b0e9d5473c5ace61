/**
 * Detects repeated unreadable answers to one operation: an HTML page, a warning before the JSON, an unknown
 * compression. The account is then held, with a description of the answers. A readable answer to that operation ends
 * the hold.
 */
import type { HoldArea } from '../kinds/account.ts';
import type { Clock } from '../lib/clock.ts';
import { type AccountHold, PROVIDER_UNREADABLE } from '../kinds/hold.ts';
import type { Holds } from '../ledger/holds.ts';
import type { ExchangeSummary, UpstreamOperation } from '../provider/verdict.ts';

/** A single unreadable answer is an accident. */
const LENGTH = 3;
/** How long this process uses its cached holds. */
const KNOWN_FOR_MS = 15_000;

/** The area that an unreadable answer holds. Other operations hold nothing: their callers get the answer at once. */
const HOLDS: Partial<Record<UpstreamOperation, HoldArea>> = {
  disbursement_create: 'payments',
  disbursement_submit: 'payments',
  disbursement_status: 'payments',
  direct_credit: 'direct_credit',
  sms_login: 'messaging',
  sms_send: 'messaging',
  sms_statistics: 'messaging',
};

/** Statistics settle the SMS that a request left in doubt; nothing is sent as a test. */
const ENDED_BY: Partial<Record<UpstreamOperation, UpstreamOperation>> = { sms_statistics: 'sms_send' };

interface ReadabilityOptions {
  readonly accounts: Pick<Holds, 'holdUnreadable' | 'release' | 'holdsOf'>;
  readonly logger: { error(fields: object, message: string): void };
  readonly clock: Pick<Clock, 'monotonic'>;
}

export class Readability {
  readonly #options: ReadabilityOptions;
  /** Consecutive unreadable answers, by account and operation. */
  readonly #rows = new Map<string, number>();
  readonly #holds = new Map<string, { readonly holds: readonly AccountHold[]; readonly untilMono: number }>();

  constructor(options: ReadabilityOptions) {
    this.#options = options;
  }

  async heard(exchange: ExchangeSummary): Promise<void> {
    const { operation, account, code, upstreamCode, sent } = exchange;
    if (sent !== 'answered') return;
    if (code === 'unreadable') return this.#unreadable(exchange);
    // A refusal without a provider code may come from a proxy in front of the provider.
    if (code !== 'ok' && upstreamCode === undefined) return;
    this.#rows.delete(`${account} ${operation}`);
    await this.#readable(exchange);
  }

  async #unreadable({ operation, account, message = 'nothing' }: ExchangeSummary): Promise<void> {
    const place = `${account} ${operation}`;
    const row = (this.#rows.get(place) ?? 0) + 1;
    this.#rows.set(place, row);
    if (row < LENGTH) return;
    const { accounts, logger } = this.#options;
    if (row === LENGTH)
      logger.error({ account, operation, came: message }, 'the answers of the provider cannot be read');
    const area = HOLDS[operation];
    if (area === undefined) return;
    await accounts.holdUnreadable(account, area, { operation, came: message });
    this.#holds.delete(account);
  }

  async #readable({ operation, account }: ExchangeSummary): Promise<void> {
    const area = HOLDS[operation];
    if (area === undefined) return;
    const held = (await this.#holdsOf(account)).find(
      (hold) => hold.reason === PROVIDER_UNREADABLE && hold.area === area,
    );
    const heldFor = held?.unreadable?.operation;
    if (held === undefined || (heldFor !== operation && heldFor !== ENDED_BY[operation])) return;
    this.#holds.delete(account);
    await this.#options.accounts.release(account, area, PROVIDER_UNREADABLE);
  }

  async #holdsOf(account: string): Promise<readonly AccountHold[]> {
    const { accounts, clock } = this.#options;
    const known = this.#holds.get(account);
    if (known && clock.monotonic() < known.untilMono) return known.holds;
    const holds = await accounts.holdsOf(account);
    this.#holds.set(account, { holds, untilMono: clock.monotonic() + KNOWN_FOR_MS });
    return holds;
  }
}
