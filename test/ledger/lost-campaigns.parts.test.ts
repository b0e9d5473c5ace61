/** Campaigns that were started, retried or created in the data-loss window: no recipient gets their SMS twice. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Campaigns } from '../../src/ledger/campaigns.ts';
import { smsRequestItem } from '../../src/ledger/replay.ts';
import { RestoredLedger, goneOn, requestsSent } from '../support/restored-ledger.ts';

let world: RestoredLedger;
beforeEach(async () => {
  world = new RestoredLedger();
  await world.open();
});
afterEach(() => world.close());

const campaign = (id: string, state: string, counts = '') =>
  world.query(`insert into relais.campaign (id, account, fingerprint, name, body, state, recipients, created_by
      ${counts === '' ? '' : ', failed, sent, requests, started_at'})
    values ('${id}', 'main', '', '${id}', 'x', '${state}', 60, 'shop' ${counts})`);

const named = (campaignNumber: string, n: number, id: string) =>
  smsRequestItem(campaignNumber, n, { id, account: 'main' });

test('one that started in the data-loss window sends only requests outside the journal, after a user resumes it', async () => {
  const three = await world.putBack(
    () => campaign('cmp_1', 'scheduled'),
    async (two) => {
      await requestsSent(two, [named('1', 0, 'cmp_1')]);
      await goneOn(two);
    },
  );
  const applied = await world.appliedBy(three);
  expect(applied).toMatchObject({ is: 'over', report: { heldCampaigns: [{ id: 'cmp_1' }] } });
  expect(applied.is === 'over' && applied.report.broken).toBeUndefined();
  expect(await world.query('select state, reason, unknown, open from relais.campaign')).toEqual([
    { state: 'held', reason: 'restored', unknown: 50, open: 2 },
  ]);
  expect(await world.query('select n, size, state from relais.sms_request order by n')).toEqual([
    { n: 0, size: 50, state: 'unknown' },
    { n: 1, size: 10, state: 'queued' },
  ]);
});

test('recipients that failed, and may have been sent to again by a retry, are in doubt', async () => {
  const three = await world.putBack(
    async () => {
      await campaign('cmp_1', 'finished', ', 10, 50, 2, now()');
      await world.query(`insert into relais.sms_request (campaign, n, size, state, outcome, countries)
        values (1, 0, 50, 'settled', repeat('s', 50), 'SN'), (1, 1, 10, 'settled', repeat('f', 10), 'SN')`);
      await world.query(`insert into relais.campaign_country values (1, 'SN', 50, 10, 0)`);
    },
    async (two) => {
      await requestsSent(two, [named('1', 2, 'cmp_1')]);
      await goneOn(two);
    },
  );
  await world.appliedBy(three);
  expect(await world.query('select state, sent, failed, unknown from relais.campaign')).toEqual([
    { state: 'finished', sent: 50, failed: 0, unknown: 10 },
  ]);
  expect(await world.query('select sent, failed, unknown from relais.campaign_country')).toEqual([
    { sent: 50, failed: 0, unknown: 10 },
  ]);
  const again = await new Campaigns({ database: three.database }).retry('cmp_1', { includeUnknown: false });
  expect(again).toEqual({ is: 'nobody' });
});

test('a refused request that was split in the data-loss window is in doubt as a whole', async () => {
  const three = await world.putBack(
    async () => {
      await campaign('cmp_1', 'running', ', 0, 0, 2, now()');
      await world.query(`insert into relais.sms_request (campaign, n, size, state)
        values (1, 0, 50, 'refused'), (1, 1, 10, 'queued')`);
    },
    async (two) => {
      await requestsSent(two, [named('1', 2, 'cmp_1')]);
      await goneOn(two);
    },
  );
  await world.appliedBy(three);
  expect(await world.query('select state, reason, unknown from relais.campaign')).toEqual([
    { state: 'held', reason: 'restored', unknown: 50 },
  ]);
  expect(await world.query('select n, state from relais.sms_request order by n')).toEqual([
    { n: 0, state: 'unknown' },
    { n: 1, state: 'queued' },
  ]);
});

test('one that the backup lacks is not created again', async () => {
  const three = await world.putBack(
    async () => undefined,
    async (two) => {
      await requestsSent(two, [named('1', 0, 'cmp_1'), named('1', 1, 'cmp_1')]);
      await goneOn(two);
    },
  );
  await world.appliedBy(three);
  const content = { fingerprint: Buffer.from('x'), fields: { name: 'n', text: 'x' }, createdBy: 'shop' };
  const made = await new Campaigns({ database: three.database }).accept({ id: 'cmp_1', account: 'main', ...content });
  expect(made).toMatchObject({ outcome: 'conflict', id: 'cmp_1', buried: true });
});

test.for([
  ['wait as before if the journal proves that they were not accepted', 'ended', { state: 'queued', told: 0 }],
  ['are rejected without this proof', 'killed', { state: 'rejected', told: 1 }],
] as const)('requests that SQL clients enqueued %s', async ([, how, expected]) => {
  const three = await world.putBack(
    () =>
      world.query(`insert into relais.intake (id, digest, kind, account, request, client)
        values ('dsb_1', 'dsb_1', 'disbursement', 'main', '{}', 'sql:shop')`),
    goneOn,
    how,
  );
  await world.appliedBy(three);
  expect(
    await world.query(`select state, (select count(*)::int from relais.outbox o where o.subject = i.id) as told
      from relais.intake i`),
  ).toEqual([expected]);
});
