/** What V8 reports of two processes, told as files that work; on reports that are made up. */
import { expect, test } from 'vitest';
import { type Covered, sourcePathOf, workers } from '../../script/house/coverage.ts';

/** A function from `start` to `end` that ran so often. */
const ran = (start: number, end: number, count: number, blocks: Covered['functions'][number]['ranges'] = []) => ({
  functionName: '',
  ranges: [{ startOffset: start, endOffset: end, count }, ...blocks],
});

const at = (url: string, ...functions: Covered['functions']): Covered => ({ url, functions });
const marked = (_url: string, offsets: readonly boolean[]): number => offsets.filter(Boolean).length;

test('a file works when a function of it ran that rests in an idle process', () => {
  const working = [at('a', ran(0, 100, 1), ran(10, 20, 2)), at('b', ran(0, 50, 1), ran(10, 20, 1))];
  const idle = [at('a', ran(0, 100, 1), ran(10, 20, 0)), at('b', ran(0, 50, 1), ran(10, 20, 3))];
  expect(workers({ working, idle }, marked)).toEqual([{ url: 'a', lines: 10 }]);
});

test('of a function that ran, the block that did not is no work', () => {
  const block = { startOffset: 14, endOffset: 18, count: 0 };
  const working = [at('a', ran(0, 100, 1), ran(10, 20, 1, [block]))];
  const idle = [at('a', ran(0, 100, 1), ran(10, 20, 0))];
  expect(workers({ working, idle }, marked)).toEqual([{ url: 'a', lines: 6 }]);
});

test('a file that is only loaded for the work counts whole', () => {
  expect(workers({ working: [at('a', ran(0, 9, 1))], idle: [] }, marked)).toEqual([{ url: 'a', lines: 9 }]);
});

test('a built file is told by its source', () => {
  expect(sourcePathOf('file:///x/dist/lib/clock.js', '/x/dist')).toBe('src/lib/clock.ts');
});
