import { type Country, countries, countryCodes, isLengthOf, usualLength } from '../lib/countries.ts';
import { comparable, plainText, unseenIn } from '../lib/letters.ts';
import { oldNumberIn, renumbered } from '../lib/renumbering.ts';
import { readNumber, type WrittenNumber } from '../lib/written-number.ts';
import { type Message, message } from '../messages/message.ts';

/** interface: a letter names the same operator in every country. */
type Wallet = 'a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h';

interface WithdrawMode {
  readonly wallet?: Wallet;
  /** Absent for transfers between accounts of the provider, whose alias is not a phone number. */
  readonly country?: Country;
}

/** interface: allowed withdraw_mode values. They follow no rule: compare the two of Burkina Faso. */
export const withdrawModes = {
  service: {},
  'wallet-a-senegal': { wallet: 'a', country: 'SN' },
  'wallet-b-senegal': { wallet: 'b', country: 'SN' },
  'wallet-c-senegal': { wallet: 'c', country: 'SN' },
  'wallet-d-senegal': { wallet: 'd', country: 'SN' },
  'wallet-e-benin': { wallet: 'e', country: 'BJ' },
  'wallet-f-benin': { wallet: 'f', country: 'BJ' },
  'wallet-e-ci': { wallet: 'e', country: 'CI' },
  'wallet-a-ci': { wallet: 'a', country: 'CI' },
  'wallet-f-ci': { wallet: 'f', country: 'CI' },
  'wallet-d-ci': { wallet: 'd', country: 'CI' },
  'wallet-g-togo': { wallet: 'g', country: 'TG' },
  'wallet-f-togo': { wallet: 'f', country: 'TG' },
  'wallet-a-mali': { wallet: 'a', country: 'ML' },
  'wallet-a-burkina': { wallet: 'a', country: 'BF' },
  'wallet-f-burkina-faso': { wallet: 'f', country: 'BF' },
} as const satisfies Record<string, WithdrawMode>;

export type KnownWithdrawMode = keyof typeof withdrawModes;

interface ReadMode {
  /** The provider's value. */
  readonly mode: string;
  /** The country of the alias's phone number; absent for accounts of the provider. */
  readonly country?: Country;
}

interface Problem {
  /** Names the correct value if there is one. */
  readonly problem: Message;
}

const COUNTRY_WORDS: Readonly<Record<string, Country>> = {
  senegal: 'SN',
  sn: 'SN',
  ci: 'CI',
  'cote-d-ivoire': 'CI',
  'ivory-coast': 'CI',
  benin: 'BJ',
  bj: 'BJ',
  togo: 'TG',
  tg: 'TG',
  mali: 'ML',
  ml: 'ML',
  burkina: 'BF',
  'burkina-faso': 'BF',
  bf: 'BF',
};

/** Modes that only collect and cannot pay out. */
const COLLECTING_ONLY = new Set(['h-SN', 'f-ML']);

/**
 * Parses a withdraw mode: the exact value, one of `extra` (modes that the provider added since), or a wallet and a
 * country. A similar value is refused with the correct one named, never silently corrected: it decides where money
 * goes.
 */
export function readWithdrawMode(
  asked: string | { readonly wallet: string; readonly country: string },
  extra: readonly string[] = [],
): ReadMode | Problem {
  if (typeof asked !== 'string') return modeOfWallet(asked.wallet.toLowerCase(), asked.country);
  const text = asked.trim();
  if (Object.hasOwn(withdrawModes, text)) return describeMode(text as KnownWithdrawMode);
  if (extra.includes(text)) return { mode: text, ...countryOfName(text) };
  return { problem: explainMode(text, extra) };
}

function describeMode(mode: KnownWithdrawMode): ReadMode {
  const { country }: WithdrawMode = withdrawModes[mode];
  return country === undefined ? { mode } : { mode, country };
}

function modeOfWallet(wallet: string, country: string): ReadMode | Problem {
  const code = COUNTRY_WORDS[country.trim().toLowerCase()];
  if (!code) return { problem: message('provider_country', { text: country, countries: countryCodes.join(' ') }) };
  const mode = findMode(wallet, code);
  return mode ? describeMode(mode) : { problem: noSuchMode(wallet, code) };
}

function findMode(wallet: string, country: Country): KnownWithdrawMode | undefined {
  return modesOf(country).find((name) => 'wallet' in withdrawModes[name] && withdrawModes[name].wallet === wallet);
}

function modesOf(country: Country): Exclude<KnownWithdrawMode, 'service'>[] {
  const names = Object.keys(withdrawModes) as KnownWithdrawMode[];
  return names.filter((name) => name !== 'service').filter((name) => withdrawModes[name].country === country);
}

/** Parses `wallet-a-senegal` as a, SN, in any spelling. */
function readName(text: string): { readonly wallet: string; readonly country: Country } | undefined {
  const plain = text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[\s_']+/g, '-');
  const [, wallet = '', place = ''] = /^(?:new-)?wallet-?([a-h])-(.+)$/.exec(plain) ?? [];
  const country = COUNTRY_WORDS[place];
  return country === undefined ? undefined : { wallet, country };
}

function countryOfName(text: string): { readonly country?: Country } {
  const country = readName(text)?.country;
  return country === undefined ? {} : { country };
}

function explainMode(text: string, extra: readonly string[]): Message {
  const name = readName(text);
  if (name) {
    const mode = findMode(name.wallet, name.country);
    return mode ? message('mode_meant', { text, meant: mode }) : noSuchMode(name.wallet, name.country);
  }
  if (text.toLowerCase() === 'service') return message('mode_meant', { text, meant: 'service' });
  const all = [...Object.keys(withdrawModes), ...extra].join(', ');
  return message('mode_unknown', { text, modes: all });
}

function noSuchMode(letter: string, code: Country): Message {
  const values = { wallet: `wallet-${letter}`, country: countries[code].name, modes: modesOf(code).join(', ') };
  return message(COLLECTING_ONLY.has(`${letter}-${code}`) ? 'wallet_collects_only' : 'wallet_without_mode', values);
}

interface ReadAlias {
  /** The provider's format: the national number, or the provider account as given. */
  readonly alias: string;
  /** Suspicious, but no documented rule refuses it. */
  readonly warning?: UnusualNumber;
}

type UnusualNumber = ReturnType<typeof usualLength> & { readonly digits: number };

/**
 * interface: account_alias, "without country code". Removes the international prefix from a phone number of the
 * mode's own country and refuses those of any other. Leading zeros belong to the number (Côte d'Ivoire, Benin) and
 * stay. Without a country the alias is an account of the provider: an identifier that is sent as written.
 */
export function readAccountAlias(
  text: string,
  country: Country | undefined,
  { strict = false }: { readonly strict?: boolean } = {},
): ReadAlias | Problem {
  const given = text.trim().normalize('NFC');
  if (given === '') return { problem: message('not_empty') };
  if (country === undefined) {
    const unseen = unseenIn(given);
    return unseen === undefined ? { alias: given } : { problem: unseen };
  }
  const written = readNumber(given, country);
  if (!written) return { problem: message('alias_digits') };
  const national = nationalPart(written, country);
  if (typeof national !== 'string') return national;
  if (isLengthOf(country, national.length)) return { alias: national };
  const warning = { digits: national.length, ...usualLength(country) };
  // The end of another number may follow a slash.
  return strict || given.includes('/')
    ? { problem: message('unusual_number', warning) }
    : { alias: national, warning };
}

function nationalPart({ digits, international }: WrittenNumber, country: Country): string | Problem {
  const { dialling } = countries[country];
  if (international) return digits.startsWith(dialling) ? digits.slice(dialling.length) : foreign(country);
  if (isLengthOf(country, digits.length)) return digits;
  // Bare digits: accepted as a country code only if a complete national number follows.
  const owner = countryCodes.find((code) => isWholeNumberOf(digits, code));
  if (owner === undefined) return digits;
  return owner === country ? digits.slice(dialling.length) : foreign(country);
}

function isWholeNumberOf(digits: string, country: Country): boolean {
  const { dialling } = countries[country];
  return digits.startsWith(dialling) && isLengthOf(country, digits.length - dialling.length);
}

function foreign(country: Country): Problem {
  const { name, dialling } = countries[country];
  return {
    problem: message('alias_of_country', { country: name, code: dialling }),
  };
}

/**
 * interface: debit_account_number, `BBJXXXXXXXXXX`, only with the mode `service`. Only the mode is refused; an
 * unusual form is a warning.
 */
export function readDebitAccount(
  text: string,
  mode: string,
): { readonly number: string; readonly warning?: Message } | Problem {
  const number = text.trim();
  if (mode !== 'service') return { problem: message('debit_only_with_service') };
  if (number === '') return { problem: message('not_empty') };
  if (/^[A-Z]{2,4}[A-Z0-9]{6,}$/.test(number)) return { number };
  return { number, warning: message('debit_account_usual') };
}

/**
 * The person paid, in any channel: country and national number. An account of the provider has a country only if its
 * alias is a phone number of exactly one country; otherwise it is a separate beneficiary, case-insensitive. Two
 * accounts counted as one are refused with a reason; one account counted as two would evade every limit.
 */
export function payeeOf(alias: string, country: Country | undefined): string {
  const digits = plainText(alias)
    .replace(/[\s().-]/g, '')
    .replace(/^(?:\+|00)(?=\d+$)/, '+');
  if (!/^\+?\d+$/.test(digits)) return `service ${comparable(alias)}`;
  const owner = country ?? countryOf(digits);
  return owner === undefined ? `service ${digits}` : `${owner} ${personOf(digits.replace('+', ''), owner)}`;
}

function countryOf(digits: string): Country | undefined {
  const international = digits.startsWith('+');
  const owners = countryCodes.filter((code) => {
    if (international) return digits.startsWith(`+${countries[code].dialling}`);
    return isLengthOf(code, digits.length) || isWholeNumberOf(digits, code);
  });
  return owners.length === 1 ? owners[0] : undefined;
}

/** The last digits, as many as a national number has: a prefix is only notation. */
function personOf(digits: string, country: Country): string {
  const { dialling, nationalLengths } = countries[country];
  const found = oldNumberIn(digits, { local: true, country });
  const today = found?.country === country ? renumbered(country, found.old) : undefined;
  return today?.slice(dialling.length) ?? digits.slice(-Math.max(...nationalLengths));
}

/**
 * Converts XOF by withdraw mode to XOF by country. Transfers between accounts of the provider have no country and are
 * omitted.
 */
export function sumByCountry(byMode: Readonly<Record<string, number>>): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const [mode, xof] of Object.entries(byMode)) {
    // An accepted mode stays valid, even if this process no longer lists it.
    const read = readWithdrawMode(mode, [mode]);
    if ('problem' in read || read.country === undefined) continue;
    sums.set(read.country, (sums.get(read.country) ?? 0) + xof);
  }
  return sums;
}
