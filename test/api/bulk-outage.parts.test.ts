import { Readable } from 'node:stream';
import express from 'express';
import { request } from 'undici';
import { afterEach, expect, test } from 'vitest';
import { answerInBulk } from '../../src/api/bulk.ts';
import { type ApiKey, KeyRing } from '../../src/api/keys.ts';
import type { ApiContext } from '../../src/api/context.ts';
import type { Act } from '../../src/ledger/acts.ts';
import { listen } from '../../src/app/listener.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { Acceptance } from '../../src/producer/acceptance.ts';
import { apiOn, freshStores } from '../support/api-process.ts';
import { Link } from '../support/link.ts';
import { onlyOf } from '../support/only.ts';
import { message } from '../../src/messages/message.ts';

const toClose: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  for (const close of toClose.splice(0).toReversed()) await close();
});

interface Verdict {
  readonly index: number;
  readonly id: string | null;
  readonly outcome: string;
}

const COUNT = 6_000;
const orderOf = (n: number) => ({
  accountAlias: '771234567',
  amount: 5_000,
  withdrawMode: 'wallet-a-senegal',
  reference: `o-${n}`,
});
const textOf = (n: number) => ({ to: `+2217${70_000_000 + n}`, text: `n ${n}`, reference: `o-${n}` });

/**
 * PostgreSQL hangs after the first thousand lines of a body have their results, and answers again for the second
 * body.
 */
async function hangingUnder(path: string, requestOf: (n: number) => object) {
  const stores = await freshStores();
  toClose.push(() => stores.close());
  const database = new URL(stores.databaseUrl);
  const link = await Link.to(Number(database.port));
  toClose.push(() => link.close());
  database.port = String(link.port);
  const api = await apiOn({ ...stores, databaseUrl: database.href }, { API_KEYS: 'maker:enqueue:maker-secret' });
  toClose.push(() => api.stop());
  const url = `${api.url}${path}`;

  let hung = false;
  const broken = await send(url, requestOf, (verdict) => {
    if (hung || verdict.index < 1_000) return;
    hung = true;
    link.hold();
  });
  link.letGo();
  const again = await send(url, requestOf);
  const stored = async () =>
    (await stores.query<{ id: string }>('select id from relais.operation')).map(({ id }) => id);
  return { broken, again, stored };
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

test.for([
  ['/v1/disbursements', orderOf],
  ['/v1/messages', textOf],
] as const)(
  'a PostgreSQL that hangs under a long body of %s ends it with the known results, and the same body completes it',
  async ([path, requestOf]) => {
    const { broken, again, stored } = await hangingUnder(path, requestOf);
    mustComplete(broken, again);
    const ids = await stored();
    expect(ids).toHaveLength(COUNT);
    expect(new Set(ids)).toEqual(new Set(again.map(({ id }) => id)));
  },
);

/** An entry point that refuses at the given call, and accepts again `for` calls later. */
async function doorThatCloses(at: number, { questions }: { readonly questions: number }) {
  let asked = 0;
  const context = onlyOf<ApiContext>({
    onWrite: () => undefined,
    keyRing: new KeyRing({ fixed: [], read: async () => [], clock: systemClock }),
    refusal: () => {
      asked += 1;
      return asked >= at && asked < at + questions
        ? { kind: 'recovering' as const, detail: message('in_recovery') }
        : undefined;
    },
    acceptance: onlyOf<Acceptance>({ actingAs: () => onlyOf<Acceptance>({}) }),
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
  'an entry point that closes between two groups leaves no line without a result (%i)',
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
