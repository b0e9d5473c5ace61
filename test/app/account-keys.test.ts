import { expect, test } from 'vitest';
import { examineKeys } from '../../src/app/examine/service.ts';

const WITHOUT_KEYS = { mode: 'live', headerPrefix: 'SERVICE' } as const;

test('main needs no keys where a file names other accounts; any account of the file does', () => {
  const found = (name: string, alone: boolean) =>
    examineKeys({ ...WITHOUT_KEYS, name }, { alone }).map(({ is }) => is);
  expect(found('main', false)).toEqual(['skipped']);
  expect(found('main', true)).toEqual(['fault']);
  expect(found('shop', false)).toEqual(['fault']);
});
