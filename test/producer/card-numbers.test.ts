import { describe, expect, test } from 'vitest';
import { cardLikePlaces } from '../../src/producer/problems.ts';

describe('a possible card number is found', () => {
  test.for([
    ['alone', '4242424242424242'],
    ['in groups', '4242 4242 4242 4242'],
    ['with hyphens', '5555-5555-5555-4444'],
    ['inside a sentence', 'card 378282246310005, thanks'],
  ])('%s', ([, text]) => expect(cardLikePlaces({ note: text })).toEqual(['/note']));
  test('as a number', () => expect(cardLikePlaces({ a: [{ b: 4242424242424242 }] })).toEqual(['/a/0/b']));
  test('by the name of its code, with any value', () =>
    expect(cardLikePlaces({ card: { cvv: 'x', card_number: '1' }, pan: '' })).toEqual([
      '/card/cvv',
      '/card/card_number',
      '/pan',
    ]));
});

describe('other numbers are left unchanged', () => {
  test.for([
    ['a telephone number', '+2250701020304'],
    ['one without its plus sign', '2250701020304'],
    ['a number with a wrong check digit', '4242424242424241'],
    ['a moment in ms', '1763712000000'],
    ['an order that begins with a date', '2026112100000018'],
    ['a long number', '42424242424242424242424242'],
    ['an amount', 25_000],
  ])('%s', ([, value]) => expect(cardLikePlaces({ value })).toEqual([]));
});
