/** The SMS to the payee of a payment: its words, its number, and what is refused when the payment is accepted. */
import { expect, test } from 'vitest';
import { derivedId } from '../../src/lib/ids.ts';
import { notificationId } from '../../src/ledger/messages.ts';
import { type JudgedDisbursement, judgeDisbursement } from '../../src/producer/acceptance.ts';
import { trialNumbersOf } from '../../src/producer/trial-numbers.ts';
import { textOf } from '../../src/messages/texts.ts';

const payment = {
  reference: 'order-1',
  accountAlias: '77 123 45 67',
  amount: 25_000,
  withdrawMode: 'wallet-a-senegal',
  payeeName: 'Awa Diop',
  metadata: { mois: 'novembre' },
};
const options = { environment: 'shop', smsAccounts: new Set(['main']) };

const judged = (notify: object, over: object = {}, more: Partial<Parameters<typeof judgeDisbursement>[1]> = {}) =>
  judgeDisbursement({ ...payment, ...over, notify }, { ...options, ...more });

const planOf = (one: JudgedDisbursement) => (one.is === 'sound' ? one.plan : one.problems);
const faults = (one: JudgedDisbursement): string[] =>
  one.is === 'sound' ? [] : one.problems.map(({ pointer, message }) => `${pointer} ${textOf(message)}`);

test('the fields of the payment are variables, and the number that is paid gets the SMS', () => {
  const text = 'Bonjour {{payeeName}}, {{amount}} F ({{reference}}, {{ metadata.mois }}) {{purpose|merci}}';
  expect(planOf(judged({ text }))).toEqual({
    phone: '+221771234567',
    payee: 'SN 771234567',
    texts: { succeeded: 'Bonjour Awa Diop, 25000 F (order-1, novembre) merci' },
  });
});

test('each state has its own text, and one text for both is worth a warning', () => {
  const both = { text: 'Paye', failedText: 'Non paye', on: ['failed', 'succeeded'] };
  expect(planOf(judged(both))).toMatchObject({ texts: { succeeded: 'Paye', failed: 'Non paye' } });
  const { failedText: _, ...one } = both;
  const warned = judged(one);
  expect(warned.is === 'sound' && warned.warnings.map(({ code }) => code)).toEqual(['notify_one_text']);
});

test.each([
  [{ text: 'Bonjour {{prenom}}' }, '/notify/text “prenom” is no variable here'],
  [{ text: 'Bonjour {{purpose}}' }, '/notify/text the variable “purpose” has no value'],
  [{ text: 'Bonjour {{payeeName' }, '/notify/text braces do not match'],
  [{ text: 'x', failedText: '{{nom}}' }, '/notify/failedText “nom” is no variable here'],
  [{ text: '{{payeeName}}'.repeat(140) + 'x' }, '/notify/text must have at most 1600 characters'],
  [{ text: 'x', on: ['cancelled'] }, '/notify/on/0 must be one of'],
  [{ text: 'x', on: [] }, '/notify/on must not be empty'],
  [{ text: 'x', sender: 'shop' }, '/notify/sender unknown field'],
  [{ on: ['failed'] }, '/notify/text is required'],
])('%j is refused with its place', (notify, fault) => {
  const found = faults(judged(notify));
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(fault);
});

test('a payment to an account of the provider needs a number for the SMS', () => {
  const service = { accountAlias: 'shop@example.com', withdrawMode: 'service' };
  expect(faults(judged({ text: 'x' }, service))).toEqual([
    '/notify/phone is required: the payment goes to no phone number that can receive SMS',
  ]);
  expect(planOf(judged({ text: 'x', phone: '+2250701020304' }, service))).toMatchObject({
    phone: '+2250701020304',
    payee: 'CI 0701020304',
  });
});

test('an account without SMS keys and a number outside a trial are refused', () => {
  expect(faults(judged({ text: 'x' }, { account: 'other' }))).toEqual([
    '/notify the account "other" cannot send SMS: its SMS keys are not configured',
  ]);
  const trial = trialNumbersOf(['+221771234567']);
  expect(faults(judged({ text: 'x', phone: '+221779999999' }, {}, { trial }))).toEqual([
    '/notify/phone is not a number of TRIAL_NUMBERS',
  ]);
});

test('`notify` is part of the request', () => {
  const namesOf = (one: JudgedDisbursement) => (one.is === 'sound' ? one.names.fingerprint : undefined);
  const plain = judgeDisbursement(payment, options);
  const [one, other] = [judged({ text: 'a' }), judged({ text: 'b' })];
  expect(new Set([plain, one, other].map(namesOf)).size).toBe(3);
  expect(namesOf(judged({ text: 'a', on: ['succeeded'] }))).toBe(namesOf(one));
});

test('a message is named after payment and state, and no message of a caller has that name', () => {
  const id = notificationId('shop', 'dsb_1', 'failed');
  expect(id).toMatch(/^msg_[0-9a-z]{26}$/);
  expect(
    new Set([id, notificationId('shop', 'dsb_1', 'succeeded'), notificationId('shop', 'dsb_2', 'failed')]).size,
  ).toBe(3);
  expect(id).not.toBe(derivedId('msg', 'shop', 'main', 'message', 'dsb_1.failed'));
});
