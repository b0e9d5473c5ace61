import { grouped } from '../messages/counts.ts';

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

const CURRENCY = '(?:f\\s?cfa|cfa|xof|frs?|francs?|f)';
const WITH_CURRENCY = new RegExp(`^${CURRENCY}\\.?\\s*(?=\\d)|(?<=\\d)\\s*${CURRENCY}\\.?$`, 'gi');
const WRITTEN =
  /^(?:(?<head>[1-9]\d{0,2})(?<by>[ '.,])(?<rest>\d{3}(?:\k<by>\d{3})*)|(?<plain>[1-9]\d*))(?:(?<point>[.,])0{1,2})?$/;

/**
 * An amount as people write it: `346 500`, `346.500,00 F`, `1,250,000 XOF`. Undefined where a part of a franc is written,
 * and where it may mean two amounts: `346.500` is read only if `thousands` says that its sign stands between thousands.
 */
export function readWrittenXof(
  text: string,
  { thousands = false }: { readonly thousands?: boolean } = {},
): number | undefined {
  const plain = text
    .trim()
    .replace(/[\s\u00a0\u2009\u202f]/g, ' ')
    .replaceAll('\u2019', "'")
    .replace(WITH_CURRENCY, '');
  const { head, by = '', rest = '', plain: whole, point } = WRITTEN.exec(plain)?.groups ?? {};
  if (whole === undefined && head === undefined) return undefined;
  const isSign = by === '.' || by === ',';
  if (isSign && point === by) return undefined;
  if (isSign && point === undefined && rest.length === 3 && !thousands) return undefined;
  const amount = Number(whole ?? `${head}${rest.replaceAll(by, '')}`);
  return Number.isSafeInteger(amount) ? amount : undefined;
}

/** `1250000` → `1 250 000 XOF`. */
export function describeXof(amount: number): string {
  return `${grouped(amount)}\u00a0XOF`;
}
