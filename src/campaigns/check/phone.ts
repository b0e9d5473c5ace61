import {
  type CountryCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
  validatePhoneNumberLength,
} from 'libphonenumber-js/max';
import {
  findOldNumber,
  isMeasurement,
  type RepairableCountry,
  readWreck,
  renumber,
  withoutThousands,
} from './phone-repair.ts';
import { type FastRule, fastRuleFor, fastRuleOf } from './phone-rules.ts';
import type { SkipReason } from './reasons.ts';

export interface PhoneOptions {
  /** Where numbers without a country code belong: `SN`. Without it such numbers are `no_country`. */
  readonly country?: string;
  /** Countries whose old eight-digit numbers are renewed. Off by default: it changes who gets the text. */
  readonly repair?: readonly RepairableCountry[];
}

export type PhoneReading =
  | { readonly is: 'mobile'; readonly e164: string; readonly country: string; readonly repaired?: true }
  | { readonly is: 'refused'; readonly reason: SkipReason; readonly detail?: string };

export type PhoneReader = (text: string) => PhoneReading;

/** Longer than any number with its separators; what is longer is prose. */
const MAX_LENGTH = 40;

/** Throws a RangeError for a country nobody knows. */
export function phoneReader({ country, repair = [] }: PhoneOptions = {}): PhoneReader {
  if (country !== undefined && !isSupportedCountry(country))
    throw new RangeError(`not a country: "${country}" (write two letters, as in SN)`);
  const rule = country === undefined ? undefined : fastRuleOf(country);
  return (text) => {
    const written = digitsOf(text) ?? digitsOf(withoutThousands(text) ?? '');
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
  if (isMeasurement(text)) return undefined;
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
  const found = findOldNumber(written.digits, !written.international, about.country);
  if (found) {
    const renewed = renumber(found.country, found.old);
    const repaired = renewed === undefined ? undefined : readInternational(renewed.slice(1));
    if (repaired?.is !== 'mobile') return reading;
    if (about.repair.includes(found.country)) return { ...repaired, repaired: true };
    return refused('old_numbering', `today probably ${repaired.e164}`);
  }
  if (!written.international && about.rule?.accepts(`0${written.digits}`))
    return refused('spreadsheet_damage', `the first zero is gone: 0${written.digits}`);
  return readWreck(about.text) === 'several_numbers' ? refused('several_numbers') : reading;
}

function refused(reason: SkipReason, detail?: string): PhoneReading {
  return { is: 'refused', reason, ...(detail !== undefined && { detail }) };
}
