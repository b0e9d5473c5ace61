/**
 * Every identifier text follows one rule: equal appearance is equal identity, and invisible characters are refused.
 */
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { campaignAmendment, campaignRequest } from '../../src/kinds/campaign-request.ts';
import { directCreditRequest } from '../../src/kinds/direct-credit.ts';
import { disbursementRequest } from '../../src/kinds/disbursement-fields.ts';
import { invoiceRequest } from '../../src/kinds/invoice-request.ts';
import { messageRequest } from '../../src/kinds/message.ts';
import { identityOf, judgeDisbursement } from '../../src/producer/acceptance.ts';
import { saidBy, says, unsaid } from '../../src/messages/schemas.ts';
import { reworded } from '../support/reworded.ts';
import { sender } from '../../src/settings/types.ts';

const payment = { accountAlias: '771234567', amount: 500, withdrawMode: 'wallet-a-senegal' };

const parsed =
  (schema: z.ZodType, place: (text: string) => unknown) =>
  (text: string): unknown =>
    schema.safeParse(place(text), { error: unsaid }).error?.issues.map(saidBy)[0];

/** The problem of each field. */
const places: Readonly<Record<string, (text: string) => unknown>> = {
  'a reference': parsed(disbursementRequest, (reference) => ({ ...payment, reference })),
  'an idempotency key': (text) => identityOf(text, undefined).problems[0]?.message,
  'an account of the provider': (accountAlias) => {
    const asked = { ...payment, withdrawMode: 'service', accountAlias, reference: 'r-1' };
    const judged = judgeDisbursement(asked, { environment: 'test' });
    return judged.is === 'invalid' ? judged.problems[0]?.message : undefined;
  },
  'an account that is credited': parsed(directCreditRequest, (accountAlias) => ({ accountAlias, amount: 500 })),
  'a debit account': parsed(disbursementRequest, (debitAccountNumber) => ({ ...payment, debitAccountNumber })),
  'the sender of an SMS': parsed(messageRequest, (from) => ({ to: '+221771234567', text: 'x', from })),
  'the sender of a campaign': parsed(campaignRequest, (from) => ({ name: 'n', from })),
  'another sender of a campaign': parsed(campaignAmendment, (from) => ({ from })),
  'the sender of the settings': parsed(sender(), (text) => text),
  'a name in the data of an invoice': parsed(invoiceRequest, (name) => ({
    totalAmount: 500,
    store: { name: 'x' },
    customData: { [name]: 1 },
  })),
};

const INVISIBLE = [
  ['\u200b', 'U+200B'],
  ['\u2060', 'U+2060'],
  ['\u202d', 'U+202D'],
  ['\u00ad', 'U+00AD'],
  ['\u034f', 'U+034F'],
  ['\u3164', 'U+3164'],
  ['\u115f', 'U+115F'],
  ['\uffa0', 'U+FFA0'],
  ['\ufe0f', 'U+FE0F'],
  ['\u{e0101}', 'U+E0101'],
  ['\u180e', 'U+180E'],
  ['\u0007', 'U+0007'],
] as const;
const BLANK = [
  ['\u00a0', 'U+00A0'],
  ['\u202f', 'U+202F'],
  ['\u3000', 'U+3000'],
  ['\u2028', 'U+2028'],
  ['\u2800', 'U+2800'],
  ['\u{1d159}', 'U+1D159'],
] as const;

describe.each(Object.entries(places))('%s', (_, of) => {
  const problemOf = (text: string): unknown => reworded(of(text));

  test.each(INVISIBLE)('has no invisible character (%j)', (char, name) => {
    expect(problemOf(`ab${char}cd`)).toBe(`contains the invisible character ${name} at position 3: remove it`);
  });

  test.each(BLANK)('has no look-alike of a space (%j)', (char, name) => {
    const message = `contains ${name} at position 3, which looks like a space: use an ordinary space`;
    expect(problemOf(`ab${char}cd`)).toBe(message);
  });

  test('has no half of a character', () => {
    expect(problemOf('ab\ud83dcd')).toBe('contains half a character (U+D83D) at position 3: write it again');
  });

  test('may have accents, signs and spaces', () => {
    expect(problemOf('Café n° 7')).toBeUndefined();
  });
});

test('the same letters are one account of the provider, however they are composed', () => {
  const [one, other] = ['e\u0301picerie', '\u00e9picerie'].map((accountAlias) =>
    judgeDisbursement(
      { ...payment, withdrawMode: 'service', accountAlias, reference: 'r-1' },
      { environment: 'test' },
    ),
  );
  expect(one).toEqual(other);
});

test('the same letters are one sender and one debit account, however they are composed', () => {
  const [one, other] = ['e\u0301', '\u00e9'].map((letter) => [
    messageRequest.parse({ to: '+221771234567', text: 'x', from: letter }),
    disbursementRequest.parse({ ...payment, debitAccountNumber: letter }),
    directCreditRequest.parse({ amount: 500, accountAlias: letter }),
  ]);
  expect(one).toEqual(other);
});

test('two names in the data of an invoice that are one name are refused', () => {
  const customData = { 'cafe\u0301': 1, 'caf\u00e9': 2 };
  const { error } = invoiceRequest.safeParse({ totalAmount: 500, store: { name: 'x' }, customData });
  expect(error?.issues).toMatchObject([{ path: ['customData', 'caf\u00e9'], message: says('there_twice') }]);
});
