import { assert, constant, integer, nat, property, record } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CampaignProgress, paceOf, remember, renderBar, renderLine } from '../../src/cli/progress.ts';

const totals = {
  total: 80_100,
  queued: 30_000,
  held: 0,
  sending: 10_000,
  sent: 39_000,
  failed: 900,
  unknown: 100,
  skipped: 100,
};
const halfway: CampaignProgress = { state: 'running', totals, perSecond: 800 };
const finished = { ...totals, queued: 0, sending: 0, sent: 79_000 };

describe('a line', () => {
  test('shows progress, failures, rate and remaining time', () => {
    expect(renderLine(halfway)).toBe(
      ' 50 %  sent 39\u00a0000/80\u00a0000 · failed 900 · unknown 100 · 800/s · 50s left',
    );
  });

  test('promises no time while the rate is unknown', () => {
    expect(renderLine({ ...halfway, perSecond: 0 })).not.toContain('left');
  });

  test('shows that the canary is alone and when the rest follows, and promises no time then', () => {
    const canary = { recipients: 50, restAt: '2026-11-28T02:47:00.000Z' };
    const line = renderLine({ ...halfway, canary });
    expect(line).toMatch(/unknown 100 · first 50 sent; the rest follows at about \S.* if they arrive$/);
    expect(renderLine({ ...halfway, canary: { ...canary, restAt: null } })).toMatch(
      /first 50 sent; the rest follows if they arrive$/,
    );
    expect(renderLine({ ...halfway, canary }, 'fr')).toContain('50 premiers envoyés ; la suite part vers');
  });

  test('shows why it is blocked, and promises no time then', () => {
    const line = renderLine({ ...halfway, state: 'paused', reason: 'too many failures' });
    expect(line).toMatch(/unknown 100 · paused: too many failures$/);
  });

  test('shows its limit, and when it begins', () => {
    expect(renderLine({ ...halfway, limit: 1_000 })).toMatch(/50s left · at most 1\u00a0000\/s$/);
    const sendAt = '2026-11-22T08:00:00.000Z';
    expect(renderLine({ ...halfway, state: 'scheduled', sendAt })).toMatch(
      /· scheduled for 2026-11-22T08:00:00.000Z$/,
    );
  });

  test('shows 100 % only at the end', () => {
    expect(renderLine({ ...halfway, totals: { ...finished, sending: 1, sent: 78_999 } })).toContain(' 99 %');
    expect(renderLine({ ...halfway, totals: finished })).toContain('100 %');
  });

  test('of a campaign without recipients is at its end', () => {
    const nobody = { total: 3, queued: 0, held: 0, sending: 0, sent: 0, failed: 0, unknown: 0, skipped: 3 };
    expect(renderLine({ state: 'draft', totals: nobody, perSecond: 0 })).toContain('100 %  sent 0/0');
  });
});

test('recipients left at a cancellation are no progress', () => {
  const some = { ...finished, sent: 20_000, failed: 0, unknown: 0 };
  expect(renderLine({ state: 'cancelled', totals: some, perSecond: 0 })).toMatch(/^ 25 % .* · cancelled$/);
});

test('in French, with the reason in French words', () => {
  const held = { ...halfway, state: 'held', reason: 'canary_in_doubt' };
  expect(renderLine(held, 'fr')).toMatch(
    /échecs 900 · incertains 100 · retenue : impossible de dire si les premiers destinataires l’ont reçu$/,
  );
  expect(renderLine(held)).toMatch(/· held: it is not known whether the first recipients got it$/);
});

describe('a bar', () => {
  test('is filled as far as the campaign is', () => {
    expect(renderBar(halfway, 200)).toMatch(/^█{20}░{20} {2} 50 %/);
    expect(renderBar({ ...halfway, totals: finished }, 200)).toMatch(/^█{40} {2}100 %/);
  });

  test('gives way to the words where there is little room', () => {
    expect(renderBar(halfway, 80)).toMatch(/^█{3}░{3} {2} 50 % {2}sent/);
    expect(renderBar(halfway, 79)).toMatch(/^ 50 % {2}sent/);
  });

  test('is always narrower than the terminal', () => {
    const count = nat(2_000_000);
    const any = record({
      total: count,
      queued: count,
      held: count,
      sending: count,
      sent: count,
      failed: count,
      unknown: count,
      skipped: constant(0),
    });
    assert(
      property(any, integer({ min: 1, max: 300 }), (some, columns) => {
        const sum = some.queued + some.held + some.sending + some.sent + some.failed + some.unknown;
        const bar = renderBar({ ...halfway, totals: { ...some, total: sum } }, columns);
        expect(bar.length).toBeLessThan(columns);
      }),
    );
  });
});

describe('the pace', () => {
  test('is unknown before a second has passed', () => {
    expect(paceOf([])).toBeUndefined();
    expect(paceOf([{ atMs: 0, settled: 0 }])).toBeUndefined();
    expect(
      paceOf([
        { atMs: 0, settled: 0 },
        { atMs: 999, settled: 50 },
      ]),
    ).toBeUndefined();
  });

  test('is that of the last ten seconds, not that of the whole campaign', () => {
    let samples = remember([], { atMs: 0, settled: 0 });
    samples = remember(samples, { atMs: 60_000, settled: 60_000 });
    samples = remember(samples, { atMs: 65_000, settled: 60_500 });
    expect(paceOf(samples)).toBe(100);
  });
});
