/** A file of disbursements as we keep it: what was found in it, who answers for it, and how far it has come. */
import type { RecordBase } from './record.ts';

/** A batch that nobody has approved by then expires: what was checked a day ago is not what is paid today. */
export const APPROVE_WITHIN_MS = 86_400_000;

/** How many, and whole XOF. */
export interface Sum {
  readonly count: number;
  readonly xof: number;
}

export interface BatchTotals extends Sum {
  /** By ISO 3166 code; `service` for transfers between accounts of the service, which have no country. */
  readonly countries: Readonly<Record<string, Sum>>;
  readonly modes: Readonly<Record<string, Sum>>;
}

/** One thing about one cell of the file. */
export interface Finding {
  /** As a spreadsheet numbers it: the header of a CSV file is row 1. null: the file as a whole. */
  readonly row: number | null;
  /** null: the whole row. */
  readonly column: string | null;
  readonly reason: string;
}

/** All of them are counted, the first hundred are kept. */
export interface Findings {
  readonly count: number;
  readonly list: readonly Finding[];
}

export interface BatchRecord extends RecordBase<'batch'> {
  /** SHA-256 of the bytes as they came, in hex: what is approved is exactly this. */
  readonly contentHash: string;
  /** Name of the key that uploaded it, which may not approve it. */
  readonly by: string;
  readonly approvedBy?: string;
  readonly approvedAt?: number;
  /** Why it needs review. */
  readonly reason?: string;
  readonly totals: BatchTotals;
  readonly problems: Findings;
  readonly warnings: Findings;
  /** How many rows were handed to acceptance; the next place. */
  readonly fed: number;
  /** Every row before this place has ended, or needs review. */
  readonly mark: number;
}

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
