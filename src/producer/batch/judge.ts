/**
 * Checks every row of a file by the rules of a single disbursement, against the other rows, and against the limits.
 */
import type { BatchNotify, BatchTotals, Finding, FindingText, Findings } from '../../kinds/batch.ts';
import type { RequestOf } from '../../kinds/index.ts';
import type { NotifyPlan } from '../../kinds/notify.ts';
import { Sums, type Standing } from '../../kinds/batch-rows.ts';
import { type Limits, describeLimit } from '../../kinds/limits.ts';
import { readAccountAlias, readWithdrawMode } from '../../provider/capabilities.ts';
import { canonicalName } from '../../lib/wording.ts';
import { beneficiaryOf, judgeDisbursement } from '../acceptance.ts';
import { renderNotify, saysTheSame, senderFaults, templateFaults, valuesOfPayment } from '../notify.ts';
import type { Problem } from '../problems.ts';
import type { TrialNumbers } from '../trial-numbers.ts';
import { shown } from './columns.ts';
import type { RawRow, Rows } from './rows.ts';
import { type Message, message } from '../../messages/message.ts';
import type { Language } from '../../messages/languages.ts';
import { textOf } from '../../messages/texts.ts';

export interface JudgeOptions {
  readonly environment: string;
  /** The existing accounts; absent: unknown here. */
  readonly accounts?: ReadonlySet<string>;
  /** The account that pays the batch. */
  readonly account: string;
  readonly limits: Limits;
  readonly extraWithdrawModes?: readonly string[] | undefined;
  readonly trial?: TrialNumbers;
  /** XOF already requested from the account today, if the rows are to be accepted now. */
  readonly spentToday?: number;
  /** Maximum number of listed problems; absent: a hundred. */
  readonly kept?: number;
  /** Earliest time of every payment, from the options of the upload. */
  readonly notBefore?: string | undefined;
  /** The SMS to each payee, as the options of the upload say. */
  readonly notify?: BatchNotify | undefined;
  /** The accounts that can send SMS; absent: not known here. */
  readonly smsAccounts?: ReadonlySet<string> | undefined;
}

/** A row that is valid alone. */
export interface SoundRow {
  readonly row: number;
  readonly reference: string;
  /** As it would be recorded. */
  readonly request: RequestOf<'disbursement'>;
  /** As written: parsing a parsed value may give another one. */
  readonly accountAlias: string;
  readonly id: string;
  readonly fingerprint: string;
  /** The SMS to the payee. */
  readonly plan: NotifyPlan | undefined;
  /** Its additional cells. */
  readonly own?: readonly string[];
}

export class Judge {
  readonly problems: FindingList;
  readonly warnings = new FindingList();
  readonly #options: JudgeOptions;
  /** Headings of the file. */
  readonly #columns: readonly string[];
  readonly #cells: Rows['cells'];
  #notify: { readonly usable: BatchNotify | undefined } | undefined;
  readonly #rowOfReference = new Map<string, number>();
  readonly #rowOfPayment = new Map<string, number>();
  readonly #perBeneficiary = new Map<string, number>();
  readonly #countries = new Sums();
  readonly #modes = new Sums();
  #count = 0;
  #xof = 0;
  /** XOF that was not accepted before. */
  #fresh = 0;

  constructor(
    options: JudgeOptions,
    { own = [], columns = own, cells }: Pick<Rows, 'own' | 'columns' | 'cells'> = {},
  ) {
    this.problems = new FindingList(options.kept);
    this.#options = options;
    this.#columns = columns;
    this.#cells = cells;
  }

  /** The row, if it is valid alone. */
  read(raw: RawRow): SoundRow | undefined {
    const { row, request, problems, own } = raw;
    const { account, notBefore } = this.#options;
    const payment = { account, ...request, ...this.#told(raw), ...(notBefore === undefined ? {} : { notBefore }) };
    const judged = judgeDisbursement(payment, { ...this.#options, unusual: 'warned' });
    const found = judged.is === 'invalid' ? judged.problems.map((problem) => findingOf(row, problem)) : [];
    // The parser reports an unreadable cell, because it knows the written text.
    const whole = problems.some(({ column }) => column === null);
    const all = [...problems];
    if (request['reference'] === undefined && !whole)
      all.push({ row, column: 'reference', reason: message('required') });
    const told = new Set(all.map(({ column }) => column));
    if (!whole) all.push(...found.filter(({ column }) => !told.has(column)));
    if (judged.is === 'sound' && judged.request.account !== account) {
      all.push({ row, column: 'account', reason: message('one_account', { account }) });
    }
    this.problems.add(...all);
    if (judged.is === 'invalid' || all.length > 0) return undefined;
    const { names, identity, plan } = judged;
    const accountAlias = String(request['accountAlias']);
    const sound = { row, reference: identity, request: judged.request, accountAlias, plan, ...pick(names) };
    return { ...sound, ...(own && { own }) };
  }

  /** A text that is wrong for every row is reported one time. */
  #usableNotify(): BatchNotify | undefined {
    const { notify, account, smsAccounts } = this.#options;
    if (notify === undefined) return undefined;
    if (saysTheSame(notify)) this.#warn(null, 'notify', message('notify_one_text'));
    const faults = [...templateFaults(notify, this.#columns), ...senderFaults(account, smsAccounts)];
    for (const { pointer, message: reason } of faults) this.#refuse(null, columnAt(pointer), reason);
    return faults.length === 0 ? notify : undefined;
  }

  /** The SMS to the payee of a row, in its final words. What it lacks is a problem of the row. */
  #told({ row, request, own = [] }: RawRow): { readonly notify?: BatchNotify } {
    // A row of an earlier batch has its words.
    if (this.#options.notify === undefined || request['notify'] !== undefined) return {};
    this.#notify ??= { usable: this.#usableNotify() };
    const notify = this.#notify.usable;
    if (notify === undefined) return {};
    const written = this.#cells?.get(row) ?? own;
    const cells = this.#columns.map((heading, at) => [canonicalName(heading), written[at]?.trim() ?? ''] as const);
    const values = { ...Object.fromEntries(cells), ...valuesOfPayment(request) };
    const filled = renderNotify(notify, values);
    this.problems.add(...filled.problems.map((problem) => findingOf(row, problem)));
    return filled.problems.length > 0 ? {} : { notify: filled.notify };
  }

  /** Checks against other rows and the limits. `standing`: the existing operation with its reference. */
  count(sound: SoundRow, standing: Standing | undefined): void {
    const { row, request, reference } = sound;
    const earlier = this.#rowOfReference.get(reference);
    if (earlier !== undefined) {
      this.#refuse(row, 'reference', message('reference_used_in_row', { row: earlier }));
      return;
    }
    this.#rowOfReference.set(reference, row);
    this.#add(sound);
    if (standing?.same) {
      this.#warn(row, 'reference', message('accepted_before', { id: standing.id }));
      return;
    }
    if (standing) {
      const { id, differs } = standing;
      const used =
        differs.length === 0
          ? message('reference_used', { id })
          : message('reference_used_differs', { id, differs: differs.join(', ') });
      this.#refuse(row, 'reference', used);
      return;
    }
    this.#fresh += request.amount;
    this.#compareWithOthers(sound);
    this.#limit(sound);
  }

  /** After the last row. */
  totals(): BatchTotals {
    const { limits, spentToday = 0 } = this.#options;
    const max = limits.MAX_PER_DAY;
    if (max !== undefined && this.#fresh + spentToday > max) {
      this.#refuse(null, 'amount', message('of_all_rows', { limit: describeLimit('MAX_PER_DAY', String(max)) }));
    }
    // Beyond this a sum would not be exact to the franc.
    if (!Number.isSafeInteger(this.#xof)) this.#refuse(null, 'amount', message('rows_too_large'));
    return {
      count: this.#count,
      xof: this.#xof,
      countries: this.#countries.read(),
      modes: this.#modes.read(),
    };
  }

  #add({ row, request, accountAlias }: SoundRow): void {
    const { amount, withdrawMode } = request;
    const mode = readWithdrawMode(withdrawMode, this.#options.extraWithdrawModes);
    const country = 'country' in mode ? mode.country : undefined;
    this.#count += 1;
    this.#xof += amount;
    this.#countries.add(country ?? 'service', amount);
    this.#modes.add(withdrawMode, amount);
    const alias = readAccountAlias(accountAlias, country);
    if ('warning' in alias && alias.warning)
      this.#warn(row, 'accountAlias', message('unusual_number', alias.warning));
  }

  /** The same amount to the same person twice is either intended or a mistake that needs review. */
  #compareWithOthers({ row, request }: SoundRow): void {
    const { amount, allowDuplicate } = request;
    const payment = `${beneficiaryOf(request, this.#options.extraWithdrawModes)} ${amount}`;
    const earlier = this.#rowOfPayment.get(payment);
    this.#rowOfPayment.set(payment, earlier ?? row);
    if (earlier === undefined || allowDuplicate) return;
    const reason = message('same_payment', { row: earlier });
    if (this.#options.limits.DUPLICATE_WINDOW === undefined) this.#warn(row, 'amount', reason);
    else this.#refuse(row, 'amount', message('same_payment_refused', { row: earlier }));
  }

  #limit({ row, request }: SoundRow): void {
    const { MAX_DISBURSEMENT: most, MAX_PER_BENEFICIARY_DAY: mostEach } = this.#options.limits;
    const { amount } = request;
    if (most !== undefined && amount > most) {
      this.#refuse(row, 'amount', describeLimit('MAX_DISBURSEMENT', String(most)));
    }
    const beneficiary = beneficiaryOf(request, this.#options.extraWithdrawModes);
    const sum = (this.#perBeneficiary.get(beneficiary) ?? 0) + amount;
    this.#perBeneficiary.set(beneficiary, sum);
    if (mostEach !== undefined && sum > mostEach) {
      this.#refuse(row, 'amount', describeLimit('MAX_PER_BENEFICIARY_DAY', String(mostEach)));
    }
  }

  #refuse(row: number | null, column: string, reason: Message): void {
    this.problems.add({ row, column, reason });
  }

  #warn(row: number | null, column: string, reason: Message): void {
    this.warnings.add({ row, column, reason });
  }
}

function pick({ id, fingerprint }: { readonly id: string; readonly fingerprint: string }) {
  return { id, fingerprint };
}

const columnAt = (pointer: string): string => pointer.slice(1).replace('/', '.');

function findingOf(row: number, { pointer, message: reason }: Problem): Finding {
  const column = columnAt(pointer);
  return { row, column: column === '' ? null : shown(column), reason };
}

export function findingTexts(findings: readonly Finding[], language?: Language): FindingText[] {
  return findings.map((finding) => ({ ...finding, reason: textOf(finding.reason, language) }));
}

const KEPT = 100;

/** Counts all problems and stores the first hundred by default: a file with one wrong column has ten thousand. */
export class FindingList {
  readonly #kept: number;
  readonly #list: Finding[] = [];
  #count = 0;

  constructor(kept = KEPT) {
    this.#kept = kept;
  }

  add(...findings: readonly Finding[]): void {
    this.#count += findings.length;
    this.#list.push(...findings.slice(0, Math.max(0, this.#kept - this.#list.length)));
  }

  read(): Findings {
    return { count: this.#count, list: [...this.#list] };
  }
}
