/** The package of `npm install relais`: packed by npm, installed into an empty project, and used there. */
import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../tidy/scanner.ts';

const project = mkdtempSync(join(tmpdir(), 'relais-package-'));
const installed = join(project, 'node_modules/relais');
const run = (command: string, ...args: readonly string[]) =>
  promisify(execFile)(command, [...args], { cwd: project });
const read = (path: string): string => readFileSync(join(installed, path), 'utf8');

beforeAll(() => {
  const options = { cwd: root, encoding: 'utf8', stdio: 'pipe' } as const;
  const packed = execFileSync(
    'npm',
    ['pack', '--silent', '--ignore-scripts', '--pack-destination', project],
    options,
  );
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify({ name: 'an unknown person', private: true, type: 'module' }),
  );
  const asked = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--silent'];
  execFileSync('npm', ['install', ...asked, `./${packed.trim()}`], { ...options, cwd: project });
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

test('the command runs', async () => {
  const { stdout } = await run('node_modules/.bin/relais', '--help');
  expect(stdout).toContain('doctor');
});

test('every way in can be imported, and has types', async () => {
  const { exports } = JSON.parse(read('package.json')) as { exports: Record<string, string | { types: string }> };
  expect(Object.keys(exports).length).toBeGreaterThan(5);
  for (const [way, where] of Object.entries(exports)) {
    if (typeof where === 'string') continue;
    expect(existsSync(join(installed, where.types))).toBe(true);
    const name = `relais${way.slice(1)}`;
    const { stdout } = await run('node', '-e', `import('${name}').then((it) => console.log(Object.keys(it).length))`);
    expect(Number(stdout)).toBeGreaterThan(0);
  }
});

test('the console comes along, with every file that its page names', () => {
  const named = [...read('dist/console/index.html').matchAll(/(?:src|href)="\/console\/([^"]+)"/g)];
  expect(named.length).toBeGreaterThan(2);
  const missing = named.filter(([, path = '']) => !existsSync(join(installed, 'dist/console', path)));
  expect(missing).toEqual([]);
});

test('the schema of the queue’s jobs is included', async () => {
  const ask = `console.log(require('relais/intake.schema.json').$schema)`;
  const { stdout } = await run('node', '--input-type=commonjs', '-e', ask);
  expect(stdout).toContain('json-schema.org');
});

test('files only for the repository are not included', () => {
  const paths = readdirSync(installed, { recursive: true, encoding: 'utf8' });
  expect(paths).toContain(join('dist', 'main.js'));
  expect(
    paths.filter((path) => /^(?:src|test|script|site|docs\/dev|Dockerfile|CONTRIBUTING)\b|\.map$/.test(path)),
  ).toEqual([]);
});

test('the pages are included, with their link targets', () => {
  const names = readdirSync(join(installed, 'docs'), { recursive: true, encoding: 'utf8' });
  const pages = ['README.md', ...names.map((name) => join('docs', name))];
  const texts = pages.filter((path) => path.endsWith('.md'));
  expect(texts.length).toBeGreaterThan(30);
  const missing = texts.flatMap((path) => {
    const links = [...read(path).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map(([, link = '']) => link);
    // Some pages name sources, tests and pages for contributors, for those who have the repository before them.
    const ours = links
      .map((link) => join(dirname(path), link))
      .filter((link) => !/^(?:src|test|script|CONTRIBUTING|docs\/dev)\b/.test(link));
    return ours.filter((link) => !existsSync(join(installed, link))).map((link) => `${path}: ${link}`);
  });
  expect(missing).toEqual([]);
});

/** Cases beyond the README, and errors that the compiler must report. */
const MORE = `
import { type Api, createClient, onEvent, Refused, verifyWebhook, type WithdrawMode } from 'relais';
import { fakeProducer } from 'relais/producer/testing';
const mode: WithdrawMode = 'wallet-a-ci';
const http = createClient({ url: process.env.RELAIS_URL, key: process.env.RELAIS_API_KEY });
const paid = await http.createDisbursement({ body: { reference: 'p', accountAlias: '7', amount: 1, withdrawMode: mode } });
await relais.invoice({ reference: 'i', totalAmount: 100, store: { name: 'x' } });
await relais.paymentRequest({ amount: 100, phone: '771234567', feesPaidBy: 'customer' }, { idempotencyKey: 'k' });
await relais.directCredit({ accountAlias: 'shop', amount: 100, reference: 'd' });
// @ts-expect-error -- no such mode
await relais.disburse({ reference: 'a', accountAlias: '7', amount: 1, withdrawMode: 'wallet-a-senegall' });
// @ts-expect-error -- neither a reference nor a key
await relais.disburse({ accountAlias: '7', amount: 1, withdrawMode: mode });
const extra = fakeProducer({ extraWithdrawModes: ['wallet-q-togo'] });
await extra.disburse({ reference: 'a', accountAlias: '7', amount: 1, withdrawMode: 'wallet-q-togo' });
const handler: Parameters<typeof onEvent>[0]['handler'] = async (event) => {
  if (event.type === 'disbursement.succeeded') console.log(event.data.amount);
};
await onEvent({ database: process.env.DATABASE_URL, group: 'g', signal: AbortSignal.timeout(1), handler });
const heard = (event: Api.Event) => (event.type === 'disbursement.succeeded' ? event.data.transactionId : event.id);
heard(verifyWebhook({ secret: 'whsec_', headers: new Request('http://a').headers, body: '{}' }));
heard(verifyWebhook({ secret: 'whsec_', headers: { 'webhook-id': ['1'] } as NodeJS.Dict<string[]>, body: Buffer.from('') }));
for await (const one of http.each('listDisbursements', { state: ['failed'], limit: 50 })) console.log(one.state);
const judged = await http.createDisbursement({ dryRun: true, body: { accountAlias: '7', amount: 1, withdrawMode: mode } });
console.log(judged.dryRun, paid.amount, (await http.getBatchReport({ id: 'bat_1', accept: 'text/csv' })).body);
await http.createBatch({ file: { type: 'text/csv', content: 'a,b' }, account: 'main', signal: AbortSignal.timeout(1) });
await http.listQueues().catch((error: unknown) => error instanceof Refused && [error.word === 'forbidden', error.rule]);
// @ts-expect-error -- no such filter
await http.listDisbursements({ sate: ['failed'] });
// @ts-expect-error -- no such state
await http.listDisbursements({ state: ['lost'] });
// @ts-expect-error -- nothing is named
await http.getDisbursement({});
// @ts-expect-error -- an amount is a number
await http.createDisbursement({ body: { accountAlias: '7', amount: '1', withdrawMode: mode } });
// @ts-expect-error -- not a list
http.each('getStatus');
`;

const blocksOf = (page: string): string[] =>
  [...read(page).matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);

test('the TypeScript of README, docs/http.md and docs/batches.md compiles for a user', async () => {
  // The README's examples build on each other; those of the other page are independent.
  const files = [
    `${blocksOf('README.md').join('\n')}${MORE}`,
    ...blocksOf('docs/http.md'),
    ...blocksOf('docs/batches.md'),
  ];
  expect(files.length).toBeGreaterThan(2);
  const names = files.map((_, at) => `use-${at}.ts`);
  for (const [at, text] of files.entries()) writeFileSync(join(project, names[at] ?? ''), text);
  const tools = ['old@npm:typescript@5.4.5', 'new@npm:typescript@7.0.2', '@types/node@20.19.43'];
  execFileSync('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--silent', '--no-save', ...tools], {
    cwd: project,
    stdio: 'pipe',
  });
  const ways = [
    ['--module', 'node16', '--moduleResolution', 'node16'],
    ['--module', 'esnext', '--moduleResolution', 'bundler'],
  ];
  const strictly = ['--noEmit', '--strict', '--target', 'es2022', '--types', 'node', ...names];
  for (const compiler of ['old', 'new']) {
    for (const way of ways) {
      const said = await run('node', `node_modules/${compiler}/bin/tsc`, ...strictly, ...way).catch(
        (error: { stdout: string }) => error,
      );
      expect([compiler, way[1], said.stdout]).toEqual([compiler, way[1], '']);
    }
  }
});

test('an undefined address is named, by producer and receiver', async () => {
  const ask = `import { createProducer, onEvent } from 'relais';
    const unset = process.env.NOT_SET_ANYWHERE;
    try { createProducer({ redis: unset }); } catch (error) { console.log(error.message); }
    await onEvent({ database: unset, group: 'g', signal: AbortSignal.timeout(1), handler: async () => {} })
      .catch((error) => console.log(error.message));`;
  const { stdout } = await run('node', '--input-type=module', '-e', ask);
  expect(stdout).toMatch(/is REDIS_URL set[^]*is DATABASE_URL set/);
});

test('an example runs as it is written, against the package', async () => {
  // Copied first, as a user would: Node strips no types inside node_modules.
  const example = join(project, 'enqueue.ts');
  copyFileSync(join(installed, 'examples/enqueue.ts'), example);
  const { stdout, stderr } = await run('node', example).catch((error: { stdout: string; stderr: string }) => error);
  // There is no Redis here: it fails when it connects.
  expect(stdout + stderr).not.toContain('Cannot find');
  expect(stdout + stderr).toMatch(/ECONNREFUSED|Unconfirmed|not be confirmed|disbursement/);
});
