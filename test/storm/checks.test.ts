import { describe, expect, test } from 'vitest';
import { checks, judge } from './checks.ts';
import type { Story } from './story.ts';
import {
  attempt,
  campaign,
  event,
  naming,
  paid,
  record,
  restored,
  submit,
  text,
  wholeConsole,
  wholeHistory,
  wholeStory,
} from './whole-story.ts';

/** The names of the promises that a story breaks. */
function brokenBy(changes: Partial<Story>): string[] {
  return judge({ ...wholeStory, ...changes })
    .filter(({ broken }) => broken.length > 0)
    .map(({ name }) => name);
}

const withAsked = (changes: Partial<Story['asked'][number]>) => ({
  asked: wholeStory.asked.map((asked, index) => (index === 0 ? { ...asked, ...changes } : asked)),
});
/** All looks but those that said `created` of the first. */
const ofTheThird = wholeStory.looks.filter(({ token, status }) => token !== 't1' || status === 'success');
const withThird = (changes: Partial<Story['records'][number]>) => ({
  records: wholeStory.records.map((seen) => (seen.id === 'dsb_3' ? { ...seen, ...changes } : seen)),
});
const withCanaries = (changes: Partial<Story['canaries']>) => ({ canaries: { ...wholeStory.canaries, ...changes } });
const withCampaign = (changes: Partial<Story['campaigns'][number]>) => ({ campaigns: [{ ...campaign, ...changes }] });

test('a story in which every promise was kept breaks none', () => {
  expect(brokenBy({})).toEqual([]);
});

test('every promise is named once', () => {
  const names = checks.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

describe('money', () => {
  test('P1 sees one token paid twice', () => {
    expect(brokenBy({ ledger: [paid(1, 2)] })).toContain('P1');
  });

  test('P1 sees one disbursement paid by two tokens', () => {
    expect(brokenBy({ ledger: [paid(1, 1), paid(1, 1, { token: 'other' })] })).toContain('P1');
  });

  test('P2 sees a payment to somebody else, of another amount, and one that nobody asked for', () => {
    expect(brokenBy({ ledger: [paid(1, 1, { accountAlias: '770000009' })] })).toEqual(['P2']);
    expect(brokenBy({ ledger: [paid(1, 1, { amount: 1 })] })).toEqual(['P2']);
    expect(brokenBy({ ledger: [paid(1, 1), paid(9, 1)] })).toEqual(['P2']);
  });

  test('P2 sees a changed request that was accepted under the same reference', () => {
    expect(brokenBy(withAsked({ changedRequestStatus: 202 }))).toEqual(['P2']);
    expect(brokenBy(withAsked({ changedRequestStatus: 409 }))).toEqual([]);
  });

  test('P3 sees a success that was never paid, and one that was never announced', () => {
    expect(brokenBy({ ledger: [paid(1, 0)] })).toEqual(['P3']);
    expect(brokenBy({ events: [event(2, 1, 'failed'), event(3, 1, 'needs_review')] })).toEqual(['P3', 'P13']);
  });

  test('P4 sees a payment that is reported as failed', () => {
    expect(brokenBy({ ledger: [paid(1, 1), paid(2, 1)] })).toEqual(['P4']);
  });

  test('P5 sees what was lost, what is still open, what was never acknowledged, and two ids for one request', () => {
    expect(brokenBy({ records: wholeStory.records.slice(0, 2) })).toContain('P5');
    expect(brokenBy({ records: [...wholeStory.records.slice(0, 2), record(3, 'unknown')] })).toContain('P5');
    expect(brokenBy(withAsked({ acknowledged: false }))).toEqual(['P5']);
    expect(brokenBy(withAsked({ answeredIds: ['dsb_1', 'dsb_7'] }))).toEqual(['P5']);
  });

  test('P6 sees a review without its evidence, and one that nobody was told of', () => {
    const [first, second] = wholeStory.records;
    const bare = record(3, 'needs_review', { token: null, history: [] });
    expect(brokenBy({ records: first && second ? [first, second, bare] : [] })).toContain('P6');
    expect(brokenBy({ events: [event(1, 1, 'succeeded'), event(2, 1, 'failed')] })).toEqual(['P6']);
  });

  test('P7 sees a submit whose record did not say so, or named another token', () => {
    const early = submit(2, 1_000, { image: { state: 'created', token: 't2', sends: 0, ageMs: 5 } });
    const other = submit(2, 1_000, { image: { state: 'submitting', token: 't9', sends: 1, ageMs: 5 } });
    expect(brokenBy({ submits: [early] })).toEqual(['P7']);
    expect(brokenBy({ submits: [other] })).toEqual(['P7']);
  });

  test('P8 sees a submit with an id of nobody, and a second token', () => {
    expect(brokenBy({ submits: [submit(2, 1_000, { disburseId: '' })] })).toEqual(['P8']);
    const other = { token: 't9', image: { state: 'submitting', token: 't9', sends: 2, ageMs: 5 } };
    expect(brokenBy({ submits: [...wholeStory.submits.slice(0, 1), submit(1, 5_000, other)] })).toContain('P8');
  });

  test('P9 sees a second submit in strict, a fourth in resubmit, and one that was never written down', () => {
    expect(brokenBy({ rules: { ...wholeStory.rules, mode: 'strict' } })).toEqual(['P9']);
    const unseen = [1, 2, 3, 4].map((nth) => {
      const { image: _, ...blind } = submit(1, nth * 4_000);
      return blind;
    });
    const looks = unseen.map(({ at }) => ({ at: at - 10, token: 't1', status: 'created' }));
    expect(brokenBy({ submits: unseen, looks: [...looks, ...ofTheThird] })).toEqual(['P9']);
    const [one, two, three] = wholeStory.submits;
    const unwritten = wholeStory.records.map((all, index) => (index === 0 ? record(1, 'succeeded') : all));
    expect(one && two && three ? brokenBy({ records: unwritten }) : []).toEqual(['P9']);
  });

  test('P10 sees a submit that was repeated without a look, after a look too early, and after another word', () => {
    expect(brokenBy({ looks: ofTheThird })).toEqual(['P10']);
    const early = { at: 1_500, token: 't1', status: 'created' };
    expect(brokenBy({ looks: [early, ...ofTheThird] })).toEqual(['P10']);
    const other = { at: 3_500, token: 't1', status: 'pending' };
    expect(brokenBy({ looks: [other, ...ofTheThird] })).toEqual(['P10']);
  });

  test('P11 sees a number that is used again, and a second last word', () => {
    const [first, ...others] = wholeStory.events;
    const again = { ...event(1, 1, 'held'), id: 'other' };
    expect(brokenBy({ events: first ? [first, again, ...others] : [] })).toEqual(['P11']);
    expect(brokenBy({ events: [...wholeStory.events, event(1, 2, 'failed')] })).toContain('P11');
  });

  test('P13 sees sums that differ between records, metrics and requests', () => {
    expect(brokenBy({ counted: { ...wholeStory.counted, queued: 1 } })).toEqual(['P13']);
    expect(brokenBy({ records: [...wholeStory.records, record(4, 'queued')] })).toEqual(['P13']);
  });
});

describe('running', () => {
  test('P12 sees a secret, a place that was not searched, and a canary that was never used', () => {
    expect(brokenBy(withCanaries({ leaks: [{ what: 'an API key', place: 'logs' }] }))).toEqual(['P12']);
    expect(brokenBy(withCanaries({ searched: { ...wholeStory.canaries.searched, Redis: 0 } }))).toEqual(['P12']);
    const unread = withCanaries({ searched: { ...wholeStory.canaries.searched, history: 0 } });
    expect(brokenBy(unread)).toEqual([]);
    expect(brokenBy({ ...unread, history: wholeHistory })).toEqual(['P12']);
    expect(brokenBy(withCanaries({ used: ['a bearer token'] }))).toEqual(['P12']);
  });

  test('P14 sees an attempt that took longer than three quarters of its lock, and a storm without attempts', () => {
    expect(brokenBy({ attempts: { count: 9, long: [attempt(3_001)] } })).toEqual(['P14']);
    expect(brokenBy({ attempts: { count: 9, long: [attempt(2_999)] } })).toEqual([]);
    expect(brokenBy({ attempts: { count: 9, long: [attempt(9_000, { darkMs: 6_001 })] } })).toEqual([]);
    expect(brokenBy({ attempts: { count: 9, long: [attempt(9_000, { darkMs: 5_999 })] } })).toEqual(['P14']);
    expect(brokenBy({ attempts: { count: 0, long: [] } })).toEqual(['P14']);
  });

  test('P15 sees a review for what a look would have settled, and one that came too early', () => {
    expect(brokenBy({ ledger: [paid(1, 1), paid(2, 0), paid(3, 0, { status: 'failed' })] })).toEqual(['P15']);
    expect(brokenBy({ looks: wholeStory.looks.slice(0, -1) })).toEqual(['P15']);
    expect(brokenBy(withThird({ reason: 'never_executed' }))).toEqual(['P15']);
    expect(brokenBy(withThird({ reason: 'poll_exhausted' }))).toEqual(['P15']);
    // Sent once, and given up as if it had been sent three times.
    expect(brokenBy(withThird({ reason: 'sent_three_times' }))).toEqual(['P15']);
  });
});

describe('worlds', () => {
  const [sent] = wholeStory.sends;
  const withRestore = (changes: Partial<typeof restored> = {}) => ({ restores: [{ ...restored, ...changes }] });
  const withLimits = (changes: Partial<NonNullable<Story['limits']>>) => ({
    limits: { inForce: [], greedy: [], ...wholeStory.limits, ...changes },
  });
  const { neighbours } = wholeStory;
  const withNeighbours = (changes: Partial<NonNullable<Story['neighbours']>>) => ({
    neighbours: neighbours && { ...neighbours, ...changes },
  });

  test('P16 sees a submit and a text that left when their time was over, and a code after its end', () => {
    const late = submit(2, 1_000, { image: { state: 'submitting', token: 't2', sends: 1, ageMs: 4_300 } });
    expect(brokenBy({ submits: [...wholeStory.submits.slice(0, 2), late] })).toEqual(['P16']);
    expect(sent && brokenBy({ sends: [{ ...sent, image: { ageMs: 4_300 } }] })).toEqual(['P16']);
    expect(sent && brokenBy({ sends: [{ ...sent, image: {} }] })).toEqual(['P16']);
    expect(sent && brokenBy({ sends: [{ ...sent, image: { ageMs: 900 } }] })).toEqual([]);
    const code = { to: '+221780000001', text: 'code 1' };
    expect(sent && brokenBy({ sends: [sent, { at: 4_500, items: [code] }] })).toEqual(['P16']);
    expect(sent && brokenBy({ sends: [sent, { at: 2_900, items: [code] }] })).toEqual([]);
  });

  test('P16 says nothing of an age when the clock moved, or when the world it was written in is gone', () => {
    const late = submit(2, 1_000, { image: { state: 'submitting', token: 't2', sends: 1, ageMs: 4_300 } });
    const submits = [...wholeStory.submits.slice(0, 2), late];
    expect(brokenBy({ submits, steps: [{ at: 900, ms: 4_000, offMs: 4_000 }] })).toEqual([]);
    expect(brokenBy({ submits, ...withRestore({ copiedAt: 500, restoredAt: 900 }) })).toEqual([]);
  });

  test('what left while Redis was away belongs to the world before, and nothing that left later does', () => {
    const other = { token: 'a token of the other world' };
    const withSubmits = (at: number) =>
      brokenBy({ submits: [submit(2, at, other), submit(2, 26_000)], ...withRestore() });
    expect(withSubmits(22_150)).not.toContain('P8');
    expect(withSubmits(22_250)).toContain('P8');
  });

  test('P17 sees what was paid before a restore sent again, unless its caller asked again', () => {
    const ledger = [paid(1, 1, { doneAt: 6_000 }), paid(2, 0)];
    const again = submit(1, 30_000);
    const whole = { ledger, submits: [...wholeStory.submits, again], ...withRestore() };
    // What the record says of its sends in the world that is gone is not held against it.
    expect(brokenBy(whole)).toEqual(['P17']);
    expect(brokenBy({ ...whole, ...withAsked({ askedAgainAt: 22_500 }) })).toEqual([]);
    expect(brokenBy({ ...whole, submits: wholeStory.submits })).toEqual([]);
  });

  test('P17 sees a payment that was cancelled and paid, a credit that was made twice, and a restore nobody noticed', () => {
    expect(brokenBy(withAsked({ cancelledAt: 21_000 }))).toEqual(['P17']);
    expect(brokenBy({ credits: [{ accountAlias: '760000001', askedAt: 1_000, times: 2 }] })).toEqual(['P17']);
    const unseen = { noticedAt: undefined, recoveredAt: undefined };
    expect(brokenBy(withRestore({ ...unseen, copiedAt: 3_000, restoredAt: 3_100 }))).toEqual([]);
    const left = submit(1, 21_000);
    const looks = [...wholeStory.looks, { at: 20_900, token: 't1', status: 'created' }];
    expect(brokenBy({ looks, submits: [...wholeStory.submits, left], ...withRestore(unseen) })).toContain('P17');
  });

  test('P18 sees a payment above the limit, accepted or paid, and one that two people allowed and nobody took', () => {
    const greedy = { at: 1_000, amount: 30_000, status: 422, times: 0 };
    expect(brokenBy(withLimits({ greedy: [{ ...greedy, status: 202 }] }))).toEqual(['P18']);
    expect(brokenBy(withLimits({ greedy: [{ ...greedy, times: 1 }] }))).toEqual(['P18']);
    expect(brokenBy(withLimits({ greedy: [] }))).toEqual(['P18']);
    expect(brokenBy(withLimits({ afterTwo: 'not there' }))).toEqual(['P18']);
    expect(brokenBy(withLimits({ afterTwo: 'succeeded' }))).toEqual([]);
  });

  test('P19 sees an end by a word that names nobody, another, or another amount, and by one failed alone', () => {
    const about = (names: object) => ({
      looks: wholeStory.looks.map((look) =>
        look.token === 't1' && look.status === 'success' ? { ...look, names: { ...naming(1), ...names } } : look,
      ),
    });
    expect(brokenBy(about({}))).toEqual([]);
    expect(brokenBy(about({ disburseId: undefined }))).toEqual(['P19']);
    expect(brokenBy(about({ token: 't7' }))).toEqual(['P19']);
    expect(brokenBy(about({ amount: '1.00' }))).toEqual(['P19']);
    const once = wholeStory.looks.filter(({ token, at }) => token !== 't2' || at === 6_000);
    expect(brokenBy({ looks: once })).toEqual(['P19']);
  });

  test('P20 sees a process of another environment that was let in, and a token in the books of a stranger', () => {
    expect(brokenBy(withNeighbours({ intruder: { status: null, said: 'ended: SIGKILL' } }))).toEqual(['P20']);
    expect(brokenBy(withNeighbours({ strangersHere: ['t9'] }))).toEqual(['P20']);
    expect(brokenBy(withNeighbours({ strangersThere: ['t9'] }))).toEqual(['P20']);
    expect(brokenBy(withNeighbours({ paidTwice: 1 }))).toEqual(['P20']);
  });

  test('S8 sees a text that was sent before a restore and is posted again after it', () => {
    const again = sent && { ...sent, at: 30_000, answer: '00' };
    expect(sent && again && brokenBy({ sends: [sent, again], campaigns: [], ...withRestore() })).toEqual([
      'S7',
      'S8',
    ]);
    expect(
      sent && brokenBy({ sends: [sent, { at: 30_000, items: [text(3)] }], campaigns: [], ...withRestore() }),
    ).toEqual([]);
  });

  test('P3 and P11 follow a truth that comes late', () => {
    const reversed = wholeStory.records.map((seen, index) => (index === 0 ? { ...seen, state: 'reversed' } : seen));
    const told = [event(1, 1, 'succeeded'), event(1, 2, 'reversed'), ...wholeStory.events.slice(1)];
    const counted = { ...wholeStory.counted, succeeded: 0, reversed: 1 };
    const back = { ledger: [paid(1, 1, { status: 'failed' }), paid(2, 0)] };
    expect(brokenBy({ records: reversed, events: told, counted, ...back })).toEqual([]);
    expect(brokenBy({ records: reversed, events: told, counted })).toEqual(['P3']);
    expect(brokenBy(back)).toEqual(['P3']);
    const back2 = [event(1, 1, 'reversed'), event(1, 2, 'succeeded'), ...wholeStory.events.slice(1)];
    expect(brokenBy({ events: back2 })).toEqual(['P11']);
  });
});

describe('texts', () => {
  test('S1 sees a text that went out twice', () => {
    expect(brokenBy({ messages: [{ ...text(1), times: 2 }] })).toEqual(['S1']);
  });

  test('S3 sees a recipient that is in no bin, in two, or in another than is counted', () => {
    expect(brokenBy(withCampaign({ totals: { ...campaign.totals, sent: 0 } }))).toEqual(['S3']);
    expect(brokenBy(withCampaign({ recipients: campaign.recipients.slice(0, 2) }))).toEqual(['S3']);
    expect(brokenBy(withCampaign({ uploaded: 4 }))).toEqual(['S3']);
  });

  test('S4 sees a text that is reported as sent and was not, and the reverse', () => {
    expect(brokenBy({ messages: [] })).toEqual(['S4']);
    expect(
      brokenBy({
        messages: [
          { ...text(1), times: 1 },
          { ...text(2), times: 1 },
        ],
      }),
    ).toEqual(['S4']);
  });

  test('S5 sees a request of fifty-one, and a number that is in it twice', () => {
    const many = Array.from({ length: 51 }, (_, index) => ({ to: `+2217700${index}`, text: 'x' }));
    expect(brokenBy({ sends: [{ at: 1, items: many }] })).toEqual(['S5']);
    expect(brokenBy({ sends: [{ at: 1, items: [text(1), text(1)] }] })).toEqual(['S5']);
  });

  test('S6 sees a text that left long after its campaign was cancelled', () => {
    expect(brokenBy({ sends: [{ at: 8_000, items: [text(1)] }] })).toEqual(['S6']);
  });

  test('S7 sees a request that was posted again although it may have been sent', () => {
    const [first] = wholeStory.sends;
    const again = (answer?: string) => ({ at: 900, items: [text(1)], ...(answer ? { answer } : {}) });
    expect(first && brokenBy({ sends: [again(), first] })).toEqual(['S7']);
    expect(first && brokenBy({ sends: [again('500'), first] })).toEqual(['S7']);
    expect(first && brokenBy({ sends: [again('ERROR_121'), first] })).toEqual([]);
  });
});

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

  test('C1 sees somebody signed out who was not, and knows of what a copy forgets', () => {
    const out = { status: 401, problem: 'unauthenticated', at: 25_000 } as const;
    expect(brokenBy(answered(out))).toEqual(['C1']);
    expect(brokenBy({ ...answered({ ...out, since: 21_000 }), restores: [restored] })).toEqual([]);
    expect(brokenBy({ ...answered({ ...out, since: 19_000 }), restores: [restored] })).toEqual(['C1']);
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
