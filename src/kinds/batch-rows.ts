/** The rows of payment batches. */
import type { BatchNotify, Sum } from './batch.ts';

/** One waiting row, with the fields of its request. */
export interface BatchRow {
  readonly row: number;
  /** The id of its future disbursement. */
  readonly id: string;
  readonly reference: string;
  readonly accountAlias: string;
  /** Whole XOF. */
  readonly amount: number;
  readonly withdrawMode: string;
  readonly debitAccountNumber?: string;
  readonly allowDuplicate?: true;
  readonly payeeName?: string | undefined;
  readonly purpose?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Its texts in their final words. */
  readonly notify?: BatchNotify | undefined;
  /** Additional cells of the file, in the order of the batch's `columns`. */
  readonly own?: readonly string[];
}

/** The request of a row: without position, name and additional cells. */
export function askedWith({ row: _place, id: _id, own: _own, ...request }: BatchRow) {
  return request;
}

export type BatchAccepted =
  | { readonly outcome: 'accepted' | 'duplicate'; readonly id: string; readonly state: string }
  /** `open`: a batch with the same bytes is pending or being paid under another name. */
  | { readonly outcome: 'conflict' | 'open'; readonly id: string };

/** A row as it would be accepted. */
export interface AskedRow {
  readonly id: string;
  readonly fingerprint: string;
  readonly reference: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The operation that has the reference already. */
export interface Standing {
  readonly id: string;
  /** An equal request: accepting it again changes nothing. */
  readonly same: boolean;
  /** The differing fields, if it is not equal. */
  readonly differs: readonly string[];
}

/** A row with its payment. The fields are absent if no payment was accepted for it. */
export interface RowNow {
  readonly row: BatchRow;
  /** The state of its payment; `waiting` before there is one, `rejected` if acceptance refused it, `elsewhere`. */
  readonly state: string;
  readonly reason?: string;
  readonly fields?: Readonly<Record<string, string>>;
}

/** A batch expires without approval within this time: a limit or a reference may have changed since its check. */
export const APPROVE_WITHIN_MS = 86_400_000;

/** Page size of reads of rows. */
export const ROWS_AT_ONCE = 500;

/** Sums by name, added up one by one. */
export class Sums {
  readonly #sums = new Map<string, { count: number; xof: number }>();

  add(name: string, xof: number): void {
    const sum = this.#sums.get(name);
    if (!sum) {
      this.#sums.set(name, { count: 1, xof });
      return;
    }
    sum.count += 1;
    sum.xof += xof;
  }

  read(): Record<string, Sum> {
    return Object.fromEntries([...this.#sums].map(([name, sum]) => [name, { ...sum }]));
  }
}
