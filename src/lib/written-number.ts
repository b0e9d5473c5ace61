/** The only parser of user-written phone numbers. Which of them are mobile is not decided here. */
import { type Country, countries, countryCodes, isLengthOf, usualLength } from './countries.ts';
import { plainText } from './letters.ts';
import { type Message, message } from '../messages/message.ts';

export interface WrittenNumber {
  /** The digits of the number. An international number starts with its country code. */
  readonly digits: string;
  /** It began with `+` or `00`. */
  readonly international: boolean;
}

/** Longer than any number with separators; longer texts are prose. */
const LENGTH_MOST = 40;

/**
 * Undefined: not one number. `country`: the country of numbers without a country code.
 *
 * After the country code, `(0)` is dialled only within the country. It is removed, unless a number of the country has
 * its length only with it.
 */
export function readNumber(written: string, country?: string): WrittenNumber | undefined {
  const text = plainText(written).trim();
  if (text.length > LENGTH_MOST) return undefined;
  return withoutTrunk(text, country) ?? withoutTrunk(withoutThousands(withoutDecimals(text)), country);
}

const TRUNK = /\( *0 *\)/;

function withoutTrunk(text: string, country: string | undefined): WrittenNumber | undefined {
  const whole = digitsIn(text);
  // Up to a million rows pass here, and nearly all are plain digits.
  const [trunk] = text.includes('(') ? (TRUNK.exec(text) ?? []) : [];
  if (!whole || trunk === undefined) return whole;
  const at = text.indexOf(trunk);
  const before = text.slice(0, at).replace(/\D/g, '').replace(/^00/, '');
  const without = digitsIn(text.slice(0, at) + text.slice(at + trunk.length));
  if (!without || before.length > CODE_MOST) return whole;
  if (before === '' && whole.international) return whole;
  const own = before === '' ? countryCodes.find((code) => code === country) : countryOf(before);
  if (own === undefined) return whole.international ? without : whole;
  const isOwn = ({ digits }: WrittenNumber): boolean => isLengthOf(own, digits.length - before.length);
  return !isOwn(whole) && isOwn(without) ? without : whole;
}

/** Maximum digits of a country code. */
const CODE_MOST = 3;

/** Precondition: the digits begin with a country code. */
function countryOf(digits: string): Country | undefined {
  return countryCodes.find((code) => digits.startsWith(countries[code].dialling));
}

const SEPARATORS = new Set(" .-()/'’");

function digitsIn(text: string): WrittenNumber | undefined {
  let digits = '';
  let plus = false;
  for (const char of text) {
    if (char >= '0' && char <= '9') digits += char;
    else if (char === '+' && digits === '' && !plus) plus = true;
    else if (!SEPARATORS.has(char)) return undefined;
  }
  if (digits === '' || isSeveral(text)) return undefined;
  // Decimals or a date must not become the digits of another number.
  if (isMeasurement(text) || (digits.length <= DIGITS_OF_A_DATE && isDate(text))) return undefined;
  const zeros = !plus && digits.startsWith('00');
  return { digits: zeros ? digits.slice(2) : digits, international: plus || zeros };
}

/** No number of the six countries has fewer. */
const DIGITS_LEAST = 7;

/** `77 123 45 67 / 78 123 45 67`. */
function isSeveral(text: string): boolean {
  if (!text.includes('/')) return false;
  return text.split('/').filter((part) => part.replace(/\D/g, '').length >= DIGITS_LEAST).length > 1;
}

/**
 * `771234567.0` or `771 234 567,00`: a program treated the number as a measurement; its decimals are not digits of
 * it.
 */
function isMeasurement(text: string): boolean {
  return /^(?:\d{7,}|\d{1,3}(?:[ ,]\d{3})+)[.,]0{1,2}$/.test(text);
}

/** Without decimals: a program that wrote `771234567.0` had the whole number. */
function withoutDecimals(text: string): string {
  return isMeasurement(text) ? text.replace(/[.,]0{1,2}$/, '') : text;
}

/** `771,234,567`, an English spreadsheet format, without its commas. */
function withoutThousands(text: string): string {
  return /^\d{1,3}(?:,\d{3})+$/.test(text) ? text.replaceAll(',', '') : text;
}

const DIGITS_OF_A_DATE = 8;
const DATES = [
  /^(?:0?[1-9]|[12]\d|3[01])([/.-])(?:0?[1-9]|1[0-2])\1(?:19|20)\d\d$/,
  /^(?:19|20)\d\d([/.-])(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])$/,
] as const;

/** `01/02/2026`, `2026-02-01`: a spreadsheet changed the number, or the column is wrong. */
export function isDate(text: string): boolean {
  return DATES.some((form) => form.test(text.trim()));
}

export type ReadNumber = { readonly number: string } | { readonly problem: Message };

const NOT_INTERNATIONAL: ReadNumber = {
  problem: message('international_phone'),
};

/** E.164, with a length of the number's country. */
export function readInternationalNumber(written: string): ReadNumber {
  const read = readNumber(written);
  if (!read?.international || !/^[1-9]\d{7,14}$/.test(read.digits)) return NOT_INTERNATIONAL;
  const { digits } = read;
  const country = countryOf(digits);
  // The end of another number may follow a slash; only a known length is accepted.
  if (country === undefined) return written.includes('/') ? NOT_INTERNATIONAL : { number: `+${digits}` };
  const { dialling } = countries[country];
  const length = digits.length - dialling.length;
  if (isLengthOf(country, length)) return { number: `+${digits}` };
  return { problem: message('digits_after_code', { digits: length, code: dialling, ...usualLength(country) }) };
}
