import { expect, test } from 'vitest';
import { wrapped } from '../../script/demonstration/story.ts';
import { makeOrders } from '../../script/demonstration/orders.ts';
import { international, textsAsked } from '../../script/demonstration/recipients.ts';

test('a number is read the same however an office writes it', () => {
  const writings = ['+221 77 123 45 67', '00221771234567', '221771234567', '77 123 45 67', '771234567'];
  expect(new Set(writings.map(international))).toEqual(new Set(['221771234567']));
});

test('each row that is not skipped asks for its own text', () => {
  const csv = 'numero;prenom;montant\r\n771234567;Awa;500\r\n+22890000010;Yao;750\r\n;Issa;1\r\n';
  const lines = textsAsked(csv, [
    { row: 2, to: '+221771234567', state: 'sent' },
    { row: 4, to: '', state: 'skipped' },
  ]);
  expect(lines).toEqual([
    { who: '221771234567', what: 'Bonjour Awa, votre solde est de 500 F.', reported: 'sent' },
    { who: '22890000010', what: 'Bonjour Yao, votre solde est de 750 F.', reported: 'no record' },
  ]);
});

test('no two of the fifty disbursements go to the same beneficiary', () => {
  const orders = makeOrders(50, 'x');
  expect(new Set(orders.map(({ withdrawMode, accountAlias }) => `${withdrawMode} ${accountAlias}`)).size).toBe(50);
  expect(new Set(orders.map(({ reference }) => reference)).size).toBe(50);
});

test('what is told fits the width of the screen, word by word', () => {
  expect(wrapped('one two three\n  20  a row of four', 9)).toEqual([
    'one two',
    'three',
    '  20  a',
    '  row of',
    '  four',
  ]);
});
