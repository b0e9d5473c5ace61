import { Readable } from 'node:stream';
import { request } from 'undici';
import { afterEach, expect, test } from 'vitest';
import { keys } from '../../src/operations/keys.ts';
import { startEmbeddedRedis } from '../../src/redis/embedded.ts';
import { apiOn } from '../support/api-process.ts';
import { Redis } from 'ioredis';

const toClose: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  for (const close of toClose.splice(0).toReversed()) await close();
});

interface Verdict {
  readonly index: number;
  readonly id: string | null;
  readonly outcome: string;
}

const COUNT = 20_000;
const lineOf = (n: number): string =>
  `${JSON.stringify({ accountAlias: '771234567', amount: 5_000, withdrawMode: 'wallet-a-senegal', reference: `o-${n}` })}\n`;

test('a Redis that hangs under a long body ends it with what is known, and the same body again completes it', async () => {
  const binary = process.env['REDIS_SERVER_BIN'];
  const server = await startEmbeddedRedis(binary ? { binary } : {});
  toClose.push(() => server.stop());
  const api = await apiOn(server.url, { API_KEYS: 'maker:enqueue:maker-secret' });
  toClose.push(() => api.stop());
  toClose.push(async () => process.kill(server.pid, 'SIGCONT'));

  let hung = false;
  const broken = await send(api.url, (verdict) => {
    if (hung || verdict.index < 1_000) return;
    hung = true;
    process.kill(server.pid, 'SIGSTOP');
  });
  const outcomes = broken.map(({ outcome }) => outcome);
  const last = broken.at(-1);
  expect([last?.outcome, last?.index]).toEqual(['stopped', broken.length - 1]);
  expect(new Set(outcomes)).toEqual(new Set(['accepted', 'unconfirmed', 'stopped']));
  expect(broken.length).toBeLessThan(COUNT);

  process.kill(server.pid, 'SIGCONT');
  const again = await send(api.url);
  expect(again).toHaveLength(COUNT);
  for (const { index, id, outcome } of broken) {
    if (outcome === 'accepted') expect(again[index]).toEqual({ index, id, outcome: 'duplicate' });
  }
  const redis = new Redis(server.port, '127.0.0.1');
  toClose.push(async () => redis.disconnect());
  expect(await redis.zcard(keys.index('disbursement'))).toBe(COUNT);
});

async function send(url: string, heard: (verdict: Verdict) => void = () => undefined): Promise<Verdict[]> {
  const { statusCode, body } = await request(`${url}/v1/disbursements`, {
    method: 'POST',
    headers: { authorization: 'Bearer maker-secret', 'content-type': 'application/x-ndjson' },
    body: Readable.from(
      Array.from({ length: COUNT }, (_, n) => lineOf(n)),
      { objectMode: false },
    ),
  });
  expect(statusCode).toBe(202);
  const verdicts: Verdict[] = [];
  let rest = '';
  for await (const part of body.setEncoding('utf8')) {
    const lines = (rest + String(part)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const verdict = JSON.parse(line) as Verdict;
      heard(verdict);
      verdicts.push(verdict);
    }
  }
  return verdicts;
}
