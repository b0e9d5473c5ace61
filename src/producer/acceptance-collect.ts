/**
 * Acceptance of invoices, payment requests and direct credits: the steps of acceptance.ts, for less frequent requests
 * that must never contain a card number.
 *
 * The first two are created while the caller waits, so no worker is signalled for them: the due index takes over only
 * if the caller's process died.
 */
import type { z } from 'zod';
import { paymentRequestRequest } from '../kinds/payment-request.ts';
import { invoiceRequest } from '../kinds/invoice-request.ts';
import { directCreditRequest } from '../kinds/direct-credit.ts';
import { queueOf } from '../kinds/index.ts';
import type { Act } from '../ledger/acts.ts';
import type { NewOperation } from '../operations/accepting.ts';
import type { AcceptanceStore } from './acceptance-store.ts';
import {
  type AcceptanceOptions,
  type Answer,
  acceptedFor,
  accountProblems,
  beneficiaryOf,
  identify,
  identityOf,
  phoneIn,
  readAnswer,
} from './acceptance.ts';
import { payeeOf } from '../provider/capabilities.ts';
import { trialProblems } from './trial-numbers.ts';
import { DEPTH_MAX, nestsTooDeep } from '../lib/json.ts';
import { cardProblems, type Problem, check, eachPlaceOnce, readableOf } from './problems.ts';
import { message } from '../messages/message.ts';

export type CollectOptions = Pick<
  AcceptanceOptions,
  'store' | 'environment' | 'wake' | 'accounts' | 'fingerprints' | 'trial'
> & {
  /** Direct credits are refused unless switched on: they move money in one step without a status check. */
  readonly directCredit: boolean;
  /** Every rule is applied, and nothing is written. */
  readonly dryRun?: boolean;
  /**
   * The caller does not wait for the provider's answer: the process that takes the due operation sends the request.
   */
  readonly nobodyWaits?: boolean;
  /** The user's act; absent: no user acted. */
  readonly act?: Act | undefined;
};

type CollectKind = 'invoice' | 'payment_request' | 'direct_credit';

/** How long the due index leaves an operation to the process that accepted it and calls the provider itself. */
const GRACE_MS = 5_000;

const DIRECT_CREDIT_OFF: Problem = {
  pointer: '',
  message: message('direct_credits_disabled'),
};

export class CollectAcceptance {
  readonly #options: CollectOptions;
  readonly #operations: Pick<AcceptanceStore, 'accept'>;

  constructor(options: CollectOptions) {
    this.#options = options;
    this.#operations = options.dryRun ? options.store.dryRun() : options.store;
  }

  dryRun(): CollectAcceptance {
    return new CollectAcceptance({ ...this.#options, dryRun: true, wake: () => undefined });
  }

  /** This acceptance for one user's request. */
  actingAs(act: Act): CollectAcceptance {
    return new CollectAcceptance({ ...this.#options, act });
  }

  /** `by`: the name of the key. A person cannot resolve their own request. */
  async invoice(input: unknown, idempotencyKey?: string, by = 'producer'): Promise<Answer> {
    const checked = this.#check(invoiceRequest, input, idempotencyKey);
    if ('problems' in checked) return { outcome: 'invalid', problems: checked.problems };
    const { account, reference: _reference, metadata, ...request } = checked.request;
    return this.#accept({
      kind: 'invoice',
      state: 'creating',
      account,
      dueInMs: this.#graceMs,
      ...identify(this.#options.environment, 'invoice', checked.request, checked.identity),
      metadata,
      fields: { by, totalAmount: request.totalAmount, request: JSON.stringify(request) },
    });
  }

  /** `by`: the name of the key. A person cannot resolve their own request. */
  async paymentRequest(input: unknown, idempotencyKey?: string, by = 'producer'): Promise<Answer> {
    const checked = this.#check(paymentRequestRequest, input, idempotencyKey);
    if ('problems' in checked) return { outcome: 'invalid', problems: checked.problems };
    const { account, amount, email, phone, feesPaidBy, notify, metadata } = checked.request;
    if (email === undefined && phone === undefined) {
      return { outcome: 'invalid', problems: [{ pointer: '/phone', message: message('phone_or_email') }] };
    }
    const payer = phone === undefined ? undefined : payeeOf(phone, undefined);
    const refused = payer === undefined ? [] : trialProblems(this.#options.trial, payer, '/phone');
    if (refused.length > 0) return { outcome: 'invalid', problems: refused };
    return this.#accept({
      kind: 'payment_request',
      state: 'creating',
      account,
      dueInMs: this.#graceMs,
      ...identify(this.#options.environment, 'payment_request', checked.request, checked.identity),
      metadata,
      phone: payer,
      fields: {
        by,
        askedAmount: amount,
        feesPaidBy,
        notify: notify ? 1 : 0,
        ...(email ? { email } : {}),
        ...(phone ? { phone } : {}),
      },
    });
  }

  /** `by`: the name of the key. */
  async directCredit(input: unknown, idempotencyKey?: string, by = 'producer'): Promise<Answer> {
    const checked = this.#check(directCreditRequest, input, idempotencyKey);
    if ('problems' in checked) return { outcome: 'invalid', problems: checked.problems };
    if (!this.#options.directCredit) return { outcome: 'invalid', problems: [DIRECT_CREDIT_OFF] };
    const { account, amount, accountAlias, allowDuplicate, metadata } = checked.request;
    const request = { ...checked.request, allowDuplicate: undefined };
    const beneficiary = beneficiaryOf({ withdrawMode: 'service', accountAlias });
    const refused = trialProblems(this.#options.trial, beneficiary, '/accountAlias');
    if (refused.length > 0) return { outcome: 'invalid', problems: refused };
    return this.#accept({
      kind: 'direct_credit',
      state: 'queued',
      account,
      xof: amount,
      dueInMs: 0,
      // The same beneficiary as for a disbursement to this account: the daily limits cover both.
      beneficiary,
      phone: phoneIn(beneficiary),
      meantAgain: allowDuplicate ?? false,
      approval: 'impossible',
      ...identify(this.#options.environment, 'direct_credit', request, checked.identity),
      metadata,
      fields: { by, amount, accountAlias },
    });
  }

  get #graceMs(): number {
    return this.#options.nobodyWaits ? 0 : GRACE_MS;
  }

  /** All problems of a request, or the request and its identity. */
  #check<T extends { readonly account: string; readonly reference?: string | undefined }>(
    schema: z.ZodObject & z.ZodType<T>,
    input: unknown,
    idempotencyKey: string | undefined,
  ): { readonly request: T; readonly identity: string } | { readonly problems: readonly Problem[] } {
    const deep = deepProblems(input);
    if (deep.length > 0) return { problems: deep };
    const parsed = check(schema, input);
    const known = parsed.data ?? readableOf(schema, input);
    const { account = 'main', reference }: Named = known;
    const { identity, problems: unnamed } = identityOf(idempotencyKey, reference);
    const found = [...cardProblems(input), ...accountProblems(this.#options.accounts, account), ...unnamed];
    const problems = eachPlaceOnce(parsed.problems ?? [], found);
    if (!parsed.data || identity === undefined || problems.length > 0) return { problems };
    return { request: parsed.data, identity };
  }

  async #accept<K extends CollectKind>(operation: NewOperation<K>): Promise<Answer> {
    const fields = { ...operation.fields, ...acceptedFor(operation.account, this.#options.fingerprints) };
    const answer = await this.#operations.accept({ ...operation, act: this.#options.act, fields });
    const queue = queueOf(operation.kind, operation.state);
    if (answer.outcome === 'accepted' && operation.dueInMs === 0 && queue) this.#options.wake(queue);
    return readAnswer(answer);
  }
}

interface Named {
  readonly account?: string;
  readonly reference?: string | undefined;
}

/** Checked field by field first: later code recurses for each level of a value. */
function deepProblems(input: unknown): Problem[] {
  if (typeof input !== 'object' || input === null) return [];
  return Object.entries(input)
    .filter(([, value]) => nestsTooDeep([value]))
    .map(([name]) => ({ pointer: `/${name}`, message: message('nested_levels', { most: DEPTH_MAX }) }));
}
