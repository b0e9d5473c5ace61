import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Request,
  lettersFor,
  packItems,
  packRequest,
  placesOf,
  standingOf,
  unpackItems,
  unpackRequest,
} from '../../src/operations/slice-form.ts';

const request = (number: number, over: Partial<Request> = {}): Request => ({
  number,
  is: 'over',
  part: false,
  from: 0,
  letters: 's',
  at: 1_800_000_000_000,
  codes: [],
  looks: 0,
  dueAt: 0,
  ...over,
});

test('a request is read as it was written', () => {
  const arbitrary = fc.record({
    is: fc.constantFrom('waiting', 'going', 'doubt', 'refused', 'over') as fc.Arbitrary<Request['is']>,
    part: fc.boolean(),
    from: fc.nat(999),
    letters: fc.stringMatching(/^[qgsfuxec][qgsfuxec.]{0,60}$/),
    at: fc.integer({ min: 1, max: 2 ** 45 }),
    codes: fc.oneof(
      fc.constant<string[]>([]),
      fc.array(fc.stringMatching(/^[A-Z_0-9]{1,12}$/), { minLength: 1, maxLength: 50 }),
    ),
    looks: fc.nat(9),
    dueAt: fc.nat(2 ** 31 - 1),
  });
  fc.assert(
    fc.property(arbitrary, (one) => {
      expect(unpackRequest(3, packRequest(one))).toEqual({ number: 3, ...one });
    }),
  );
});

test('fifty who all got it cost one letter', () => {
  expect(packRequest(request(0, { letters: 's'.repeat(50), codes: ['00'] }))).toBe('d,0,50,s,mywpiww0,00');
});

test('recipients are read as they were written, whatever their values hold, in 28 bytes each', () => {
  const value = fc.oneof(fc.string(), fc.constantFrom('\t', '\\t', 'a\nb', '\\'));
  const rows = fc.array(fc.array(value, { minLength: 1, maxLength: 1 }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(rows, fc.nat(9), (all, gap) => {
      const items = all.map((values, index) => ({
        row: index + (index > 3 ? gap : 0),
        to: `+22177${String(1_000_000 + index)}`,
        values,
      }));
      expect(unpackItems(packItems(items))).toEqual(items);
    }),
  );
  const names = ['Awa', 'Moussa', 'Fatou', 'Ousmane', 'Mariama', 'Koffi', 'Adjoa', 'Yao'];
  const thousand = Array.from({ length: 1_000 }, (_, row) => ({
    row,
    to: `+22177${String(1_000_000 + row)}`,
    values: [names[row % names.length] ?? ''],
  }));
  expect(packItems(thousand).items.length / 1_000).toBeLessThan(20);
});

test('letters stand where their recipients do', () => {
  const { from, letters } = lettersFor([3, 4, 7], (place) => (place === 4 ? 'x' : 's'));
  expect([from, letters, placesOf({ from, letters })]).toEqual([3, 'sx..s', [3, 4, 7]]);
});

test('the last request that is about a recipient says where it is', () => {
  const standing = standingOf(6, [
    request(0, { letters: 'sfu', codes: ['00', 'ERROR_110', ''] }),
    request(1, { is: 'waiting', from: 1, letters: 'qq' }),
    request(2, { is: 'going', from: 1, letters: 'g' }),
  ]);
  expect(standing.letters.join('')).toBe('sgqqqq');
  expect(standing.requests).toEqual([0, 2, 1, -1, -1, -1]);
});

test('whoever goes out again after a doubt may have got it, once for each time', () => {
  const again = standingOf(2, [
    request(0, { letters: 'uf' }),
    request(1, { is: 'waiting', letters: 'qq' }),
    request(2, { is: 'over', letters: 'us' }),
    request(3, { is: 'waiting', letters: 'q' }),
  ]);
  expect([again.again, again.before.join('')]).toEqual([[2, 0], 'uf']);
});
