/**
 * Acceptance of a file of disbursements: every row is checked before anything counts, and a different person later
 * approves exactly these bytes.
 */
import type { BatchNotify, BatchTotals, Findings } from '../../kinds/batch.ts';
import type { BatchRecord } from '../../operations/record.ts';
import { operations } from '../../kinds/index.ts';
import { setImmediate as letOthersWork } from 'node:timers/promises';
import { canonicalJson, derivedId, fingerprint } from '../../lib/ids.ts';
import {
  APPROVE_WITHIN_MS,
  type BatchAccepted,
  type BatchRow,
  ROWS_AT_ONCE,
  askedWith,
} from '../../kinds/batch-rows.ts';
import type { Batches } from '../../ledger/batches.ts';
import type { Act } from '../../ledger/acts.ts';
import { differing } from '../../operations/differing.ts';
import { askedFields } from '../acceptance.ts';
import type { BatchAnswer } from '../errors.ts';
import type { BatchOptions } from '../inputs.ts';
import type { MoneyLimits } from '../../ledger/limits.ts';
import { FindingList, Judge, type JudgeOptions, type SoundRow } from './judge.ts';
import { type BatchFile, batchOf, hashOf, type RawRow, type Rows } from './rows.ts';
import { message } from '../../messages/message.ts';
import { findingTexts } from './judge.ts';

export interface BatchDoorOptions
  extends Pick<JudgeOptions, 'environment' | 'accounts' | 'extraWithdrawModes' | 'trial' | 'smsAccounts'> {
  readonly batches: Pick<Batches, 'accept' | 'acceptedOn' | 'rows' | 'standing'>;
  /** The limits in force for this process. */
  readonly limits: Pick<MoneyLimits, 'inForce'>;
  /** ms since the epoch: selects the day of the limits. */
  readonly now: () => number;
}

export interface UploadOptions {
  /** The paying account; see `accountOf`. */
  readonly account: string;
  /** The uploading key. */
  readonly by: string;
  /** The entry of the audit log. */
  readonly act?: Act | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly fileName?: string | undefined;
  /** The batch whose unpaid rows are retried. */
  readonly retryOf?: string | undefined;
  /** Earliest time of every payment. The approved hash covers it. */
  readonly notBefore?: string | undefined;
  /** The SMS to each payee. The approved hash covers it. */
  readonly notify?: BatchNotify | undefined;
}

/** The approved content: the bytes, their reading, and the options of the upload if there are any. */
export function approvedHash(
  { contentHash, reading }: Pick<BatchFile, 'contentHash' | 'reading'>,
  { notBefore, notify }: Pick<UploadOptions, 'notBefore' | 'notify'>,
): string {
  const options = canonicalJson({ notBefore, notify, reading });
  return options === '{}' ? contentHash : hashOf(`${contentHash}\n${options}`);
}

export type UploadAnswer =
  | (Extract<BatchAccepted, { state: string }> & {
      readonly found: Pick<Judgement, 'totals' | 'problems' | 'warnings'>;
    })
  | (Exclude<BatchAccepted, { state: string }> & { readonly differs: readonly string[] });

/** Maximum number of reported differences of a file. */
const DIFFERS_MOST = 20;

/** The result of checking a file. */
interface Judgement {
  readonly state: 'invalid' | 'awaiting_approval';
  readonly totals: BatchTotals;
  readonly problems: Findings;
  readonly warnings: Findings;
  readonly sound: readonly SoundRow[];
  /** Rows that were already accepted unchanged. */
  readonly accepted: ReadonlySet<number>;
}

/** The paying account: the requested one, otherwise the first that a row names, otherwise `main`. */
export function accountOf(file: Rows, asked: string | undefined): string {
  const named = file.rows.map(({ request }) => request['account']).find((account) => typeof account === 'string');
  return asked ?? (typeof named === 'string' && /^[a-z][a-z0-9_-]{0,31}$/.test(named) ? named : 'main');
}

/** `standing` is called for some hundreds of rows at a time; without it no operations are read. */
export async function judgeFile(
  file: Rows,
  options: JudgeOptions,
  standing?: (rows: readonly SoundRow[]) => ReturnType<Batches['standing']>,
): Promise<Judgement> {
  const judge = new Judge(options, file);
  judge.problems.add(...file.problems);
  judge.warnings.add(...(file.warnings ?? []));
  const sound: SoundRow[] = [];
  const accepted = new Set<number>();
  for (let from = 0; from < file.rows.length; from += ROWS_AT_ONCE) {
    const rows = file.rows.slice(from, from + ROWS_AT_ONCE).flatMap((raw) => judge.read(raw) ?? []);
    const known = (await standing?.(rows)) ?? [];
    for (const [index, row] of rows.entries()) {
      judge.count(row, known[index]);
      if (known[index]?.same) accepted.add(row.row);
    }
    sound.push(...rows);
    await letOthersWork();
  }
  const totals = judge.totals();
  const problems = judge.problems.read();
  const state = problems.count > 0 ? 'invalid' : 'awaiting_approval';
  return { state, totals, problems, warnings: judge.warnings.read(), sound, accepted };
}

export class BatchDoor {
  readonly #options: BatchDoorOptions;

  constructor(options: BatchDoorOptions) {
    this.#options = options;
  }

  /** The same bytes for the same account are the same batch, unless an idempotency key differs. */
  async accept(file: BatchFile, options: UploadOptions): Promise<UploadAnswer> {
    const { account, by, act, idempotencyKey, fileName, retryOf, notBefore, notify } = options;
    const { batches, environment } = this.#options;
    const { totals, problems, warnings, sound, state } = await this.judge(file, account, { notBefore, notify });
    const { reading } = file;
    const contentHash = approvedHash(file, options);
    const rows = sound.map(rowAtRest);
    const accepted = await batches.accept(
      {
        id: derivedId(operations.batch.prefix, environment, account, 'batch', idempotencyKey ?? contentHash),
        account,
        act,
        fingerprint: fingerprint(`${account}\n${contentHash}`),
        state,
        dueInMs: APPROVE_WITHIN_MS,
        contentHash,
        fields: {
          by,
          totals: JSON.stringify(totals),
          problems: JSON.stringify(problems),
          warnings: JSON.stringify(warnings),
          columns: JSON.stringify(file.own ?? []),
          ...(fileName === undefined ? {} : { fileName }),
          ...(retryOf === undefined ? {} : { retryOf }),
          ...(contentHash === file.contentHash ? {} : { options: JSON.stringify({ notBefore, notify, reading }) }),
        },
        tells: { contentHash, by, totals },
      },
      state === 'invalid' ? [] : rows,
    );
    if ('state' in accepted) return { ...accepted, found: { totals, problems, warnings } };
    const isOpen = accepted.outcome === 'open';
    const differs = isOpen ? ['/Idempotency-Key'] : await this.#differing(accepted.id, rows);
    return { ...accepted, differs };
  }

  /** Its rows without those that were already accepted unchanged. */
  async notYetAccepted(file: Rows, account: string): Promise<readonly RawRow[]> {
    const { accepted } = await this.judge(file, account);
    return file.rows.filter(({ row }) => !accepted.has(row));
  }

  /** Problems that arose since the upload: a reference that was taken, a limit, a removed account. */
  async recheck(record: BatchRecord): Promise<Findings> {
    const { batches } = this.#options;
    const rows: RawRow[] = [];
    for (let from = 0; from < record.totals.count; from += ROWS_AT_ONCE) {
      rows.push(...(await batches.rows(record.id, from, ROWS_AT_ONCE)).map(asWritten));
    }
    if (rows.length === record.totals.count) {
      const today = new Date(this.#options.now()).toISOString().slice(0, 10);
      const spentToday = await batches.acceptedOn(record.account, today);
      const { notBefore } = record.options;
      return (await this.judge({ rows, problems: [] }, record.account, { spentToday, notBefore })).problems;
    }
    const lost = new FindingList();
    lost.add({ row: null, column: null, reason: message('rows_left', { count: rows.length }) });
    return lost.read();
  }

  /** Applies every rule; nothing is written. */
  async judge(
    file: Rows,
    account: string,
    more: Pick<JudgeOptions, 'spentToday' | 'kept' | 'notBefore' | 'notify'> = {},
  ): Promise<Judgement> {
    const { batches, environment, accounts, extraWithdrawModes, trial, smsAccounts } = this.#options;
    const limits = await this.#options.limits.inForce();
    const known = { extraWithdrawModes, trial, smsAccounts, ...(accounts ? { accounts } : {}) };
    const options = { environment, account, limits, ...more, ...known };
    return judgeFile(file, options, (rows) =>
      batches.standing(
        account,
        rows.map((row) => ({ ...row, fields: askedOf(row) })),
      ),
    );
  }

  /**
   * The rows that differ from an existing batch of this name, by position. After an inserted row, each later one
   * differs.
   */
  async #differing(id: string, rows: readonly BatchRow[]): Promise<readonly string[]> {
    const { batches } = this.#options;
    const differs: string[] = [];
    for (let from = 0; differs.length < DIFFERS_MOST; from += ROWS_AT_ONCE) {
      const stand = await batches.rows(id, from, ROWS_AT_ONCE);
      const asked = rows.slice(from, from + ROWS_AT_ONCE);
      // An invalid batch has none, so its rows are unknown.
      if (stand.length === 0 && (asked.length === 0 || from === 0)) break;
      for (let at = 0; at < Math.max(stand.length, asked.length); at += 1) {
        differs.push(...differingRow(asked[at], stand[at]));
      }
    }
    return differs.slice(0, DIFFERS_MOST);
  }
}

/** In the form of an existing operation. */
function askedOf({ request, plan }: SoundRow): Readonly<Record<string, unknown>> {
  const { metadata, notBefore } = request;
  return { ...askedFields(request), metadata, notBefore: notBefore && Date.parse(notBefore), notify: plan };
}

/** In the form of a file's `problems`: the row in spreadsheet numbering, and its column. */
function differingRow(asked: BatchRow | undefined, stands: BatchRow | undefined): string[] {
  if (!asked || !stands) return [`/${(asked ?? stands)?.row}`];
  const { reference, allowDuplicate, metadata, notify, ...fields } = askedWith(asked);
  const there = Object.entries(askedWith(stands)).map(([name, value]) => [name, textOf(value)] as const);
  const again = allowDuplicate ? 'true' : undefined;
  const request = {
    kind: 'disbursement',
    fields: { ...fields, allowDuplicate: again, notify: notify && canonicalJson(notify) },
    reference,
    metadata,
  } as const;
  return differing(request, { kind: 'disbursement', ...Object.fromEntries(there) }).map(
    (pointer) => `/${asked.row}${pointer}`,
  );
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : canonicalJson(value);

/** Rows of another program, from the library: the rules of a file apply. */
export async function askForBatch(
  door: BatchDoor,
  { rows, account: asked, by = 'producer', idempotencyKey }: BatchOptions & { readonly rows?: unknown },
): Promise<BatchAnswer> {
  const file = batchOf(rows);
  const { contentHash } = file;
  const answer = await door.accept(file, { account: accountOf(file, asked), by, idempotencyKey });
  if ('differs' in answer) return { id: answer.id, outcome: 'conflict', differs: answer.differs };
  const { id, outcome, state, found } = answer;
  const { totals, problems, warnings } = found;
  return {
    id,
    outcome,
    state,
    contentHash,
    totals,
    problems: findingTexts(problems.list),
    problemCount: problems.count,
    warnings: findingTexts(warnings.list),
    warningCount: warnings.count,
  };
}

function rowAtRest({ row, id, reference, accountAlias, request, own }: SoundRow): BatchRow {
  const { amount, withdrawMode, debitAccountNumber, allowDuplicate, payeeName, purpose, metadata, notify } = request;
  return {
    row,
    id,
    reference,
    accountAlias,
    amount,
    withdrawMode,
    ...(debitAccountNumber === undefined ? {} : { debitAccountNumber }),
    ...(allowDuplicate ? { allowDuplicate } : {}),
    ...(payeeName === undefined ? {} : { payeeName }),
    ...(purpose === undefined ? {} : { purpose }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(notify === undefined ? {} : { notify }),
    ...(own?.some((cell) => cell !== '') ? { own } : {}),
  };
}

function asWritten(row: BatchRow): RawRow {
  return { row: row.row, request: askedWith(row), problems: [] };
}
