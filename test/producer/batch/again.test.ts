import { expect, test } from 'vitest';
import { referenceAgain } from '../../../src/producer/batch/again.ts';

test.for([
  ['salary-awa', 'salary-awa~2'],
  ['salary-awa~2', 'salary-awa~3'],
  ['salary~a', 'salary~a~2'],
  ['x~9999', 'x~10000'],
  ['a'.repeat(128), `${'a'.repeat(126)}~2`],
] as const)('the reference of another try for %s', ([first, again]) => {
  expect(referenceAgain(first)).toBe(again);
});
