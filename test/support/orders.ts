/** Payments to invented numbers, each to a different beneficiary, and their entries in both records. */
import type { BookedDisbursement, DisbursementView } from './views.ts';

export interface Order {
  readonly reference: string;
  readonly accountAlias: string;
  /** Whole XOF. */
  readonly amount: number;
  readonly withdrawMode: string;
}

/** A mode, with prefix and length of its country's numbers. */
const MODES = [
  { withdrawMode: 'wallet-a-senegal', prefix: '77', digits: 9 },
  { withdrawMode: 'wallet-b-senegal', prefix: '76', digits: 9 },
  { withdrawMode: 'wallet-a-ci', prefix: '07', digits: 10 },
  { withdrawMode: 'wallet-d-ci', prefix: '05', digits: 10 },
  { withdrawMode: 'wallet-f-benin', prefix: '0161', digits: 10 },
  { withdrawMode: 'wallet-g-togo', prefix: '90', digits: 8 },
  { withdrawMode: 'wallet-a-mali', prefix: '76', digits: 8 },
  { withdrawMode: 'wallet-a-burkina', prefix: '70', digits: 8 },
] as const;

/** Numbers that trigger the sandbox: two fail, one is paid and answered with an error. */
const PICKED = [
  { withdrawMode: 'wallet-a-senegal', accountAlias: '779999901' },
  { withdrawMode: 'wallet-a-ci', accountAlias: '0709999901' },
  { withdrawMode: 'wallet-b-senegal', accountAlias: '769999912' },
] as const;

export function makeOrders(count: number, run: string): readonly Order[] {
  return Array.from({ length: count }, (_, index) => ({
    ...(PICKED[index] ?? invented(index)),
    reference: `${run}-${index + 1}`,
    amount: 5_000 + index * 250,
  }));
}

function invented(index: number): Pick<Order, 'withdrawMode' | 'accountAlias'> {
  const { withdrawMode, prefix, digits } = MODES[index % MODES.length] ?? MODES[0];
  return { withdrawMode, accountAlias: prefix + String(index).padStart(digits - prefix.length, '0') };
}

export function reportedLines(orders: readonly Order[], records: readonly DisbursementView[]) {
  const states = new Map(records.map(({ reference, state }) => [reference, state]));
  return orders.map((order) => ({ ...lineOf(order), state: states.get(order.reference) ?? 'no record' }));
}

export const bookedLine = (booked: BookedDisbursement) => ({ ...lineOf(booked), times: booked.effects });

const lineOf = ({ withdrawMode, accountAlias, amount }: Omit<Order, 'reference'>) => ({
  who: `${withdrawMode} ${accountAlias}`,
  what: `${amount} F`,
});
