import { expect, test } from 'vitest';
import { apiThat } from './api-double.ts';
import { relais } from './terminal.ts';

const held = [{ area: 'payments', reason: 'stopped', since: '2026-11-21T08:00:00.000Z' }];
const accounts = {
  items: [
    { name: 'main', held },
    { name: 'shop', held: [] },
  ],
};
const api = () =>
  apiThat(({ path, method }) => {
    if (method === 'GET') return { body: accounts };
    return { body: { name: 'main', held: path.endsWith('/stop') ? held : [] } };
  });

test('a list has a line for each hold, and for each account without one', async () => {
  const { env } = await api();
  const { code, stdout, stderr } = await relais(['account', 'list'], { env });
  expect(code).toBe(0);
  expect(stdout.split('\n').map((line) => line.split(/ +/).join(' '))).toEqual([
    'account area state reason since',
    'main payments held stopped 2026-11-21T08:00:00.000Z',
    'shop open',
    '',
  ]);
  expect(stderr).toBe('What a reason means: relais explain stopped\n');
});

test('--json prints them as they come', async () => {
  const { env } = await api();
  expect(JSON.parse((await relais(['account', 'list', '--json'], { env })).stdout)).toEqual(accounts);
});

test('a stop is asked for on a terminal, and named with its way back', async () => {
  const { asked, env } = await api();
  const no = await relais(['account', 'stop', 'main'], { env, types: 'n\n', isTerminal: true });
  expect(no).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Stop all disbursements of the account main?'),
  });
  expect(asked).toEqual([]);
  const { code, stdout, stderr } = await relais(['account', 'stop', 'main', '--yes'], { env, isTerminal: true });
  expect(code).toBe(0);
  expect(asked[0]).toMatchObject({ method: 'POST', path: '/v1/accounts/main/stop' });
  expect(stdout).toContain('stopped');
  expect(stderr).toContain('relais account release main');
});

test('a release is done at once', async () => {
  const { asked, env } = await api();
  const { code, stdout } = await relais(['account', 'release', 'a/b'], { env, isTerminal: true });
  expect(code).toBe(0);
  expect(asked[0]).toMatchObject({ method: 'POST', path: '/v1/accounts/a%2Fb/release' });
  expect(stdout).toContain('open');
});
