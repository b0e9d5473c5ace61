/** A probe that looks for what was renamed must be changed with it: script/house/questions.ts. */
import { expect, test } from 'vitest';
import { houseOf, questions } from '../../script/house/questions.ts';
import { answer } from '../../script/house/table.ts';
import { readTree } from '../../script/house/tree.ts';
import { root } from '../tidy/scanner.ts';

test('every question finds what it looks for in the tree as it stands', () => {
  const rows = answer(questions, houseOf(readTree(root)));
  expect(rows.length).toBeGreaterThan(20);
  expect(rows.filter(({ today }) => today === null)).toEqual([]);
});
