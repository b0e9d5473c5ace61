import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import express from 'express';
import { request } from 'undici';
import { afterEach, expect, test } from 'vitest';
import { answerInBulk } from '../../src/api/bulk.ts';
import type { ApiContext } from '../../src/api/context.ts';
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

/** A door that closes when it is asked for the so manieth time, and opens again `for` questions later. */
async function doorThatCloses(at: number, { questions }: { readonly questions: number }) {
  let asked = 0;
  const context = {
    refusal: () => {
      asked += 1;
      return asked >= at && asked < at + questions ? { kind: 'not-durable', detail: 'no' } : undefined;
    },
    acceptance: { inBulk: () => ({ flush: () => undefined }) },
  } as unknown as ApiContext;
  const app = express();
  app.post('/v1/disbursements', async (incoming, response) => {
    response.locals['key'] = { name: 'maker', roles: new Set(['enqueue']) };
    await answerInBulk(context, { request: incoming, response }, async (_acceptance, { request: line }) => {
      const { reference } = line as { reference: string };
      return { outcome: 'accepted', id: reference, state: 'queued' };
    });
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  toClose.push(async () => server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.for([1, 99])(
  'a door that closes between two groups leaves no line without a verdict (%i)',
  async (questions) => {
    const verdicts = await send(await doorThatCloses(4, { questions }));
    const accepted = verdicts.slice(0, -1);
    expect(accepted.length).toBeGreaterThan(0);
    expect(accepted.map(({ index, outcome }) => [index, outcome])).toEqual(accepted.map((_, at) => [at, 'accepted']));
    expect(verdicts.at(-1)).toMatchObject({
      index: accepted.length,
      outcome: 'stopped',
      problem: [{ message: expect.stringContaining('send the whole body again') }],
    });
  },
);

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
