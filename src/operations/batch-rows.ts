/** The rows of a batch as they wait in Redis: packed, in the order of the file. */

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
  readonly payeeName?: string | undefined;
  readonly purpose?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** What the file has beside it, in the order of the `columns` of the batch. */
  readonly own?: readonly string[];
}

/** What is asked for with it: neither its place nor its name, nor what the file has beside it. */
export function askedWith({ row: _place, id: _id, own: _own, ...request }: BatchRow) {
  return request;
}

export function packBatchRow(row: BatchRow): string {
  const { id, reference, accountAlias, amount, withdrawMode, debitAccountNumber = '', allowDuplicate, own } = row;
  const again = allowDuplicate ? 1 : 0;
  const asked = [row.row, id, reference, accountAlias, amount, withdrawMode, debitAccountNumber, again];
  return JSON.stringify(own ? [...asked, own] : asked);
}

type Packed = [number, string, string, string, number, string, string, number, string[]?];

export function unpackBatchRow(packed: string): BatchRow {
  const [row, id, reference, accountAlias, amount, withdrawMode, debit, again, own] = JSON.parse(packed) as Packed;
  return {
    row,
    id,
    reference,
    accountAlias,
    amount,
    withdrawMode,
    ...(debit === '' ? {} : { debitAccountNumber: debit }),
    ...(again === 1 ? { allowDuplicate: true } : {}),
    ...(own ? { own } : {}),
  };
}
