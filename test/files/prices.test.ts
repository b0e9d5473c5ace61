import { describe, expect, it, test } from 'vitest';
import { costOf, readPrices, UnusablePrices } from '../../src/files/prices.ts';
import { checkFile } from '../campaigns/check/read-file.ts';

describe('a price table', () => {
  it('is XOF per segment by country', () => {
    expect(readPrices('{"SN": 20, "CI": 22.5, "TG": 0}')).toEqual({ SN: 20, CI: 22.5, TG: 0 });
  });

  it.each([
    ['no JSON', '{SN: 20}', 'it is not JSON'],
    ['a list', '[20]', 'it must be an object with a price for each country'],
    ['nothing', '{}', 'the table is empty'],
    ['an unknown country', '{"XX": 20}', '"XX" is not a country'],
    ['small letters', '{"sn": 20}', 'write two capital letters'],
    ['a price in words', '{"SN": "20"}', 'SN: the price must be XOF per segment'],
    ['a negative price', '{"SN": -1}', 'SN: the price must be'],
    ['a price of too many decimals', '{"SN": 20.001}', 'with at most two decimals'],
  ])('with %s is refused', (_name, json, words) => {
    expect(() => readPrices(json)).toThrow(UnusablePrices);
    expect(() => readPrices(json)).toThrow(words);
  });

  it('names all that is wrong at once', () => {
    expect(() => readPrices('{"XX": 1, "SN": "2"}')).toThrow(/"XX".*; SN: /);
  });

  it('adds up in whole francs', () => {
    expect(costOf(3, 22.5)).toBe(68);
    expect(costOf(1_000_000, 0.1)).toBe(100_000);
  });
});

test('the whole is the sum of the countries', async () => {
  const { summary } = await checkFile('to\n+221770000001\n+22890000001\n+22670000001\n', {
    text: 'x',
    prices: { SN: 22.5, TG: 22.5 },
  });
  const said = Object.values(summary.countries).map(({ estimatedXof = 0 }) => estimatedXof);
  expect(summary.cost).toEqual({ estimated: true, xof: said.reduce((sum, xof) => sum + xof, 0), unpriced: ['BF'] });
  expect(summary.countries['BF']).toEqual({ recipients: 1, segments: 1 });
});
