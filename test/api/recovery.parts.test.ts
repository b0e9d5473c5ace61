/** What a person sees and says after a Redis that may have lost something. */
import { Queue, QueueEvents } from 'bullmq';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { Recovery } from '../../src/operations/heartbeat.ts';
import { browserAt } from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';

const KEYS = [
  'maker:enqueue+read:maker-secret',
  'checker:read+approve+operate:checker-secret',
  'only-operate:read+operate:only-operate',
  'only-approve:read+approve:only-approve',
  'root:admin:root-secret',
  'bound:read+approve+operate@main:bound-secret',
].join(',');
const PATH = '/v1/recovery';

let service: Service;
let recovery: Recovery;
beforeEach(async () => {
  service = await startService({ API_KEYS: KEYS, APPROVAL_ABOVE: '100000' });
  recovery = new Recovery({ redis: service.redis, random: systemRandom });
});
afterEach(() => service.stop());

const say = (body: object, key = 'checker-secret') => service.call('POST', PATH, { body, key });
const see = (query = '') => service.call('GET', `${PATH}${query}`, { key: 'checker-secret' });

async function asked(reference: string, amount: number): Promise<string> {
  const body = { reference, accountAlias: '771234567', amount, withdrawMode: 'wallet-a-senegal' };
  return (await service.call('POST', '/v1/disbursements', { body, key: 'maker-secret' })).body.id;
}

describe('while nothing is wrong', () => {
  test('it says so, with what is open; and both words change nothing', async () => {
    await asked('open', 200_000);
    expect((await see()).body).toMatchObject({
      state: 'none',
      proven: false,
      open: [{ kind: 'disbursement', state: 'awaiting_approval', count: 1, xof: 200_000, would: 'review' }],
      last: null,
    });
    for (const word of [{ apply: true }, { nothingWasLost: true }]) {
      expect(await say(word)).toMatchObject({ status: 200, body: { state: 'none', over: true } });
    }
    expect((await see()).body.open).toHaveLength(1);
  });

  test('anything but one of the two words is refused', async () => {
    for (const body of [{}, { apply: false }, { apply: true, nothingWasLost: true }]) {
      expect((await say(body)).status).toBe(422);
    }
  });
});

describe('in a recovery', () => {
  test('a silence is confirmed by who may approve and operate, and nothing is changed', async () => {
    const id = await asked('open', 200_000);
    await recovery.enter('silence');
    expect((await see()).body).toMatchObject({ state: 'recovering', because: 'silence', proven: false });
    for (const key of ['maker-secret', 'only-operate', 'only-approve', 'bound-secret']) {
      expect((await say({ nothingWasLost: true }, key)).status, key).toBe(403);
    }
    expect(await say({ nothingWasLost: true })).toMatchObject({ status: 200, body: { state: 'none', over: true } });
    const { body } = await service.call('GET', `/v1/disbursements/${id}`, { key: 'checker-secret' });
    expect(body.state).toBe('awaiting_approval');
  });

  test('a session of the console ends with what was lost: the copy may have one that was ended since', async () => {
    const awa = browserAt(service.api);
    await awa.signIn('maker-secret');
    await recovery.enter('rolled_back');
    expect((await say({ apply: true })).body.over).toBe(true);
    expect((await awa.fetch('GET', '/v1/session')).status).toBe(401);
    expect((await awa.signIn('maker-secret')).status).toBe(200);
    expect((await awa.fetch('GET', '/v1/session')).status).toBe(200);
  });

  test('a silence ends no session', async () => {
    const awa = browserAt(service.api);
    await awa.signIn('maker-secret');
    await recovery.enter('silence');
    await say({ nothingWasLost: true });
    expect((await awa.fetch('GET', '/v1/session')).status).toBe(200);
  });

  test('no key is made, since its maker may be one that was revoked, and one is revoked all the same', async () => {
    const body = { name: 'awa-phone', roles: ['read'], person: 'awa' };
    const make = () => service.call('POST', '/v1/keys', { body, key: 'root-secret' });
    const { id } = (await make()).body;
    await recovery.enter('rolled_back');
    const refused = await make();
    expect([refused.status, refused.body.type]).toEqual([503, expect.stringMatching(/\/recovering$/)]);
    expect((await service.call('DELETE', `/v1/keys/${id}`, { key: 'root-secret' })).status).toBe(204);
  });

  test('what is known to be lost is not confirmed as a silence', async () => {
    await recovery.enter('rolled_back');
    const { status, body } = await say({ nothingWasLost: true });
    expect([status, body.detail]).toEqual([409, expect.stringContaining('Data was lost (rolled_back)')]);
    expect((await see()).body.state).toBe('recovering');
  });

  test('a key for some accounts sees that there is one, and no numbers of others', async () => {
    await recovery.enter('silence');
    const { body } = await service.call('GET', PATH, { key: 'bound-secret' });
    expect(body).toMatchObject({ state: 'recovering', because: 'silence' });
    expect(body).not.toHaveProperty('open');
  });

  test('it is applied, told, and over; asked again, nothing more is done', async () => {
    const id = await asked('open', 200_000);
    await recovery.enter('rolled_back');
    const { body } = await say({ apply: true });
    const none = { count: 0, xof: 0 };
    const all = { count: 1, xof: 200_000 };
    expect(body).toMatchObject({
      state: 'none',
      over: true,
      last: {
        by: 'checker',
        because: 'rolled_back',
        items: [{ kind: 'disbursement', open: all, needsReview: all, settled: none, underWay: none, held: none }],
      },
    });
    expect(body.last.next.join(' ')).toContain('relais opt-outs add');
    expect(body.last.next.join(' ')).toContain('relais keys list');
    const again = await say({ apply: true });
    expect(again.body.last).toEqual(body.last);
    const { body: review } = await service.call('GET', '/v1/review', { key: 'checker-secret' });
    expect(review.items).toMatchObject([{ id, state: 'needs_review', reason: 'restored' }]);
  });

  test('the service is asked what it says, where that is wanted', async () => {
    await service.control('POST', '/faults', { fault: 'never calls back', operation: 'disbursement.callback' });
    const body = { accountAlias: '779999902', amount: 5_000, withdrawMode: 'wallet-a-senegal', reference: 'pending' };
    await service.call('POST', '/v1/disbursements', { body, key: 'maker-secret' });
    await service.until('/v1/recovery', ({ open }) => open.some((one: { state: string }) => one.state === 'pending'));
    await recovery.enter('silence');
    expect((await see()).body.says).toEqual([]);
    expect((await see('?ask=10')).body.says).toEqual([{ kind: 'disbursement', asked: 1, words: { pending: 1 } }]);
  });
});

test('a batch that stood in the copy is paid only after it is approved once more', async () => {
  const csv = 'reference;accountAlias;amount;withdrawMode\r\nrow-1;771234567;1000;wallet-a-senegal\r\n';
  const upload = { body: csv, headers: { 'content-type': 'text/csv' }, key: 'maker-secret' };
  const { id, contentHash } = (await service.call('POST', '/v1/disbursement-batches', upload)).body;
  const path = `/v1/disbursement-batches/${id}`;
  await recovery.enter('rolled_back');
  await say({ apply: true });
  const held = await service.call('GET', path, { key: 'checker-secret' });
  expect(held.body).toMatchObject({ state: 'needs_review', reason: 'restored', states: { waiting: { count: 1 } } });
  const { body } = await service.call('GET', '/v1/review', { key: 'checker-secret' });
  expect(body.items).toMatchObject([{ kind: 'batch', id, reason: 'restored' }]);

  const approval = { body: { contentHash }, key: 'checker-secret' };
  expect((await service.call('POST', `${path}/approve`, approval)).body).toMatchObject({ state: 'running' });
  await service.until(path, ({ state }) => state === 'finished');
});

describe('jobs of intake', () => {
  const request = { kind: 'disbursement', reference: 'job', accountAlias: '771234567', amount: 5_000 };
  const counted = { intakeJobs: 1, next: expect.arrayContaining([expect.stringContaining('intake')]) };

  async function withQueue(run: (queue: Queue, events: QueueEvents) => Promise<void>): Promise<void> {
    const connection = { url: service.redisUrl };
    const queue = new Queue('intake', { connection, prefix: '{relais}' });
    const events = new QueueEvents('intake', { connection, prefix: '{relais}' });
    await Promise.all([queue.waitUntilReady(), events.waitUntilReady()]);
    await run(queue, events);
    await events.close();
    await queue.close();
  }

  test.for([
    ['', 0],
    [', by a clock that is ahead,', 3_600_000],
  ] as const)('that waited when the copy was made%s are given up, and say why when taken', ([, ahead]) =>
    withQueue(async (queue, events) => {
      await queue.pause();
      const timestamp = systemClock.now() + ahead;
      const job = await queue.add('pay', { ...request, withdrawMode: 'wallet-a-senegal' }, { timestamp });
      await recovery.enter('rolled_back');
      const { body } = await say({ apply: true });
      expect(body.last).toMatchObject(counted);
      await queue.resume();
      await expect(job.waitUntilFinished(events)).rejects.toThrow('check before you add it again');
      expect((await see()).body.open).toEqual([]);
    }),
  );

  test('that a worker takes before anybody has looked say the same, and are counted', () =>
    withQueue(async (queue, events) => {
      await recovery.enter('rolled_back');
      await service.until(PATH, ({ state }) => state === 'recovering');
      const job = await queue.add('pay', { ...request, withdrawMode: 'wallet-a-senegal' });
      await expect(job.waitUntilFinished(events)).rejects.toThrow('check before you add it again');
      expect((await say({ apply: true })).body.last).toMatchObject(counted);
    }));
});
