/** The books of the service: what it really did. The day is closed against these and nothing else. */
import { mustAsk } from '../storm/http.ts';
import { sumOf } from '../storm/grouping.ts';

export interface Books {
  readonly disbursements: readonly {
    readonly disburseId: string;
    readonly amount: number;
    readonly withdrawMode: string;
    readonly effects: number;
    readonly transactionId?: string;
  }[];
  readonly directCredits: readonly {
    readonly accountAlias: string;
    readonly amount: number;
    readonly transactionId: string;
  }[];
  readonly invoices: readonly { readonly totalAmount: number; readonly status: string }[];
  readonly paymentRequests: readonly { readonly amount: number; readonly status: string }[];
  readonly messages: readonly { readonly to: string; readonly text: string; readonly times: number }[];
  readonly breaches: readonly unknown[];
}

export function readBooks(control: string): Promise<Books> {
  return mustAsk<Books>(`${control}/books`);
}

export interface Sum {
  readonly count: number;
  readonly xof: number;
}

export function sum<Item>(items: readonly Item[], xofOf: (item: Item) => number): Sum {
  return { count: items.length, xof: sumOf(items, xofOf) };
}

/** Everything that the service did with money, by what the report calls it. */
export function moneyIn({ disbursements, directCredits, invoices, paymentRequests }: Books) {
  const paid = disbursements.filter(({ effects }) => effects > 0);
  const bills = [
    ...invoices.filter(({ status }) => status === 'completed').map(({ totalAmount }) => totalAmount),
    ...paymentRequests.filter(({ status }) => status === 'completed').map(({ amount }) => amount),
  ];
  return {
    succeeded: sum(paid, ({ amount, effects }) => amount * effects),
    credited: sum(directCredits, ({ amount }) => amount),
    collected: sum(bills, (xof) => xof),
  };
}

/** Money that left more often than it was asked for. */
export function paidTwice({ disbursements, directCredits }: Books): string[] {
  const byId = new Map<string, number>();
  for (const { disburseId, effects } of disbursements) byId.set(disburseId, (byId.get(disburseId) ?? 0) + effects);
  for (const { accountAlias } of directCredits) byId.set(accountAlias, (byId.get(accountAlias) ?? 0) + 1);
  return [...byId].filter(([, times]) => times > 1).map(([name]) => name);
}

/** A statement as a bank writes it: each payment a line. */
export function statementOf({ disbursements, directCredits }: Books, date: string): string[][] {
  const paid = disbursements.filter(({ effects }) => effects > 0);
  const [year, month, day] = date.split('-');
  return [...paid, ...directCredits].map(({ transactionId = '', amount }) => [
    `${day}/${month}/${year} 12:00`,
    transactionId,
    String(amount),
  ]);
}
