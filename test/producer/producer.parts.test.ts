/** The library over real workers' queue, and over a Redis that is lost, frozen or missing. */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { InvalidRequest, Unconfirmed } from '../../src/producer/errors.ts';
import type { Producer } from '../../src/producer/producer.ts';
import { fakeProducer } from '../../src/producer/testing.ts';
import { aCampaign, aDisbursement, aMessage, numberOf } from './asking.ts';
import { type Running, open, recordedIn, running } from './running.ts';

let own: Running;
beforeAll(async () => {
  own = await running({ EXTRA_WITHDRAW_MODES: 'wallet-q-togo', MAX_DISBURSEMENT: '90000' });
});
afterAll(() => own.stop());

const recorded = (kind: string): Promise<number> => recordedIn(own.service, kind);
const named = (name: string, more = {}) => aDisbursement({ reference: name, allowDuplicate: true, ...more });
const orders = (name: string, count: number) =>
  Array.from({ length: count }, (_, n) => named(`${name}-${n}`, { accountAlias: numberOf(n) }));

test('a disbursement is recorded when the call resolves', async () => {
  const { id, outcome } = await open({ redis: own.url }).disburse(named('order'));
  expect(outcome).toBe('accepted');
  const { body } = await own.service.call('GET', `/v1/disbursements/${id}`);
  expect(body).toMatchObject({ id, reference: 'order', amount: 5_000 });
});

test('each message of a list is recorded', async () => {
  const before = await recorded('message');
  const asked = Array.from({ length: 60 }, (_, n) => aMessage({ to: numberOf(n) }));
  const verdicts = await open({ redis: own.url }).sendMessages(asked);
  expect(new Set(verdicts.map(({ outcome }) => outcome))).toEqual(new Set(['accepted']));
  expect(new Set(verdicts.map(({ id }) => id)).size).toBe(60);
  expect(await recorded('message')).toBe(before + 60);
});

test('each disbursement of a list has a verdict, and one that is not valid stops no other', async () => {
  const producer = open({ redis: own.url, patience: '60s' });
  await producer.disburse(named('each-3', { accountAlias: numberOf(3) }));
  const asked = [
    ...orders('each', 700),
    named('each-700', { amount: -1 }),
    named('each-3', { accountAlias: numberOf(3), amount: 7 }),
  ];
  const verdicts = await producer.disburseEach(asked);
  expect(verdicts.map(({ index }) => index)).toEqual(asked.map((_, index) => index));
  expect(verdicts.slice(0, 5).map(({ outcome }) => outcome)).toEqual([
    ...Array(3).fill('accepted'),
    'duplicate',
    'accepted',
  ]);
  expect(verdicts.slice(-2)).toEqual([
    { index: 700, id: null, outcome: 'invalid', problems: [{ pointer: '/amount', message: expect.any(String) }] },
    { index: 701, id: verdicts[3]?.id, outcome: 'conflict', differs: ['/amount'] },
  ]);
});

test('a limit that only the workers know refuses the request', async () => {
  const refusal = open({ redis: own.url }).disburse(named('dear', { amount: 100_000 }));
  await expect(refusal).rejects.toMatchObject({
    name: 'InvalidRequest',
    problems: [{ pointer: '/amount', message: expect.stringContaining('MAX_DISBURSEMENT') }],
  });
});

test('a withdraw mode that was added since is accepted if both sides name it', async () => {
  const request = { ...named('togo', { accountAlias: '90112233' }), withdrawMode: 'wallet-q-togo' as const };
  const knowing = open({ redis: own.url, extraWithdrawModes: ['wallet-q-togo'] });
  expect(await knowing.disburse(request)).toMatchObject({ outcome: 'accepted' });
  // @ts-expect-error -- this producer does not know the mode
  await expect(open({ redis: own.url }).disburse(request)).rejects.toThrow(InvalidRequest);
  const fake = fakeProducer({ extraWithdrawModes: ['wallet-q-togo'] });
  expect(await fake.disburse(request)).toMatchObject({ outcome: 'accepted' });
});

test('the fake answers like the real producer', async () => {
  const ask = async (one: Producer) => {
    const { reference: _, ...anonymous } = named('', { amount: 9_000 });
    const answers = [
      await one.disburse(named('f-1')),
      await one.disburse(named('f-1')),
      await one.disburse(named('f-1', { amount: 6_000 })),
      await one.disburse(named('f-2'), { idempotencyKey: 'key-2' }),
      await one.disburse(named('f-2')),
      await one.disburse(named('f-2'), { idempotencyKey: 'key-2' }),
      await one.disburse(named('f-3'), { idempotencyKey: 'f-1' }),
      await one.disburse(anonymous, { idempotencyKey: 'key-3' }),
      await one.campaign(aCampaign()),
      await one.campaign(aCampaign()),
      await one.campaign(aCampaign({ name: 'December' })),
    ];
    const texts = [aMessage({ reference: 'm' }), aMessage({ reference: 'm', text: 'x' }), aMessage({ to: '1' })];
    return [...answers, ...(await one.sendMessages(texts)), ...(await one.sendMessages(texts))];
  };
  expect(await ask(fakeProducer())).toEqual(await ask(open({ redis: own.url })));
});

test('a request of a paused queue waits, and is accepted later', async () => {
  const { service } = own;
  const resume = () => service.call('POST', '/v1/queues/intake/resume');
  onTestFinished(async () => void (await resume()));
  expect((await service.call('POST', '/v1/queues/intake/pause')).status).toBe(200);
  // A worker reads which queues are paused at its next poll, so the first requests may still be accepted.
  let asked = 0;
  const refusal = await vi.waitUntil(
    async () => {
      asked += 1;
      const asking = open({ redis: own.url, patience: '2s' }).disburse(named(`paused-${asked}`));
      return asking.then(
        () => undefined,
        (error: unknown) => error,
      );
    },
    { timeout: 60_000 },
  );
  expect(refusal).toMatchObject({ name: 'Unconfirmed', accepted: 'unknown' });
  const asking = open({ redis: own.url, patience: '60s' }).disburse(named('paused'));
  expect((await resume()).status).toBe(200);
  expect(await asking).toMatchObject({ outcome: 'accepted' });
  const again = open({ redis: own.url }).disburse(named(`paused-${asked}`));
  expect(await again).toMatchObject({ outcome: 'duplicate' });
});

describe('a Redis that', () => {
  test('is killed in the middle and comes back empty loses and doubles no request', async () => {
    const before = [await recorded('disbursement'), await recorded('message')];
    const producer = open({ redis: own.url, patience: '90s' });
    const asked = orders('killed', 600);
    const asking = asked.slice(0, 300).map((request) => producer.disburse(request));
    const texts = producer.sendMessages(Array.from({ length: 300 }, (_, n) => aMessage({ to: numberOf(n) })));
    await Promise.any(asking);
    asking.push(...asked.slice(300).map((request) => producer.disburse(request)));
    await own.kill();
    await own.startAgain();
    const ids = (await Promise.all(asking)).map(({ id }) => id);
    expect(new Set(ids).size).toBe(600);
    expect((await texts).map(({ outcome }) => outcome)).toEqual(Array(300).fill('accepted'));
    expect([await recorded('disbursement'), await recorded('message')]).toEqual([
      Number(before[0]) + 600,
      Number(before[1]) + 300,
    ]);
    const again = await producer.disburseEach(asked);
    expect(again.map(({ id, outcome }) => [id, outcome])).toEqual(ids.map((id) => [id, 'duplicate']));
  });

  test('comes up during the call answers it', async () => {
    await own.kill();
    const asking = open({ redis: { port: own.port }, patience: '60s' }).disburse(named('late'));
    await own.startAgain();
    expect(await asking).toMatchObject({ outcome: 'accepted' });
  });

  test('stays away ends a list in time, and asking again completes it', async () => {
    const producer = open({ redis: own.url, patience: '3s' });
    const asked = orders('away', 1_200);
    const asking = producer.disburseEach(asked).catch((error: unknown) => error);
    const before = await recorded('disbursement');
    await vi.waitFor(async () => expect(await recorded('disbursement')).toBeGreaterThan(before), 20_000);
    await own.kill();
    const ended = (await asking) as Unconfirmed;
    expect(ended.name).toBe('Unconfirmed');
    expect(ended.verdicts).toHaveLength(1_200);
    await own.startAgain();
    const again = await open({ redis: own.url, patience: '90s' }).disburseEach(asked);
    for (const [index, { id, outcome }] of ended.verdicts.entries()) {
      if (outcome === 'accepted') expect(again[index]).toEqual({ index, id, outcome: 'duplicate' });
    }
    expect(new Set(again.map(({ id }) => id)).size).toBe(1_200);
  });

  test('hangs ends the call in time, and the request is found by asking again', async () => {
    const producer = open({ redis: own.url, patience: '500ms' });
    await vi.waitFor(() => producer.disburse(named('before')), { timeout: 20_000 });
    own.freeze();
    onTestFinished(own.thaw);
    const refusal = producer.disburse(named('hung'));
    await expect(refusal).rejects.toMatchObject({ name: 'Unconfirmed', accepted: 'unknown' });
    await expect(refusal).rejects.toThrow(/ask again with the same reference/);
    own.thaw();
    expect(await open({ redis: own.url, patience: '60s' }).disburse(named('hung'))).toHaveProperty('id');
    const rows = await own.service.ledger.query("select id from relais.operation where reference = 'hung'");
    expect(rows).toHaveLength(1);
  });

  test('hangs does not keep a producer from closing', async () => {
    const producer = open({ redis: own.url, patience: '300ms' });
    await vi.waitFor(() => producer.disburse(named('before')), { timeout: 20_000 });
    own.freeze();
    onTestFinished(own.thaw);
    const refusal = expect(producer.disburse(named('closing'))).rejects.toThrow();
    await producer.close();
    await refusal;
  });

  test('hangs makes a list report the known messages', async () => {
    const producer = open({ redis: own.url, patience: '1s' });
    await vi.waitFor(() => producer.sendMessages([aMessage()]), { timeout: 20_000 });
    own.freeze();
    onTestFinished(own.thaw);
    const refusal = producer.sendMessages([aMessage({ to: 'nobody' }), aMessage({ to: numberOf(1) })]);
    await expect(refusal).rejects.toMatchObject({
      accepted: 'unknown',
      verdicts: [
        { index: 0, outcome: 'invalid' },
        { index: 1, outcome: 'unconfirmed' },
      ],
    });
  });

  test('lost its first answer records a message without a reference once', async () => {
    const to = numberOf(9_001);
    const between = await lossyLine(own.port);
    const producer = open({ redis: { port: between.port }, patience: '60s' });
    await producer.sendMessages([aMessage({ to: numberOf(0) })]);
    between.loseNextAnswer();
    const [verdict] = await producer.sendMessages([aMessage({ to })]);
    expect(between.lost()).toBe(1);
    expect(verdict).toMatchObject({ outcome: 'accepted' });
    // Messages of other tests that were not confirmed may be recorded meanwhile.
    const rows = await own.service.ledger.query(`select from relais.operation where request ->> 'to' = '${to}'`);
    expect(rows).toHaveLength(1);
  });

  test('is missing at the start is reported in time, with what to do', async () => {
    const producer = open({ redis: `redis://:hunter2@127.0.0.1:${await closedPort()}`, patience: '200ms' });
    const refusal = producer.disburse(aDisbursement());
    await expect(refusal).rejects.toThrow(Unconfirmed);
    await expect(refusal).rejects.toMatchObject({ accepted: 'no' });
    await expect(refusal).rejects.toThrow(/127\.0\.0\.1:\d+ is not available.*ask again when Redis is back/);
    await expect(refusal).rejects.not.toThrow(/hunter2/);
    await expect(producer.disburseEach(orders('x', 3))).rejects.toMatchObject({
      accepted: 'no',
      verdicts: Array.from({ length: 3 }, (_, index) => ({ index, id: null, outcome: 'unconfirmed' })),
    });
  });

  test('is not there is not asked about a request that is not valid', async () => {
    const producer = open({ redis: `redis://127.0.0.1:${await closedPort()}`, patience: '10s' });
    await expect(producer.disburse(aDisbursement({ amount: -1 }))).rejects.toThrow(InvalidRequest);
    expect(await producer.sendMessages([aMessage({ to: 'nobody' })])).toMatchObject([{ outcome: 'invalid' }]);
  });
});

test('closing waits for calls in flight, and then refuses', async () => {
  const producer = open({ redis: own.url, patience: '60s' });
  const asking = producer.disburse(named('closed'));
  await producer.close();
  expect(await asking).toMatchObject({ outcome: 'accepted' });
  await expect(producer.disburse(named('closed'))).rejects.toThrow(/was closed/);
  const lonely = open({ redis: `redis://127.0.0.1:${await closedPort()}` });
  await expect(lonely.close()).resolves.toBeUndefined();
});

/** A proxy to Redis that can lose the answer to a new job: the job was added, and the connection broke. */
async function lossyLine(target: number) {
  let losing = false;
  let losses = 0;
  const line = createServer((caller) => {
    const far = connect(target, '127.0.0.1');
    let doomed = false;
    caller.on('data', (words) => {
      doomed ||= losing && words.includes('evalsha');
      far.write(words);
    });
    far.on('data', (answer) => {
      if (!doomed) return void caller.write(answer);
      if (!losing) return;
      losing = false;
      losses += 1;
      caller.destroy();
    });
    for (const [end, other] of [
      [caller, far],
      [far, caller],
    ] as const) {
      end.on('error', () => undefined);
      end.on('close', () => other.destroy());
    }
  }).listen(0, '127.0.0.1');
  await once(line, 'listening');
  onTestFinished(() => void line.close());
  const { port } = line.address() as { port: number };
  return { port, lost: () => losses, loseNextAnswer: () => void (losing = true) };
}

async function closedPort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as { port: number };
  listener.close();
  return port;
}
