import { describe, expect, test } from 'vitest';
import { judge } from './checks.ts';
import type { Story } from './story.ts';
import { restored, unbrokenConsole, unbrokenStory } from './unbroken-story.ts';

/** The names of the guarantees that a story breaks. */
function brokenBy(changes: Partial<Story>): string[] {
  return judge({ ...unbrokenStory, ...changes })
    .filter(({ broken }) => broken.length > 0)
    .map(({ name }) => name);
}

const withCanaries = (changes: Partial<Story['canaries']>) => ({
  canaries: { ...unbrokenStory.canaries, ...changes },
});

describe('console', () => {
  const seen = unbrokenConsole;
  const withConsole = (changes: Partial<typeof seen>) => ({ console: { ...seen, ...changes } });
  const answered = (changes: Partial<(typeof seen.answers)[number]>) =>
    withConsole({
      answers: [
        ...seen.answers,
        { sitting: 'second', since: 7_000, at: 9_000, route: 'one', status: 200, ...changes },
      ],
    });

  test('a console that was answered as it should be breaks no promise', () => {
    expect(brokenBy(withConsole({}))).toEqual([]);
  });

  test('C1 reports an error of ours, a refusal without a reason, and an unexplained one', () => {
    expect(brokenBy(answered({ status: 500, problem: 'internal' }))).toEqual(['C1']);
    expect(brokenBy(answered({ status: 503 }))).toEqual(['C1']);
    expect(brokenBy(answered({ status: 503, problem: 'provider-away' }))).toEqual(['C1']);
    expect(brokenBy(answered({ status: 403, problem: 'forbidden' }))).toEqual(['C1']);
    expect(brokenBy(answered({ status: 404, problem: 'not-found' }))).toEqual(['C1']);
    expect(brokenBy(answered({ status: 409, problem: 'wrong-state' }))).toEqual(['C1']);
    expect(brokenBy(answered({ status: 503, problem: 'recovering' }))).toEqual([]);
  });

  test('C1 knows that only balances are read from the provider', () => {
    const silent = { status: 504, problem: 'upstream-silent' } as const;
    expect(brokenBy(answered({ ...silent, route: 'balances' }))).toEqual([]);
    expect(brokenBy(answered({ ...silent, route: 'status' }))).toEqual(['C1']);
    expect(brokenBy(answered({ ...silent, problem: 'internal', route: 'balances' }))).toEqual(['C1']);
  });

  test('C1 sees a user who was signed out without a reason, and allows it after a restore', () => {
    const out = { status: 401, problem: 'unauthenticated', at: 25_000 } as const;
    expect(brokenBy(answered(out))).toEqual(['C1']);
    expect(brokenBy({ ...answered({ ...out, since: 21_000 }), restores: [restored] })).toEqual([]);
    expect(brokenBy({ ...answered({ ...out, since: 19_000 }), restores: [restored] })).toEqual([]);
    expect(brokenBy({ ...answered({ ...out, since: 23_500 }), restores: [restored] })).toEqual(['C1']);
    const slow = { ...out, since: 21_000, at: restored.restoredAt - 4_000 };
    expect(brokenBy({ ...answered({ ...slow, until: 25_000 }), restores: [restored] })).toEqual([]);
    expect(brokenBy({ ...answered(slow), restores: [restored] })).toEqual(['C1']);
  });

  test('C1 reports a console that omitted a page', () => {
    expect(brokenBy(withConsole({ answers: seen.answers.filter(({ route }) => route !== 'search') }))).toEqual([
      'C1',
    ]);
  });

  test('C2 sees an answer, and a stream, to a key that was revoked', () => {
    expect(brokenBy(answered({ sitting: 'first', since: 0, at: 11_000 }))).toEqual(['C2']);
    expect(brokenBy(answered({ sitting: 'first', since: 0, at: 8_000 }))).toEqual([]);
    const [first, ...others] = seen.streams;
    if (!first) throw new Error('the whole console has a stream');
    expect(brokenBy(withConsole({ streams: [{ ...first, endedAt: undefined }, ...others] }))).toEqual(['C2']);
    expect(brokenBy(withConsole({ streams: [{ ...first, openedAt: 12_000, endedAt: 12_001 }] }))).toEqual(['C2']);
  });

  test('C2 reports that no key was revoked, or that it was not tried', () => {
    expect(brokenBy(withConsole({ revokedAt: undefined }))).toEqual(['C1', 'C2']);
    const silent = seen.answers.filter(({ sitting, status }) => sitting !== 'first' || status !== 401);
    expect(brokenBy(withConsole({ answers: silent }))).toEqual(['C2']);
  });

  test('C2 knows that a ledger from an earlier backup accepts the key again', () => {
    const before = { ...restored, copiedAt: 5_000, restoredAt: 9_000, backAt: 9_100 };
    const again = answered({ sitting: 'first', since: 0, at: 11_000 });
    expect(brokenBy({ ...again, restores: [before] })).not.toContain('C2');
  });

  test('C3 sees money shown as paid that was not, as failed that was paid, and a day with too much', () => {
    const withShown = (state: string, id: string) =>
      withConsole({ shown: [...seen.shown, { at: 9_000, id, state }] });
    expect(brokenBy(withShown('succeeded', 'dsb_3'))).toEqual(['C3']);
    expect(brokenBy(withShown('failed', 'dsb_1'))).toEqual(['C3']);
    expect(brokenBy(withShown('cancelled', 'dsb_1'))).toEqual(['C3']);
    expect(brokenBy(withShown('needs_review', 'dsb_1'))).toEqual([]);
    const tooMuch = { at: 9_000, id: 'the report of the day', state: 'succeeded', xof: 101 };
    expect(brokenBy(withConsole({ shown: [...seen.shown, tooMuch] }))).toEqual(['C3']);
    expect(brokenBy(withConsole({ shown: [] }))).toEqual(['C3']);
  });

  test('P12 sees that nothing of the console was searched', () => {
    const unread = withCanaries({ searched: { ...unbrokenStory.canaries.searched, console: 0 } });
    expect(brokenBy(unread)).toEqual([]);
    expect(brokenBy({ ...unread, ...withConsole({}) })).toEqual(['P12']);
  });
});
