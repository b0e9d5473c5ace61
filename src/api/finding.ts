/** Search terms as the index stores them: a reference, a phone number. */
import { type Country, countries, countryCodes, isLengthOf } from '../lib/countries.ts';
import { numbersOf } from '../lib/renumbering.ts';
import { readNumber } from '../lib/written-number.ts';
import { NAME_MOST } from '../kinds/fields.ts';
import type { Kind } from '../kinds/index.ts';
import { soughtText } from '../kinds/request-pieces.ts';
import { idOfReference } from '../producer/acceptance.ts';
import { payeeOf } from '../provider/capabilities.ts';
import type { ApiContext } from './context.ts';
import { invalid } from './problem.ts';
import { message } from '../messages/message.ts';

export const phoneFilter = soughtText(NAME_MOST)
  .optional()
  .meta({ description: 'Only this phone number, in any spelling.' });

/** Operations of a reference, which is unique per account and kind. */
export async function idsOfReference(
  { queries, environment }: ApiContext,
  kind: Kind,
  reference: string,
  accounts: readonly string[] | undefined,
): Promise<string[]> {
  const among = accounts ?? (await queries.accounts());
  return Promise.all(
    among.map(async (account) => {
      const own = await queries.idOfReference(kind, account, reference);
      return own ?? idOfReference(environment, kind, account, reference);
    }),
  );
}

/**
 * All possible owners of a user-written number. With a country code it is one person; without it, one for each
 * country with numbers of that length, unless a country is given.
 */
export function payeesOf(written: string, country?: string): string[] {
  const { digits, international } = readNumber(written, country) ?? { digits: '', international: false };
  if (!/^\d{7,15}$/.test(digits)) return [];
  if (international) return [payeeOf(`+${digits}`, undefined)];
  const own = countryCodes.filter((code) => isOf(digits, code));
  const [meant = own] =
    country === undefined ? [] : [own.filter((code) => code === country)].filter((one) => one.length > 0);
  return meant.length > 0 ? meant.map((code) => payeeOf(digits, code)) : [payeeOf(`+${digits}`, undefined)];
}

/** National, or with the country code and without a plus: in an address a plus is a blank. */
function isOf(digits: string, code: Country): boolean {
  const { dialling } = countries[code];
  const hasCode = digits.startsWith(dialling) && isLengthOf(code, digits.length - dialling.length);
  return hasCode || isLengthOf(code, digits.length);
}

/** The single person of a filter. */
export function payeeOfQuery(written: string, country: string | undefined): string {
  const [payee, ...others] = payeesOf(written, country);
  if (payee !== undefined && others.length === 0) return payee;
  throw invalid([{ pointer: '/phone', message: message(payee === undefined ? 'phone' : 'ambiguous_phone') }]);
}

/** Whether a written text is the searched number. */
export function readerOf(asked: string, country: string | undefined): (written: string) => boolean {
  const payee = payeeOfQuery(asked, country);
  return (written) => payeesOf(written, country).includes(payee);
}

/** All numbers, in international form, of the person in a filter. */
export function phonesOf(asked: string, country: string | undefined): readonly string[] {
  const [owner = '', person = ''] = payeeOfQuery(asked, country).split(' ');
  const code = countryCodes.find((one) => one === owner);
  return numbersOf(code === undefined ? person : `+${countries[code].dialling}${person}`);
}
