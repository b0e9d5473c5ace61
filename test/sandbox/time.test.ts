import { expect, test } from 'vitest';
import type { Clock } from '../../src/lib/clock.ts';
import { SandboxTime } from '../../src/sandbox/time.ts';

/** A stopped clock, whose timers the test fires. */
function stillClock() {
  const timers = new Map<number, () => void>();
  let next = 0;
  const clock: Clock = {
    now: () => 1_000,
    monotonic: () => 0,
    sinceBoot: () => 0,
    sleep: () => Promise.resolve(),
    after: (_ms, run) => {
      const id = next;
      next += 1;
      timers.set(id, run);
      return () => timers.delete(id);
    },
  };
  return { clock, fireAll: () => [...timers.values()].forEach((run) => run()), armed: () => timers.size };
}

test('time is the clock plus the moved offset', () => {
  const time = new SandboxTime(stillClock().clock);
  time.advance(500);
  expect(time.now()).toBe(1_500);
  time.reset();
  expect(time.now()).toBe(1_000);
});

test('moving forward runs due timers, in order, once', () => {
  const { clock, fireAll, armed } = stillClock();
  const time = new SandboxTime(clock);
  const ran: string[] = [];
  time.after(200, () => ran.push('later'));
  time.after(100, () => ran.push('sooner'));
  time.after(300, () => ran.push('not yet'));
  time.advance(250);
  expect(ran).toEqual(['sooner', 'later']);
  expect(armed()).toBe(1);
  fireAll();
  fireAll();
  expect(ran).toEqual(['sooner', 'later', 'not yet']);
});

test('a reset timer never runs', () => {
  const { clock, fireAll } = stillClock();
  const time = new SandboxTime(clock);
  const ran: string[] = [];
  time.after(100, () => ran.push('ran'));
  time.reset();
  fireAll();
  time.advance(1_000);
  expect(ran).toEqual([]);
});
