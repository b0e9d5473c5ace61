/** An operator's view and decisions after PostgreSQL was restored from a backup. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { browserAt } from '../support/browser.ts';
import { confirmed, hears, recovers, withoutWitness, witnessed } from '../support/recovery.ts';
import { type Service, startService } from '../support/service.ts';

const KEYS = [
  'maker:enqueue+read:maker-secret',
  'checker:read+approve+operate:checker-secret',
  'only-operate:read+operate:only-operate',
  'only-approve:read+approve:only-approve',
  'root:admin:root-secret',
  'second:read+approve+operate:second-secret',
  'bound:read+approve+operate@main:bound-secret',
].join(',');
const PATH = '/v1/recovery';

let service: Service;
beforeEach(async () => {
  service = await startService({ API_KEYS: KEYS, APPROVAL_ABOVE: '100000' });
});
afterEach(() => service.stop());

const say = (body: object, key = 'checker-secret') => service.call('POST', PATH, { body, key });
const see = (query = '') => service.call('GET', `${PATH}${query}`, { key: 'checker-secret' });

async function asked(reference: string, amount: number): Promise<string> {
  const body = { reference, accountAlias: '771234567', amount, withdrawMode: 'wallet-a-senegal' };
  return (await service.call('POST', '/v1/disbursements', { body, key: 'maker-secret' })).body.id;
}

describe('while nothing is wrong', () => {
  test('it is reported, with what is open; and both reads change nothing', async () => {
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
  test('two persons confirm that nothing was lost, and nothing is changed', async () => {
    const id = await asked('open', 200_000);
    await recovers(service, 'copy');
    expect((await see()).body).toMatchObject({ state: 'recovering', because: 'copy', proven: false });
    for (const key of ['maker-secret', 'only-operate', 'only-approve', 'bound-secret']) {
      expect((await say({ nothingWasLost: true }, key)).status, key).toBe(403);
    }
    for (let times = 0; times < 2; times += 1) {
      expect((await say({ nothingWasLost: true })).body).toMatchObject({
        state: 'recovering',
        over: false,
        first: 'checker',
      });
    }
    expect(await say({ nothingWasLost: true }, 'second-secret')).toMatchObject({
      status: 200,
      body: { state: 'none', over: true },
    });
    const { body } = await service.call('GET', `/v1/disbursements/${id}`, { key: 'checker-secret' });
    expect(body.state).toBe('awaiting_approval');
    await hears(service);
    expect(await asked('later', 200_000)).toMatch(/^dsb_/);
  });

  test('a payment that may have left cannot be cancelled: it needs review', async () => {
    const id = await asked('open', 200_000);
    await recovers(service, 'rolled_back');
    await withoutWitness(service);
    const path = `/v1/disbursements/${id}`;
    const refused = await service.call('POST', `${path}/cancel`, { key: 'maker-secret' });
    expect([refused.status, refused.body.state]).toEqual([409, 'needs_review']);
    const { body } = await service.call('GET', path, { key: 'checker-secret' });
    expect(body).toMatchObject({ state: 'needs_review', reason: 'restored' });
  });

  test('a payment that never left by the journal is cancelled', async () => {
    const id = await asked('open', 200_000);
    await confirmed(service);
    await recovers(service, 'rolled_back');
    await witnessed(service);
    const { body } = await service.call('POST', `/v1/disbursements/${id}/cancel`, { key: 'maker-secret' });
    expect(body.state).toBe('cancelled');
  });

  test('a console session ends with a recovery: it may have been ended since the backup', async () => {
    const awa = browserAt(service.api);
    await awa.signIn('maker-secret');
    await recovers(service, 'rolled_back');
    expect((await say({ apply: true })).body.over).toBe(true);
    expect((await awa.fetch('GET', '/v1/session')).status).toBe(401);
    expect((await awa.signIn('maker-secret')).status).toBe(200);
    expect((await awa.fetch('GET', '/v1/session')).status).toBe(200);
  });

  test('no key is made, since its maker may be one that was revoked, and one is revoked all the same', async () => {
    const body = { name: 'awa-phone', roles: ['read'], person: 'awa' };
    const make = () => service.call('POST', '/v1/keys', { body, key: 'root-secret' });
    const { id } = (await make()).body;
    await recovers(service, 'rolled_back');
    const refused = await make();
    expect([refused.status, refused.body.type]).toEqual([503, expect.stringMatching(/\/recovering$/)]);
    expect((await service.call('DELETE', `/v1/keys/${id}`, { key: 'root-secret' })).status).toBe(204);
  });

  test('a proven loss cannot be confirmed as no loss', async () => {
    await recovers(service, 'rolled_back');
    const { status, body } = await say({ nothingWasLost: true });
    expect([status, body.detail]).toEqual([409, expect.stringContaining('Data was lost (rolled_back)')]);
    expect((await see()).body.state).toBe('recovering');
  });

  test('a key for some accounts sees that there is one, and no numbers of others', async () => {
    await recovers(service, 'copy');
    const { body } = await service.call('GET', PATH, { key: 'bound-secret' });
    expect(body).toMatchObject({ state: 'recovering', because: 'copy' });
    expect(body).not.toHaveProperty('open');
  });

  test('it is applied, reported, and finished; repeated, it does nothing more', async () => {
    const id = await asked('open', 200_000);
    await recovers(service, 'rolled_back');
    await withoutWitness(service);
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
    const left = await service.ledger.query("select by from relais.audit_line where act = 'recovery.leave'");
    expect(left).toEqual([{ by: 'checker' }]);
    const { body: review } = await service.call('GET', '/v1/review', { key: 'checker-secret' });
    expect(review.items).toMatchObject([{ id, state: 'needs_review', reason: 'restored' }]);
  });

  test('the provider’s statuses are read on request', async () => {
    await service.control('POST', '/faults', { fault: 'never calls back', operation: 'disbursement.callback' });
    const body = { accountAlias: '779999902', amount: 5_000, withdrawMode: 'wallet-a-senegal', reference: 'pending' };
    await service.call('POST', '/v1/disbursements', { body, key: 'maker-secret' });
    await service.until('/v1/recovery', ({ open }) => open.some((one: { state: string }) => one.state === 'pending'));
    await recovers(service, 'copy');
    expect((await see()).body.says).toEqual([]);
    expect((await see('?ask=10')).body.says).toEqual([{ kind: 'disbursement', asked: 1, words: { pending: 1 } }]);
  });
});

test('a batch of the restored ledger is paid only after a new approval', async () => {
  const csv = 'reference;accountAlias;amount;withdrawMode\r\nrow-1;771234567;1000;wallet-a-senegal\r\n';
  const upload = { body: csv, headers: { 'content-type': 'text/csv' }, key: 'maker-secret' };
  const { id, contentHash } = (await service.call('POST', '/v1/disbursement-batches', upload)).body;
  const path = `/v1/disbursement-batches/${id}`;
  await recovers(service, 'rolled_back');
  await withoutWitness(service);
  await say({ apply: true });
  const held = await service.call('GET', path, { key: 'checker-secret' });
  expect(held.body).toMatchObject({ state: 'needs_review', reason: 'restored', states: { waiting: { count: 1 } } });
  const { body } = await service.call('GET', '/v1/review', { key: 'checker-secret' });
  expect(body.items).toMatchObject([{ kind: 'batch', id, reason: 'restored' }]);

  await hears(service);
  const approval = { body: { contentHash }, key: 'checker-secret' };
  expect((await service.call('POST', `${path}/approve`, approval)).body).toMatchObject({ state: 'running' });
  await service.until(path, ({ state }) => state === 'finished');
});
