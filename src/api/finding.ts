/** What people have in hand when they look for something, as the index has it: a reference, a telephone number. */
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

/** What a reference may name. It is unique per account and kind. */
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
 * Everybody who may be meant by a number as people write it. With its country code it is one person; without it, one of
 * each country that has numbers as long, unless it is said which country is meant.
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

/** National, or with the code of the country and no plus: in an address a plus is a blank. */
function isOf(digits: string, code: Country): boolean {
  const { dialling } = countries[code];
  const hasCode = digits.startsWith(dialling) && isLengthOf(code, digits.length - dialling.length);
  return hasCode || isLengthOf(code, digits.length);
}

/** The one person who is meant by a filter. */
export function payeeOfQuery(written: string, country: string | undefined): string {
  const [payee, ...others] = payeesOf(written, country);
  if (payee !== undefined && others.length === 0) return payee;
  throw invalid([{ pointer: '/phone', message: message(payee === undefined ? 'phone' : 'ambiguous_phone') }]);
}

/** Whether something written is the number that is looked for. */
export function readerOf(asked: string, country: string | undefined): (written: string) => boolean {
  const payee = payeeOfQuery(asked, country);
  return (written) => payeesOf(written, country).includes(payee);
}

/** Every number, in international form, of the person who is meant by a filter. */
export function phonesOf(asked: string, country: string | undefined): readonly string[] {
  const [owner = '', person = ''] = payeeOfQuery(asked, country).split(' ');
  const code = countryCodes.find((one) => one === owner);
  return numbersOf(code === undefined ? person : `+${countries[code].dialling}${person}`);
}
