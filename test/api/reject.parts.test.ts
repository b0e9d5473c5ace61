/** A different person rejects a payment, a payment batch or a campaign, with a reason. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Service, startService } from '../support/service.ts';
import { people } from './batch-desk.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ APPROVAL_ABOVE: '50000', CAMPAIGN_APPROVAL_ABOVE: '2recipients' });
});
afterAll(() => service.stop());

const NOTE = 'The amount is wrong';
let made = 0;

async function payment(): Promise<string> {
  const reference = `big-${(made += 1)}`;
  const body = { accountAlias: '771234567', amount: 60_000, withdrawMode: 'wallet-a-senegal', reference };
  return `/v1/disbursements/${(await service.call('POST', '/v1/disbursements', { body })).body.id}`;
}

async function batch(): Promise<string> {
  const path = '/v1/disbursement-batches';
  const how = { body: people(`b${(made += 1)}`), headers: { 'content-type': 'text/csv' } };
  return `${path}/${(await service.call('POST', path, how)).body.id}`;
}

async function campaign(): Promise<string> {
  const body = { name: 'test', text: 'Bonjour', country: 'SN', reference: `c-${(made += 1)}` };
  const path = `/v1/campaigns/${(await service.call('POST', '/v1/campaigns', { body })).body.id}`;
  const file = 'numero\n771000001\n771000002\n771000003\n';
  await service.call('POST', `${path}/recipients`, { body: file, headers: { 'content-type': 'text/csv' } });
  await service.call('POST', `${path}/start`);
  return path;
}

const reject = (path: string, reason: unknown = NOTE, key = 'checker-secret') =>
  service.call('POST', `${path}/reject`, { key, body: { reason } });

describe.each([
  ['disbursement', payment],
  ['batch', batch],
  ['campaign', campaign],
] as const)('a %s that waits for approval', (kind, make) => {
  test('is cancelled with the reason and the person, in reads, lists, events and the audit log', async () => {
    const path = await make();
    const id = path.split('/').at(-1) ?? '';
    const expected = { id, state: 'cancelled', reason: 'not_approved', note: NOTE, rejectedBy: 'checker' };
    const { status, body } = await reject(path);
    expect([status, body]).toEqual([200, expect.objectContaining(expected)]);
    expect((await service.call('GET', path)).body).toMatchObject(expected);
    const list = path.slice(0, path.lastIndexOf('/'));
    expect((await service.call('GET', `${list}?state=cancelled`)).body.items).toContainEqual(
      expect.objectContaining(expected),
    );
    const { events } = (await service.published(`/v1/events?types=${kind}.cancelled`)).body;
    expect(events.map(({ data }: { data: object }) => data)).toContainEqual(expect.objectContaining(expected));
    const { items } = (await service.call('GET', '/v1/audit')).body;
    expect(items[0]).toMatchObject({ act: `${kind}.reject`, by: 'checker', target: id });
    const { summary } = (await service.call('GET', `/v1/explain/${id}`)).body;
    expect(summary).toContain(`Rejected by checker: “${NOTE}”`);
  });

  test('cannot be rejected by its author, or by a key without the role', async () => {
    const path = await make();
    const own = await reject(path, NOTE, 'maker-secret');
    expect([own.status, own.body.rule]).toEqual([403, 'other-person']);
    expect((await reject(path, NOTE, 'reader-secret')).status).toBe(403);
    expect((await reject(path, NOTE, 'stranger-secret')).status).toBe(404);
    expect((await service.call('GET', path)).body).toMatchObject({ state: 'awaiting_approval' });
  });

  test('needs a reason of 1 to 500 characters', async () => {
    const path = await make();
    for (const wrong of [null, '', ' ', 'x'.repeat(501), 7]) {
      const { status, body } = await reject(path, wrong);
      expect([status, body.problems]).toEqual([422, [expect.objectContaining({ pointer: '/reason' })]]);
    }
    expect((await reject(path, 'x'.repeat(500))).status).toBe(200);
  });

  test('gives the same answer to a repeated request, and 409 to a request after another decision', async () => {
    const path = await make();
    await reject(path);
    expect((await reject(path)).body).toMatchObject({ state: 'cancelled', note: NOTE });
    const withdrawn = await make();
    await service.call('POST', `${withdrawn}/cancel`);
    const { status, body } = await reject(withdrawn);
    expect([status, body.state]).toEqual([409, 'cancelled']);
  });
});

test('a payment that is not above the limit cannot be rejected', async () => {
  const body = { accountAlias: '771234567', amount: 500, withdrawMode: 'wallet-a-senegal', reference: 'small' };
  const { id } = (await service.call('POST', '/v1/disbursements', { body })).body;
  const { status, body: refused } = await reject(`/v1/disbursements/${id}`);
  expect([status, refused.rule ?? refused.type]).toEqual([409, expect.anything()]);
});
