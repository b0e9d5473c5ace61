import {
  type CountryCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
  validatePhoneNumberLength,
} from 'libphonenumber-js/max';
import { type RepairableCountry, oldNumberIn, renumbered } from '../../lib/renumbering.ts';
import { type Detail, detail } from '../../words/details.ts';
import type { SkipReason } from './report.ts';

export interface PhoneOptions {
  /** Where numbers without a country code belong: `SN`. Without it such numbers are `no_country`. */
  readonly country?: string;
  /** Countries whose old eight-digit numbers are renewed. Off by default: it changes which number gets the text. */
  readonly repair?: readonly RepairableCountry[];
}

export type PhoneReading =
  | { readonly is: 'mobile'; readonly e164: string; readonly country: string; readonly repaired?: true }
  | { readonly is: 'refused'; readonly reason: SkipReason; readonly detail?: Detail };

export type PhoneReader = (text: string) => PhoneReading;

/** Longer than any number with its separators; what is longer is prose. */
const MAX_LENGTH = 40;

/** Throws a RangeError for a country nobody knows. */
export function phoneReader({ country, repair = [] }: PhoneOptions = {}): PhoneReader {
  if (country !== undefined && !isSupportedCountry(country))
    throw new RangeError(`not a country: "${country}" (write two letters, as in SN)`);
  const rule = country === undefined ? undefined : fastRuleOf(country);
  return (text) => {
    const written = digitsOf(text) ?? digitsOf(withoutThousands(withoutDecimals(text)));
    if (written === undefined) return refused(readUnusual(text));
    const reading = written.international
      ? readInternational(written.digits)
      : readLocal(written.digits, country, rule);
    if (reading.is === 'mobile') return reading;
    return readDamaged(written, reading, { text, country, rule, repair });
  };
}

interface Written {
  readonly digits: string;
  /** It began with `+` or `00`; the digits then begin with the calling code. */
  readonly international: boolean;
}

/** Spaces of every kind, dots, dashes, brackets, slashes, and marks that paste brings along. */
const SEPARATORS = new Set(
  " \u00a0\u202f\u2009\t.-()/\u2010\u2011\u2012\u2013\u200b\u200e\u200f\u202a\u202c\ufeff'’",
);

function digitsOf(text: string): Written | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  let digits = '';
  let plus = false;
  for (const char of text) {
    if (char >= '0' && char <= '9') digits += char;
    else if (char === '+' && digits === '' && !plus) plus = true;
    else if (!SEPARATORS.has(char)) return undefined;
  }
  if (digits === '') return undefined;
  // Its decimals must not become the last digits of somebody else's number.
  if (isMeasurement(text) || (digits.length <= DIGITS_OF_A_DATE && isDate(text))) return undefined;
  const zeros = !plus && digits.startsWith('00');
  return { digits: zeros ? digits.slice(2) : digits, international: plus || zeros };
}

function readUnusual(text: string): SkipReason {
  const trimmed = text.trim();
  return trimmed === '' ? 'empty' : readWreck(trimmed);
}

function readInternational(digits: string): PhoneReading {
  const rule = fastRuleFor(digits);
  if (rule?.accepts(digits.slice(3))) return { is: 'mobile', e164: `+${digits}`, country: rule.country };
  return judge(`+${digits}`);
}

function readLocal(digits: string, country: CountryCode | undefined, rule: FastRule | undefined): PhoneReading {
  if (rule?.accepts(digits)) return { is: 'mobile', e164: `+${rule.code}${digits}`, country: rule.country };
  const judged = country === undefined || rule ? undefined : judge(digits, country);
  if (judged?.is === 'mobile') return judged;
  // 221771234567: written with its country code but without the plus, as many systems export it.
  const bare = fastRuleFor(digits);
  if (bare?.accepts(digits.slice(3))) return { is: 'mobile', e164: `+${digits}`, country: bare.country };
  if (country === undefined) return refused('no_country');
  return judged ?? judge(digits, country);
}

/** libphonenumber has the last word on everything the rules do not know. */
export function judge(text: string, country?: CountryCode): PhoneReading {
  const number = parsePhoneNumberFromString(text, country && { defaultCountry: country, extract: false });
  if (!number?.isValid()) return refused(number?.isPossible() ? 'not_in_use' : lengthReason(text, country));
  const type = number.getType();
  if (type !== 'MOBILE' && type !== 'FIXED_LINE_OR_MOBILE') return refused('not_mobile');
  return { is: 'mobile', e164: number.number, country: number.country ?? `+${number.countryCallingCode}` };
}

const LENGTH_REASONS = {
  INVALID_COUNTRY: 'unknown_country',
  NOT_A_NUMBER: 'too_short',
  TOO_SHORT: 'too_short',
  TOO_LONG: 'too_long',
  INVALID_LENGTH: 'wrong_length',
} as const satisfies Record<string, SkipReason>;

function lengthReason(text: string, country: CountryCode | undefined): SkipReason {
  const length = validatePhoneNumberLength(text, country);
  return length === undefined ? 'not_in_use' : LENGTH_REASONS[length];
}

interface Circumstances {
  readonly text: string;
  readonly country: string | undefined;
  readonly rule: FastRule | undefined;
  readonly repair: readonly RepairableCountry[];
}

/** A number that is not valid as it stands: is it an old one, a damaged one, or two in one cell? */
function readDamaged(written: Written, reading: PhoneReading, about: Circumstances): PhoneReading {
  const found = oldNumberIn(written.digits, { local: !written.international, country: about.country });
  if (found) {
    const renewed = renumbered(found.country, found.old);
    const repaired = renewed === undefined ? undefined : readInternational(renewed);
    if (repaired?.is !== 'mobile') return reading;
    if (about.repair.includes(found.country)) return { ...repaired, repaired: true };
    return refused('old_numbering', detail('probably_today', { number: repaired.e164 }));
  }
  if (!written.international && about.rule?.accepts(`0${written.digits}`))
    return refused('spreadsheet_damage', detail('zero_gone', { number: `0${written.digits}` }));
  return readWreck(about.text) === 'several_numbers' ? refused('several_numbers') : reading;
}

function refused(reason: SkipReason, beside?: Detail): PhoneReading {
  return { is: 'refused', reason, ...(beside && { detail: beside }) };
}

/** `771234567.0` or `771 234 567,00`: a program took the number for a measurement, and its decimals are not digits. */
function isMeasurement(text: string): boolean {
  return /^(?:\d{7,}|\d{1,3}(?:[ \u00a0\u202f,]\d{3})+)[.,]0{1,2}$/.test(text);
}

const DIGITS_OF_A_DATE = 8;
const DATES = [
  /^(?:0?[1-9]|[12]\d|3[01])([/.-])(?:0?[1-9]|1[0-2])\1(?:19|20)\d\d$/,
  /^(?:19|20)\d\d([/.-])(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])$/,
] as const;

/** `01/02/2026`, `2026-02-01`: what a spreadsheet made of a number, or another column. Its digits may be somebody's. */
function isDate(text: string): boolean {
  const trimmed = text.trim();
  return DATES.some((form) => form.test(trimmed));
}

/** The same without them: a program that wrote `771234567.0` had the whole number. */
function withoutDecimals(text: string): string {
  return isMeasurement(text.trim()) ? text.trim().replace(/[.,]0{1,2}$/, '') : text;
}

/** `771,234,567`, as an English spreadsheet shows a number, without its commas. */
function withoutThousands(text: string): string {
  return /^\d{1,3}(?:,\d{3})+$/.test(text) ? text.replaceAll(',', '') : text;
}

/** What a cell shows that is not a number any more, or never was one. */
function readWreck(text: string): SkipReason {
  const isDamaged = /^\d(?:[.,]\d+)?e\+?\d+$/i.test(text) || text.startsWith('#') || isDate(text);
  if (isDamaged) return 'spreadsheet_damage';
  const numbers = text.split(/[/;,|&\n]|\bou\b|\bet\b|\bor\b/i).filter((part) => part.replace(/\D/g, '').length >= 7);
  return numbers.length > 1 ? 'several_numbers' : 'not_a_number';
}

/**
 * The mobile ranges of the countries that nearly every row is from, so that a row costs a table look-up and not a run
 * of
 * libphonenumber. The ranges are deliberately no wider than libphonenumber's (a test compares them): what is not listed
 * here is not wrong, it is asked about.
 */
const FAST_COUNTRIES = {
  SN: { code: '221', length: 9, mobile: ['70', '71', '75', '76', '77', '78'] },
  CI: { code: '225', length: 10, mobile: ['01', '05', '07'] },
  BJ: { code: '229', length: 10, mobile: ['014', '015', '016', '019'] },
  TG: {
    code: '228',
    length: 8,
    mobile: ['70', '71', '72', '73', '78', '79', '90', '91', '92', '93', '96', '97', '98', '99'],
  },
  ML: { code: '223', length: 8, mobile: ['50', '51', '52', '53', '6', '7', '82', '83', '84', '85', '89', '9'] },
  BF: {
    code: '226',
    length: 8,
    mobile: [
      '01',
      '02',
      '03',
      '04',
      '05',
      '06',
      '07',
      '50',
      '51',
      '52',
      '53',
      '54',
      '55',
      '56',
      '57',
      '58',
      '6',
      '7',
    ],
  },
} as const satisfies Record<string, { code: string; length: number; mobile: readonly string[] }>;

type FastCountry = keyof typeof FAST_COUNTRIES;

interface FastRule {
  readonly country: FastCountry;
  /** Calling code, three digits. */
  readonly code: string;
  /** Digits after the calling code. */
  readonly length: number;
  /** Whether the number after the calling code is certainly a mobile one. */
  accepts(national: string): boolean;
}

export const fastCountries = Object.keys(FAST_COUNTRIES) as readonly FastCountry[];

const byCountry = new Map<string, FastRule>(fastCountries.map((country) => [country, ruleOf(country)]));
const byCode = new Map<string, FastRule>([...byCountry.values()].map((rule) => [rule.code, rule]));

export function fastRuleOf(country: string): FastRule | undefined {
  return byCountry.get(country);
}

/** The rule for a number with its calling code, written as digits alone, if its length fits that country. */
export function fastRuleFor(digits: string): FastRule | undefined {
  const rule = byCode.get(digits.slice(0, 3));
  return rule && digits.length === rule.length + 3 ? rule : undefined;
}

function ruleOf(country: FastCountry): FastRule {
  const { code, length, mobile } = FAST_COUNTRIES[country];
  const heads = new Uint8Array(1_000);
  for (let head = 0; head < 1_000; head += 1) {
    const text = String(head).padStart(3, '0');
    if (mobile.some((prefix) => text.startsWith(prefix))) heads[head] = 1;
  }
  return {
    country,
    code,
    length,
    accepts: (national) => national.length === length && heads[Number(national.slice(0, 3))] === 1,
  };
}
