import { describe, expect, test } from 'vitest';
import { judge } from './checks.ts';
import type { Story } from './story.ts';
import { campaign, restored, wholeConsole, wholeHistory, wholeStory } from './whole-story.ts';

/** The names of the promises that a story breaks. */
function brokenBy(changes: Partial<Story>): string[] {
  return judge({ ...wholeStory, ...changes })
    .filter(({ broken }) => broken.length > 0)
    .map(({ name }) => name);
}

const withCanaries = (changes: Partial<Story['canaries']>) => ({ canaries: { ...wholeStory.canaries, ...changes } });
const withCampaign = (changes: Partial<Story['campaigns'][number]>) => ({ campaigns: [{ ...campaign, ...changes }] });

describe('console', () => {
  const seen = wholeConsole;
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

  test('C1 sees a fault of ours, a refusal without a reason, and one that nobody can explain', () => {
    expect(brokenBy(answered({ status: 500, problem: 'internal' }))).toEqual(['C1']);
    expect(brokenBy(answered({ status: 503 }))).toEqual(['C1']);
    expect(brokenBy(answered({ status: 503, problem: 'provider-away' }))).toEqual(['C1']);
    expect(brokenBy(answered({ status: 403, problem: 'forbidden' }))).toEqual(['C1']);
    expect(brokenBy(answered({ status: 404, problem: 'not-found' }))).toEqual(['C1']);
    expect(brokenBy(answered({ status: 409, problem: 'wrong-state' }))).toEqual(['C1']);
    expect(brokenBy(answered({ status: 503, problem: 'recovering' }))).toEqual([]);
  });

  test('C1 knows that balances are asked of the service, and nothing else of the console is', () => {
    const silent = { status: 504, problem: 'upstream-silent' } as const;
    expect(brokenBy(answered({ ...silent, route: 'balances' }))).toEqual([]);
    expect(brokenBy(answered({ ...silent, route: 'status' }))).toEqual(['C1']);
    expect(brokenBy(answered({ ...silent, problem: 'internal', route: 'balances' }))).toEqual(['C1']);
  });

  test('C1 sees somebody signed out who was not, and knows of what a copy forgets', () => {
    const out = { status: 401, problem: 'unauthenticated', at: 25_000 } as const;
    expect(brokenBy(answered(out))).toEqual(['C1']);
    expect(brokenBy({ ...answered({ ...out, since: 21_000 }), restores: [restored] })).toEqual([]);
    expect(brokenBy({ ...answered({ ...out, since: 19_000 }), restores: [restored] })).toEqual(['C1']);
    const slow = { ...out, since: 21_000, at: restored.restoredAt - 4_000 };
    expect(brokenBy({ ...answered({ ...slow, until: 25_000 }), restores: [restored] })).toEqual([]);
    expect(brokenBy({ ...answered(slow), restores: [restored] })).toEqual(['C1']);
  });

  test('C1 sees a console that did not look at something', () => {
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

  test('C2 sees that nobody was revoked, or that nobody tried', () => {
    expect(brokenBy(withConsole({ revokedAt: undefined }))).toEqual(['C1', 'C2']);
    const silent = seen.answers.filter(({ sitting, status }) => sitting !== 'first' || status !== 401);
    expect(brokenBy(withConsole({ answers: silent }))).toEqual(['C2']);
  });

  test('C2 knows that a copy from before it knows the key again', () => {
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
    const unread = withCanaries({ searched: { ...wholeStory.canaries.searched, console: 0 } });
    expect(brokenBy(unread)).toEqual([]);
    expect(brokenBy({ ...unread, ...withConsole({}) })).toEqual(['P12']);
  });
});

describe('history', () => {
  const kept = wholeHistory;
  const withHistory = (changes: Partial<typeof kept>) => ({ history: { ...kept, ...changes } });
  const withRow = (id: string, changes: Partial<(typeof kept.rows)[number]>) =>
    withHistory({ rows: kept.rows.map((row) => (row.id === id ? { ...row, ...changes } : row)) });
  const withLeft = (changes: Partial<(typeof kept.left)[number]>) =>
    withHistory({ left: kept.left.map((one) => (one.id === 'dsb_1' ? { ...one, ...changes } : one)) });

  test('a story in which history has all of it breaks no promise', () => {
    expect(brokenBy(withHistory({}))).toEqual([]);
  });

  test('H1 sees a row twice, an old one, another state, and one that is not there', () => {
    expect(brokenBy(withHistory({ rows: [...kept.rows, ...kept.rows.slice(0, 1)] }))).toEqual(['H1']);
    expect(brokenBy(withRow('dsb_3', { rev: 5 }))).toEqual(['H1']);
    expect(brokenBy(withRow('dsb_2', { state: 'succeeded' }))).toEqual(['H1']);
    expect(brokenBy(withHistory({ rows: kept.rows.filter(({ id }) => id !== 'dsb_3') }))).toEqual(['H1']);
  });

  describe('after a restore', () => {
    /** Accepted at 500, in the lost time of this copy. */
    const lost = { ...restored, copiedAt: 400, restoredAt: 900, backAt: 1_000 };
    /** Later than all of it. */
    const withRestore = (changes: Partial<Story>) => ({ ...changes, restores: [restored] });
    const brokenHere = (changes: Partial<Story>) => brokenBy(changes).filter((name) => name.startsWith('H'));

    test('history may be ahead of Redis where it says what is true, and not otherwise', () => {
      const ahead = (state: string) => withRow('dsb_3', { rev: 8, state });
      expect(brokenHere(ahead('failed'))).toEqual(['H1']);
      expect(brokenHere(withRestore(ahead('failed')))).toEqual([]);
      expect(brokenHere(withRestore(ahead('succeeded')))).toEqual(['H1']);
      // What is behind was never copied.
      expect(brokenHere(withRestore(withRow('dsb_3', { rev: 5 })))).toEqual(['H1']);
    });

    test('what was accepted in both times has a row of each, and no more', () => {
      const again = kept.rows
        .filter(({ id }) => id === 'dsb_3')
        .map((row) => ({ ...row, rev: 1, createdAt: 23_000 }));
      const standing = kept.standing.map((one) => ({ ...one, ...again.find(({ id }) => id === one.id) }));
      const both = withHistory({ rows: [...kept.rows, ...again], standing });
      expect(brokenHere(both)).toEqual(['H1']);
      expect(brokenHere(withRestore(both))).toEqual([]);
      const third = again.map((row) => ({ ...row, createdAt: 24_000 }));
      expect(brokenHere(withRestore(withHistory({ rows: [...kept.rows, ...again, ...third], standing })))).toEqual([
        'H1',
      ]);
    });

    test('Redis need not know of what was accepted in the time that was lost, and of everything else', () => {
      const unknown = withHistory({
        gone: kept.gone.map((one) => (one.id === 'dsb_1' ? { ...one, stub: undefined } : one)),
        stubs: 1,
        left: kept.left.filter(({ id }) => id !== 'dsb_1'),
      });
      expect(brokenHere({ ...unknown, restores: [lost] })).toEqual([]);
      expect(brokenHere(withRestore(unknown))).toEqual(['H2']);
    });

    test('a person may be as they were in the time that was lost, where the books say so too', () => {
      const [first, ...others] = kept.recipients;
      if (!first) throw new Error('the whole story has recipients');
      const unknown = withCampaign({
        recipients: campaign.recipients.map((one) => (one.row === 1 ? { ...one, state: 'unknown' } : one)),
      });
      const ahead = { ...withHistory({ recipients: [{ ...first, rev: 12 }, ...others] }), ...unknown };
      expect(brokenHere(ahead)).toEqual(['H4']);
      expect(brokenHere(withRestore(ahead))).toEqual([]);
      const wrong = withHistory({ recipients: [{ ...first, rev: 12, state: 'failed' }, ...others] });
      expect(brokenHere(withRestore({ ...wrong, ...unknown }))).toEqual(['H4']);
    });

    test('a credit of which a copy knows nothing may be missing, and no other', () => {
      const daily = kept.daily.filter(({ withdrawMode }) => withdrawMode !== null);
      expect(
        brokenHere({ ...withHistory({ daily }), restores: [{ ...lost, copiedAt: 900, restoredAt: 1_200 }] }),
      ).toEqual([]);
      expect(brokenHere(withRestore(withHistory({ daily })))).toEqual(['H3']);
    });
  });

  test('H1 sees an event that is not there, one that is there twice, and what still waits', () => {
    expect(brokenBy(withHistory({ events: kept.events.slice(1) }))).toEqual(['H1']);
    expect(brokenBy(withHistory({ events: [...kept.events, ...kept.events] }))).toEqual(['H1']);
    expect(brokenBy(withHistory({ waiting: 1 }))).toEqual(['H1']);
  });

  test('H2 sees what left and is in no history, what is nowhere, and that nothing left', () => {
    expect(brokenBy(withHistory({ rows: kept.rows.filter(({ id }) => id !== 'dsb_1') }))).toEqual(['H1', 'H2']);
    expect(brokenBy(withHistory({ rows: kept.rows.slice(0, 2), standing: [] }))).toEqual(['H2']);
    const nothing = { left: [], gone: [], stubs: 0 };
    expect(brokenBy(withHistory({ ...nothing, standing: kept.rows }))).toEqual(['H2']);
  });

  test('H2 sees what left without a stub, with a wrong one, and a stub of what history does not have', () => {
    const withStub = (stub: string | undefined) =>
      withHistory({ gone: kept.gone.map((one) => (one.id === 'dsb_1' ? { ...one, stub } : one)) });
    expect(brokenBy(withStub(undefined))).toEqual(['H2']);
    expect(brokenBy(withStub('failed'))).toEqual(['H2']);
    expect(brokenBy(withHistory({ stubs: 3 }))).toEqual(['H2']);
    expect(brokenBy(withHistory({ stubs: 3, returned: 1 }))).toEqual([]);
    expect(brokenBy(withHistory({ returned: 1 }))).toEqual(['H2']);
  });

  test('H3 sees one franc more or less, a payment that SQL calls failed, and a credit that is not there', () => {
    const [day, ...others] = kept.daily;
    if (!day) throw new Error('the whole story has a day');
    const withDay = (changes: Partial<typeof day>) => withHistory({ daily: [{ ...day, ...changes }, ...others] });
    expect(brokenBy(withDay({ succeeded: { count: 1, xof: 101 } }))).toEqual(['H3']);
    expect(brokenBy(withDay({ reversed: { count: 1, xof: 100 } }))).toEqual(['H3']);
    expect(brokenBy(withRow('dsb_1', { state: 'failed' }))).toEqual(['H1', 'H3']);
    expect(brokenBy(withHistory({ daily: [day] }))).toEqual(['H3']);
  });

  test('H4 sees a recipient in another state, one twice, one not there, and an old slice', () => {
    const [first, ...others] = kept.recipients;
    if (!first) throw new Error('the whole story has recipients');
    expect(brokenBy(withHistory({ recipients: [{ ...first, state: 'failed' }, ...others] }))).toEqual(['H4']);
    expect(brokenBy(withHistory({ recipients: [first, first, ...others] }))).toEqual(['H4']);
    expect(brokenBy(withHistory({ recipients: others }))).toEqual(['H4']);
    expect(brokenBy(withHistory({ recipients: [{ ...first, rev: 8 }, ...others] }))).toEqual(['H4']);
  });

  test('H4 sees who was cancelled, or left out, and is not there', () => {
    const without = (state: string) => kept.recipients.filter((one) => one.state !== state);
    expect(brokenBy(withHistory({ recipients: without('skipped') }))).toEqual(['H4']);
    // Also where nothing of its slice is left in Redis to be compared.
    expect(brokenBy(withHistory({ recipients: without('cancelled'), slices: [] }))).toEqual(['H4']);
  });

  test('H5 sees a reference that is free again, another amount under it, and a second payment', () => {
    expect(brokenBy(withLeft({ again: { status: 202, id: 'dsb_other' } }))).toEqual(['H5']);
    expect(brokenBy(withLeft({ changed: 202 }))).toEqual(['H5']);
    expect(brokenBy(withLeft({ paid: { before: 1, after: 2 } }))).toEqual(['H5']);
    expect(brokenBy(withLeft({ tokens: { before: 2, after: 3 } }))).toEqual(['H5']);
    expect(brokenBy(withLeft({ readsThen: 'queued' }))).toEqual(['H5']);
  });

  test('H6 sees what cannot be read any more, and what reads otherwise', () => {
    expect(brokenBy(withLeft({ reads: undefined }))).toEqual(['H6']);
    expect(brokenBy(withLeft({ reads: 'failed' }))).toEqual(['H6']);
  });
});
