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
  toldPayee,
  unbrokenStory,
} from './unbroken-story.ts';

/** The names of the guarantees that a story breaks. */
function brokenBy(changes: Partial<Story>): string[] {
  return judge({ ...unbrokenStory, ...changes })
    .filter(({ broken }) => broken.length > 0)
    .map(({ name }) => name);
}

const withAsked = (changes: Partial<Story['asked'][number]>) => ({
  asked: unbrokenStory.asked.map((asked, index) => (index === 0 ? { ...asked, ...changes } : asked)),
});
/** All checks except those that returned `created` for the first payment. */
const ofTheThird = unbrokenStory.looks.filter(({ token, status }) => token !== 't1' || status === 'success');
const withThird = (changes: Partial<Story['records'][number]>) => ({
  records: unbrokenStory.records.map((seen) => (seen.id === 'dsb_3' ? { ...seen, ...changes } : seen)),
});
const withCanaries = (changes: Partial<Story['canaries']>) => ({
  canaries: { ...unbrokenStory.canaries, ...changes },
});
const withCampaign = (changes: Partial<Story['campaigns'][number]>) => ({ campaigns: [{ ...campaign, ...changes }] });

test('a story without broken guarantees breaks none', () => {
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

  test('P2 reports a payment to another beneficiary, of another amount, and an unrequested one', () => {
    expect(brokenBy({ ledger: [paid(1, 1, { accountAlias: '770000009' })] })).toEqual(['P2']);
    expect(brokenBy({ ledger: [paid(1, 1, { amount: 1 })] })).toEqual(['P2']);
    expect(brokenBy({ ledger: [paid(1, 1), paid(9, 1)] })).toEqual(['P2']);
  });

  test('P2 sees a changed request that was accepted under the same reference', () => {
    expect(brokenBy(withAsked({ changedRequestStatus: 202 }))).toEqual(['P2']);
    expect(brokenBy(withAsked({ changedRequestStatus: 409 }))).toEqual([]);
  });

  test('P3 sees a success that was never paid, and one that was never announced', () => {
    expect(brokenBy({ ledger: [paid(1, 0)] })).toEqual(['P3', 'N2']);
    expect(brokenBy({ events: [event(2, 1, 'failed'), event(3, 1, 'needs_review')] })).toEqual(['P3', 'P13']);
  });

  test('P4 sees a payment that is reported as failed', () => {
    expect(brokenBy({ ledger: [paid(1, 1), paid(2, 1)] })).toEqual(['P4']);
  });

  test('P5 reports a lost, an open and an unacknowledged request, and two ids for one request', () => {
    expect(brokenBy({ records: unbrokenStory.records.slice(0, 2) })).toContain('P5');
    expect(brokenBy({ records: [...unbrokenStory.records.slice(0, 2), record(3, 'unknown')] })).toContain('P5');
    expect(brokenBy(withAsked({ acknowledged: false }))).toEqual(['P5']);
    expect(brokenBy(withAsked({ answeredIds: ['dsb_1', 'dsb_7'] }))).toEqual(['P5']);
  });

  test('P6 reports a review without its evidence, and an unreported one', () => {
    const [first, second] = unbrokenStory.records;
    const bare = record(3, 'needs_review', { token: null, history: [] });
    expect(brokenBy({ records: first && second ? [first, second, bare] : [] })).toContain('P6');
    expect(brokenBy({ events: [event(1, 1, 'succeeded'), event(2, 1, 'failed')] })).toEqual(['P6']);
  });

  test('P7 reports a submit whose record had no intent, or named another token', () => {
    const early = submit(2, 1_000, { image: { state: 'created', token: 't2', sends: 0, ageMs: 5 } });
    const other = submit(2, 1_000, { image: { state: 'submitting', token: 't9', sends: 1, ageMs: 5 } });
    expect(brokenBy({ submits: [early] })).toEqual(['P7']);
    expect(brokenBy({ submits: [other] })).toEqual(['P7']);
  });

  test('P8 reports a submit with an unknown id, and a second token', () => {
    expect(brokenBy({ submits: [submit(2, 1_000, { disburseId: '' })] })).toEqual(['P8']);
    const other = { token: 't9', image: { state: 'submitting', token: 't9', sends: 2, ageMs: 5 } };
    expect(brokenBy({ submits: [...unbrokenStory.submits.slice(0, 1), submit(1, 5_000, other)] })).toContain('P8');
  });

  test('P9 sees a second submit in strict, a fourth in resubmit, and one that was never written down', () => {
    expect(brokenBy({ rules: { ...unbrokenStory.rules, mode: 'strict' } })).toEqual(['P9']);
    const unseen = [1, 2, 3, 4].map((nth) => {
      const { image: _, ...blind } = submit(1, nth * 4_000);
      return blind;
    });
    const looks = unseen.map(({ at }) => ({ at: at - 10, token: 't1', status: 'created' }));
    expect(brokenBy({ submits: unseen, looks: [...looks, ...ofTheThird] })).toEqual(['P9']);
    const [one, two, three] = unbrokenStory.submits;
    const unwritten = unbrokenStory.records.map((all, index) => (index === 0 ? record(1, 'succeeded') : all));
    expect(one && two && three ? brokenBy({ records: unwritten }) : []).toEqual(['P9']);
  });

  test('P10 reports a submit repeated without a check, after an early check, and after another status', () => {
    expect(brokenBy({ looks: ofTheThird })).toEqual(['P10']);
    const early = { at: 1_500, token: 't1', status: 'created' };
    expect(brokenBy({ looks: [early, ...ofTheThird] })).toEqual(['P10']);
    const other = { at: 3_500, token: 't1', status: 'pending' };
    expect(brokenBy({ looks: [other, ...ofTheThird] })).toEqual(['P10']);
  });

  test('P11 reports a number that is used again, and a second final event', () => {
    const [first, ...others] = unbrokenStory.events;
    const again = { ...event(1, 1, 'held'), id: 'other' };
    expect(brokenBy({ events: first ? [first, again, ...others] : [] })).toEqual(['P11']);
    expect(brokenBy({ events: [...unbrokenStory.events, event(1, 2, 'failed')] })).toContain('P11');
  });

  test('P13 sees sums that differ between records, metrics and requests', () => {
    expect(brokenBy({ counted: { ...unbrokenStory.counted, queued: 1 } })).toEqual(['P13']);
    expect(brokenBy({ reportedXof: 101 })).toEqual(['P13']);
    expect(brokenBy({ records: [...unbrokenStory.records, record(4, 'queued')] })).toEqual(['P13']);
  });
});

describe('payees', () => {
  const messages = unbrokenStory.messages;

  test('N1 sees a payee who was told twice', () => {
    expect(brokenBy({ messages: [...messages, toldPayee(1, 'succeeded')] })).toEqual(['N1']);
    expect(brokenBy({ messages: [...messages, toldPayee(2, 'failed', 2)] })).toContain('N1');
  });

  test('N2 sees a payee who was told of a payment that was not made, and of a failure that nobody reported', () => {
    expect(brokenBy({ messages: [...messages, toldPayee(3, 'succeeded')] })).toEqual(['N2']);
    expect(brokenBy({ messages: [...messages, toldPayee(1, 'failed')] })).toEqual(['N2']);
  });

  test('N3 sees a payment without an SMS whose message is missing, waits, or counts as sent', () => {
    const [first, ...others] = unbrokenStory.records;
    const withMessage = (...states: readonly string[]) => ({
      messages: messages.slice(0, 1),
      records: [
        {
          ...record(1, 'succeeded', first),
          notify: { messages: states.map((state) => ({ on: 'succeeded', id: 'msg_1', state })) },
        },
        ...others,
      ],
    });
    expect(brokenBy(withMessage())).toEqual(['N3']);
    expect(brokenBy(withMessage('queued'))).toEqual(['N3']);
    expect(brokenBy(withMessage('sent'))).toEqual(['N3']);
    expect(brokenBy(withMessage('expired'))).toEqual([]);
  });
});

describe('running', () => {
  test('P12 sees a secret, a place that was not searched, and a canary that was never used', () => {
    expect(brokenBy(withCanaries({ leaks: [{ what: 'an API key', place: 'logs' }] }))).toEqual(['P12']);
    expect(brokenBy(withCanaries({ searched: { ...unbrokenStory.canaries.searched, Redis: 0 } }))).toEqual(['P12']);
    const unread = withCanaries({ searched: { ...unbrokenStory.canaries.searched, PostgreSQL: 0 } });
    expect(brokenBy(unread)).toEqual(['P12']);
    expect(brokenBy(withCanaries({ used: ['a bearer token'] }))).toEqual(['P12']);
  });

  test('P14 sees an attempt that took longer than three quarters of its lock, and a storm without attempts', () => {
    expect(brokenBy({ attempts: { count: 9, long: [attempt(3_001)] } })).toEqual(['P14']);
    expect(brokenBy({ attempts: { count: 9, long: [attempt(2_999)] } })).toEqual([]);
    expect(brokenBy({ attempts: { count: 9, long: [attempt(9_000, { darkMs: 6_001 })] } })).toEqual([]);
    expect(brokenBy({ attempts: { count: 9, long: [attempt(9_000, { darkMs: 5_999 })] } })).toEqual(['P14']);
    expect(brokenBy({ attempts: { count: 0, long: [] } })).toEqual(['P14']);
  });

  test('P15 reports a review that a check would have settled, and an early one', () => {
    expect(brokenBy({ ledger: [paid(1, 1), paid(2, 0), paid(3, 0, { status: 'failed' })] })).toEqual(['P15']);
    expect(brokenBy({ looks: unbrokenStory.looks.slice(0, -1) })).toEqual(['P15']);
    expect(brokenBy(withThird({ reason: 'never_executed' }))).toEqual(['P15']);
    expect(brokenBy(withThird({ reason: 'poll_exhausted' }))).toEqual(['P15']);
    // Sent a single time, and abandoned as if after three sends.
    expect(brokenBy(withThird({ reason: 'sent_three_times' }))).toEqual(['P15']);
  });
});

describe('scenarios', () => {
  const [sent] = unbrokenStory.sends;
  const withRestore = (changes: Partial<typeof restored> = {}) => ({ restores: [{ ...restored, ...changes }] });
  const withLimits = (changes: Partial<NonNullable<Story['limits']>>) => ({
    limits: { inForce: [], greedy: [], ...unbrokenStory.limits, ...changes },
  });

  test('P16 sees a submit that left when its time was over, and a code after its end', () => {
    const late = submit(2, 1_000, { image: { state: 'submitting', token: 't2', sends: 1, ageMs: 4_300 } });
    expect(brokenBy({ submits: [...unbrokenStory.submits.slice(0, 2), late] })).toEqual(['P16']);
    const code = { to: '+221780000001', text: 'code 1' };
    expect(sent && brokenBy({ sends: [sent, { at: 4_500, items: [code] }] })).toEqual(['P16']);
    expect(sent && brokenBy({ sends: [sent, { at: 2_900, items: [code] }] })).toEqual([]);
  });

  test('P16 ignores an age written before a restore', () => {
    const late = submit(2, 1_000, { image: { state: 'submitting', token: 't2', sends: 1, ageMs: 4_300 } });
    const submits = [...unbrokenStory.submits.slice(0, 2), late];
    expect(brokenBy({ submits, ...withRestore({ copiedAt: 500, restoredAt: 900 }) })).toEqual([]);
  });

  test('a submit that left while PostgreSQL was away belongs to the time before the restore', () => {
    const other = { token: 'a token of the other system' };
    const withSubmits = (at: number) =>
      brokenBy({ submits: [submit(2, at, other), submit(2, 26_000)], ...withRestore() });
    expect(withSubmits(22_150)).not.toContain('P8');
    expect(withSubmits(22_250)).toContain('P8');
  });

  test('P17 reports a payment from before a restore that is sent again, unless its caller requested it again', () => {
    const ledger = [paid(1, 1, { doneAt: 6_000 }), paid(2, 0)];
    const again = submit(1, 30_000);
    const whole = { ledger, submits: [...unbrokenStory.submits, again], ...withRestore() };
    expect(brokenBy(whole)).toEqual(['P17']);
    expect(brokenBy({ ...whole, ...withAsked({ askedAgainAt: [22_500] }) })).toEqual([]);
    expect(brokenBy({ ...whole, ...withAsked({ askedAgainAt: [22_500, 40_000] }) })).toEqual([]);
    expect(brokenBy({ ...whole, ...withAsked({ askedAgainAt: [40_000] }) })).toEqual(['P17']);
    expect(brokenBy({ ...whole, submits: unbrokenStory.submits })).toEqual([]);
  });

  test('P17 reports a payment that was cancelled and paid, a credit that was made twice, and an undetected restore', () => {
    expect(brokenBy(withAsked({ cancelledAt: 21_000 }))).toEqual(['P17']);
    expect(brokenBy({ credits: [{ accountAlias: '760000001', askedAt: 1_000, times: 2 }] })).toEqual(['P17']);
    const unseen = { noticedAt: undefined, recoveredAt: undefined };
    expect(brokenBy(withRestore({ ...unseen, copiedAt: 3_000, restoredAt: 3_100 }))).toEqual([]);
    const left = submit(1, 21_000);
    const looks = [...unbrokenStory.looks, { at: 20_900, token: 't1', status: 'created' }];
    expect(brokenBy({ looks, submits: [...unbrokenStory.submits, left], ...withRestore(unseen) })).toContain('P17');
  });

  test('P18 reports a payment above the limit, accepted or paid, and an unused one that two people allowed', () => {
    const greedy = { at: 1_000, amount: 30_000, status: 422, times: 0 };
    expect(brokenBy(withLimits({ greedy: [{ ...greedy, status: 202 }] }))).toEqual(['P18']);
    expect(brokenBy(withLimits({ greedy: [{ ...greedy, times: 1 }] }))).toEqual(['P18']);
    expect(brokenBy(withLimits({ greedy: [] }))).toEqual(['P18']);
    expect(brokenBy(withLimits({ afterTwo: 'not there' }))).toEqual(['P18']);
    expect(brokenBy(withLimits({ afterTwo: 'succeeded' }))).toEqual([]);
  });

  test('P19 reports an end by a status that names no payment, another one, or another amount, and by one failed alone', () => {
    const about = (names: object) => ({
      looks: unbrokenStory.looks.map((look) =>
        look.token === 't1' && look.status === 'success' ? { ...look, names: { ...naming(1), ...names } } : look,
      ),
    });
    expect(brokenBy(about({}))).toEqual([]);
    expect(brokenBy(about({ disburseId: undefined }))).toEqual(['P19']);
    expect(brokenBy(about({ token: 't7' }))).toEqual(['P19']);
    expect(brokenBy(about({ amount: '1.00' }))).toEqual(['P19']);
    const once = unbrokenStory.looks.filter(({ token, at }) => token !== 't2' || at === 6_000);
    expect(brokenBy({ looks: once })).toEqual(['P19']);
  });

  test('S8 reports an SMS that was sent before a restore and again after it', () => {
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
    const reversed = unbrokenStory.records.map((seen, index) =>
      index === 0 ? { ...seen, state: 'reversed' } : seen,
    );
    const told = [event(1, 1, 'succeeded'), event(1, 2, 'reversed'), ...unbrokenStory.events.slice(1)];
    const counted = { ...unbrokenStory.counted, succeeded: 0, reversed: 1 };
    const came = { records: reversed, events: told, counted, reportedXof: 0 };
    const back = { ledger: [paid(1, 1, { status: 'failed' }), paid(2, 0)] };
    expect(brokenBy({ ...came, ...back })).toEqual([]);
    expect(brokenBy(came)).toEqual(['P3']);
    expect(brokenBy(back)).toEqual(['P3']);
    const back2 = [event(1, 1, 'reversed'), event(1, 2, 'succeeded'), ...unbrokenStory.events.slice(1)];
    expect(brokenBy({ events: back2 })).toEqual(['P11']);
  });
});

describe('SMS', () => {
  test('S1 reports an SMS that was sent twice', () => {
    expect(brokenBy({ messages: [{ ...text(1), times: 2 }, toldPayee(1, 'succeeded')] })).toEqual(['S1']);
  });

  test('S3 sees a recipient that is in no bin, in two, or in another than is counted', () => {
    expect(brokenBy(withCampaign({ totals: { ...campaign.totals, sent: 0 } }))).toEqual(['S3']);
    expect(brokenBy(withCampaign({ recipients: campaign.recipients.slice(0, 2) }))).toEqual(['S3']);
    expect(brokenBy(withCampaign({ uploaded: 4 }))).toEqual(['S3']);
  });

  test('S4 reports an SMS that is reported as sent and was not, and the reverse', () => {
    expect(brokenBy({ messages: [toldPayee(1, 'succeeded')] })).toEqual(['S4']);
    expect(
      brokenBy({
        messages: [{ ...text(1), times: 1 }, { ...text(2), times: 1 }, toldPayee(1, 'succeeded')],
      }),
    ).toEqual(['S4']);
  });

  test('S5 sees a request of fifty-one, and a number that is in it twice', () => {
    const many = Array.from({ length: 51 }, (_, index) => ({ to: `+2217700${index}`, text: 'x' }));
    expect(brokenBy({ sends: [{ at: 1, items: many }] })).toEqual(['S5']);
    expect(brokenBy({ sends: [{ at: 1, items: [text(1), text(1)] }] })).toEqual(['S5']);
  });

  test('S6 reports an SMS that left long after its campaign was cancelled', () => {
    expect(brokenBy({ sends: [{ at: 8_000, items: [text(1)] }] })).toEqual(['S6']);
  });

  test('S7 sees a request that was posted again although it may have been sent', () => {
    const [first] = unbrokenStory.sends;
    const again = (answer?: string) => ({ at: 900, items: [text(1)], ...(answer ? { answer } : {}) });
    expect(first && brokenBy({ sends: [again(), first] })).toEqual(['S7']);
    expect(first && brokenBy({ sends: [again('500'), first] })).toEqual(['S7']);
    expect(first && brokenBy({ sends: [again('ERROR_121'), first] })).toEqual([]);
  });
});
