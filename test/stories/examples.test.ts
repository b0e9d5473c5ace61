/** The programs in examples/, run literally, against processes as users start them. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { languagesOfHttp, runProgram } from '../support/languages.ts';
import { API_KEY } from '../support/stage.ts';
import { announced, openWorld, type World } from '../support/world.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Stored between runs, and writable for users without a home directory. */
const NPM_CACHE = join(ROOT, '.relais/npm');
const LIMIT_MS = 300_000;
const run = promisify(execFile);

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world?.close());

const environment = () => ({
  PATH: process.env['PATH'] ?? '',
  RELAIS_URL: world.api.base,
  RELAIS_API_KEY: API_KEY,
  REDIS_URL: world.redisUrl,
  DATABASE_URL: world.databaseUrl,
});

/** Its output; throws for an exit code other than 0. */
async function output(program: string, ...given: readonly string[]): Promise<string> {
  const { stdout } = await run(program, given, { cwd: ROOT, env: environment(), timeout: LIMIT_MS });
  return stdout;
}

describe('each sends requests, and receives the results', () => {
  test('curl', async () => {
    const said = await output('bash', 'examples/enqueue.sh', 'curl-1');
    expect(said).toMatch(/"type":"disbursement\.succeeded"[^]*"reference":"curl-1"/);
  });

  test('curl, where the end is after a full page', async () => {
    for (const which of Array.from({ length: 100 }).keys()) {
      await world.api.post('/v1/messages', { reference: `before-${which}`, to: '+221771234567', text: 'Bonjour.' });
    }
    await announced(world, (events) => events.length > 100);
    expect(await output('bash', 'examples/enqueue.sh', 'curl-2')).toContain('"reference":"curl-2"');
  });

  test.for(languagesOfHttp())('$name without a package, whose own data come back', async (language, context) => {
    if (language.missing !== undefined) context.skip(language.missing);
    const order = `${language.name}-1`;
    const { said, errors } = await runProgram(language, [order], { env: environment() });
    expect(errors).toBe('');
    expect(said).toMatch(/^dsb_\w+ queued\ndisbursement\.succeeded \{/);
    const data = JSON.parse(said.slice(said.indexOf('{'))) as object;
    expect(data).toMatchObject({ reference: order, metadata: { orderId: order } });
  });

  test('BullMQ without a line of ours', async () => {
    const said = await output(process.execPath, 'examples/enqueue-bullmq.ts', 'bullmq-1');
    expect(said).toMatch(/^bullmq-1: \{"id":"dsb_\w+","outcome":"accepted"\}$/m);
    expect(said).toMatch(/^dsb_\w+: disbursement\.succeeded$/m);
    expect(said).toMatch(/^msg_\w+: message\.sent$/m);
  });

  test('the client of the package, which knows why it was refused too', async () => {
    const said = await output(process.execPath, 'examples/client.ts', 'http-1');
    expect(said).toMatch(/^(dsb_\w+) \w+\n\1 disbursement\.succeeded \d+-\d+\S*$/m);
    expect(await output(process.execPath, 'examples/client.ts', 'http-1')).toBe(
      said.replace(/ \w+\n/, ' succeeded\n'),
    );
  });

  test('the TypeScript library, one program asking and another listening', async () => {
    const listener = spawn(process.execPath, ['examples/on-completion.ts'], { cwd: ROOT, env: environment() });
    try {
      const said = await output(process.execPath, 'examples/enqueue.ts', 'library-1');
      expect(said).toContain("outcome: 'accepted'");
      expect(await heard(listener.stdout, '"reference":"library-1"')).toContain('disbursement.succeeded');
    } finally {
      listener.kill('SIGTERM');
      await once(listener, 'exit');
    }
  });
});

/** The line with these words, as soon as it is written. */
async function heard(stream: NodeJS.ReadableStream, words: string): Promise<string> {
  let text = '';
  for await (const part of stream) {
    text += String(part);
    const line = text.split('\n').find((one) => one.includes(words) && one.endsWith('}'));
    if (line) return line;
  }
  throw new Error(`it ended without ${words}: ${text}`);
}

describe('a client generated from openapi.json', () => {
  test('compiles, pays, sends a campaign and reads both events', { timeout: 3 * LIMIT_MS }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'relais-client-'));
    const inFolder = (program: string, ...given: readonly string[]) => run(program, given, { cwd: folder });
    try {
      await cp(join(ROOT, 'examples/openapi-client'), folder, { recursive: true });
      await inFolder('npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--cache', NPM_CACHE);
      const answer = await fetch(`${world.api.base}/openapi.json`);
      await writeFile(join(folder, 'openapi.json'), await answer.text());
      const tool = (name: string) => join(folder, 'node_modules/.bin', name);
      await inFolder(
        tool('openapi-typescript'),
        'openapi.json',
        '--output',
        'relais.d.ts',
        '--default-non-nullable=false',
      );
      expect(await readFile(join(folder, 'relais.d.ts'), 'utf8')).toContain('createDisbursement');
      const strict = '--strict --noEmit --target es2023 --module nodenext --types node --allowImportingTsExtensions';
      await inFolder(tool('tsc'), ...strict.split(' '), '--skipLibCheck', 'use.ts');

      const said = await output(process.execPath, join(folder, 'use.ts'), 'client-1');
      expect(said).toMatch(/^cmp_\w+ 2 recipients$/m);
      expect(said).toMatch(/^dsb_\w+ disbursement\.succeeded$/m);
      expect(said).toMatch(/^cmp_\w+ campaign\.finished$/m);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
