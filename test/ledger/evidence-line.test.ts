/** The provider's texts become evidence that PostgreSQL can store, whatever they contain. */
import { expect, test } from 'vitest';
import { evidenceLine } from '../../src/ledger/changes.ts';

test('a line has no character 0, no half of a character and no separator of its own', () => {
  const line = evidenceLine({ operation: 'submit', code: 'no\0ne', httpStatus: 200, detail: 'a\ud800b|c\nd' });
  expect(line).toBe('submit|none|200|a\ufffdb/c d');
});
