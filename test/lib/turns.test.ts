import { expect, test } from 'vitest';
import { Turns } from '../../src/lib/turns.ts';

test('so many have a turn at a time, the others in the order in which they came, and ending twice ends once', async () => {
  const turns = new Turns(1);
  const order: string[] = [];
  const first = await turns.take();
  const second = turns.take().then((over) => (order.push('second'), over));
  const third = turns.take().then((over) => (order.push('third'), over));
  order.push('first is over');
  first();
  first();
  const over = await second;
  order.push('second is over');
  over();
  (await third)();
  expect(order).toEqual(['first is over', 'second', 'second is over', 'third']);
});
