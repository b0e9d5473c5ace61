import { type Country, countries, countryCodes, isLengthOf, usualLength } from '../lib/countries.ts';
import { comparable, plainText, unseenIn } from '../lib/letters.ts';
import { oldNumberIn, renumbered } from '../lib/renumbering.ts';
import { readNumber, type WrittenNumber } from '../lib/written-number.ts';
import { type Message, message } from '../messages/message.ts';

/** interface: the same letter always means the same operator in every country. */
type Wallet = 'a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h';

interface WithdrawMode {
  readonly wallet?: Wallet;
  /** Absent for transfers between accounts of the service, whose alias is not a telephone number. */
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
  /** As upstream wants it. */
  readonly mode: string;
  /** Whose telephone numbers the alias is; absent for accounts of the service. */
  readonly country?: Country;
}

interface Problem {
  /** Names the right value where there is one. */
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

/** Ways to be paid that are no ways to pay. */
const COLLECTING_ONLY = new Set(['h-SN', 'f-ML']);

/**
 * Reads a withdraw mode: the exact value, one of `extra` (modes that upstream added since), or a wallet and a country.
 * A look-alike is refused with the right value named, never silently corrected: it decides where money goes.
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

/** `wallet-a-senegal` → a, SN; however it is spelt. */
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
  /** As upstream wants it: the national number, or the account of the service as it was given. */
  readonly alias: string;
  /** Something looks wrong, but the interface names no rule to refuse it by. */
  readonly warning?: UnusualNumber;
}

type UnusualNumber = ReturnType<typeof usualLength> & { readonly digits: number };

/**
 * interface: account_alias, "without country code". Takes the international forms off a phone number of the mode's
 * own country and refuses those of any other. Leading zeros belong to the number (Côte d'Ivoire, Benin) and stay.
 * Without a country the alias is an account of the service: it identifies, and is sent as it is written.
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
  // Behind a slash the end of another number may stand.
  return strict || given.includes('/')
    ? { problem: message('unusual_number', warning) }
    : { alias: national, warning };
}

function nationalPart({ digits, international }: WrittenNumber, country: Country): string | Problem {
  const { dialling } = countries[country];
  if (international) return digits.startsWith(dialling) ? digits.slice(dialling.length) : foreign(country);
  if (isLengthOf(country, digits.length)) return digits;
  // Bare digits: a country code is believed only when what follows has exactly the length of a number there.
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
 * interface: debit_account_number, `BBJXXXXXXXXXX`, only with the mode `service`. Only the mode is a reason to refuse;
 * an unusual form is a reason to look twice.
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
 * The person paid, whichever channel it goes through: country and national number. An account of the service has a
 * country only where its alias is a phone number that can belong to one country alone; else it is a person of its
 * own, the same in small and capital letters. Two accounts counted as one are refused with a reason; one account
 * counted as two would pass every limit.
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

/** The last digits, as many as a number there has: what stands before them is a way of writing. */
function personOf(digits: string, country: Country): string {
  const { dialling, nationalLengths } = countries[country];
  const found = oldNumberIn(digits, { local: true, country });
  const today = found?.country === country ? renumbered(country, found.old) : undefined;
  return today?.slice(dialling.length) ?? digits.slice(-Math.max(...nationalLengths));
}

/** XOF by withdraw mode, by country instead. Transfers between accounts of the service have no country, and no part. */
export function sumByCountry(byMode: Readonly<Record<string, number>>): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const [mode, xof] of Object.entries(byMode)) {
    // A mode that was accepted is a mode, even where this process no longer lists it among the extra ones.
    const read = readWithdrawMode(mode, [mode]);
    if ('problem' in read || read.country === undefined) continue;
    sums.set(read.country, (sums.get(read.country) ?? 0) + xof);
  }
  return sums;
}
