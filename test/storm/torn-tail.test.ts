import { expect, test } from 'vitest';
import { wholeLength } from './torn-tail.ts';

const command = (...words: string[]): string =>
  `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`;

const first = command('SET', 'a', 'é');
const script = command('MULTI') + command('SET', 'b', '1') + command('SET', 'c', '1') + command('EXEC');
const lengthOf = (text: string): number => wholeLength(Buffer.from(text));
const bytes = Buffer.byteLength(first);

test('a file that ends with a command is whole', () => {
  expect(lengthOf(first + script)).toBe(bytes + script.length);
  expect(lengthOf('')).toBe(0);
});

test('a torn command is no part of it, wherever it is torn', () => {
  const second = command('SET', 'd', '1');
  for (let cut = 1; cut < second.length; cut += 1) expect(lengthOf(first + second.slice(0, -cut))).toBe(bytes);
});

test('a transaction without its end is no part of it, wherever it is torn', () => {
  for (let cut = 1; cut < script.length; cut += 1) expect(lengthOf(first + script.slice(0, -cut))).toBe(bytes);
});
