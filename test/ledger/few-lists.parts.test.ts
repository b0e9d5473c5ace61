/** Lists of campaigns and batches, and their status figures. */
import { expect, test } from 'vitest';
import { Queries } from '../../src/ledger/queries.ts';
import { Status } from '../../src/ledger/status.ts';
import { insertOperations } from '../support/ledger-rows.ts';
import { ledgerOfThisFile } from '../support/ledger-of-file.ts';

const ledger = ledgerOfThisFile(
  'sms_request',
  'campaign',
  'campaign_country',
  'batch',
  'batch_row',
  'upload_in_progress',
  'operation',
  'final_change',
  'final_count',
);
const queries = (): Queries => new Queries({ database: ledger.database });
const idsOf = ({ items }: { readonly items: readonly { readonly id: string }[] }) => items.map(({ id }) => id);

/** One a minute, the last one the newest. */
const campaigns = (many: number, state: string, from = 0) =>
  ledger.query(`insert into relais.campaign (id, account, reference, fingerprint, name, body, state, metadata, recipients, sent, created_by, created_at)
    select 'cmp_' || n, 'a' || n % 2, 'c-' || n, '', 'November', 'Bonjour', '${state}', jsonb_build_object('shop', (n % 3)::text), 1,
      case when '${state}' = 'finished' then 1 else 0 end, 'maker', '2026-11-22T12:00:00Z'::timestamptz + n * interval '1 min'
    from generate_series(${from + 1}, ${from + many}) n`);
const batches = (many: number, state: string) =>
  ledger.query(`insert into relais.batch (id, account, fingerprint, content_hash, state, rows, xof, totals, problems, warnings, created_by, created_at, since)
    select 'bat_' || n, 'a' || n % 2, '', 'h' || n, '${state}', 2, 500, '{"count": 2, "xof": 500, "countries": {}, "modes": {}}',
      '{"count": 0, "list": []}', '{"count": 0, "list": []}', 'maker', at, at
    from generate_series(1, ${many}) n, lateral (select '2026-11-22T12:00:00Z'::timestamptz + n * interval '1 min' as at) t`);

test('a running campaign is found below any number of finished ones, and pages continue', async () => {
  await campaigns(1, 'running');
  await campaigns(300, 'finished', 1);
  const running = await queries().page('campaign', { states: ['draft', 'running'], limit: 2 });
  expect([idsOf(running), running.next]).toEqual([['cmp_1'], undefined]);
  const first = await queries().page('campaign', { limit: 2 });
  expect(idsOf(first)).toEqual(['cmp_301', 'cmp_300']);
  expect(idsOf(await queries().page('campaign', { limit: 2, after: first.next }))).toEqual(['cmp_299', 'cmp_298']);
  expect(idsOf(await queries().page('campaign', { limit: 2, accounts: ['a0'] }))).toEqual(['cmp_300', 'cmp_298']);
  const found = await queries().page('campaign', { limit: 2, accounts: ['a0'], metadata: { shop: '0' } });
  expect(idsOf(found)).toEqual(['cmp_300', 'cmp_294']);
  expect(idsOf(await queries().referred('campaign', [], { reference: 'c-7' }))).toEqual(['cmp_7']);
  expect(idsOf(await queries().referred('campaign', [], { reference: 'c-7', accounts: ['a0'] }))).toEqual([]);
  const sought = await queries().sought({ word: 'c-9', ids: [], named: [] }, { accounts: undefined, limit: 5 });
  expect(idsOf(sought)).toEqual(['cmp_9']);
  expect(await queries().counts('campaign')).toMatchObject({ count: { running: 1, finished: 300 } });
  expect(await queries().outcomes()).toMatchObject({ sent: 300 });
  await ledger.query(
    `insert into relais.upload_in_progress (campaign, tag, first_n, lease_until) select number, 'a1', 0, now() from relais.campaign limit 1`,
  );
  expect(await queries().unfinishedUploads()).toBe(1);
  const status = new Status({ database: ledger.database, queries: queries() });
  expect((await status.campaigns()).map(({ id }) => id)).toEqual(['cmp_1']);
});

test('batches are listed, reviewed and summed by their state', async () => {
  await batches(5, 'needs_review');
  await ledger.query(`update relais.batch set state = 'cancelled' where id = 'bat_5'`);
  const first = await queries().page('batch', { limit: 3, states: ['needs_review'] });
  expect(idsOf(first)).toEqual(['bat_4', 'bat_3', 'bat_2']);
  const rest = await queries().page('batch', { limit: 3, states: ['needs_review'], after: first.next });
  expect([idsOf(rest), rest.next]).toEqual([['bat_1'], undefined]);
  const review = await queries().review({ limit: 2, accounts: ['a1'] });
  expect(idsOf(review)).toEqual(['bat_1', 'bat_3']);
  const status = new Status({ database: ledger.database, queries: queries() });
  expect(await status.waiting()).toEqual([{ kind: 'batch', state: 'needs_review', count: 4, xof: 2_000 }]);
  expect(await queries().read('batch', 'bat_2')).toMatchObject({ id: 'bat_2', totals: { xof: 500 } });
  expect(await queries().kindOf('bat_2')).toBe('batch');
});

test('outcomes only grow: through late results, retries and retention', async () => {
  await campaigns(1, 'running');
  const counts = (text: string) => ledger.query(`update relais.campaign set ${text}`);
  await counts('recipients = 10, sent = 4, failed = 3, unknown = 3');
  await insertOperations(ledger, [
    { id: 'msg_a', kind: 'message', state: 'sending', request: {} },
    { id: 'msg_b', kind: 'message', state: 'unknown', request: {} },
  ]);
  await ledger.query(`update relais.operation set state = 'sent', finished_at = now() where id = 'msg_a'`);
  expect(await queries().outcomes()).toEqual({ sent: 5, failed: 3, unknown: 4, expired: 0 });
  await counts('sent = 6, unknown = 1, failed = 1');
  await ledger.query(`update relais.operation set state = 'sent', finished_at = now() where id = 'msg_b'`);
  const late = { sent: 8, failed: 3, unknown: 4, expired: 0 };
  expect(await queries().outcomes()).toEqual(late);
  await ledger.query('delete from relais.operation');
  await ledger.query('delete from relais.campaign');
  const { expired: _none, ...kept } = late;
  expect(await queries().outcomes()).toMatchObject(kept);
});

test('queued requests of a running campaign are due, and those of a paused one are not', async () => {
  await campaigns(1, 'running');
  await campaigns(1, 'paused', 1);
  await ledger.query(`update relais.campaign set since = '2026-11-22T12:00:00Z'`);
  await ledger.query(`insert into relais.sms_request (campaign, n, size, state, outcome, due_at)
    select c.number, r.n, 1, r.state, r.outcome, r.due_at from relais.campaign c,
      (values (0, 'queued', null, null), (1, 'queued', null, null), (2, 'unknown', 'u', '2026-11-22T13:00:00Z'::timestamptz)) as r(n, state, outcome, due_at)
    where c.id = 'cmp_1' or r.state = 'queued'`);
  const noon = Date.parse('2026-11-22T12:00:00Z');
  expect(await queries().dueIn('sms-batch', noon + 1)).toEqual({ now: 2, later: 1, oldestAt: noon });
  expect(await queries().counts('sms_request')).toMatchObject({ count: { queued: 4, unknown: 1 } });
});
