/**
 * XOF has no minor unit, so money is a whole number of francs everywhere. The provider writes it as `203`, `"203"`,
 * `"203.00"` or `"1 203,00 XOF"`; a value with a fraction of a franc is refused, not rounded.
 */
export function readXof(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : undefined;
  if (typeof value !== 'string') return undefined;
  const text = value.replace(/xof$/i, '').replace(/[\s\u00a0\u202f]/g, '');
  const [, sign, whole, decimals] = /^(-?)(\d{1,3}(?:,\d{3})+|\d+)(?:[.,](\d{1,2}))?$/.exec(text) ?? [];
  if (whole === undefined || (decimals !== undefined && /[1-9]/.test(decimals))) return undefined;
  const amount = Number(`${sign}${whole.replaceAll(',', '')}`);
  return Number.isSafeInteger(amount) ? amount : undefined;
}

/** `1250000` → `1 250 000 XOF`. */
export function describeXof(amount: number): string {
  return `${String(amount).replace(/\B(?=(\d{3})+(?!\d))/g, '\u00a0')}\u00a0XOF`;
}
