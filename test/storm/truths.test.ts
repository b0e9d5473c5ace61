import { expect, test } from 'vitest';
import { Truths } from './truths.ts';

const none = new Map<string, number>();

test('a success that is taken back is posted once', () => {
  const truths = new Truths();
  truths.takeBack('t1', 'dsb_1', 500);
  expect(truths.unposted(none)).toEqual([['t1', 500]]);
  truths.posted('t1');
  expect(truths.unposted(none)).toEqual([]);
  expect(truths.takenBack).toEqual(['dsb_1']);
});

test('a success that ended a lie and is taken back later is posted again', () => {
  const truths = new Truths();
  const lies = new Map([['t1', 200]]);
  truths.posted('t1');
  expect(truths.unposted(lies)).toEqual([]);
  truths.takeBack('t1', 'dsb_1', 900);
  expect(truths.unposted(lies)).toEqual([['t1', 900]]);
});

test('what was posted to a world that is gone is posted to the next one', () => {
  const truths = new Truths();
  truths.takeBack('t1', 'dsb_1', 900);
  truths.posted('t1');
  truths.forgetPosted();
  expect(truths.unposted(new Map([['t2', 100]]))).toEqual([
    ['t2', 100],
    ['t1', 900],
  ]);
});
