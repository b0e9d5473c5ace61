/** Doubt about requests of campaigns: letters, status checks, dead workers, and splits. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Database } from '../../src/ledger/pool.ts';
import type { SmsRequests } from '../../src/ledger/sms-requests.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';
import { type CampaignBench, campaignBench } from '../support/ledger-campaigns.ts';
import {
  LEASE_MS,
  SETTLE_MS,
  TABLES,
  asked,
  letters,
  only,
  openRequests,
  withdrawn,
} from '../support/ledger-requests.ts';

let ledger: FreshLedger;
let database: Database;
let bench: CampaignBench;
const opened: SmsRequests[] = [];
beforeAll(async () => {
  ledger = await freshLedger();
  database = new Database({ url: ledger.url, schema: ledger.schema });
});
afterAll(async () => {
  await database?.close();
  await ledger?.close();
});
beforeEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
  await ledger.query(`truncate ${TABLES}`);
  bench = campaignBench(ledger, database);
});

function open(): SmsRequests {
  const { requests } = openRequests(ledger, bench);
  opened.push(requests);
  return requests;
}

const totals = async (id: string) => (await bench.campaigns.read(id))?.totals;

describe('doubt', () => {
  test('letters change only from u, and the campaign finishes when every doubt is over', async () => {
    const id = await bench.started(50);
    const requests = open();
    const taken = only((await requests.step(asked())).taken);
    const doubt = { ...letters(taken, `${'s'.repeat(48)}uu`, 'unknown'), dueMs: SETTLE_MS };
    await requests.step(asked({ results: [doubt] }));
    expect(await totals(id)).toMatchObject({ sent: 48, unknown: 2, sending: 0 });
    expect(await bench.standing(id)).toBe('running');
    expect(await requests.claimChecks(['main'], 10)).toEqual([]);
    bench.advance(SETTLE_MS);
    const [check] = await requests.claimChecks(['main'], 10);
    expect(check).toMatchObject({ n: 0, state: 'unknown', letters: `${'s'.repeat(48)}uu`, checks: 0 });
    expect(await requests.claimChecks(['main'], 10)).toEqual([]);
    if (!check) throw new Error('a request to check');
    await requests.settle([letters(check, `${'f'.repeat(48)}su`)]);
    expect(await totals(id)).toMatchObject({ sent: 49, failed: 0, unknown: 1 });
    expect(await bench.standing(id)).toBe('finished');
  });

  test('requests of a worker that is gone are unknown, never queued, and its late answer still counts', async () => {
    const id = await bench.started(100);
    const gone = open();
    const { taken } = await gone.step(asked({ most: 1 }));
    const other = open();
    expect(await other.rescue(SETTLE_MS)).toBe(0);
    bench.advance(LEASE_MS);
    expect(await other.rescue(SETTLE_MS)).toBe(1);
    expect(await totals(id)).toMatchObject({ queued: 50, unknown: 50 });
    expect((await other.step(asked())).taken).toMatchObject([{ n: 1 }]);
    await gone.step(asked({ results: [letters(only(taken), `${'s'.repeat(49)}u`, 'unknown')], most: 0 }));
    expect(await totals(id)).toMatchObject({ sent: 49, unknown: 1, sending: 50 });
  });

  test('a late word that nothing left puts a rescued request back', async () => {
    const id = await bench.started(50);
    const slow = open();
    const taken = only((await slow.step(asked())).taken);
    bench.advance(LEASE_MS);
    await open().rescue(SETTLE_MS);
    await slow.step(asked({ results: [withdrawn(taken)], most: 0 }));
    expect(await totals(id)).toMatchObject({ queued: 50, unknown: 0 });
  });

  test('a process that has ended is not waited for beyond the deadline of its intents', async () => {
    const id = await bench.started(50);
    const gone = openRequests(ledger, bench);
    opened.push(gone.requests);
    await gone.requests.step(asked());
    const other = open();
    bench.advance(LEASE_MS / 2);
    await ledger.query(
      `insert into relais.worker (process, slot, boot_id, pid_namespace, pid, pid_started, version, schema_version, roles)
       values ('${gone.process}', 's', 'b', 'n', 1, 's', '1', 1, '{}')`,
    );
    expect(await other.rescue(SETTLE_MS)).toBe(0);
    await ledger.query('delete from relais.worker');
    expect(await other.rescue(SETTLE_MS)).toBe(1);
    expect(await totals(id)).toMatchObject({ unknown: 50 });
  });

  test('a recipient that goes out again is in one request, and has one status', async () => {
    const id = await bench.started(3);
    const requests = open();
    const taken = only((await requests.step(asked())).taken);
    await requests.step(asked({ results: [{ ...letters(taken, 'suu', 'unknown'), dueMs: 0 }] }));
    const [check] = await requests.claimChecks(['main'], 10);
    if (!check) throw new Error('a request to check');
    await requests.settle([
      { ...letters(check, '-u-'.replace('-', 's')), children: [{ members: [2], before: 'u', part: false }] },
    ]);
    expect(await totals(id)).toMatchObject({ sent: 1, unknown: 1, queued: 1 });
    expect(await bench.campaigns.read(id)).toMatchObject({ resent: 1, state: 'running' });
    const again = only((await requests.step(asked())).taken);
    expect(again).toMatchObject({ n: 1, before: 'u', sends: 2, recipients: [{ n: 2 }] });
    await requests.step(asked({ results: [letters(again, 's')] }));
    expect([await bench.sum(id), await bench.standing(id)]).toEqual([[3, 3], 'finished']);
  });
});

describe('a split', () => {
  test('covers the upload with children, and the campaign is over when they are', async () => {
    const id = await bench.started(50);
    const requests = open();
    const taken = only((await requests.step(asked())).taken);
    await requests.step(
      asked({ results: [{ ...letters(taken, 's', 'refused'), letters: undefined, codes: ['ERROR_110'], dueMs: 0 }] }),
    );
    expect(await totals(id)).toMatchObject({ sending: 50 });
    const [check] = await requests.claimChecks(['main'], 10);
    expect(check).toMatchObject({ state: 'refused', letters: undefined, codes: Array(50).fill('ERROR_110') });
    if (!check) throw new Error('a request to check');
    const members = (from: number, until: number) => Array.from({ length: until - from }, (_, at) => from + at);
    const children = [
      { members: members(1, 25), part: true },
      { members: members(25, 50), part: true },
    ];
    await requests.settle([{ ...letters(check, `f${'-'.repeat(49)}`), children }]);
    expect(await totals(id)).toMatchObject({ failed: 1, queued: 49 });
    expect((await bench.campaigns.read(id))?.extra).toBe(2);
    const parts = (await requests.step(asked())).taken;
    expect(parts.flatMap(({ recipients }) => recipients.map(({ n }) => n))).toEqual(members(1, 50));
    expect(parts.every(({ part }) => part)).toBe(true);
    await requests.step(asked({ results: parts.map((one) => letters(one, 's')) }));
    expect([await bench.sum(id), await bench.standing(id)]).toEqual([[50, 50], 'finished']);
  });

  test('in a campaign that was cancelled meanwhile sends nothing more', async () => {
    const id = await bench.started(50);
    const requests = open();
    const taken = only((await requests.step(asked())).taken);
    await bench.campaigns.switch(id, 'cancel', { by: 'maker' });
    const children = [{ members: Array.from({ length: 50 }, (_, at) => at), part: true }];
    await requests.step(asked({ results: [{ ...letters(taken, '-'), children }] }));
    expect(await totals(id)).toMatchObject({ cancelled: 50, queued: 0, sending: 0 });
    expect((await requests.step(asked())).taken).toEqual([]);
  });

  test('of a request that another attempt holds by now makes no children', async () => {
    const id = await bench.started(50);
    const requests = open();
    const taken = only((await requests.step(asked())).taken);
    const children = [{ members: [0], part: true }];
    await requests.step(asked({ results: [{ ...letters(taken, '-'), lease: '999999', children }] }));
    expect(await totals(id)).toMatchObject({ sending: 50, queued: 0 });
  });
});
