import { expect, test } from 'vitest';
import { MARK_LENGTH, codeMark, textMark } from '../../src/operations/slice-form.ts';

const numbers = Array.from({ length: 50_000 }, (_, index) => `+22177${1_000_000 + index}`);

test('the same text to the same number has the same mark, and to another number another', () => {
  expect(textMark('+221770000001', 'Bonjour')).toBe(textMark('+221770000001', 'Bonjour'));
  expect(new Set(numbers.map((to) => textMark(to, 'Bonjour'))).size).toBe(numbers.length);
  expect(new Set(numbers.map((name) => textMark('+221770000001', `Bonjour ${name}`))).size).toBe(numbers.length);
});

test('where the number ends and the text begins makes a difference', () => {
  expect(textMark('+22177', '1x')).not.toBe(textMark('+221771', 'x'));
  expect(textMark('+22177', 'x1')).not.toBe(codeMark('+22177', 'x', '1')[0]);
});

test('every mark is as long as the others, so that they can stand in one word', () => {
  // One expectation: fifty thousand of them take seconds.
  expect(new Set(numbers.map((to) => textMark(to, 'é €').length))).toEqual(new Set([MARK_LENGTH]));
});
