/** Campaigns on real PostgreSQL: identity, content, approval, states, and the lines of each act. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Database } from '../../src/ledger/pool.ts';
import type { Act } from '../../src/ledger/acts.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';
import { type CampaignBench, MIDNIGHT, campaignBench } from '../support/ledger-campaigns.ts';

const HOUR = 3_600_000;

let ledger: FreshLedger;
let database: Database;
let bench: CampaignBench;
beforeAll(async () => {
  ledger = await freshLedger();
  database = new Database({ url: ledger.url, schema: ledger.schema });
});
afterAll(async () => {
  await database?.close();
  await ledger?.close();
});
beforeEach(async () => {
  await ledger.query(
    'truncate relais.campaign, relais.campaign_country, relais.sms_request, relais.recipient, relais.outbox, relais.audit_line, relais.tombstone',
  );
  bench = campaignBench(ledger, database);
});

const act = (name: string, target: string): Act => ({
  by: 'maker',
  person: 'awa',
  role: 'enqueue',
  source: 'api',
  requestId: 'r-1',
  act: name,
  target,
});
const requests = (id: string) =>
  ledger.query(
    `select q.n, q.size, q.state, q.outcome, q.members from relais.sms_request q join relais.campaign c on c.number = q.campaign
     where c.id = '${id}' order by q.n`,
  );

describe('a request for a campaign', () => {
  const request = (id: string, more: object = {}) => ({
    id,
    account: 'main',
    reference: 'november',
    fingerprint: createHash('sha256').update('a').digest(),
    fields: { name: 'November', text: 'Bonjour {{prenom}}', perSecond: 20, quietHours: 'on', canary: 50 },
    createdBy: 'maker',
    ...more,
  });

  test('is recorded as a draft, with its fields, its maker and an audit line', async () => {
    expect(await bench.campaigns.accept({ ...request('cmp_a'), act: act('campaign.create', 'cmp_a') })).toEqual({
      outcome: 'accepted',
      id: 'cmp_a',
      at: bench.now(),
    });
    expect(await bench.campaigns.read('cmp_a')).toMatchObject({
      id: 'cmp_a',
      state: 'draft',
      account: 'main',
      reference: 'november',
      name: 'November',
      text: 'Bonjour {{prenom}}',
      perSecond: 20,
      quietHours: 'on',
      canary: 50,
      createdAt: bench.now(),
      rev: 1,
      totals: { total: 0, queued: 0 },
      fields: { 'hand:maker': `${bench.now()}` },
    });
    expect(await ledger.query('select act, target, person from relais.audit_line')).toEqual([
      { act: 'campaign.create', target: 'cmp_a', person: 'awa' },
    ]);
  });

  test('is a duplicate with the same content, and a conflict with another or under another id', async () => {
    await bench.campaigns.accept(request('cmp_a'));
    const again = await bench.campaigns.accept(request('cmp_a'));
    expect(again).toEqual({ outcome: 'duplicate', id: 'cmp_a', state: 'draft', buried: false });
    const other = request('cmp_a', { fingerprint: createHash('sha256').update('b').digest() });
    expect(await bench.campaigns.accept(other)).toMatchObject({ outcome: 'conflict', id: 'cmp_a' });
    expect(await bench.campaigns.accept(request('cmp_b'))).toMatchObject({ outcome: 'conflict', id: 'cmp_a' });
  });

  test('two at once are one', async () => {
    const both = await Promise.all([
      bench.campaigns.accept(request('cmp_a')),
      bench.campaigns.accept(request('cmp_a')),
    ]);
    expect(both.map(({ outcome }) => outcome).toSorted()).toEqual(['accepted', 'duplicate']);
  });

  test('meets the tombstone of a campaign that retention removed', async () => {
    await ledger.query(
      `insert into relais.tombstone (id, kind, account, reference, fingerprint, state, finished_at)
       values ('cmp_a', 'campaign', 'main', 'november', sha256('a'), 'finished', now())`,
    );
    expect(await bench.campaigns.accept(request('cmp_a'))).toEqual({
      outcome: 'duplicate',
      id: 'cmp_a',
      state: 'finished',
      buried: true,
    });
  });

  test('is refused while the ledger is recovering, and so is a start', async () => {
    const id = await bench.ready(10);
    await ledger.query('update relais.deployment set recovering_at = now()');
    await expect(bench.campaigns.accept(request('cmp_z'))).rejects.toMatchObject({ reason: 'recovering' });
    await expect(bench.campaigns.switch(id, 'start', { by: 'maker' })).rejects.toMatchObject({
      reason: 'recovering',
    });
    expect(await bench.campaigns.switch(id, 'cancel', { by: 'maker' })).toMatchObject({ is: 'applied' });
    await ledger.query('update relais.deployment set recovering_at = null');
  });
});

describe('states', () => {
  test('start makes the requests, 50 recipients each, and is noted once', async () => {
    const id = await bench.ready(120);
    const started = await bench.campaigns.switch(id, 'start', { by: 'starter', act: act('campaign.start', id) });
    expect(started).toMatchObject({ is: 'applied', to: 'running' });
    expect(await requests(id)).toMatchObject([
      { n: 0, size: 50, state: 'queued', members: null },
      { n: 1, size: 50 },
      { n: 2, size: 20 },
    ]);
    expect(await bench.campaigns.switch(id, 'start', { by: 'starter' })).toEqual({ is: 'refused', state: 'running' });
    expect(await ledger.query('select before, facts from relais.audit_line')).toEqual([
      { before: { state: 'ready' }, facts: { state: 'running' } },
    ]);
    expect(await bench.sum(id)).toEqual([120, 120]);
  });

  test('two starts at once make the requests one time', async () => {
    const id = await bench.ready(500);
    const both = await Promise.all([
      bench.campaigns.switch(id, 'start', { by: 'a' }),
      bench.campaigns.switch(id, 'start', { by: 'b' }),
    ]);
    expect(both.map(({ is }) => is).toSorted()).toEqual(['applied', 'refused']);
    expect(await requests(id)).toHaveLength(10);
  });

  test('a campaign with a time ahead is scheduled, and due at its time', async () => {
    const id = await bench.ready(60, { sendAt: MIDNIGHT + 14 * HOUR });
    expect(await bench.campaigns.switch(id, 'start', { by: 'maker' })).toMatchObject({ to: 'scheduled' });
    expect(await bench.campaigns.due(10)).toEqual([]);
    bench.advance(2 * HOUR);
    expect(await bench.campaigns.due(10)).toEqual([id]);
    expect(await bench.campaigns.switch(id, 'begin')).toMatchObject({ to: 'running' });
    expect(await bench.campaigns.due(10)).toEqual([]);
  });

  test('pause, resume and cancel report each change, and cancel ends unsent requests', async () => {
    const id = await bench.started(120);
    await bench.campaigns.switch(id, 'pause', { by: 'maker' });
    await bench.campaigns.switch(id, 'resume', { by: 'maker' });
    expect(await bench.campaigns.switch(id, 'cancel', { by: 'maker' })).toMatchObject({ to: 'cancelled' });
    expect((await bench.events(id)).map(({ type }) => type)).toEqual(['campaign.paused', 'campaign.cancelled']);
    expect((await bench.campaigns.read(id))?.totals).toMatchObject({ total: 120, queued: 0, cancelled: 120 });
    expect(await requests(id)).toMatchObject([{ outcome: 'c'.repeat(50) }, { outcome: 'c'.repeat(50) }, {}]);
    expect(await bench.campaigns.switch(id, 'resume', { by: 'maker' })).toEqual({
      is: 'refused',
      state: 'cancelled',
    });
  });

  test('a campaign that never started is cancelled with all its recipients', async () => {
    const id = await bench.ready(120);
    await bench.campaigns.switch(id, 'cancel', { by: 'maker' });
    expect([await bench.sum(id), (await bench.campaigns.read(id))?.totals.cancelled]).toEqual([[120, 120], 120]);
  });

  test('a hold that was read earlier does not overwrite a user’s change', async () => {
    const id = await bench.started(120);
    const asRead = (await bench.campaigns.read(id))?.rev;
    await bench.campaigns.amend(id, { quietHours: '' });
    const held = await bench.campaigns.switch(id, 'hold', { reason: 'quiet_hours', ...(asRead && { asRead }) });
    expect(held).toEqual({ is: 'refused', state: 'running' });
    await bench.campaigns.switch(id, 'hold', { reason: 'funds', againInMs: 60_000 });
    expect(await bench.campaigns.switch(id, 'release', { only: 'quiet_hours' })).toMatchObject({ is: 'refused' });
    expect(await bench.standing(id)).toBe('held: funds');
    bench.advance(60_000);
    expect(await bench.campaigns.due(10)).toEqual([id]);
  });
});

describe('content', () => {
  test('changes only while there are no recipients, and each change raises the version', async () => {
    const id = await bench.drafted({ from: 'SHOP' });
    expect(await bench.campaigns.amend(id, { text: 'Salut', from: '', perSecond: 5 }, { by: 'editor' })).toEqual({
      is: 'applied',
      rev: 2,
    });
    const record = await bench.campaigns.read(id);
    expect([record?.text, record?.from, record?.perSecond]).toEqual(['Salut', undefined, 5]);
    expect(Object.keys(record?.fields ?? {}).toSorted()).toEqual(['hand:editor', 'hand:maker']);
    await bench.fill(id, 10);
    expect(await bench.campaigns.amend(id, { text: 'Bonsoir' })).toEqual({ is: 'filled' });
    expect(await bench.campaigns.amend(id, { perSecond: '' })).toMatchObject({ is: 'applied' });
    expect((await bench.campaigns.read(id))?.perSecond).toBeUndefined();
  });
});

describe('approval', () => {
  beforeEach(() => {
    bench = campaignBench(ledger, database, { limits: { CAMPAIGN_APPROVAL_ABOVE_RECIPIENTS: 100 } });
  });

  test('above the limit a different person approves exactly the content that they read', async () => {
    const id = await bench.ready(120);
    expect(await bench.campaigns.switch(id, 'start', { by: 'starter' })).toMatchObject({ to: 'awaiting_approval' });
    expect(await bench.events(id)).toMatchObject([{ type: 'campaign.awaiting_approval', data: { recipients: 120 } }]);
    const approves = (await bench.campaigns.read(id))?.rev ?? 0;
    expect(await bench.campaigns.switch(id, 'approve', { by: 'starter', approves })).toEqual({ is: 'own' });
    expect(await bench.campaigns.switch(id, 'approve', { by: 'maker', approves })).toEqual({ is: 'own' });
    const stale = await bench.campaigns.switch(id, 'approve', { by: 'checker', approves: approves - 1 });
    expect(stale).toEqual({ is: 'refused', state: 'awaiting_approval' });
    expect(await bench.campaigns.switch(id, 'approve', { by: 'checker', approves })).toMatchObject({ to: 'running' });
    expect(await bench.campaigns.read(id)).toMatchObject({ approvedBy: 'checker', approvedAt: bench.now() });
    expect(await bench.campaigns.amend(id, { quietHours: 'on' })).toEqual({ is: 'approved' });
  });

  test('a different person rejects with a reason, and nothing is sent', async () => {
    const id = await bench.ready(120);
    await bench.campaigns.switch(id, 'start', { by: 'starter' });
    const how = { note: 'wrong month', act: act('campaign.reject', id) };
    expect(await bench.campaigns.reject(id, { ...how, by: 'maker' })).toEqual({ is: 'own' });
    expect(await bench.campaigns.reject(id, { ...how, by: 'checker' })).toMatchObject({ to: 'cancelled' });
    expect((await bench.events(id)).at(-1)).toMatchObject({
      type: 'campaign.cancelled',
      data: { reason: 'not_approved', note: 'wrong month', rejectedBy: 'checker' },
    });
    expect(await bench.campaigns.read(id)).toMatchObject({
      state: 'cancelled',
      reason: 'not_approved',
      note: 'wrong month',
      rejectedBy: 'checker',
      totals: { cancelled: 120 },
    });
  });
});

describe('a retry', () => {
  /** A campaign that finished with these letters, a string for each request. */
  async function finished(...outcomes: readonly string[]): Promise<string> {
    const id = await bench.started(outcomes.join('').length);
    for (const [n, outcome] of outcomes.entries()) {
      await ledger.query(
        `update relais.sms_request q set state = 'settled', outcome = '${outcome}' from relais.campaign c
         where c.number = q.campaign and c.id = '${id}' and q.n = ${n}`,
      );
    }
    const all = outcomes.join('');
    const count = (letter: string): number => all.split(letter).length - 1;
    await ledger.query(
      `update relais.campaign set state = 'finished', open = 0, sent = ${count('s')}, failed = ${count('f')},
         unknown = ${count('u')}, skipped = ${count('x')} where id = '${id}'`,
    );
    return id;
  }

  test('makes requests of the failed, and each recipient still has one letter', async () => {
    const id = await finished('s'.repeat(48) + 'fu', `f${'s'.repeat(9)}`);
    expect(await bench.campaigns.retry(id, { includeUnknown: false, key: 'k1' })).toMatchObject({ is: 'applied' });
    expect(await requests(id)).toMatchObject([
      { outcome: `${'s'.repeat(48)}-u` },
      { outcome: `-${'s'.repeat(9)}` },
      { n: 2, size: 2, members: [48, 50], state: 'queued', outcome: null },
    ]);
    expect((await bench.campaigns.read(id))?.totals).toMatchObject({ total: 60, queued: 2, sent: 57, unknown: 1 });
    expect(await bench.campaigns.retry(id, { includeUnknown: false, key: 'k1' })).toEqual({ is: 'replayed' });
    expect(await bench.campaigns.retry(id, { includeUnknown: false, key: 'k2' })).toEqual({ is: 'under way' });
    expect(await bench.campaigns.retry(id, { includeUnknown: true })).toEqual({ is: 'refused', state: 'running' });
  });

  test('unknown ones are sent separately, and a cancellation restores every letter', async () => {
    const id = await finished('s'.repeat(48) + 'fu', `f${'s'.repeat(9)}`);
    await bench.campaigns.retry(id, { includeUnknown: true });
    expect(await requests(id)).toMatchObject([{}, {}, { members: [48, 50] }, { members: [49] }]);
    expect((await bench.campaigns.read(id))?.resent).toBe(1);
    await bench.campaigns.switch(id, 'cancel', { by: 'maker' });
    expect((await bench.campaigns.read(id))?.totals).toMatchObject({ sent: 57, failed: 2, unknown: 1, queued: 0 });
    expect(await bench.sum(id)).toEqual([60, 60]);
  });

  test('of no recipients, of erased recipients, or of a campaign that is not finished changes nothing', async () => {
    const sent = await finished('s'.repeat(10));
    expect(await bench.campaigns.retry(sent, { includeUnknown: true })).toEqual({ is: 'nobody' });
    const id = await finished('f');
    await ledger.query('update relais.recipient set phone = null, variables = null');
    expect(await bench.campaigns.retry(id, { includeUnknown: false })).toEqual({ is: 'nobody' });
    expect(await bench.standing(id)).toBe('finished');
    const running = await bench.started(10);
    expect(await bench.campaigns.retry(running, { includeUnknown: false })).toEqual({
      is: 'refused',
      state: 'running',
    });
  });
});

test('a campaign cannot finish with counts that do not add up, nor leave its last state', async () => {
  const id = await bench.started(10);
  const wrong = ledger.query(`update relais.campaign set state = 'finished', sent = 9 where id = '${id}'`);
  await expect(wrong).rejects.toThrow('campaign_adds_up');
  await ledger.query(`update relais.campaign set state = 'cancelled' where id = '${id}'`);
  const again = ledger.query(`update relais.campaign set state = 'running' where id = '${id}'`);
  await expect(again).rejects.toThrow('no arrow of campaign leads from cancelled to running');
});
