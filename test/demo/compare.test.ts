import { describe, expect, test } from 'vitest';
import { type AskedLine, type BookedLine, compare } from '../../script/demonstration/compare.ts';
import { exitCodeOf, renderSentence, renderTable } from '../../script/demonstration/verdict-text.ts';

const asked: readonly AskedLine[] = [
  { who: 'Awa', what: '5000 F', reported: 'succeeded' },
  { who: 'Koffi', what: '7500 F', reported: 'succeeded' },
  { who: 'Issa', what: '2500 F', reported: 'failed' },
];
const books: readonly BookedLine[] = [
  { who: 'Awa', what: '5000 F', times: 1 },
  { who: 'Koffi', what: '7500 F', times: 1 },
  { who: 'Issa', what: '2500 F', times: 0 },
];
const NOTHING = compare([], []);

/** What the demonstration would exit with and say, if these were the disbursements. */
function judged(lines: readonly AskedLine[], booked: readonly BookedLine[]) {
  const verdicts = { texts: NOTHING, disbursements: compare(lines, booked) };
  return { exit: exitCodeOf(verdicts), says: renderSentence(verdicts), verdict: verdicts.disbursements };
}

/** The books with Awa's line changed; `undefined` takes it out. */
function booksWith(change: Partial<BookedLine> | undefined): readonly BookedLine[] {
  return books.flatMap((line) => (line.who === 'Awa' ? (change ? [{ ...line, ...change }] : []) : [line]));
}

/** What was asked, with Awa's disbursement reported in this state. */
function reportedAs(reported: string): readonly AskedLine[] {
  return asked.map((line) => (line.who === 'Awa' ? { ...line, reported } : line));
}

test('equal books end with exit 0 and say how often what happened', () => {
  const { exit, says, verdict } = judged(asked, books);
  expect(exit).toBe(0);
  expect(says).toMatch(/2 payments took effect; the 1 that failed did not/);
  expect(verdict).toMatchObject({ asked: 3, once: 2, twice: 0, never: 1, reported: { succeeded: 2, failed: 1 } });
});

describe('one broken line of the books ends with exit 1 and is named', () => {
  test.for([
    ['doubled', booksWith({ times: 2 }), 'Awa: “5000 F” took effect 2 times'],
    ['doubled under another entry', [...books, ...booksWith({}).slice(0, 1)], 'Awa: “5000 F” took effect 2 times'],
    ['missing', booksWith(undefined), 'Awa: “5000 F” never took effect, reported as succeeded'],
    ['never carried out', booksWith({ times: 0 }), 'Awa: “5000 F” never took effect, reported as succeeded'],
    ['another amount', booksWith({ what: '5001 F' }), 'Awa: “5001 F” took effect, where “5000 F” was asked for'],
    ['another person', booksWith({ who: 'Yao' }), 'Yao: “5000 F” took effect, and nobody asked for it'],
    [
      'another amount on top',
      [...books, { who: 'Awa', what: '1 F', times: 1 }],
      'Awa: “1 F” took effect, where “5000 F” was asked for',
    ],
  ] as const)('%s', ([, broken, sentence]) => {
    const { exit, says } = judged(asked, broken);
    expect(exit).toBe(1);
    expect(says).toContain('NOT as reported');
    expect(says).toContain(sentence);
  });
});

describe('what we report has to agree with the books', () => {
  test.for(['failed', 'rejected', 'cancelled', 'expired'])('paid and reported as %s is wrong', (state) => {
    expect(judged(reportedAs(state), books)).toMatchObject({ exit: 1 });
  });
  test.for(['queued', 'submitting', 'pending', 'no record'])('%s is no end', (state) => {
    const { exit, says } = judged(reportedAs(state), books);
    expect(exit).toBe(1);
    expect(says).toContain('is not over');
  });
  test('a line in doubt that the books have once is told, and is not wrong', () => {
    const { exit, says } = judged(reportedAs('unknown'), books);
    expect(exit).toBe(0);
    expect(says).toContain('the end of 1 disbursements and say so; by the books 1 took effect once and 0 never');
  });
  test('a line in doubt that the books do not have is missing', () => {
    const { exit, says } = judged(reportedAs('unknown'), booksWith({ times: 0 }));
    expect(exit).toBe(1);
    expect(says).toContain('by the books 0 took effect once and 1 never');
  });
  test('a line in doubt that the books have twice is doubled', () => {
    expect(judged(reportedAs('unknown'), booksWith({ times: 2 })).exit).toBe(1);
  });
});

test('somebody who is asked for twice is our own mistake', () => {
  expect(judged([...asked, ...asked.slice(0, 1)], books).says).toContain('Awa: is on our own list 2 times');
});

test('a wrong text alone is enough for exit 1', () => {
  const texts = compare([{ who: '221770000001', what: 'Bonjour', reported: 'sent' }], []);
  expect(exitCodeOf({ texts, disbursements: compare(asked, books) })).toBe(1);
});

test('only the first problems are shown, and the rest counted', () => {
  const many = Array.from({ length: 25 }, (_, at) => ({ who: `person ${at}`, what: '1 F', times: 1 }));
  const { says } = judged([], many);
  expect(says).toContain('25 lines are wrong');
  expect(says).toContain('and 15 more');
});

test('the table stands in columns', () => {
  const table = renderTable({ texts: NOTHING, disbursements: compare(asked, books) });
  expect(table.split('\n')).toEqual([
    '                  asked   took effect once   twice   never   reported as',
    '  texts               0                  0       0       0',
    '  disbursements       3                  2       0       1   2 succeeded, 1 failed',
  ]);
});
