/** A campaign above CAMPAIGN_APPROVAL_ABOVE starts only after a different person has approved exactly its content. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { openRecipients } from '../../src/campaigns/library.ts';
import { DEEP } from '../support/deep.ts';
import { hears, recovers, withoutWitness } from '../support/recovery.ts';
import { type Answer, type Service, startService } from '../support/service.ts';
import { actsOn } from '../support/stored.ts';

const toStop: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of toStop.splice(0).toReversed()) await stop();
});

async function started(env: Readonly<Record<string, string>>): Promise<Service> {
  const service = await startService(env);
  toStop.push(() => service.stop());
  return service;
}

async function pricesFile(): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'relais-prices-')), 'prices.json');
  await writeFile(path, '{"SN": 20}');
  return path;
}

const CSV = { 'content-type': 'text/csv' };
const people = (count: number, first = 0): string =>
  ['numero', ...Array.from({ length: count }, (_, n) => `77${String(1_000_000 + first + n)}`)].join('\n');

async function filled(service: Service, count: number, more: object = {}): Promise<string> {
  const body = { name: 'test', text: 'Bonjour', country: 'SN', reference: 'november', ...more };
  const { body: made } = await service.call('POST', '/v1/campaigns', { body });
  const path = `/v1/campaigns/${made.id}`;
  const uploaded = await service.call('POST', `${path}/recipients`, { body: people(count), headers: CSV });
  expect([uploaded.status, uploaded.body.recipients]).toEqual([200, count]);
  return path;
}

/** Maker creates the campaign; checker is another key with the role approve. */
const act = (service: Service, path: string, action: string, body?: object, key = 'maker-secret') =>
  service.call('POST', `${path}/${action}`, { key, ...(body ? { body } : {}) });
const approve = (service: Service, path: string, contentHash: unknown, key = 'checker-secret') =>
  act(service, path, 'approve', { contentHash }, key);
const read = async (service: Service, path: string) => (await service.call('GET', path)).body;
const said = ({ status, body }: Answer) => [status, body.state ?? body.detail] as const;

const texts = (service: Service) => service.books('messages');
const told = async (service: Service, type: string) =>
  (await service.until(`/v1/events?types=${type}`, ({ events }) => events.length > 0)).events.map(
    ({ data }: { data: Record<string, unknown> }) => data,
  );

test('the start of a campaign above the limit waits, and approvers are notified', async () => {
  const service = await started({ CAMPAIGN_APPROVAL_ABOVE: '10recipients' });
  const path = await filled(service, 11);
  expect(said(await act(service, path, 'start'))).toEqual([202, 'awaiting_approval']);
  expect(said(await act(service, path, 'start'))).toEqual([202, 'awaiting_approval']);
  const campaign = await read(service, path);
  expect(campaign).toMatchObject({ state: 'awaiting_approval', approvedBy: null });
  expect(campaign.contentHash).toMatch(/^[0-9a-f]{64}$/);
  expect(await told(service, 'campaign.awaiting_approval')).toEqual([
    expect.objectContaining({ id: campaign.id, state: 'awaiting_approval', name: 'test', recipients: 11 }),
  ]);
  expect(said(await approve(service, path, campaign.contentHash))).toEqual([200, 'running']);
  await service.until(path, ({ state }) => state === 'finished');
  expect(await texts(service)).toHaveLength(11);
  expect(await read(service, path)).toMatchObject({ approvedBy: 'checker', approvedAt: expect.any(String) });
  // The first answer may have been lost.
  expect((await approve(service, path, campaign.contentHash)).status).toBe(200);
  expect((await actsOn(service, campaign.id)).slice(-2)).toEqual(['campaign.start', 'campaign.approve']);
});

test('the API, the list, the event and the explanation count the recipients of the SMS, and not the skipped rows', async () => {
  const service = await started({ CAMPAIGN_APPROVAL_ABOVE: '10recipients' });
  const path = await filled(service, 11);
  const more = [people(4), '771000000', 'nobody', 'none'].join('\n').replace('numero', 'phone');
  await service.call('POST', `${path}/recipients`, { body: more, headers: CSV });
  await act(service, path, 'start');
  const campaign = await read(service, path);
  const { total, skipped } = campaign.totals;
  expect(skipped).toBeGreaterThan(0);
  expect(campaign.recipients).toBe(total - skipped);
  const [listed] = (await service.call('GET', '/v1/campaigns')).body.items;
  expect(listed.recipients).toBe(campaign.recipients);
  const [{ recipients }] = await told(service, 'campaign.awaiting_approval');
  expect(recipients).toBe(campaign.recipients);
  const { summary } = (await service.call('GET', `/v1/explain/${campaign.id}`)).body;
  expect(summary).toContain(`to ${campaign.recipients} recipients`);
  await approve(service, path, campaign.contentHash);
  await service.until(path, ({ state }) => state === 'finished');
  expect(await texts(service)).toHaveLength(campaign.recipients);
});

test('a campaign below the limit needs no approval', async () => {
  const service = await started({ CAMPAIGN_APPROVAL_ABOVE: '10recipients' });
  const path = await filled(service, 10);
  expect(said(await act(service, path, 'start'))[0]).toBe(200);
  await service.until(path, ({ state }) => state === 'finished');
});

describe('approval is refused for', () => {
  test('a key that created, filled, changed or started it', async () => {
    const service = await started({ CAMPAIGN_APPROVAL_ABOVE: '10recipients' });
    const path = await filled(service, 11);
    await act(service, path, 'start', undefined, 'checker-secret');
    const { contentHash } = await read(service, path);
    for (const key of ['maker-secret', 'checker-secret']) {
      const refused = await approve(service, path, contentHash, key);
      expect([refused.status, refused.body.detail]).toEqual([403, expect.stringContaining('different person')]);
    }
    expect((await approve(service, path, contentHash, 'reader-secret')).status).toBe(403);
    expect((await read(service, path)).state).toBe('awaiting_approval');
  });

  test('other content than what waits', async () => {
    const service = await started({ CAMPAIGN_APPROVAL_ABOVE: '10recipients' });
    const path = await filled(service, 11, { quietHours: false });
    await act(service, path, 'start');
    const { contentHash } = await read(service, path);
    const more = await service.call('POST', `${path}/recipients`, { body: people(5, 100), headers: CSV });
    expect(more.status).toBe(409);
    expect((await service.call('PATCH', path, { body: { quietHours: '00:00-00:01' } })).status).toBe(200);
    const refused = await approve(service, path, contentHash);
    expect([refused.status, refused.body.contentHash]).toEqual([409, (await read(service, path)).contentHash]);
    expect(refused.body.contentHash).not.toBe(contentHash);
    expect((await approve(service, path, refused.body.contentHash)).status).toBe(200);
    // Approved content is fixed: it includes the hours, but not the pace.
    expect((await service.call('PATCH', path, { body: { perSecond: 100 } })).status).toBe(200);
    const changed = await service.call('PATCH', path, { body: { quietHours: false } });
    expect(changed.status).toBe(409);
  });
});

describe('nothing of it leaves', () => {
  test('by pausing and resuming, cancelling and retrying', async () => {
    const service = await started({ CAMPAIGN_APPROVAL_ABOVE: '10recipients' });
    const path = await filled(service, 11);
    await act(service, path, 'start');
    expect((await act(service, path, 'pause')).status).toBe(409);
    expect((await act(service, path, 'resume')).status).toBe(409);
    expect((await act(service, path, 'retry', {})).status).toBe(409);
    expect(said(await act(service, path, 'cancel'))).toEqual([200, 'cancelled']);
    expect((await act(service, path, 'retry', {})).status).toBe(409);
    expect(await texts(service)).toHaveLength(0);
  });

  test('from a restored backup, however often it is resumed', async () => {
    const service = await started({ CAMPAIGN_APPROVAL_ABOVE: '10recipients' });
    const path = await filled(service, 11);
    await recovers(service, 'rolled_back');
    await withoutWitness(service);
    const apply = async () => (await service.call('POST', '/v1/recovery', { body: { apply: true } })).body.over;
    await expect.poll(apply).toBe(true);
    await hears(service);
    expect(await read(service, path)).toMatchObject({ state: 'held', reason: 'restored' });
    expect(said(await act(service, path, 'resume'))).toEqual([202, 'awaiting_approval']);
    expect(await texts(service)).toHaveLength(0);
    const { contentHash } = await read(service, path);
    expect((await approve(service, path, contentHash)).status).toBe(200);
  });

  test('when its time comes under a limit that was made stricter since', async () => {
    const service = await started({ SWEEP_INTERVAL: '50ms' });
    const path = await filled(service, 11, { sendAt: new Date(Date.now() + 3_600_000).toISOString() });
    expect(said(await act(service, path, 'start'))).toEqual([200, 'scheduled']);
    const limit = '/v1/limits/CAMPAIGN_APPROVAL_ABOVE_RECIPIENTS';
    expect((await service.call('POST', limit, { body: { value: 10 } })).status).toBe(200);
    const { id } = await read(service, path);
    await service.ledger.query(`update relais.campaign set starts_at = now(), due_at = now() where id = '${id}'`);
    await service.until(path, ({ state }) => state === 'awaiting_approval');
  });

  test('when failed recipients are to be sent to again', async () => {
    const service = await started({});
    const path = await filled(service, 11);
    await service.control('POST', '/faults', {
      fault: 'answers a given code',
      code: 'ERROR_110',
      operation: 'sms.send',
    });
    await act(service, path, 'start');
    await service.until(path, ({ state }) => state === 'finished');
    await service.control('DELETE', '/faults');
    await service.call('POST', '/v1/limits/CAMPAIGN_APPROVAL_ABOVE_RECIPIENTS', { body: { value: 10 } });
    const refused = await act(service, path, 'retry', {});
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('CAMPAIGN_APPROVAL_ABOVE')]);
    expect(await texts(service)).toHaveLength(0);
  });

  test('through the library', async () => {
    const service = await started({ CAMPAIGN_APPROVAL_ABOVE: '10recipients' });
    const path = await filled(service, 5);
    const { id } = await read(service, path);
    await using recipients = openRecipients({ database: service.ledger.url, country: 'SN' });
    await recipients.add(
      id,
      (async function* () {
        yield Buffer.from(people(6, 50));
      })(),
    );
    expect(said(await act(service, path, 'start'))).toEqual([202, 'awaiting_approval']);
  });
});

test('approvers of payments are notified too', async () => {
  const service = await started({ APPROVAL_ABOVE: '1000' });
  const order = { accountAlias: '771234567', amount: 5_000, withdrawMode: 'wallet-a-senegal', reference: 'dear "é"' };
  const { body: one } = await service.call('POST', '/v1/disbursements', { body: order });
  await service.call('POST', '/v1/disbursements', { body: order });
  expect(await told(service, 'disbursement.awaiting_approval')).toEqual([
    expect.objectContaining({ id: one.id, state: 'awaiting_approval', amount: 5_000, reference: 'dear "é"' }),
  ]);
  const rows = 'reference;accountAlias;amount;withdrawMode\na;771234567;25;wallet-a-senegal\n';
  const { body: batch } = await service.call('POST', '/v1/disbursement-batches', { body: rows, headers: CSV });
  expect(await told(service, 'batch.awaiting_approval')).toEqual([
    expect.objectContaining({ id: batch.id, contentHash: batch.contentHash, by: 'maker' }),
  ]);
});

test.runIf(DEEP)('a million that one key asked for do not leave', { timeout: 300_000 }, async () => {
  const service = await started({ CAMPAIGN_APPROVAL_ABOVE: '999999recipients' });
  const path = await filled(service, 1_000_000);
  expect(said(await act(service, path, 'start'))).toEqual([202, 'awaiting_approval']);
  for (const action of ['start', 'pause', 'resume', 'retry']) await act(service, path, action, {});
  expect((await approve(service, path, (await read(service, path)).contentHash, 'maker-secret')).status).toBe(403);
  expect(await read(service, path)).toMatchObject({ state: 'awaiting_approval', totals: { queued: 1_000_000 } });
  expect(await texts(service)).toHaveLength(0);
});

describe('a limit in XOF', () => {
  test('is compared with the estimated cost of the SMS', async () => {
    const service = await started({ CAMPAIGN_APPROVAL_ABOVE: '200xof', SMS_PRICES_FILE: await pricesFile() });
    const cheap = await filled(service, 10);
    expect(said(await act(service, cheap, 'start'))[0]).toBe(200);
    const dear = await filled(service, 11, { reference: 'dear' });
    expect(said(await act(service, dear, 'start'))).toEqual([202, 'awaiting_approval']);
  });

  test('holds SMS without a price', async () => {
    const service = await started({});
    await service.call('POST', '/v1/limits/CAMPAIGN_APPROVAL_ABOVE_XOF', { body: { value: 1_000_000 } });
    const path = await filled(service, 1);
    expect(said(await act(service, path, 'start'))).toEqual([202, 'awaiting_approval']);
  });
});
