/**
 * The protocol of one disbursement, by exhaustive search: two workers, every order of everything, within bounds. What
 * must be safe is safe, and what must be missed is missed. This checks the design; the simulation checks the code.
 */
import { describe, expect, test } from 'vitest';
import { DEEP } from '../simulation/depth.ts';
import { type Bounds, type Configuration, DEEPER, SHALLOW, broken, safe } from './configurations.ts';
import { next } from './protocol.ts';
import { type Found, search } from './search.ts';
import { START, brokenBy, keyOf } from './state.ts';

const MOST_STATES = 5_000_000;

function explore(configuration: Omit<Configuration, 'bounds'> & { readonly bounds?: Bounds }, deep = false): Found {
  const bounds = configuration.bounds ?? (deep ? DEEPER : SHALLOW);
  const how = { ...configuration, bounds };
  return search({ start: START, next: (state) => next(state, how), keyOf, brokenBy, most: MOST_STATES });
}

describe('a disbursement is never paid twice nor told wrongly', () => {
  test.for(safe)('$title', { timeout: 600_000 }, (row) => {
    expect(explore(row, DEEP).broken).toBeUndefined();
  });
});

describe('something goes wrong', () => {
  test.for(broken)('$title', { timeout: 600_000 }, (row) => {
    const { broken: found } = explore(row);
    expect(found?.promise).toMatch(/paid/);
  });
});

test('the search visits every state that there is, and the story it tells is the shortest', {
  timeout: 60_000,
}, () => {
  const bounds = { acquisitions: 1, kills: 0, rollbacks: 0, timeouts: 0, neverSent: 0 };
  const [first] = broken.filter(({ title }) => title.startsWith('5000'));
  expect(explore({ ...first!, bounds }).broken?.story).toEqual([
    'W1 takes it as queued',
    'W1 gets token 0',
    'W1 writes submitting',
    'W1 waits for the fence',
    'W1 reads its own intent',
    'W1 hears 5000: paid',
    'W1 writes failed',
  ]);
});
