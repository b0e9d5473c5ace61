import { type Country, countries, type Problem } from './capabilities.ts';

export interface ReadAlias {
  /** As upstream wants it: the national number, or the account of the service as it was given. */
  readonly alias: string;
  /** Something looks wrong, but the interface names no rule to refuse it by. */
  readonly warning?: string;
}

/**
 * interface: account_alias, "without country code". Takes the international forms off a telephone number of the mode's
 * own country and refuses those of any other. Leading zeros belong to the number (Côte d'Ivoire, Benin) and stay.
 * Without a country the alias is an account of the service and is not touched.
 */
export function readAccountAlias(
  text: string,
  country: Country | undefined,
  { strict = false }: { readonly strict?: boolean } = {},
): ReadAlias | Problem {
  const given = text.trim();
  if (given === '') return { problem: 'account alias: not empty' };
  if (country === undefined) return { alias: given };
  const compact = given.replace(/[\s().\-\u00a0\u202f]/g, '');
  if (!/^\+?\d+$/.test(compact)) return { problem: 'account alias: digits, with a leading + if international' };
  const national = nationalPart(compact, country);
  if (typeof national !== 'string') return national;
  const lengths: readonly number[] = countries[country].nationalLengths;
  if (lengths.includes(national.length)) return { alias: national };
  const warning = `${national.length} digits, where a number of ${countries[country].name} has ${lengths.join(' or ')}`;
  return strict ? { problem: `account alias: ${warning}` } : { alias: national, warning };
}

function nationalPart(compact: string, country: Country): string | Problem {
  const { dialling, nationalLengths } = countries[country];
  const international = /^(?:\+|00)(\d+)$/.exec(compact)?.[1];
  if (international !== undefined) {
    if (international.startsWith(dialling)) return international.slice(dialling.length);
    return foreign(country);
  }
  const lengths: readonly number[] = nationalLengths;
  if (lengths.includes(compact.length)) return compact;
  // Bare digits: a country code is believed only when what follows has exactly the length of a number there.
  const owner = (Object.keys(countries) as Country[]).find((code) => isWholeNumberOf(compact, code));
  if (owner === undefined) return compact;
  return owner === country ? compact.slice(dialling.length) : foreign(country);
}

function isWholeNumberOf(digits: string, country: Country): boolean {
  const { dialling, nationalLengths } = countries[country];
  const lengths: readonly number[] = nationalLengths;
  return digits.startsWith(dialling) && lengths.includes(digits.length - dialling.length);
}

function foreign(country: Country): Problem {
  const { name, dialling } = countries[country];
  return {
    problem: `account alias: this mode pays numbers of ${name} (+${dialling}), and this is one of another country`,
  };
}

/**
 * interface: debit_account_number, `BBJXXXXXXXXXX`, only with the mode `service`. Only the mode is a reason to refuse;
 * an unusual form is a reason to look twice.
 */
export function readDebitAccount(
  text: string,
  mode: string,
): { readonly number: string; readonly warning?: string } | Problem {
  const number = text.trim();
  if (mode !== 'service') return { problem: 'debit account number: only with the withdraw mode "service"' };
  if (number === '') return { problem: 'debit account number: not empty' };
  if (/^[A-Z]{2,4}[A-Z0-9]{6,}$/.test(number)) return { number };
  return { number, warning: 'a debit account number looks like BBJ0123456789' };
}

/**
 * The person paid, whichever channel it goes through: country and national number. An account of the service has a
 * country only where its alias is a telephone number that can belong to one country alone; else it is a person of its
 * own.
 */
export function payeeOf(alias: string, country: Country | undefined): string {
  const digits = alias.replace(/[\s().\-\u00a0\u202f]/g, '').replace(/^(?:\+|00)(?=\d+$)/, '+');
  if (!/^\+?\d+$/.test(digits)) return `service ${alias.trim()}`;
  const owner = country ?? countryOf(digits);
  return owner === undefined ? `service ${digits}` : `${owner} ${personOf(digits.replace('+', ''), owner)}`;
}

function countryOf(digits: string): Country | undefined {
  const international = digits.startsWith('+');
  const owners = (Object.keys(countries) as Country[]).filter((code) => {
    const lengths: readonly number[] = countries[code].nationalLengths;
    if (international) return digits.startsWith(`+${countries[code].dialling}`);
    return lengths.includes(digits.length) || isWholeNumberOf(digits, code);
  });
  return owners.length === 1 ? owners[0] : undefined;
}

/** The last digits, as many as a number there has: what stands before them is a way of writing. */
function personOf(digits: string, country: Country): string {
  // The numbers of Benin that had eight digits are those that begin with 01 now.
  if (country === 'BJ' && digits.length <= 8) return `01${digits}`;
  if (country === 'BJ' && digits.length === 11 && digits.startsWith(countries.BJ.dialling))
    return `01${digits.slice(3)}`;
  return digits.slice(-Math.max(...countries[country].nationalLengths));
}
