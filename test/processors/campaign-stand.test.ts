import { expect, test } from 'vitest';
import type { CampaignRecord } from '../../src/operations/record.ts';
import { judgeOutcome } from '../../src/processors/campaign.ts';

type Judged = Pick<CampaignRecord, 'judgedOver' | 'judgedFailed' | 'judgedUnknown'>;

function judge(totals: { sent: number; failed: number; unknown: number }, judged: Partial<Judged> = {}) {
  // What else a campaign has is not asked for.
  return judgeOutcome({ totals, judgedOver: 0, judgedFailed: 0, judgedUnknown: 0, ...judged } as CampaignRecord);
}

test('fewer than two hundred are not judged, and the next judgement counts from where it did', () => {
  expect(judge({ sent: 0, failed: 0, unknown: 199 })).toEqual({});
});

test('half in doubt stop it, and a little less do not', () => {
  expect(judge({ sent: 100, failed: 0, unknown: 100 }).stop).toBe('in_doubt');
  expect(judge({ sent: 101, failed: 0, unknown: 99 })).toEqual({ judged: { over: 200, failed: 0, unknown: 99 } });
});

test('failures are called failures, whoever is in doubt beside them', () => {
  expect(judge({ sent: 0, failed: 120, unknown: 80 }).stop).toBe('failures');
});

test('who was in doubt and was found since does not hide those who come to be', () => {
  const found = judge({ sent: 1_040, failed: 0, unknown: 110 }, { judgedOver: 1_000, judgedUnknown: 400 });
  expect(found).toEqual({ judged: { over: 1_000, failed: 0, unknown: 110 } });
  const judged = { judgedOver: 1_000, judgedUnknown: 110 };
  expect(judge({ sent: 1_040, failed: 0, unknown: 310 }, judged).stop).toBe('in_doubt');
});

test('a record from before doubt was judged is not stopped for what was in doubt then', () => {
  const old = { judgedOver: 0, judgedFailed: 0 };
  expect(judgeOutcome({ totals: { sent: 0, failed: 0, unknown: 900 }, ...old } as CampaignRecord).stop).toBe(
    undefined,
  );
});
