/** Every entry point parses a phone number to the same subscriber, or refuses it. */
import { describe, expect, test } from 'vitest';
import { payeesOf } from '../../src/api/finding.ts';
import { readPhones } from '../../src/campaigns/opt-out-phones.ts';
import { phoneReader } from '../../src/campaigns/check/phone.ts';
import { testNumbers } from '../../src/cli/test-send.ts';
import { type Country, countries, countryCodes } from '../../src/lib/countries.ts';
import { seededRandom } from '../../src/lib/random.ts';
import { invoiceRequest } from '../../src/kinds/invoice-request.ts';
import { messageRequest } from '../../src/kinds/message.ts';
import { paymentRequestRequest } from '../../src/kinds/payment-request.ts';
import { judgeDisbursement } from '../../src/producer/acceptance.ts';
import { readAccountAlias } from '../../src/provider/capabilities.ts';
import { says } from '../../src/messages/schemas.ts';

const country = 'SN';
const REFUSED = 'refused';

/** International form of a number, by the entry point that parses it. */
const waysIn: Readonly<Record<string, (written: string) => string>> = {
  'the recipients of a campaign': (written) => {
    const reading = phoneReader({ country })(written);
    return reading.is === 'mobile' ? reading.e164 : REFUSED;
  },
  'an opt-out': (written) => {
    const [one] = readPhones([written], { country });
    return one && 'phone' in one ? one.phone : REFUSED;
  },
  'a payment': (written) => {
    const judged = judgeDisbursement(
      { accountAlias: written, amount: 500, withdrawMode: 'wallet-a-senegal', reference: 'r-1' },
      { environment: 'test' },
    );
    return judged.is === 'sound' ? `+221${judged.request.accountAlias}` : REFUSED;
  },
  'the number of a payer': (written) => {
    const read = readAccountAlias(written, country, { strict: true });
    return 'alias' in read ? `+221${read.alias}` : REFUSED;
  },
};

const international: typeof waysIn = {
  'an SMS': (written) => messageRequest.safeParse({ to: written, text: 'x' }).data?.to ?? REFUSED,
  'a payment request': (written) =>
    paymentRequestRequest.safeParse({ phone: written, amount: 500, feesPaidBy: 'customer' }).data?.phone ?? REFUSED,
  'the customer of an invoice': (written) =>
    invoiceRequest.safeParse({ totalAmount: 500, store: { name: 'x' }, customer: { phone: written } }).data?.customer
      ?.phone ?? REFUSED,
  'a test of a campaign at a shell': (written) => {
    try {
      return testNumbers(written).join();
    } catch {
      return REFUSED;
    }
  },
};

const searched = (written: string): string =>
  payeesOf(written, country)
    .map((payee) => payee.replace('SN ', '+221'))
    .join();

const NUMBER = '+221771234567';

const writings: readonly (readonly [why: string, written: string])[] = [
  ['with its country code', '+221 77 123 45 67'],
  ['with 00', '00221 77 123 45 67'],
  ['with a trunk zero in brackets', '+221 (0) 77 123 45 67'],
  ['with a trunk zero in brackets behind 00', '00221(0)77 123 45 67'],
  ['with the direction marks of an address book', '\u202d+221 77 123 45 67\u202c'],
  ['embedded from right to left', '\u202b+221 77 123 45 67\u202c'],
  ['isolated', '\u2066+221771234567\u2069'],
  ['with zero-width spaces', '+221\u200b77\u200b1234567'],
  ['with word joiners', '+221\u206077\u20601234567'],
  ['with a soft hyphen', '+22177\u00ad1234567'],
  ['with a byte order mark', '\ufeff+221771234567'],
  ['with a variation selector', '+22177\ufe0f1234567'],
  ['with a Hangul filler', '+22177\u31641234567'],
  ['with no-break spaces', '+221\u00a077\u202f123\u00a045\u202f67'],
  ['with spaces of a typographer', '+221\u200377\u2009123\u205f45\u300067'],
  ['with a blank of Braille', '+221\u280077\u28001234567'],
  ['with dashes of every kind', '+221\u201177\u2012123\u201345\u201467'],
  ['with a minus sign', '+221\u221277\u2212123\u221245\u221267'],
  ['with dots and brackets', '(+221) 77.123.45.67'],
  ['with slashes', '+221 77/123/45/67'],
  ['behind an apostrophe', '’+221771234567'],
];

const local: typeof writings = [
  ['without its country code', '77 123 45 67'],
  ['without its country code, copied from an address book', '\u202d77 123 45 67\u202c'],
  ['without its country code, with a trunk zero in brackets', '(0) 77 123 45 67'],
  ['as a spreadsheet writes a number', '771234567.0'],
  ['as an English spreadsheet shows a number', '771,234,567'],
];

const wrong: typeof writings = [
  ['a trunk zero without brackets', '+221 0 77 123 45 67'],
  ['a digit too few', '+221 77 123 45 6'],
  ['a digit too many', '+221 77 123 45 678'],
  ['two numbers', '+221 77 123 45 67 / 78 123 45 67'],
  ['a number and the end of another', '+221 77 123 45 67 / 68'],
  ['an extension', '+221 77 123 45 67 ext 3'],
  ['half a character', '+221771234567\ud83d'],
];

describe.each(Object.entries({ ...waysIn, ...international }))('%s', (_, read) => {
  test.each(writings)('reads a number %s', (_why, written) => {
    expect(read(written)).toBe(NUMBER);
  });

  test.each(wrong)('refuses %s', (_why, written) => {
    expect(read(written)).toBe(REFUSED);
  });
});

describe.each(Object.entries(waysIn))('%s', (_, read) => {
  test.each(local)('reads a number %s', (_why, written) => {
    expect(read(written)).toBe(NUMBER);
  });
});

test.each([...writings, ...local])('a search finds the number that is written %s', (_why, written) => {
  expect(searched(written)).toBe(NUMBER);
});

test.each([
  ['+225 (0)7 01 02 03 04', '+2250701020304'],
  ['+225 (0) 07 01 02 03 04', '+2250701020304'],
  ['+229 (0)1 97 12 34 56', '+2290197123456'],
  ['+229 (0) 01 97 12 34 56', '+2290197123456'],
  ['+226 (0)1 02 03 04', '+22601020304'],
  ['+33 (0)6 12 34 56 78', '+33612345678'],
])('the zero in brackets of %s stays only where it belongs to the number', (written, number) => {
  expect(phoneReader()(written)).toMatchObject({ e164: number });
  expect(messageRequest.parse({ to: written, text: 'x' }).to).toBe(number);
});

const BETWEEN = ['', ' ', '-', '.', ')', '(', '\u00a0', '\u2011', '\u200b', '\u2060', '\u202c', '\u00ad', '\ufe0f'];
const NUMBERS = {
  SN: ['wallet-a-senegal', '771234567'],
  CI: ['wallet-a-ci', '0701020304'],
  BJ: ['wallet-e-benin', '0197123456'],
  TG: ['wallet-g-togo', '90123456'],
  ML: ['wallet-a-mali', '76123456'],
  BF: ['wallet-a-burkina', '70123456'],
} as const satisfies Record<Country, readonly [withdrawMode: string, national: string]>;

test.each(countryCodes)('in %s every entry point agrees, for any separators', (code) => {
  const random = seededRandom(7_741);
  const anyOf = (): string => BETWEEN[Math.floor(random.fraction() * BETWEEN.length)] ?? '';
  const [withdrawMode, national] = NUMBERS[code];
  const number = `+${countries[code].dialling}${national}`;
  for (let turn = 0; turn < 200; turn += 1) {
    const written = `${anyOf()}+${Array.from(number.slice(1), (digit) => digit + anyOf()).join('')}`;
    // A bracketed zero is another notation.
    if (/\( *0/.test(written) || written.length > 32) continue;
    const request = { accountAlias: written, amount: 500, withdrawMode, reference: 'r-1' };
    expect([JSON.stringify(written), phoneReader()(written)]).toMatchObject([expect.any(String), { e164: number }]);
    expect(messageRequest.parse({ to: written, text: 'x' }).to).toBe(number);
    expect(readPhones([written], {})).toEqual([{ phone: number }]);
    expect(judgeDisbursement(request, { environment: 'test' })).toMatchObject({
      request: { accountAlias: national },
    });
    expect(payeesOf(written)).toEqual([`${code} ${national}`]);
  }
});

test('a refused length is named, with the length of the country', () => {
  const { error } = messageRequest.safeParse({ to: '+221 0 77 123 45 67', text: 'x' });
  expect(error?.issues).toMatchObject([
    {
      path: ['to'],
      message: says('digits_after_code', { digits: 10, code: '221', country: 'Senegal', usual: '9' }),
    },
  ]);
});
