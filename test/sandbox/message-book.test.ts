import { expect, test } from 'vitest';
import { MessageBook } from '../../src/sandbox/message-book.ts';

const message = (to: string, text: string, times: 0 | 1 = 1) => ({ to, from: 'RELAIS', text, code: '00', times });

test('a message is one entry however often it is sent, and keeps its first and last time', () => {
  const book = new MessageBook();
  book.write(message('+221771234567', 'a'), 1);
  book.write(message('221771234567', 'a'), 2);
  expect([...book.entries()]).toMatchObject([{ to: '+221771234567', times: 2, firstAt: 1, lastAt: 2 }]);
  expect([book.distinct, book.sent, book.repeated]).toEqual([1, 2, 1]);
});

test('texts to the same number are told apart', () => {
  const book = new MessageBook();
  book.write(message('+221771234567', 'a'), 1);
  book.write(message('+221771234567', 'b'), 2);
  book.write(message('+221771234567', 'a'), 3);
  expect([...book.to('221771234567')].map(({ text, times }) => [text, times])).toEqual([
    ['b', 1],
    ['a', 2],
  ]);
});

test('a refused message is an entry of its own that went out zero times', () => {
  const book = new MessageBook();
  book.write(message('+221771234567', 'a', 0), 1);
  book.write(message('+221771234567', 'a', 1), 2);
  book.write(message('+221771234567', 'a', 0), 3);
  expect([...book.to('+221771234567')].map(({ times }) => times)).toEqual([1, 0]);
  expect([book.distinct, book.sent, book.repeated]).toEqual([2, 1, 0]);
});
