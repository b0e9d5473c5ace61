import { Readable } from 'node:stream';
import express from 'express';
import { request } from 'undici';
import { afterEach, expect, test } from 'vitest';
import { answerInBulk } from '../../src/api/bulk.ts';
import { type ApiKey, KeyRing } from '../../src/api/keys.ts';
import type { ApiContext } from '../../src/api/context.ts';
import { messageIn, unpackItems } from '../../src/operations/slice-form.ts';
import type { Act } from '../../src/ledger/acts.ts';
import { keys } from '../../src/operations/keys.ts';
import { startEmbeddedRedis } from '../../src/redis/embedded.ts';
import { listen } from '../../src/app/listener.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { Acceptance } from '../../src/producer/acceptance.ts';
import { apiOn } from '../support/api-process.ts';
import { onlyOf } from '../support/only.ts';
import { listedIn } from '../support/listed.ts';
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
const orderOf = (n: number) => ({
  accountAlias: '771234567',
  amount: 5_000,
  withdrawMode: 'wallet-a-senegal',
  reference: `o-${n}`,
});
const textOf = (n: number) => ({ to: `+2217${70_000_000 + n}`, text: `n ${n}`, reference: `o-${n}` });

/** A Redis that hangs when the first thousand lines of a body have their verdicts, and goes on for the second one. */
async function hangingUnder(path: string, requestOf: (n: number) => object) {
  const binary = process.env['REDIS_SERVER_BIN'];
  const server = await startEmbeddedRedis(binary ? { binary } : {});
  toClose.push(() => server.stop());
  const api = await apiOn(server.url, { API_KEYS: 'maker:enqueue:maker-secret' });
  toClose.push(() => api.stop());
  toClose.push(async () => process.kill(server.pid, 'SIGCONT'));
  const url = `${api.url}${path}`;

  let hung = false;
  const broken = await send(url, requestOf, (verdict) => {
    if (hung || verdict.index < 1_000) return;
    hung = true;
    process.kill(server.pid, 'SIGSTOP');
  });
  process.kill(server.pid, 'SIGCONT');
  const again = await send(url, requestOf);
  const redis = new Redis(server.port, '127.0.0.1', { keyPrefix: '{relais}:' });
  toClose.push(async () => redis.disconnect());
  return { broken, again, redis };
}

function mustComplete(broken: readonly Verdict[], again: readonly Verdict[]): void {
  const outcomes = broken.map(({ outcome }) => outcome);
  const last = broken.at(-1);
  expect([last?.outcome, last?.index]).toEqual(['stopped', broken.length - 1]);
  expect(new Set(outcomes)).toEqual(new Set(['accepted', 'unconfirmed', 'stopped']));
  expect(broken.length).toBeLessThan(COUNT);
  expect(again).toHaveLength(COUNT);
  for (const { index, id, outcome } of broken) {
    if (outcome === 'accepted') expect(again[index]).toEqual({ index, id, outcome: 'duplicate' });
  }
}

test('a Redis that hangs under a long body ends it with what is known, and the same body again completes it', async () => {
  const { broken, again, redis } = await hangingUnder('/v1/disbursements', orderOf);
  mustComplete(broken, again);
  expect(await listedIn(redis, 'disbursement')).toBe(COUNT);
});

test('of messages, each is in one slice once, although a whole slice of them is asked for in one script', async () => {
  const { broken, again, redis } = await hangingUnder('/v1/messages', textOf);
  mustComplete(broken, again);
  expect(await redis.hget(keys.counts('message'), 'queued')).toBe(String(COUNT));
  const slices = await redis.zrange(keys.due('sms-batch'), '0', '-1');
  const packed = await Promise.all(slices.map((id) => redis.hget(keys.record(id), 'items')));
  const ids = packed.flatMap((items) =>
    unpackItems({ items: items ?? '', rows: '' }).map((one) => messageIn(one).id),
  );
  expect(ids).toHaveLength(COUNT);
  expect(new Set(ids)).toEqual(new Set(again.map(({ id }) => id)));
});

/** A door that closes when it is asked for the so manieth time, and opens again `for` questions later. */
async function doorThatCloses(at: number, { questions }: { readonly questions: number }) {
  let asked = 0;
  const context = onlyOf<ApiContext>({
    onWrite: () => undefined,
    keyRing: new KeyRing({ fixed: [], read: async () => [], clock: systemClock }),
    refusal: () => {
      asked += 1;
      return asked >= at && asked < at + questions ? { kind: 'not-durable', detail: 'no' } : undefined;
    },
    acceptance: onlyOf<Acceptance>({
      actingAs: () => onlyOf<Acceptance>({ flush: () => undefined }),
    }),
  });
  const app = express();
  app.post('/v1/disbursements', async (incoming, response) => {
    const key: ApiKey = { name: 'maker', roles: new Set(['enqueue']), digest: Buffer.alloc(0) };
    await answerInBulk(
      {
        context,
        key,
        act: () => onlyOf<Act>({}),
        query: { dryRun: false },
        idempotencyKey: undefined,
        request: incoming,
        response,
      },
      async (_acceptance, { request: line }) => {
        const { reference } = line as { reference: string };
        return { outcome: 'accepted', id: reference, state: 'queued' };
      },
    );
  });
  const { url, close } = await listen(app, {
    host: '127.0.0.1',
    port: 0,
    setting: 'API_PORT',
    headersMs: 10_000,
    requestMs: 10_000,
    silenceMs: 30_000,
    connections: 100,
    drainMs: 5_000,
  });
  toClose.push(close);
  return url;
}

test.for([1, 99])(
  'a door that closes between two groups leaves no line without a verdict (%i)',
  async (questions) => {
    const verdicts = await send(`${await doorThatCloses(4, { questions })}/v1/disbursements`, orderOf);
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

async function send(
  url: string,
  requestOf: (n: number) => object,
  heard: (verdict: Verdict) => void = () => undefined,
): Promise<Verdict[]> {
  const { statusCode, body } = await request(url, {
    method: 'POST',
    headers: { authorization: 'Bearer maker-secret', 'content-type': 'application/x-ndjson' },
    body: Readable.from(
      Array.from({ length: COUNT }, (_, n) => `${JSON.stringify(requestOf(n))}\n`),
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
