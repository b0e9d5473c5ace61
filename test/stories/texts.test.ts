import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { startEmbeddedRedis } from '../../src/redis/embedded.ts';
import type { FaultOrder } from '../../src/sandbox/faults.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { startPostgres } from '../support/postgres.ts';
import { relaisSettings } from '../support/relais-settings.ts';

const DEEP = process.env['RELAIS_DEEP'] === '1';
const seeds = DEEP ? [1, 2, 3, 4, 5] : [1];
const PEOPLE = DEEP ? 100_000 : 5_000;
const LIMIT_MS = DEEP ? 1_200_000 : 600_000;
const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const FIRST = 1_000_000;

/** About one request in ten is struck, before or after its texts have left. */
const FAULTS = [
  ['resets the connection before doing the work', 0.02],
  ['resets the connection after doing the work', 0.02],
  ['answers 5xx after doing the work', 0.02],
  ['accepts only part of an SMS chunk', 0.02],
  ['cuts its JSON', 0.02],
] as const satisfies readonly (readonly [FaultOrder['fault'], number])[];

/** Refused for the number itself, with ERROR_110 for the whole request that it is in. */
const POISON = ['769999902', '779999902', '789999902'];
/** Where they stand in the file: not where a kill is likely to strike them. */
const POISON_AT = [0.02, 0.7, 0.9];

const children = new Set<ChildProcess>();
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  for (const close of closing.splice(0).toReversed()) await close();
});

async function startProcess(
  env: Record<string, string>,
  roles: string,
): Promise<{ child: ChildProcess; api: string }> {
  const child = spawn(process.execPath, [MAIN, 'run', '--roles', roles], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  // Read on to the end: a process whose output nobody takes ends with a broken pipe.
  const lines = createInterface({ input: child.stdout });
  const ready = await new Promise<string>((resolve, reject) => {
    lines.on('line', (line) => line.includes('"ready":true') && resolve(line));
    child.once('exit', () => reject(new Error('a process ended before it was ready')));
  });
  return { child, api: (JSON.parse(ready) as { api?: string }).api ?? '' };
}

async function killAll(workers: ChildProcess[]): Promise<void> {
  for (const child of workers.splice(0)) {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    children.delete(child);
  }
}

/** What tests look into freely. */
type Body = any;

async function ask(url: string, method = 'GET', body?: unknown, type = 'application/json'): Promise<Body> {
  const answer = await request(url, {
    method: method as 'GET',
    headers: { authorization: 'Bearer maker-secret', ...(body === undefined ? {} : { 'content-type': type }) },
    body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await answer.body.text();
  if (answer.statusCode >= 400) throw new Error(`${method} ${url}: ${answer.statusCode} ${text}`);
  return JSON.parse(text || 'null');
}

/** Asks again until the answer is as wanted. While Redis is away there is none. */
async function until(url: string, wanted: (body: Body) => boolean): Promise<Body> {
  for (;;) {
    const body: Body = await ask(url).catch(() => undefined);
    if (body !== undefined && wanted(body)) return body;
    await systemClock.sleep(50);
  }
}

async function rowsOf(url: string): Promise<Body[]> {
  const rows: Body[] = [];
  for (let after = ''; ; ) {
    const { items, next } = await ask(`${url}/recipients?limit=1000${after}`);
    rows.push(...items);
    if (!next) return rows;
    after = `&after=${next}`;
  }
}

async function openWorld(seed: number) {
  const posts: string[] = [];
  const dir = mkdtempSync(join(tmpdir(), 'relais-texts-'));
  closing.push(() => rmSync(dir, { recursive: true, force: true }));
  const postgres = await startPostgres();
  closing.push(() => postgres.stop());
  let redis = await startEmbeddedRedis({ dir });
  const { port, url } = redis;
  closing.push(() => redis.stop());
  const sandbox = await startSandbox({ onLine: (line) => void (line.includes('sms.send') && posts.push(line)) });
  closing.push(() => sandbox.stop());
  await ask(`${sandbox.control}/settings`, 'POST', { latencyMs: DEEP ? 40 : 200 });
  for (const [at, [fault, probability]] of FAULTS.entries()) {
    await ask(`${sandbox.control}/faults`, 'POST', {
      fault,
      operation: 'sms.send',
      probability,
      seed: seed * 100 + at,
    });
  }
  const env = {
    ...relaisSettings({ ...sandbox, redisUrl: url, databaseUrl: postgres.url }),
    CALLBACK_SECRET: 'callback-secret',
    API_KEYS: 'maker:enqueue+read+approve+operate:maker-secret',
    UPSTREAM_TIMEOUT: '1s',
    UPSTREAM_CONNECT_TIMEOUT: '500ms',
    SMS_SETTLE_DELAY: '500ms',
    SWEEP_INTERVAL: '200ms',
    WORKER_CONCURRENCY: '4',
    LOG_LEVEL: 'silent',
  };
  const { api } = await startProcess(env, 'api');
  const worker = async (): Promise<ChildProcess> => (await startProcess(env, 'worker')).child;
  const restartRedis = async (): Promise<void> => {
    await redis.stop();
    await systemClock.sleep(500);
    redis = await startEmbeddedRedis({ dir, port });
  };
  return { api, sandbox, posts, worker, restartRedis };
}

const numbers = Array.from({ length: PEOPLE }, (_, at) => `77${String(FIRST + at)}`);

for (const seed of seeds) {
  test(
    `${PEOPLE} recipients through faults, kills, a pause and a Redis that was away end in one bin each (seed ${seed})`,
    async () => {
      const { api, sandbox, posts, worker, restartRedis } = await openWorld(seed);
      const workers = [await worker(), await worker()];
      const rows = [...numbers, '12', numbers[0] ?? ''];
      for (const [at, poison] of POISON.entries()) rows.splice(Math.floor(PEOPLE * (POISON_AT[at] ?? 0)), 0, poison);
      const made = { name: 'story', text: 'Bonjour {{nom}}', country: 'SN', reference: `story-${seed}` };
      const { id } = await ask(`${api}/v1/campaigns`, 'POST', made);
      const campaign = `${api}/v1/campaigns/${id}`;
      const csv = ['to;nom', ...rows.map((to, at) => `${to};N${at}`)].join('\n');
      await ask(`${campaign}/recipients`, 'POST', csv, 'text/csv');
      await ask(`${campaign}/start`, 'POST');

      await until(campaign, ({ totals }) => totals.sent > PEOPLE * 0.1);
      // All of them, so that some die while they send.
      await killAll(workers);
      await ask(`${campaign}/pause`, 'POST');
      workers.push(await worker(), await worker());
      await until(campaign, ({ state, totals }) => state === 'paused' && totals.sending === 0);
      const whilePaused = posts.length;
      await systemClock.sleep(1_000);
      expect(posts.length).toBe(whilePaused);
      await ask(`${campaign}/resume`, 'POST');
      await until(campaign, ({ totals }) => totals.sent > PEOPLE * 0.4);
      await restartRedis();
      await until(campaign, ({ totals }) => totals.sent > PEOPLE * 0.5);
      await killAll(workers);
      workers.push(await worker(), await worker());

      const { totals } = await until(campaign, ({ state }) => state === 'finished');
      const listed = await rowsOf(campaign);
      const booked: Body[] = await ask(`${sandbox.control}/books/messages`);
      const times = new Map(booked.map(({ to, times: count }: Body) => [to as string, count as number]));
      const { total, ...bins } = totals as Record<string, number>;

      expect(
        booked.filter(({ times: count }) => count > 1),
        'S1: nobody got it twice',
      ).toEqual([]);
      expect(listed.length, 'S3: every row is listed').toBe(rows.length);
      expect(new Set(listed.map(({ row }) => row)).size, 'S3: each once').toBe(rows.length);
      const sum = Object.values(bins).reduce((all, count) => all + count, 0);
      expect([total, sum], 'S3: the bins sum to the upload').toEqual([rows.length, rows.length]);
      for (const [bin, count] of Object.entries(bins)) {
        expect(listed.filter(({ state }) => state === bin).length, `S3: listed as ${bin}`).toBe(count);
      }
      const wrong = listed.filter(({ to, state }) => {
        if (state === 'sent') return times.get(to) !== 1;
        return state === 'failed' && (times.get(to) ?? 0) > 0;
      });
      expect(wrong, 'S4: sent is in the books, failed is not').toEqual([]);
      const failed = listed.filter(({ state }) => state === 'failed').map(({ to, code }) => [to, code]);
      const spoilt = listed.filter(({ to, state }) => POISON.includes(String(to).slice(4)) && state === 'unknown');
      expect(failed.length + spoilt.length, 'only the poison numbers fail').toBe(POISON.length);
      expect(failed.every(([, code]) => code === 'ERROR_110')).toBe(true);
      const breaches: Body[] = await ask(`${sandbox.control}/books/breaches`);
      expect(breaches, 'S5: no request was malformed').toEqual([]);
      // Thirteen for each poison number; and each kill or loss of Redis may leave a request that was not answered.
      expect(posts.length, 'S7').toBeLessThanOrEqual(Math.ceil(rows.length / 50) + 13 * POISON.length + 40);
      process.stdout.write(`seed ${seed}: ${JSON.stringify(totals)}, ${posts.length} requests\n`);
    },
    LIMIT_MS,
  );
}
