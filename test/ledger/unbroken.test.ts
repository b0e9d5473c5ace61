/** The proof that no request left besides those in the journal: each gap breaks it. */
import { expect, test } from 'vitest';
import type { Acted, Entry, Intended } from '../../src/ledger/journal.ts';
import { type Evidence, whyBroken } from '../../src/ledger/unbroken.ts';
import type { LaneWord } from '../../src/ledger/witness.ts';

const BACKUP = 1_000_000_000;
const NOTICED = BACKUP + 600_000;

const intent = (lane: string, after: number, counter: number): Entry & Intended => ({
  is: 'intended',
  lane,
  epoch: 1,
  after: String(after),
  counter: String(counter),
  items: [{ id: `dsb_${counter}`, kind: 'disbursement' }],
  at: BACKUP + counter,
});
const act = (n: number, before?: number): Entry & Acted => ({
  is: 'acted',
  process: 'p',
  n,
  kind: 'key.revoked',
  facts: {},
  at: BACKUP + n,
  ...(before === undefined ? {} : { before }),
});
const told = (counter: number, over: Partial<LaneWord> = {}): LaneWord => ({
  counter: String(counter),
  sent: String(counter),
  epoch: 1,
  ended: true,
  at: BACKUP + 1,
  ...over,
});

/** The backup had lane `a` at 5; it continued to 9 and ended. */
function evidence(
  over: Partial<Evidence> = {},
  lanes: Readonly<Record<string, LaneWord>> = { a: told(9) },
): Evidence {
  return {
    marks: new Map([['a', 5n]]),
    ended: new Set(),
    known: ['a'],
    witness: { deployment: 'd', epoch: 1, since: BACKUP - 1, lanes },
    entries: [intent('a', 0, 4), intent('a', 4, 6), intent('a', 6, 9)],
    lastBeat: BACKUP,
    since: NOTICED,
    copied: 1,
    epoch: 2,
    ...over,
  };
}

test('entries from the backup to the final record of each lane prove it', () => {
  expect(whyBroken(evidence())).toBeUndefined();
});

test('entries older than the backup may be gone', () => {
  expect(whyBroken(evidence({ entries: [intent('a', 4, 6), intent('a', 6, 9)] }))).toBeUndefined();
});

test('writes after the last intent are no hole', () => {
  expect(whyBroken(evidence({}, { a: told(30, { sent: '9' }) }))).toBeUndefined();
});

test.for<[string, Partial<Evidence>]>([
  ['the first entry is missing', { entries: [intent('a', 6, 9)] }],
  ['an entry in the middle is missing', { entries: [intent('a', 4, 6), intent('a', 8, 9)] }],
  ['the last entry is missing', { entries: [intent('a', 4, 6)] }],
  ['nothing is there', { entries: [] }],
])('it is broken when %s', ([, over]) => {
  expect(whyBroken(evidence(over))).toBe('a hole in a');
});

test('a lane that the backup never had needs its entries from the first one on', () => {
  const lanes = { a: told(9), b: told(3) };
  const { entries } = evidence();
  expect(whyBroken(evidence({ entries: [...entries, intent('b', 0, 3)] }, lanes))).toBeUndefined();
  expect(whyBroken(evidence({ entries: [...entries, intent('b', 2, 3)] }, lanes))).toBe('a hole in b');
});

test('a killed process may have sent more than it recorded; a living one records it again', () => {
  expect(whyBroken(evidence({}, { a: told(9, { ended: false }) }))).toBe('a did not end in good order');
  expect(whyBroken(evidence({}, { a: told(9, { ended: false, at: NOTICED }) }))).toBeUndefined();
});

test('a lane without a witness proves nothing, unless it had ended before the backup', () => {
  expect(whyBroken(evidence({}, {}))).toBe('no witness of a');
  expect(whyBroken(evidence({ ended: new Set(['a']), entries: [] }, {}))).toBeUndefined();
  expect(whyBroken(evidence({ known: ['a', 'c'] }))).toBe('no witness of c');
});

test('no witness, or one younger than the backup, proves nothing', () => {
  expect(whyBroken(evidence({ witness: undefined }))).toBe('no witness');
  const young = { deployment: 'd', epoch: 1, since: BACKUP + 1, lanes: { a: told(9) } };
  expect(whyBroken(evidence({ witness: young }))).toBe('the witness began after the backup');
});

test('a backup that the journal does not reach back to proves nothing', () => {
  const hours = 72 * 3_600_000;
  expect(whyBroken(evidence({ since: BACKUP + hours - 3_600_000 }))).toBeUndefined();
  expect(whyBroken(evidence({ since: BACKUP + hours }))).toBe('the backup is older than the journal');
});

test('another recovery in the data-loss window proves nothing', () => {
  const { entries } = evidence();
  const another = 'the lost time contains another recovery';
  expect(whyBroken(evidence({ epoch: 3 }))).toBe(another);
  expect(whyBroken(evidence({ entries: [...entries, { ...intent('a', 9, 10), epoch: 2 }] }))).toBe(another);
});

test('an entry from before an earlier recovery hides no hole', () => {
  const earlier = { ...intent('a', 4, 9), epoch: 1 };
  const lanes = { a: told(9, { epoch: 2 }) };
  const entries = [earlier, { ...intent('a', 4, 6), epoch: 2 }];
  expect(whyBroken(evidence({ copied: 2, epoch: 3, entries }, lanes))).toBe('a hole in a');
});

test('each act since the backup is needed: the last one, and the predecessor of each', () => {
  const { entries } = evidence();
  const acts = (n: number): LaneWord => ({
    counter: String(n),
    lastActAt: BACKUP + n,
    epoch: 1,
    ended: true,
    at: BACKUP,
  });
  const withActs = (given: readonly Entry[], n: number) =>
    whyBroken(evidence({ entries: [...entries, ...given] }, { a: told(9), 'p/acts': acts(n) }));
  expect(withActs([act(1), act(2, BACKUP + 1)], 2)).toBeUndefined();
  expect(withActs([act(7, BACKUP - 3_600_000)], 7)).toBeUndefined();
  expect(withActs([act(2, BACKUP + 1)], 2)).toBe('an act is missing');
  expect(withActs([act(1)], 2)).toBe('an act is missing');
});
