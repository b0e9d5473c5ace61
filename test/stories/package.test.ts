/** What `npm install relais` brings: packed as npm packs it, installed into an empty project, and used from there. */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'somebody', private: true, type: 'module' }));
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
  expect(Object.keys(exports).length).toBeGreaterThan(4);
  for (const [way, where] of Object.entries(exports)) {
    if (typeof where === 'string') continue;
    expect(existsSync(join(installed, where.types))).toBe(true);
    const name = `relais${way.slice(1)}`;
    const { stdout } = await run('node', '-e', `import('${name}').then((it) => console.log(Object.keys(it).length))`);
    expect(Number(stdout)).toBeGreaterThan(0);
  }
});

test('the schema of what the queue takes comes along', async () => {
  const ask = `console.log(require('relais/intake.schema.json').$schema)`;
  const { stdout } = await run('node', '--input-type=commonjs', '-e', ask);
  expect(stdout).toContain('json-schema.org');
});

test('the pages come along, and what they point to', () => {
  const pages = ['README.md', ...readdirSync(join(installed, 'docs')).map((name) => `docs/${name}`)];
  const texts = pages.filter((path) => path.endsWith('.md'));
  expect(texts.length).toBeGreaterThan(15);
  const missing = texts.flatMap((path) => {
    const links = [...read(path).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map(([, link = '']) => link);
    // Some pages name sources and tests, for those who have the repository before them.
    const ours = links
      .map((link) => join(dirname(path), link))
      .filter((link) => !/^(?:src|test|script)\b/.test(link));
    return ours.filter((link) => !existsSync(join(installed, link))).map((link) => `${path}: ${link}`);
  });
  expect(missing).toEqual([]);
});

test('an example runs as it is written, against the package', async () => {
  const { stdout, stderr } = await run(
    'node',
    join(root, 'node_modules/tsx/dist/cli.mjs'),
    join(installed, 'examples/enqueue.ts'),
  ).catch((error: { stdout: string; stderr: string }) => error);
  // There is no Redis here: it gets as far as asking for one.
  expect(stdout + stderr).not.toContain('Cannot find');
  expect(stdout + stderr).toMatch(/ECONNREFUSED|Unconfirmed|not be confirmed|disbursement/);
}, 60_000);
