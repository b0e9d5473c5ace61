import {
  type CountryCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
  validatePhoneNumberLength,
} from 'libphonenumber-js/max';
import { type Country, countries, countryCodes } from '../../lib/countries.ts';
import { plainText } from '../../lib/letters.ts';
import { type RepairableCountry, oldNumberIn, renumbered } from '../../lib/renumbering.ts';
import { type WrittenNumber, isDate, readNumber } from '../../lib/written-number.ts';
import { type Detail, detail } from '../../messages/details.ts';
import type { SkipReason } from './report.ts';
import { message } from '../../messages/message.ts';
import { MessageError } from '../../messages/texts.ts';

export interface PhoneOptions {
  /** The country of numbers without a country code: `SN`. Without it such numbers are `no_country`. */
  readonly country?: string;
  /** Countries whose old eight-digit numbers are converted. Off by default: it changes which number gets the SMS. */
  readonly repair?: readonly RepairableCountry[];
}

export type PhoneReading =
  | { readonly is: 'mobile'; readonly e164: string; readonly country: string; readonly repaired?: true }
  | { readonly is: 'refused'; readonly reason: SkipReason; readonly detail?: Detail };

export type PhoneReader = (text: string) => PhoneReading;

/** Throws a MessageError for an unknown country. */
export function phoneReader({ country, repair = [] }: PhoneOptions = {}): PhoneReader {
  if (country !== undefined && !isSupportedCountry(country))
    throw new MessageError(message('country_setting', { text: country }));
  const rule = country === undefined ? undefined : fastRuleOf(country);
  return (text) => {
    const written = readNumber(text, country);
    if (written === undefined) return refused(readUnusual(text));
    const reading = written.international
      ? readInternational(written.digits)
      : readLocal(written.digits, country, rule);
    if (reading.is === 'mobile') return reading;
    return readDamaged(written, reading, { text, country, rule, repair });
  };
}

function readUnusual(text: string): SkipReason {
  const plain = plainText(text).trim();
  return plain === '' ? 'empty' : readWreck(plain);
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
  // 221771234567: with its country code but without the plus, as many systems export it.
  const bare = fastRuleFor(digits);
  if (bare?.accepts(digits.slice(3))) return { is: 'mobile', e164: `+${digits}`, country: bare.country };
  if (country === undefined) return refused('no_country');
  return judged ?? judge(digits, country);
}

/** libphonenumber decides everything that the rules do not cover. */
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

/** For an invalid number: an old one, a damaged one, or two in one cell? */
function readDamaged(written: WrittenNumber, reading: PhoneReading, about: Circumstances): PhoneReading {
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
  return readWreck(plainText(about.text)) === 'several_numbers' ? refused('several_numbers') : reading;
}

function refused(reason: SkipReason, beside?: Detail): PhoneReading {
  return { is: 'refused', reason, ...(beside && { detail: beside }) };
}

/** The content of a cell without a readable number. */
function readWreck(text: string): SkipReason {
  const isDamaged = /^\d(?:[.,]\d+)?e\+?\d+$/i.test(text) || text.startsWith('#') || isDate(text);
  if (isDamaged) return 'spreadsheet_damage';
  const numbers = text.split(/[/;,|&\n]|\bou\b|\bet\b|\bor\b/i).filter((part) => part.replace(/\D/g, '').length >= 7);
  return numbers.length > 1 ? 'several_numbers' : 'not_a_number';
}

/**
 * Mobile ranges of the most frequent countries, so that a row costs a table look-up and not a run of libphonenumber.
 * The ranges are at most as wide as libphonenumber's (a test compares them): a number outside them is not wrong,
 * libphonenumber decides.
 */
const MOBILE = {
  SN: '70 71 75 76 77 78',
  CI: '01 05 07',
  BJ: '014 015 016 019',
  TG: '70 71 72 73 78 79 90 91 92 93 96 97 98 99',
  ML: '50 51 52 53 6 7 82 83 84 85 89 9',
  BF: '01 02 03 04 05 06 07 50 51 52 53 54 55 56 57 58 6 7',
} as const satisfies Record<Country, string>;

interface FastRule {
  readonly country: Country;
  /** Calling code, three digits. */
  readonly code: string;
  /** Digits after the calling code. */
  readonly length: number;
  /** Whether the number after the calling code is certainly a mobile number. */
  accepts(national: string): boolean;
}

const byCountry = new Map<string, FastRule>(countryCodes.map((country) => [country, ruleOf(country)]));
const byCode = new Map<string, FastRule>([...byCountry.values()].map((rule) => [rule.code, rule]));

export function fastRuleOf(country: string): FastRule | undefined {
  return byCountry.get(country);
}

/** The rule for a number with its calling code, written as digits only, if its length fits that country. */
export function fastRuleFor(digits: string): FastRule | undefined {
  const rule = byCode.get(digits.slice(0, 3));
  return rule && digits.length === rule.length + 3 ? rule : undefined;
}

function ruleOf(country: Country): FastRule {
  const {
    dialling: code,
    nationalLengths: [length],
  } = countries[country];
  const mobile = MOBILE[country].split(' ');
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
