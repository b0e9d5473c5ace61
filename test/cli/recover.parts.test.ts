import { expect, test } from 'vitest';
import type { Services } from '../../src/cli/io.ts';
import { apiThat } from './api-double.ts';
import { relais } from './terminal.ts';

const sum = (count: number, xof = 0) => ({ count, xof });
const row = (kind: string, open: number, xof = 0) => ({
  kind,
  open: sum(open, xof),
  settled: sum(1),
  needsReview: sum(open - 1, xof),
  underWay: sum(0),
  held: sum(0),
});
const under = {
  state: 'recovering',
  because: 'rolled_back',
  since: '2026-11-21T08:00:00.000Z',
  lastBeat: '2026-11-20T08:00:00.000Z',
  proven: true,
};
const over = {
  state: 'none',
  over: true,
  last: { items: [row('disbursement', 12, 60_000)], lostSince: '2026-11-20T08:00:00.000Z' },
};

test('shows what is open, the provider’s statuses, and the effect of an apply', async () => {
  const open = [{ kind: 'disbursement', state: 'queued', count: 1_200, xof: 6_000_000, would: 'review' }];
  const says = [{ kind: 'disbursement', asked: 50, words: { success: 48, pending: 2 } }];
  const { asked, env } = await apiThat(() => ({ body: { ...under, open, says } }));
  const { code, stdout, stderr } = await relais(['recover'], { env });
  expect([code, asked.map(({ method, path, query }) => [method, path, query])]).toEqual([
    0,
    [['GET', '/v1/recovery', { ask: '50' }]],
  ]);
  expect(stdout).toMatch(/because\s+rolled_back/);
  expect(stdout).toMatch(/last active\s+2026-11-20T08:00:00.000Z/);
  expect(stdout).toMatch(/disbursement\s+queued\s+1.200\s+6.000.000\s+needs review/);
  expect(stdout).toContain('The provider reports for 50 of disbursement: 48 success, 2 pending');
  expect(stderr).toContain('relais recover --apply');
});

test('repeats until the end, then shows the results and what users must do', async () => {
  let turns = 0;
  const { asked, env } = await apiThat(() => {
    turns += 1;
    return { body: turns < 3 ? { ...under, over: false, progress: { done: turns, of: 12 } } : over };
  });
  const { code, stdout, stderr } = await relais(['recover', '--apply'], { env });
  expect([code, asked.map(({ body }) => body)]).toEqual([0, [1, 2, 3].map(() => ({ apply: true }))]);
  expect(stdout).toMatch(/disbursement\s+12\s+1\s+11\s+0\s+0\s+60.000/);
  expect(stderr).toContain('Opt-outs since 2026-11-20T08:00:00.000Z are lost');
});

test('on a terminal it asks first, and shows how far it is', async () => {
  let turns = 0;
  const { asked, env } = await apiThat(() => {
    turns += 1;
    return { body: turns < 2 ? { ...under, over: false, progress: { done: 5, of: 12 } } : over };
  });
  expect((await relais(['recover', '--apply'], { env, isTerminal: true, types: 'n\n' })).code).toBe(1);
  expect(asked).toEqual([]);
  const { stderr } = await relais(['recover', '--apply'], { env, isTerminal: true, types: 'y\n' });
  expect(stderr).toContain('5 of 12');
});

test('two persons confirm that nothing was lost, and both words at once are wrong usage', async () => {
  let times = 0;
  const { asked, env } = await apiThat(() => {
    times += 1;
    return { body: times === 1 ? { ...under, over: false, first: 'awa' } : { state: 'none', over: true } };
  });
  const first = await relais(['recover', '--nothing-was-lost'], { env });
  expect([first.code, first.stderr]).toEqual([0, expect.stringContaining('awa has confirmed it')]);
  expect((await relais(['recover', '--nothing-was-lost'], { env })).stderr).toContain('relais continues as before.');
  expect(asked.map(({ body }) => body)).toEqual([{ nothingWasLost: true }, { nothingWasLost: true }]);
  expect((await relais(['recover', '--nothing-was-lost', '--apply'], { env })).code).toBe(2);
});

test('reports that no recovery is running, and the help shows every command', async () => {
  const { env } = await apiThat(() => ({ body: { state: 'none', open: [] } }));
  expect((await relais(['recover'], { env })).stderr).toContain('No recovery is active.');
  const { stdout } = await relais(['recover', '--help']);
  for (const way of ['relais recover --apply', 'relais recover --nothing-was-lost']) expect(stdout).toContain(way);
});

test.for([
  ['y\n', 0],
  ['n\n', 1],
] as const)(
  '--new-stamp names the addresses that differ, and asks before it accepts them: %j',
  async ([types, exit]) => {
    const newStamp: Services['newStamp'] = async ({ confirmed }) => ((await confirmed(['SERVICE_BASE_URL'])) ? 0 : 1);
    const situation = { isTerminal: true, services: { newStamp }, types };
    const { code, stderr } = await relais(['recover', '--new-stamp'], situation);
    expect([code, stderr]).toEqual([exit, expect.stringContaining('SERVICE_BASE_URL')]);
  },
);
