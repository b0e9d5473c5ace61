import { expect, test } from 'vitest';
import { english } from '../../src/messages/english.ts';
import { french } from '../../src/messages/french.ts';
import { counted, money, timed } from '../../src/messages/figures.ts';

test('money and numbers have the local format', () => {
  expect(money(1_234_567, french.figures)).toBe('1\u202f234\u202f567\u00a0F\u00a0CFA');
  expect(money(1_234_567, english.figures)).toBe('1\u00a0234\u00a0567\u00a0XOF');
  expect(counted(999, french.figures)).toBe('999');
});

test('a time is written day first in French, and an invalid time stays unchanged', () => {
  expect(timed('2026-11-23T08:05:09.120Z', french.figures)).toBe('23/11/2026 08:05:09 UTC');
  expect(timed('2026-11-23T08:05:09.120Z', english.figures)).toBe('2026-11-23T08:05:09.120Z');
  expect(timed('salaire-11', french.figures)).toBe('salaire-11');
});
