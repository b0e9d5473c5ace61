/** Countries that added two digits before every number, and the earlier number of the same subscriber. */
import { countries } from './countries.ts';
import { digitsOf } from './phone.ts';

export const repairableCountries = ['CI', 'BJ'] as const;
export type RepairableCountry = (typeof repairableCountries)[number];

const CODES: Readonly<Record<RepairableCountry, string>> = {
  CI: countries.CI.dialling,
  BJ: countries.BJ.dialling,
};

/** After the country code. */
const OLD_DIGITS = 8;
const CODE_DIGITS = 3;
const ADDED_DIGITS = 2;

/**
 * Côte d'Ivoire added two digits before every number in January 2021. They depend on the operator, which the second
 * digit of the old mobile number identified. Only ranges that were certainly in use are converted; numbers that begin
 * with 1, 2 or 3 were fixed lines.
 */
const IVORIAN_OPERATORS = [
  { old: /^(?:0[1-3]|[457][0-3])/, prefix: '01' },
  { old: /^[04-9][4-6]/, prefix: '05' },
  { old: /^(?:[04-8][7-9]|9[78])/, prefix: '07' },
] as const;

/**
 * The country whose old eight digits these are, and the digits. `local`: they may lack a country code, and then
 * belong to `country`.
 */
export function oldNumberIn(
  digits: string,
  { local = false, country: own }: { readonly local?: boolean; readonly country?: string | undefined } = {},
): { readonly country: RepairableCountry; readonly old: string } | undefined {
  for (const country of repairableCountries) {
    if (digits.length === CODE_DIGITS + OLD_DIGITS && digits.startsWith(CODES[country]))
      return { country, old: digits.slice(CODE_DIGITS) };
    if (local && country === own && digits.length === OLD_DIGITS) return { country, old: digits };
  }
  return undefined;
}

/**
 * The digits of today's number, with its country code, for the eight of an old one; undefined if the old number was
 * not mobile. Benin (2024): prefix 01.
 */
export function renumbered(country: RepairableCountry, old: string): string | undefined {
  if (country === 'BJ') return `${CODES.BJ}01${old}`;
  const operator = IVORIAN_OPERATORS.find((range) => range.old.test(old));
  return operator && `${CODES.CI}${operator.prefix}${old}`;
}

/** A number (digits with the country code), and its equivalent in the other numbering. */
export function numberingsOf(digits: string): readonly string[] {
  const found = oldNumberIn(digits);
  const other = found ? renumbered(found.country, found.old) : oldOf(digits);
  return other === undefined ? [digits] : [digits, other];
}

/** All numbers of a number's subscriber, in international form. */
export function numbersOf(phone: string): readonly string[] {
  return numberingsOf(digitsOf(phone)).map((digits) => `+${digits}`);
}

/** Equal for every number of one subscriber. */
export function subscriberOf(digits: string): string {
  return numberingsOf(digits).toSorted()[0] ?? digits;
}

function oldOf(digits: string): string | undefined {
  if (digits.length !== CODE_DIGITS + ADDED_DIGITS + OLD_DIGITS) return undefined;
  const old = digits.slice(CODE_DIGITS + ADDED_DIGITS);
  const country = repairableCountries.find((one) => digits.startsWith(CODES[one]));
  // After two other digits the eight belong to another subscriber.
  return country && renumbered(country, old) === digits ? `${CODES[country]}${old}` : undefined;
}
