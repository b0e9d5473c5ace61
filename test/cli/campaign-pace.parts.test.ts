import { expect, test } from 'vitest';
import { apiThat } from './api-double.ts';
import { relais } from './terminal.ts';

const ID = 'cmp_4n7q0c1w2e3r4t5y6z7a8b9c0d';
const totals = { total: 100, queued: 60, held: 0, sending: 0, sent: 40, failed: 0, unknown: 0, skipped: 0 };
const campaign = (state: string, more: object = {}) => ({ id: ID, name: 'Rappel', state, totals, rate: 0, ...more });

test.for([
  [['--per-second', '20'], { perSecond: 20 }],
  [['--per-second', 'off'], { perSecond: null }],
  [['--quiet-hours'], { quietHours: true }],
  [
    ['--quiet-hours', '22:00-07:00', '--timezone', 'Africa/Abidjan'],
    { quietHours: '22:00-07:00', timezone: 'Africa/Abidjan' },
  ],
  [['--no-quiet-hours'], { quietHours: false }],
  [['--pause-on-failure', '20'], { pauseOnFailure: 20 }],
  [['--no-pause-on-failure'], { pauseOnFailure: false }],
] as const)('pace %o asks for %o', async ([flags, body]) => {
  const { asked, env } = await apiThat(() => ({ body: campaign('running', { perSecond: 20 }) }));
  const { code } = await relais(['campaign', 'pace', ID, ...flags], { env });
  expect([code, asked.map(({ method, path }) => `${method} ${path}`), asked[0]?.body]).toEqual([
    0,
    [`PATCH /v1/campaigns/${ID}`],
    body,
  ]);
});

test.for([[], ['--per-second', '0'], ['--pause-on-failure', '101']])('pace %o is wrong usage', async (flags) => {
  expect((await relais(['campaign', 'pace', ID, ...flags])).code).toBe(2);
});

test('a campaign is made with its time, its hours and its canary', async () => {
  const { asked, env } = await apiThat(() => ({ status: 201, body: campaign('draft') }));
  const flags = ['--send-at', '2026-11-22T08:00:00Z', '--quiet-hours', '--per-second', '50', '--require-sender'];
  await relais(['campaign', 'create', '--name', 'n', '--text', 't', ...flags, '--no-canary'], { env });
  await relais(['campaign', 'create', '--name', 'n', '--text', 't', '--canary', '10'], { env });
  await relais(['campaign', 'create', '--name', 'n', '--text', 't'], { env });
  expect(asked.map(({ body }) => body)).toEqual([
    {
      name: 'n',
      text: 't',
      sendAt: '2026-11-22T08:00:00Z',
      quietHours: true,
      perSecond: 50,
      requireSender: true,
      canary: false,
    },
    { name: 'n', text: 't', canary: 10 },
    { name: 'n', text: 't' },
  ]);
});

test('a follower sees why it is held and how to resume, and not how if it resumes automatically', async () => {
  const bodies = [
    campaign('held', { reason: 'quiet_hours' }),
    campaign('held', { reason: 'quiet_hours' }),
    campaign('running'),
    campaign('held', { reason: 'failures' }),
    campaign('finished'),
  ];
  const { env } = await apiThat((_, at) => ({ body: bodies[Math.min(at, bodies.length) - 1] }));
  const { stdout, stderr } = await relais(['campaign', 'show', ID, '--follow'], { env });
  expect(stdout).toContain('held: too many failed');
  expect(stderr.match(/For details \(it is night there\)/g)).toHaveLength(1);
  expect(stderr.match(/relais campaign resume/g)).toHaveLength(1);
});

test('--per-second off creates a campaign without a limit, as by default', async () => {
  const { asked, env } = await apiThat(() => ({ status: 201, body: campaign('draft') }));
  const create = ['campaign', 'create', '--name', 'n', '--text', 't'];
  await relais([...create, '--per-second', 'off'], { env });
  await relais(create, { env });
  expect(asked.map(({ body }) => body)).toEqual([
    { name: 'n', text: 't' },
    { name: 'n', text: 't' },
  ]);
  expect(asked[0]?.headers['idempotency-key']).toBe(asked[1]?.headers['idempotency-key']);
});
