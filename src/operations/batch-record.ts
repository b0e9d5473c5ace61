/** A file of disbursements as we keep it: what was found in it, which keys answer for it, and how far it has come. */
import type { Sum } from '../kinds/batch.ts';

/** A batch that nobody has approved by then expires: what was checked a day ago is not what is paid today. */
export const APPROVE_WITHIN_MS = 86_400_000;

/** One row as it waits, in the words of its request. */
export interface BatchRow {
  readonly row: number;
  /** Of the disbursement that the row becomes. */
  readonly id: string;
  readonly reference: string;
  readonly accountAlias: string;
  /** Whole XOF. */
  readonly amount: number;
  readonly withdrawMode: string;
  readonly debitAccountNumber?: string;
  readonly allowDuplicate?: true;
}

export function packBatchRow(row: BatchRow): string {
  const { id, reference, accountAlias, amount, withdrawMode, debitAccountNumber = '', allowDuplicate } = row;
  const again = allowDuplicate ? 1 : 0;
  return JSON.stringify([row.row, id, reference, accountAlias, amount, withdrawMode, debitAccountNumber, again]);
}

type Packed = [number, string, string, string, number, string, string, number];

export function unpackBatchRow(packed: string): BatchRow {
  const [row, id, reference, accountAlias, amount, withdrawMode, debit, again] = JSON.parse(packed) as Packed;
  return {
    row,
    id,
    reference,
    accountAlias,
    amount,
    withdrawMode,
    ...(debit === '' ? {} : { debitAccountNumber: debit }),
    ...(again === 1 ? { allowDuplicate: true } : {}),
  };
}

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
