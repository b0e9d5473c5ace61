/** Flags for objects: each entry is KEY=VALUE, and the flag is repeated. */
import { expect, test } from 'vitest';
import { apiThat } from './api-double.ts';
import { relais } from './terminal.ts';

test('entries of a body become one object, and a value has whatever stands behind the first =', async () => {
  const { asked, env } = await apiThat(() => ({ body: { id: 'ep_1' } }));
  const headers = ['--headers', 'X-Gateway-Key=a=b, c', '--headers', 'X-Team= pay '];
  const { code } = await relais(['endpoints', 'create', 'https://shop.example', ...headers], { env });
  expect(code).toBe(0);
  expect(asked[0]?.body).toEqual({
    url: 'https://shop.example',
    headers: { 'X-Gateway-Key': 'a=b, c', 'X-Team': ' pay ' },
  });
});

test('metadata belong to a request', async () => {
  const { asked, env } = await apiThat(() => ({ status: 202, body: { id: 'dsb_1', state: 'queued' } }));
  const paying = ['--to', '771234567', '--amount', '5000', '--mode', 'wallet-a-senegal', '--reference', 'r'];
  await relais(['disburse', 'create', ...paying, '--metadata', 'orderId=1042', '--metadata', 'team=north'], { env });
  expect(asked.at(-1)?.body).toMatchObject({ metadata: { orderId: '1042', team: 'north' } });
});

test('an entry of a filter is a parameter of its own, and stays one in the command for the next page', async () => {
  const { asked, env } = await apiThat(() => ({ body: { items: [{ id: 'dsb_1' }], next: 'n.1' } }));
  const { stderr } = await relais(['disburse', 'list', '--metadata', 'orderId=1042'], { env });
  expect(asked[0]?.query).toEqual({ 'metadata.orderId': '1042' });
  expect(stderr).toContain('relais disburse list --metadata orderId=1042 --after n.1');
});

test.for([['orderId'], ['=1042'], ['orderId=1', '--metadata', 'orderId=2']])(
  '%j is refused, with the form that it should have',
  async (given) => {
    const { asked, env } = await apiThat(() => undefined);
    const { code, stderr } = await relais(['disburse', 'list', '--metadata', ...given], { env });
    expect([code, asked]).toEqual([2, []]);
    expect(stderr).toContain('Write KEY=VALUE, and each key once.');
  },
);

test('the help names the form', async () => {
  const { stdout } = await relais(['disburse', 'list', '--help']);
  expect(stdout).toContain('--metadata <key=value>');
});
