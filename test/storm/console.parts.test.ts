/** Somebody at the console of a relais that nothing happens to: what a storm judges it by holds there, and is not empty. */
import { afterEach, expect, test } from 'vitest';
import { seededRandom } from '../../src/lib/random.ts';
import { openWorld, type World } from '../support/world.ts';
import { makeWishes, wishesOf } from './caller.ts';
import { Search } from './canaries.ts';
import { judge } from './checks.ts';
import { waitUntil } from './clock.ts';
import { ConsoleUsers } from './console.ts';
import { mustAsk } from './http.ts';
import { ENVIRONMENT, keysOfStorm } from './plan.ts';
import type { LedgerEntry } from './story.ts';
import { mailingsOf, postMailings } from './texts.ts';
import { wholeStory } from './whole-story.ts';

const PATIENCE_MS = 90_000;

let world: World | undefined;
afterEach(() => world?.close());

test('the console is answered, shows what the books say, and is answered no more once its key is revoked', {
  timeout: 240_000,
}, async () => {
  world = await openWorld({ settings: { ENVIRONMENT, API_KEYS: keysOfStorm } });
  const { base: api } = world.api;
  const [wishes, mailings] = [wishesOf(20, 1), mailingsOf(60, 1)];
  const users = new ConsoleUsers({ api, seed: 1, wishes, mailings, overMs: 8_000 });
  const over = new AbortController();
  const living = users.live(over.signal);
  const asking = { random: seededRandom(1), overMs: 500, giveUpMs: PATIENCE_MS };
  await Promise.all([
    makeWishes(api, wishes, { ...asking, steady: () => true }),
    postMailings(api, mailings, { ...asking, mayBeGone: () => false }),
  ]);
  let broken: string[] = ['nothing was read'];
  const { control } = world;
  const read = async (): Promise<boolean> => {
    const ledger = await mustAsk<LedgerEntry[]>(`${control.base}/books/disbursements`);
    const verdicts = judge({ ...wholeStory, asked: wishes, ledger, looks: [], console: users.seen });
    broken = verdicts.flatMap(({ name, broken: faults }) => (name.startsWith('C') ? faults : []));
    return broken.length === 0;
  };
  await waitUntil(read, PATIENCE_MS);
  over.abort();
  await living;
  await read();
  expect(broken).toEqual([]);
  const { answers, shown } = users.seen;
  expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
  expect(answers.some(({ sitting, status }) => sitting === 'first' && status === 401)).toBe(true);
  expect(shown.some(({ state }) => state === 'succeeded')).toBe(true);
  const search = new Search([], new Set(), [], users.secrets);
  for (const body of users.bodies) search.text('console', body);
  expect([...users.secrets.values()]).toContain('a session');
  expect(search.findings().leaks).toEqual([]);
});
