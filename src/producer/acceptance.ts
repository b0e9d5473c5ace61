/**
 * The single acceptance of requests. HTTP, the intake queue, the library and the command line all use it: validate,
 * derive the id, write record and due time in one statement, answer when that is durable, then add a wake-up job
 * without waiting for it.
 *
 * The id is derived from the identity of the request, so that a caller's retry finds it after any loss in between.
 */
import { HAND, wholePaceToRecord } from '../kinds/campaign-switches.ts';
import { messageRequest } from '../kinds/message.ts';
import { identityText } from '../kinds/request-pieces.ts';
import { disbursementRequest } from '../kinds/disbursement-fields.ts';
import { campaignRequest } from '../kinds/campaign-request.ts';
import { type Kind, operations, type RequestOf } from '../kinds/index.ts';
import type { QueueName } from '../kinds/due-queues.ts';
import type { NotifyPlan } from '../kinds/notify.ts';
import { canonicalJson, derivedHex, derivedId, fingerprint } from '../lib/ids.ts';
import type { Random } from '../lib/random.ts';
import type { Act } from '../ledger/acts.ts';
import { queueOfLane } from '../ledger/messages.ts';
import { describeLimit } from '../kinds/limits.ts';
import { type Accepted, type NewOperation, recordAsWritten } from '../operations/accepting.ts';
import type { DisbursementRecord } from '../operations/record.ts';
import { payeeOf, readAccountAlias, readDebitAccount, readWithdrawMode } from '../provider/capabilities.ts';
import { type NotifyRules, readNotify } from './notify.ts';
import { cardsInDisbursement, type Problem, check, eachPlaceOnce, readableOf, templateProblems } from './problems.ts';
import { type TrialNumbers, trialProblems } from './trial-numbers.ts';
import type { AcceptanceStore } from './acceptance-store.ts';
import { type Message, message } from '../messages/message.ts';

export type Answer =
  | { readonly outcome: 'accepted' | 'duplicate'; readonly id: string; readonly state: string }
  /** Another request already has this identity or reference. */
  | { readonly outcome: 'conflict'; readonly existingId: string; readonly differs: readonly string[] }
  | { readonly outcome: 'invalid'; readonly problems: readonly Problem[] };

export interface AcceptanceOptions {
  readonly store: AcceptanceStore;
  readonly random: Random;
  readonly environment: string;
  readonly wake: (queue: QueueName) => void;
  /** The existing accounts. Absent: unknown to this process (the library), and checked later. */
  readonly accounts?: ReadonlySet<string>;
  /**
   * Fingerprints of their keys, if this process has them: processes with other keys skip operations accepted for
   * these.
   */
  readonly fingerprints?: ReadonlyMap<string, string>;
  /** Withdraw modes that the provider added since the interface was written. */
  readonly extraWithdrawModes?: readonly string[] | undefined;
  /** Absent: every number is allowed. */
  readonly trial?: TrialNumbers;
  /** The accounts that can send SMS. Absent: as `accounts`. */
  readonly smsAccounts?: NotifyRules['smsAccounts'];
  /** Every rule is applied, and nothing is written. */
  readonly dryRun?: boolean;
  /** The user's act; absent: no user acted. */
  readonly act?: Act | undefined;
}

const NO_IDENTITY: Problem = {
  pointer: '/reference',
  message: message('identity_required'),
};

/** A row of an approved batch. Stored in the record, and no part of the request's identity. */
export interface ApprovedRow {
  readonly batch: string;
  /** Name of the key that approved the batch. */
  readonly approvedBy: string;
}

export class Acceptance {
  readonly #options: AcceptanceOptions;
  readonly #operations: Pick<AcceptanceStore, 'accept'>;

  constructor(options: AcceptanceOptions) {
    this.#options = options;
    this.#operations = options.dryRun ? options.store.dryRun() : options.store;
  }

  /** This acceptance for one user's request; it still shares statements with concurrent requests. */
  actingAs(act: Act): Acceptance {
    return new Acceptance({ ...this.#options, act });
  }

  /** The same checks without writing: the answer is that of a real request. */
  dryRun(): Acceptance {
    return new Acceptance({ ...this.#options, dryRun: true, wake: () => undefined });
  }

  /** `by`: the name of the key. A person cannot approve their own request. */
  async disbursement(input: unknown, idempotencyKey?: string, by = 'producer', row?: ApprovedRow): Promise<Answer> {
    return (await this.disbursementInFull(input, idempotencyKey, by, row)).answer;
  }

  /** With the record if this call has written it, so that it need not be read again. */
  async disbursementInFull(
    input: unknown,
    idempotencyKey?: string,
    by = 'producer',
    row?: ApprovedRow,
  ): Promise<{
    readonly answer: Answer;
    readonly written?: () => DisbursementRecord;
    /** Suspicious values that are no reason to refuse. */
    readonly warnings?: readonly Message[];
  }> {
    const judged = judgeDisbursement(input, { ...this.#options, ...(row && { unusual: 'warned' }) }, idempotencyKey);
    if (judged.is === 'invalid') return { answer: { outcome: 'invalid', problems: judged.problems } };
    const { identity, names, warnings, plan } = judged;
    const { account, amount, metadata, notBefore, allowDuplicate } = judged.request;
    const notBeforeMs = notBefore === undefined ? undefined : Date.parse(notBefore);
    const beneficiary = beneficiaryOf(judged.request, this.#options.extraWithdrawModes);
    const operation: NewOperation<'disbursement'> = {
      kind: 'disbursement',
      state: 'queued',
      account,
      xof: amount,
      dueInMs: 0,
      act: this.#options.act,
      ...(notBeforeMs === undefined ? {} : { notBefore: notBeforeMs }),
      ...names,
      metadata,
      beneficiary,
      phone: phoneIn(beneficiary),
      meantAgain: allowDuplicate ?? false,
      ...(row === undefined ? {} : { approval: 'given' }),
      fields: {
        by,
        ...askedFields(judged.request),
        ...(plan ? { notify: canonicalJson(plan) } : {}),
        disburseId: derivedHex('disburse_id', this.#options.environment, account, 'disbursement', identity),
        ...(notBeforeMs === undefined ? {} : { notBefore: notBeforeMs }),
        ...acceptedFor(account, this.#options.fingerprints),
        ...row,
      },
    };
    const answer = await this.#operations.accept(operation);
    // A payment with a later earliest time waits in the due index.
    if (answer.outcome === 'accepted' && answer.state === 'queued' && notBeforeMs === undefined) {
      this.#options.wake('disbursement');
    }
    if (answer.outcome !== 'accepted') return { answer: readAnswer(answer), warnings };
    return { answer: readAnswer(answer), warnings, written: () => recordAsWritten(operation, answer) };
  }

  /** `by`: the name of the key. A person cannot approve their own request. */
  async campaign(input: unknown, idempotencyKey?: string, by = 'producer'): Promise<Answer> {
    const parsed = check(campaignRequest, input);
    const known = parsed.data ?? readableOf(campaignRequest, input);
    const { identity, problems: unnamed } = identityOf(idempotencyKey, known.reference);
    const problems = eachPlaceOnce(parsed.problems ?? [], [
      ...templateProblems(known.text ?? ''),
      ...this.#accountProblems(known.account ?? 'main'),
      ...unnamed,
    ]);
    if (!parsed.data || identity === undefined || problems.length > 0) return { outcome: 'invalid', problems };
    const { account, name, text, from, country, replaceCostly, onUnknown, metadata } = parsed.data;
    return readAnswer(
      await this.#operations.accept({
        kind: 'campaign',
        state: 'draft',
        account,
        act: this.#options.act,
        ...this.#identify('campaign', parsed.data, identity),
        metadata,
        fields: {
          [HAND + by]: 0,
          name,
          text: text ?? '',
          ...(from ? { from } : {}),
          ...(country ? { country } : {}),
          ...(replaceCostly ? { replaceCostly: 1 } : {}),
          ...(onUnknown ? { onUnknown } : {}),
          ...wholePaceToRecord(parsed.data),
        },
      }),
    );
  }

  /**
   * A message needs no reference: without one, each request is a separate message. `fallback` identifies the request
   * if the entry point can recognise a repetition.
   */
  async message(input: unknown, idempotencyKey?: string, fallback?: string): Promise<Answer> {
    const parsed = check(messageRequest, input);
    const known = parsed.data ?? readableOf(messageRequest, input);
    const named = known.reference ?? fallback ?? this.#options.random.hex(16);
    const { identity, problems: unnamed } = identityOf(idempotencyKey, named);
    const found = [
      ...this.#accountProblems(known.account ?? 'main'),
      ...unnamed,
      ...(known.to === undefined ? [] : trialProblems(this.#options.trial, payeeOf(known.to, undefined), '/to')),
    ];
    const problems = eachPlaceOnce(parsed.problems ?? [], found);
    if (!parsed.data || identity === undefined || problems.length > 0) return { outcome: 'invalid', problems };
    const names = this.#identify('message', parsed.data, identity);
    if (this.#options.dryRun) {
      const { account } = parsed.data;
      const asked = { kind: 'message', state: 'queued', account, ...names, fields: {} } as const;
      return readAnswer(await this.#operations.accept(asked));
    }
    const answer = await this.#options.store.message(parsed.data, { ...names, act: this.#options.act });
    // The due index has the time of a scheduled message.
    if (answer.outcome === 'accepted' && parsed.data.sendAt === undefined)
      this.#options.wake(queueOfLane[parsed.data.lane]);
    if (answer.outcome === 'conflict') {
      const { to, text, from, sendAt, expiresAt, reference, metadata } = parsed.data;
      const fields = { to, text, from, sendAt: msOf(sendAt), expiresAt: msOf(expiresAt) };
      const differs = await this.#options.store.differs(answer.id, { kind: 'message', fields, reference, metadata });
      return readAnswer({ ...answer, differs });
    }
    return readAnswer(answer);
  }

  #accountProblems(account: string): Problem[] {
    return accountProblems(this.#options.accounts, account);
  }

  #identify(kind: Kind, request: Identifiable, identity: string) {
    return identify(this.#options.environment, kind, request, identity);
  }
}

const msOf = (time: string | undefined): number | undefined => (time === undefined ? undefined : Date.parse(time));

/** The maximum of a header, with the position of a line appended. */
const idempotencyName = identityText(300);

interface Identifiable {
  readonly account: string;
  readonly reference?: string | undefined;
  readonly allowDuplicate?: undefined;
}

interface Names {
  readonly id: string;
  readonly fingerprint: string;
  readonly reference?: string;
  readonly idOfReference?: string;
}

/** The input of the id; a name is normalised identically by every entry point. */
export function identityOf(
  idempotencyKey: string | undefined,
  reference: string | undefined,
): { readonly identity?: string | undefined; readonly problems: readonly Problem[] } {
  if (idempotencyKey === undefined) {
    return { identity: reference, problems: reference === undefined ? [NO_IDENTITY] : [] };
  }
  const read = check(idempotencyName, idempotencyKey);
  if (!read.problems) return { identity: read.data, problems: [] };
  return { problems: read.problems.map((one) => ({ ...one, pointer: '/Idempotency-Key' })) };
}

/** The id, and the data that distinguishes a retry from a second request. */
export function identify(environment: string, kind: Kind, request: Identifiable, identity: string): Names {
  const { account, reference } = request;
  const id = idOfReference(environment, kind, account, identity);
  const print = fingerprint(canonicalJson(request));
  if (reference === undefined) return { id, fingerprint: print };
  const other = reference === identity ? id : idOfReference(environment, kind, account, reference);
  return { id, fingerprint: print, reference, idOfReference: other };
}

/** The id derived from a reference alone: used to find an operation that a caller names by its reference. */
export function idOfReference(environment: string, kind: Kind, account: string, reference: string): string {
  return derivedId(operations[kind].prefix, environment, account, kind, reference);
}

/** The keys for which an operation was accepted, stored until it begins. */
export function acceptedFor(
  account: string,
  fingerprints: AcceptanceOptions['fingerprints'],
): { readonly acceptedFor?: string } {
  const known = fingerprints?.get(account);
  return known ? { acceptedFor: known } : {};
}

export function accountProblems(accounts: ReadonlySet<string> | undefined, account: string): Problem[] {
  if (!accounts || accounts.has(account)) return [];
  return [{ pointer: '/account', message: message('configured_account', { accounts: [...accounts].join(', ') }) }];
}

export function readAnswer(answer: Accepted): Answer {
  if (answer.outcome === 'conflict') {
    const { id: existingId, differs = [] } = answer;
    return { outcome: 'conflict', existingId, differs };
  }
  if (answer.outcome === 'lost') return { outcome: 'invalid', problems: [ofLostTime(answer.id)] };
  if (answer.outcome !== 'limited') return { outcome: answer.outcome, id: answer.id, state: answer.state };
  return {
    outcome: 'invalid',
    problems: [{ pointer: '/amount', message: describeLimit(answer.limit, answer.detail) }],
  };
}

function ofLostTime(id: string): Problem {
  return {
    pointer: '/reference',
    message: message('accepted_in_lost_time', { id }),
  };
}

/** The common text of a conflict: the existing operation, and the differing fields. */
export function conflictOf({ existingId, differs }: Extract<Answer, { outcome: 'conflict' }>) {
  return { id: existingId, outcome: 'conflict', differs } as const;
}

/** Fields of a disbursement that are stored as received. */
export function askedFields(request: Omit<RequestOf<'disbursement'>, 'account'>) {
  const { amount, accountAlias, withdrawMode, debitAccountNumber, payeeName, purpose } = request;
  return {
    amount,
    accountAlias,
    withdrawMode,
    ...(debitAccountNumber ? { debitAccountNumber } : {}),
    ...(payeeName ? { payeeName } : {}),
    ...(purpose ? { purpose } : {}),
  };
}

export type JudgedDisbursement =
  | {
      readonly is: 'sound';
      /** As it would be recorded. */
      readonly request: RequestOf<'disbursement'>;
      readonly identity: string;
      readonly names: Names;
      readonly warnings: readonly Message[];
      /** The SMS to the payee. Absent: no SMS was requested. */
      readonly plan: NotifyPlan | undefined;
    }
  | { readonly is: 'invalid'; readonly problems: readonly Problem[] };

/** The context of the checks, besides the request itself. */
export interface JudgingOptions
  extends Pick<AcceptanceOptions, 'environment' | 'accounts' | 'extraWithdrawModes' | 'trial' | 'smsAccounts'> {
  /** A number with an unusual length for its country: in a batch, the approver is warned. Absent: refused. */
  readonly unusual?: 'warned' | undefined;
}

/** All checks of a request that need no store. Nothing is written. */
export function judgeDisbursement(
  input: unknown,
  { environment, accounts, ...reading }: JudgingOptions,
  idempotencyKey?: string,
): JudgedDisbursement {
  const parsed = check(disbursementRequest, input);
  const known = parsed.data ?? readableOf(disbursementRequest, input);
  const payee = readPayee(known, reading);
  const { withdrawMode, accountAlias, problems: found, warnings } = payee;
  const told = readNotify({ ...known, withdrawMode, accountAlias }, payee, reading);
  found.push(...cardsInDisbursement(known), ...accountProblems(accounts, known.account ?? 'main'));
  found.push(...told.problems);
  warnings.push(...told.warnings);
  const { identity, problems: unnamed } = identityOf(idempotencyKey, known.reference);
  const problems = eachPlaceOnce(parsed.problems ?? [], [...found, ...unnamed]);
  if (parsed.data === undefined || identity === undefined || problems.length > 0) return { is: 'invalid', problems };
  const { allowUnusualNumber: _meant, ...asked } = parsed.data;
  const request = { ...asked, withdrawMode, accountAlias };
  const whole = { ...request, allowDuplicate: undefined };
  const names = identify(environment, 'disbursement', whole, identity);
  return { is: 'sound', request, identity, names, warnings, plan: told.plan };
}

/** The person paid, equal in every channel: a limit per person covers all channels. */
export function beneficiaryOf(
  { withdrawMode, accountAlias }: { readonly withdrawMode: string; readonly accountAlias: string },
  extraModes: readonly string[] = [],
): string {
  const mode = readWithdrawMode(withdrawMode, extraModes);
  return payeeOf(accountAlias, 'country' in mode ? mode.country : undefined);
}

/** A payee with a phone number, which is a lookup key. */
export function phoneIn(payee: string): string | undefined {
  return / \+?\d{7,}$/.test(payee) ? payee : undefined;
}

type Payee = Partial<
  Pick<RequestOf<'disbursement'>, 'withdrawMode' | 'accountAlias' | 'debitAccountNumber' | 'allowUnusualNumber'>
>;

/** Mode and number as recorded and sent: in the provider's spelling, and consistent with each other. */
function readPayee(
  { withdrawMode = '', accountAlias = '', debitAccountNumber, allowUnusualNumber }: Payee,
  { extraWithdrawModes, unusual, trial }: Pick<JudgingOptions, 'extraWithdrawModes' | 'unusual' | 'trial'>,
) {
  const problems: Problem[] = [];
  const warnings: Message[] = [];
  const mode = readWithdrawMode(withdrawMode, extraWithdrawModes);
  if ('problem' in mode) {
    problems.push({ pointer: '/withdrawMode', message: mode.problem });
    return { withdrawMode, accountAlias, country: undefined, problems, warnings };
  }
  const alias = readAccountAlias(accountAlias, mode.country);
  if ('problem' in alias) problems.push({ pointer: '/accountAlias', message: alias.problem });
  else if (alias.warning && unusual !== 'warned' && !allowUnusualNumber) {
    problems.push({ pointer: '/accountAlias', message: message('unusual_number_refused', alias.warning) });
  } else {
    problems.push(...trialProblems(trial, payeeOf(alias.alias, mode.country), '/accountAlias'));
    if (alias.warning) warnings.push(message('unusual_number', alias.warning));
  }
  if (debitAccountNumber !== undefined) {
    const debit = readDebitAccount(debitAccountNumber, mode.mode);
    if ('problem' in debit) problems.push({ pointer: '/debitAccountNumber', message: debit.problem });
    else if (debit.warning) warnings.push(debit.warning);
  }
  return {
    withdrawMode: mode.mode,
    accountAlias: 'problem' in alias ? accountAlias : alias.alias,
    country: mode.country,
    problems,
    warnings,
  };
}
