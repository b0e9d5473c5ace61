import { expect, test } from 'vitest';
import { apiThat } from './api-double.ts';
import { relais } from './terminal.ts';

const made = { id: 'key_1', name: 'awa-phone', roles: ['read', 'approve'], person: 'awa', secret: 'rk_1' };

test('its help names the holder of the key, and its accounts', async () => {
  const { stdout } = await relais(['keys', 'create', '--help']);
  const help = stdout.replaceAll(/\s+/g, ' ');
  expect(help).toContain(
    '--person <text> Person who holds the key: for approvals, two keys of one person count as one.',
  );
  expect(help).toContain('--accounts <words> Only these accounts. Default: all accounts');
  expect(help).toContain('relais keys create --name awa-phone --roles read,approve --person awa --accounts main');
});

test('a key is created for a person, and for some accounts', async () => {
  const { asked, env } = await apiThat(() => ({ status: 201, body: made }));
  const flags = ['--name', 'awa-phone', '--roles', 'read,approve', '--person', 'awa', '--accounts', 'main, shop'];
  expect((await relais(['keys', 'create', ...flags], { env })).code).toBe(0);
  expect(asked).toMatchObject([
    { body: { name: 'awa-phone', roles: ['read', 'approve'], person: 'awa', accounts: ['main', 'shop'] } },
  ]);
});
