import { expect, test } from 'vitest';
import { Messages } from '../../src/sandbox/messages.ts';

test('a refused message is an entry that went out zero times', () => {
  const messages = new Messages();
  const message = { to: '+221771234567', from: 'RELAIS', text: 'a', code: '00' };
  messages.add({ ...message, times: 0 }, 1);
  messages.add({ ...message, times: 1 }, 2);
  messages.add({ ...message, times: 0 }, 3);
  expect([...messages.to('+221771234567')].map(({ times }) => times)).toEqual([1, 0]);
  expect([messages.distinct, messages.sent, messages.repeated]).toEqual([2, 1, 0]);
});
