import type { SkipReason } from './reasons.ts';

export const repairableCountries = ['CI', 'BJ'] as const;
export type RepairableCountry = (typeof repairableCountries)[number];

const CODES = { CI: '225', BJ: '229' } as const satisfies Record<RepairableCountry, string>;

/**
 * Côte d'Ivoire put two digits in front of every number in January 2021. Which two depends on the operator, and the
 * operator was told by the second digit of the old mobile number. Only the ranges that were surely in use are renewed;
 * numbers that begin with 1, 2 or 3 were fixed lines.
 */
const IVORIAN_OPERATORS = [
  { old: /^(?:0[1-3]|[457][0-3])/, prefix: '01' },
  { old: /^[04-9][4-6]/, prefix: '05' },
  { old: /^(?:[04-8][7-9]|9[78])/, prefix: '07' },
] as const;

/**
 * The country whose old eight digits these are, and the digits. `digits` has no `+`; `local` when it has no calling
 * code.
 */
export function findOldNumber(
  digits: string,
  local: boolean,
  defaultCountry: string | undefined,
): { readonly country: RepairableCountry; readonly old: string } | undefined {
  for (const country of repairableCountries) {
    if (digits.length === 11 && digits.startsWith(CODES[country])) return { country, old: digits.slice(3) };
    if (local && country === defaultCountry && digits.length === 8) return { country, old: digits };
  }
  return undefined;
}

/**
 * Today's number for an old one, as E.164, or undefined where the old number was no mobile one. Benin (2024): 01 in
 * front.
 */
export function renumber(country: RepairableCountry, old: string): string | undefined {
  if (country === 'BJ') return `+${CODES.BJ}01${old}`;
  const operator = IVORIAN_OPERATORS.find((range) => range.old.test(old));
  return operator && `+${CODES.CI}${operator.prefix}${old}`;
}

/** `771234567.0` or `771 234 567,00`: a program took the number for a measurement, and its decimals are not digits. */
export function isMeasurement(text: string): boolean {
  return /^(?:\d{7,}|\d{1,3}(?:[ \u00a0\u202f,]\d{3})+)[.,]0{1,2}$/.test(text);
}

/** The digits of `771,234,567`, as an English spreadsheet shows a number; undefined for anything else. */
export function withoutThousands(text: string): string | undefined {
  return /^\d{1,3}(?:,\d{3})+$/.test(text) ? text.replaceAll(',', '') : undefined;
}

/** What a cell shows that is not a number any more, or never was one. */
export function readWreck(text: string): SkipReason {
  if (/^\d(?:[.,]\d+)?e\+?\d+$/i.test(text) || text.startsWith('#')) return 'spreadsheet_damage';
  if (isMeasurement(text)) return 'spreadsheet_damage';
  const numbers = text.split(/[/;,|&\n]|\bou\b|\bet\b|\bor\b/i).filter((part) => part.replace(/\D/g, '').length >= 7);
  return numbers.length > 1 ? 'several_numbers' : 'not_a_number';
}
