import { expect, test } from 'vitest';
import { Outage } from '../../src/app/outage.ts';

function watched({ after, isThere }: { after?: number; isThere?: () => boolean } = {}) {
  let at = 0;
  const said: [string, unknown][] = [];
  const due: { at: number; run: () => void }[] = [];
  const say = (facts: unknown, message: string): void => void said.push([message.split(':')[0] ?? '', facts]);
  const clock = {
    monotonic: () => at,
    after: (ms: number, run: () => void) => {
      due.push({ at: at + ms, run });
      return () => undefined;
    },
  };
  const outage = new Outage({
    of: 'the provider',
    clock,
    logger: { warn: say, info: say },
    ...(after === undefined ? {} : { after }),
    ...(isThere && { isThere }),
  });
  const turn = (ms: number): void => {
    at += ms;
    for (const one of due.splice(0))
      if (one.at <= at) one.run();
      else due.push(one);
  };
  return { outage, said, turn };
}

test('a few failures with answers in between are none', () => {
  const { outage, said } = watched({ after: 3 });
  for (let round = 0; round < 10; round += 1) {
    expect([outage.failed('cut'), outage.failed('cut')]).toEqual([false, false]);
    outage.answered();
  }
  expect(said).toEqual([]);
});

test('hundreds are one line at the start and one at the end', () => {
  const { outage, said, turn } = watched({ after: 3 });
  for (let round = 0; round < 500; round += 1) {
    outage.failed('unreachable');
    turn(100);
  }
  outage.answered();
  outage.answered();
  expect(said).toEqual([
    ['the provider is away', { why: 'unreachable' }],
    ['the provider is back', { lastedMs: 49_900, failed: 500 }],
  ]);
});

test('connections that come back one by one end it once', () => {
  let there = false;
  const { outage, said, turn } = watched({ isThere: () => there });
  expect(outage.failed('ECONNREFUSED')).toBe(true);
  turn(2_000);
  there = true;
  turn(1_500);
  outage.failed('Connection is closed.');
  turn(500);
  expect(said).toHaveLength(1);
  turn(2_000);
  expect(said.at(-1)).toEqual(['the provider is back', { lastedMs: 3_500, failed: 2 }]);
  expect(outage.failed('again')).toBe(true);
  expect(said).toHaveLength(3);
});
