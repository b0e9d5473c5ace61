/** Countries that put two digits in front of every number, and what the same person's number was before. */
import { countries } from './countries.ts';
import { digitsOf } from './phone.ts';

export const repairableCountries = ['CI', 'BJ'] as const;
export type RepairableCountry = (typeof repairableCountries)[number];

const CODES: Readonly<Record<RepairableCountry, string>> = {
  CI: countries.CI.dialling,
  BJ: countries.BJ.dialling,
};

/** Behind the country code. */
const OLD_DIGITS = 8;
const CODE_DIGITS = 3;
const ADDED_DIGITS = 2;

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
 * The country whose old eight digits these are, and the digits. `local`: they may stand without a country code, and are
 * of `country` then.
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
 * The digits of today's number, with its country code, for the eight of an old one, or undefined where the old number
 * was no mobile one. Benin (2024): 01 in front.
 */
export function renumbered(country: RepairableCountry, old: string): string | undefined {
  if (country === 'BJ') return `${CODES.BJ}01${old}`;
  const operator = IVORIAN_OPERATORS.find((range) => range.old.test(old));
  return operator && `${CODES.CI}${operator.prefix}${old}`;
}

/** A number (digits with the country code), and what the same person's is called beside it: today, or before. */
export function numberingsOf(digits: string): readonly string[] {
  const found = oldNumberIn(digits);
  const other = found ? renumbered(found.country, found.old) : oldOf(digits);
  return other === undefined ? [digits] : [digits, other];
}

/** All numbers of the subscriber of one, in international form. */
export function numbersOf(phone: string): readonly string[] {
  return numberingsOf(digitsOf(phone)).map((digits) => `+${digits}`);
}

/** The same for every number of one subscriber. */
export function subscriberOf(digits: string): string {
  return numberingsOf(digits).toSorted()[0] ?? digits;
}

function oldOf(digits: string): string | undefined {
  if (digits.length !== CODE_DIGITS + ADDED_DIGITS + OLD_DIGITS) return undefined;
  const old = digits.slice(CODE_DIGITS + ADDED_DIGITS);
  const country = repairableCountries.find((one) => digits.startsWith(CODES[one]));
  // Behind two other digits the same eight are somebody else's.
  return country && renumbered(country, old) === digits ? `${CODES[country]}${old}` : undefined;
}
