import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { apiThat, type Reply } from './api-double.ts';
import { relais } from './terminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'relais-test-send-'));
const file = join(folder, 'a.csv');
writeFileSync(file, 'to;prenom\nnobody;Personne\n+221771234567;Françoise\n+221771234568;Ben\n');
afterAll(() => rmSync(folder, { recursive: true }));

const text = ['--text', 'Bonjour {{prenom}}'];
const checking = ['campaign', 'check', file, ...text, '--test-send', '+221 77 000 00 01,0022890000001'];
const takesThem = async () =>
  apiThat(({ path }, at): Reply => {
    if (path === '/v1/messages')
      return { status: 202, body: { items: [{ index: 0, id: `msg_${at}`, outcome: 'accepted' }] } };
    return path === '/v1/campaigns'
      ? { status: 201, body: { id: 'cmp_1', name: 'n', state: 'draft' } }
      : { body: {} };
  });

test('the first recipient’s text is sent only to the given numbers', async () => {
  const { asked, env } = await takesThem();
  const { code, stderr } = await relais([...checking, '--from', 'SHOP', '--replace-costly'], { env });
  expect(code).toBe(0);
  expect(asked.map(({ method, path, body }) => [method, path, body])).toEqual([
    ['POST', '/v1/messages', { to: '+221770000001', text: 'Bonjour Francoise', from: 'SHOP' }],
    ['POST', '/v1/messages', { to: '+22890000001', text: 'Bonjour Francoise', from: 'SHOP' }],
  ]);
  expect(stderr).toContain('Test to +22890000001: accepted  msg_2');
});

test.for([
  ['n\n', 1, 0],
  ['', 1, 0],
  ['oui\n', 0, 2],
] as const)('on a terminal it asks first: %j', async ([types, exit, sent]) => {
  const { asked, env } = await takesThem();
  const { code, stderr } = await relais(checking, { env, types, isTerminal: true });
  expect(stderr).toContain(
    'The text of row 3:\n  Bonjour Françoise\nSend it to +221770000001, +22890000001 now? [y/N]',
  );
  expect({ code, sent: asked.length }).toEqual({ code: exit, sent });
});

test('--yes does not ask', async () => {
  const { asked, env } = await takesThem();
  expect(await relais([...checking, '--yes'], { env, isTerminal: true })).toMatchObject({ code: 0 });
  expect(asked).toHaveLength(2);
});

test('without recipients, there is no text to try', async () => {
  const { asked, env } = await takesThem();
  const empty = join(folder, 'empty.csv');
  writeFileSync(empty, 'to;prenom\nnobody;Personne\n');
  const { code, stderr } = await relais(['campaign', 'check', empty, ...checking.slice(3)], { env });
  expect({ code, asked }).toEqual({ code: 1, asked: [] });
  expect(stderr).toContain('There is no SMS to test');
  expect(stderr).toContain('what is wrong with each row stands above');
});

test('create sends the test after the upload; --dry-run sends nothing', async () => {
  const { asked, env } = await takesThem();
  const creating = ['campaign', 'create', '--name', 'n', ...text, '--test-send', '+221770000001', file];
  expect(await relais(creating, { env })).toMatchObject({ code: 0 });
  expect(asked.map(({ path }) => path)).toEqual(['/v1/campaigns', '/v1/campaigns/cmp_1/recipients', '/v1/messages']);
  expect(await relais([...creating, '--dry-run'], { env })).toMatchObject({ code: 2 });
});

test('a dry run of create asks no question, and shows what would be sent and its cost', async () => {
  const { asked, env } = await takesThem();
  const prices = join(folder, 'prices.json');
  writeFileSync(prices, '{"SN": 20}');
  const creating = ['campaign', 'create', '--name', 'n', ...text, '--dry-run', '--prices', prices, '--preview', '1'];
  const { code, stdout, stderr } = await relais([...creating, file], { env });
  expect({ code, asked }).toEqual({ code: 0, asked: [] });
  expect(stdout).toContain('│ Bonjour Françoise');
  expect(stderr.replaceAll('\u00a0', ' ')).toContain('It would text 2 people, 2 segments, about 40 XOF.');
  const json = JSON.parse((await relais([...creating, '--json', file], { env })).stdout);
  expect(json).toMatchObject({ dryRun: true, upload: { recipients: 2, cost: { xof: 40 } } });
});

test('a dry run of start asks how large the campaign is, and starts nothing', async () => {
  const totals = { total: 120, queued: 100, skipped: 20 };
  const cost = { estimated: true, xof: 4_000, unpriced: ['BF'] };
  const body = { id: 'cmp_1', name: 'Rappel', state: 'ready', totals, segments: 200, cost };
  const { asked, env } = await apiThat(() => ({ body }));
  const { code, stdout } = await relais(['campaign', 'start', 'cmp_1', '--dry-run'], { env });
  expect({ code, asked: asked.map(({ method }) => method) }).toEqual({ code: 0, asked: ['GET'] });
  expect(stdout.replaceAll('\u00a0', ' ')).toBe(
    'It is ready; a start would text 100 people (“Rappel”, 200 segments, about 4 000 XOF; no price known for BF).\n',
  );
  const json = JSON.parse((await relais(['campaign', 'start', 'cmp_1', '--dry-run', '--json'], { env })).stdout);
  expect(json).toEqual({ dryRun: true, ...body });
});

test('a check against a campaign is a dry run of its upload, with what only the API knows', async () => {
  const reasons = {
    opted_out: { count: 1, examples: [{ row: 3, to: '+221771234567' }] },
    no_country: { count: 2, examples: [] },
  };
  const known = { total: 4, recipients: 1, skipped: 3, blank: 0, format: 'csv', encoding: 'utf-8' };
  const nothing = { countries: {}, repaired: { count: 0, examples: [] } };
  const { asked, env } = await apiThat(() => ({ body: { dryRun: true, ...known, ...nothing, reasons } }));
  const argv = ['campaign', 'check', file, '--campaign', 'cmp_1', '--repair', 'CI', '--preview', '2'];
  const { code, stdout } = await relais(argv, { env });
  expect(asked.map(({ method, path, query }) => [method, path, query])).toEqual([
    ['POST', '/v1/campaigns/cmp_1/recipients', { dryRun: 'true', repair: 'CI', preview: '2' }],
  ]);
  expect(stdout).toContain('opted_out: The recipient opted out of SMS.');
  // The country is that of the campaign.
  expect(stdout).toContain('--leave-out no_country');
  expect(stdout).not.toContain('--country');
  expect(code).toBe(1);
  expect(await relais([...argv, '--text', 'x'], { env })).toMatchObject({ code: 2 });
});

test('a server with another answer to a check is reported as no relais', async () => {
  const { env } = await apiThat(() => ({ body: { hello: 'world' } }));
  const { code, stdout, stderr } = await relais(['campaign', 'check', file, '--campaign', 'cmp_1'], { env });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain('is not the API of relais');
});

test('create reads standard input, and passes on the repairs and replacements', async () => {
  const { asked, env } = await takesThem();
  const creating = ['campaign', 'create', '--name', 'n', '--text', 'x', '--repair', 'CI,BJ', '--replace-costly', '-'];
  const { code } = await relais(creating, { env, types: 'to\n+22507000001\n' });
  expect(code).toBe(0);
  expect(asked[0]?.body).toEqual({ name: 'n', text: 'x', replaceCostly: true });
  expect(asked[1]).toMatchObject({ query: { repair: 'CI,BJ' }, text: 'to\n+22507000001\n' });
});
