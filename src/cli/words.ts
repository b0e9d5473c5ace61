/** Displayed names of API fields. */
const SPELT: Readonly<Record<string, string>> = {
  accountAlias: 'to',
  withdrawMode: 'mode',
  debitAccountNumber: 'debit',
  totalAmount: 'amount',
};

const parts = (field: string, between: string): string =>
  (SPELT[field] ?? field).replaceAll('.', between).replace(/[A-Z]/g, (letter) => `${between}${letter.toLowerCase()}`);

/** `referenceNumber` → `reference number` */
export const labelOf = (field: string): string => parts(field, ' ');

/** `notBefore` → `--not-before`, `notify.text` → `--notify-text` */
export const flagFor = (field: string): string => `--${parts(field, '-')}`;

/** `/notBefore` → `--not-before`: the user typed a flag, not a field. Undefined: it concerns the whole request. */
export function flagOf(pointer: string): string | undefined {
  const [, field = ''] = /^\/(\w+)$/.exec(pointer) ?? [];
  if (field === '') return pointer === '' ? undefined : pointer;
  return flagFor(field);
}
