import { expect, test } from 'vitest';
import { seededRandom } from '../../src/lib/random.ts';
import { TokenBook } from '../../src/sandbox/world.ts';

test('a bearer token is good until the very millisecond of its end', () => {
  const book = new TokenBook();
  const token = book.give(seededRandom(1), 3_600_000);
  expect(book.refusal(token, 3_599_999)).toBeUndefined();
  expect(book.refusal(token, 3_600_000)).toBe('ERROR_121');
  expect(book.refusal('stranger', 0)).toBe('ERROR_122');
});
