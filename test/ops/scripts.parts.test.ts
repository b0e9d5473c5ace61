/** script/setup and script/test, on a separate tree in which npm, apt-get and vitest only record their calls. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { root } from '../tidy/scanner.ts';

let tree: string;
beforeEach(() => {
  tree = mkdtempSync(join(tmpdir(), 'relais-scripts-'));
  for (const name of ['setup', 'test', 'test-totals.mjs', 'node.mjs', 'node-path'])
    put(`script/${name}`, join(root, 'script', name));
  for (const path of ['src', 'console', 'dist', 'node_modules/.bin', 'bin'])
    mkdirSync(join(tree, path), { recursive: true });
  for (const path of ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json'])
    writeFileSync(join(tree, path), '');
  // Older than its products, for any resolution of the disk's clock.
  for (const path of ['src', 'console', 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json'])
    utimesSync(join(tree, path), 0, 0);
  for (const path of ['dist/main.js', 'node_modules/.package-lock.json']) writeFileSync(join(tree, path), '');
});
afterEach(() => rmSync(tree, { recursive: true, force: true }));

function put(path: string, from: string): void {
  mkdirSync(dirname(join(tree, path)), { recursive: true });
  copyFileSync(from, join(tree, path));
  chmodSync(join(tree, path), 0o755);
}

function program(path: string, ...lines: readonly string[]): void {
  writeFileSync(join(tree, path), ['#!/bin/bash', ...lines, ''].join('\n'), { mode: 0o755 });
}

/** No Redis on the path, and only what the scripts need. */
function barePath(): string {
  const needed = [
    'bash',
    'wc',
    'cat',
    'mkdir',
    'rm',
    'find',
    'dirname',
    'env',
    'head',
    'tail',
    'touch',
    'grep',
    'sleep',
  ];
  for (const name of needed) {
    const { stdout } = spawnSync('bash', ['-c', `type -P ${name}`], { encoding: 'utf8' });
    symlinkSync(stdout.trim(), join(tree, 'bin', name));
  }
  symlinkSync(process.execPath, join(tree, 'bin/node'));
  return join(tree, 'bin');
}

function setUp(...args: readonly string[]) {
  program('script/generate', 'exit 0');
  for (const name of ['apt-get', 'sudo', 'dpkg-deb', 'dpkg'])
    program(`bin/${name}`, `echo "${name} $*" >>"${tree}/asked"`, 'exit 1');
  program('bin/npm', 'exit 0');
  const env = { PATH: barePath() };
  const ran = spawnSync('bash', [join(tree, 'script/setup'), ...args], { env, encoding: 'utf8' });
  return { ...ran, asked: existsSync(join(tree, 'asked')) ? readFileSync(join(tree, 'asked'), 'utf8') : '' };
}

test('setup never installs anything on the system by default, for any user', () => {
  const { asked, status } = setUp();
  expect(status).toBe(1);
  expect(asked).not.toMatch(/\binstall\b|sudo/);
  // Downloads go into this folder.
  expect(asked).toMatch(/^apt-get -o Dir::State::Lists=.*\.relais\/redis\/apt\/lists .* update$/m);
});

test('with --system it calls the package manager, and with another word it lists the options', () => {
  expect(setUp('--system').asked).toMatch(/^(sudo -v|apt-get update)$/m);
  const wrong = spawnSync('bash', [join(tree, 'script/setup'), '--sytem'], { encoding: 'utf8' });
  expect([wrong.status, wrong.stderr]).toEqual([2, 'usage: script/setup [--system]\n']);
});

test('its tools store files in its folder, not in the user’s', () => {
  program('script/setup', 'exit 0');
  program('node_modules/.bin/vitest', `echo "$XDG_CACHE_HOME $XDG_DATA_HOME" >"${tree}/places"`);
  spawnSync('bash', [join(tree, 'script/test'), 'unit'], { env: environment(), encoding: 'utf8' });
  const places = readFileSync(join(tree, 'places'), 'utf8').trim().split(' ');
  expect(places).toEqual([join(tree, '.relais/cache'), join(tree, '.relais/data')]);
});

/** Without the tests' own server: the tree has none. */
const environment = (): NodeJS.ProcessEnv => ({ ...process.env, REDIS_SERVER: '' });

/** This tree's vitest leaves a server and a folder, prints them, and exits as given. */
function leavesServer(ends: string, session: '' | 'setsid' = ''): void {
  program('script/setup', 'exit 0');
  program(
    'node_modules/.bin/vitest',
    `mktemp -d >"${tree}/folder"`,
    `${session} sleep 1000 & echo $! >"${tree}/server"`,
    'echo " ✓ x.test.ts"',
    ends,
  );
}

const folder = (): string => readFileSync(join(tree, 'folder'), 'utf8').trim();

const server = (): number =>
  Number(existsSync(join(tree, 'server')) ? readFileSync(join(tree, 'server'), 'utf8') : 0);
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie, of which only the number is left, does nothing any more.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

test('a step’s processes are gone at its end, and the last two lines are the time and the count', () => {
  leavesServer('exit 0');
  const { stdout } = spawnSync('bash', [join(tree, 'script/test'), 'unit'], { env: environment(), encoding: 'utf8' });
  expect(server()).toBeGreaterThan(0);
  expect(isAlive(server())).toBe(false);
  expect(existsSync(folder())).toBe(false);
  expect(stdout.trimEnd().split('\n').slice(-2)).toEqual([
    expect.stringMatching(/^in \d+ min \d+ s$/),
    expect.stringMatching(/^\d+ passed, \d+ failed$/),
  ]);
});

test.for([
  ['SIGTERM', ''],
  ['SIGINT', ''],
  ['SIGKILL', ''],
  ['SIGTERM', 'setsid'],
  ['SIGKILL', 'setsid'],
] as const)('its processes are gone after %s too, and its folders %s', async ([signal, session]) => {
  leavesServer('sleep 1000', session);
  const child: ChildProcess = spawn('bash', [join(tree, 'script/test'), 'unit'], {
    env: environment(),
    stdio: 'ignore',
  });
  const over = new Promise((resolve) => child.once('exit', resolve));
  await vi.waitUntil(() => server() > 0, { timeout: 10_000 });
  child.kill(signal);
  await over;
  await vi.waitUntil(() => !isAlive(server()) && !existsSync(folder()), { timeout: 10_000 });
});
