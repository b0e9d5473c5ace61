/** Requests of campaigns on real PostgreSQL: steps, counts, leases, turns, and two workers at once. */
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { Database } from '../../src/ledger/pool.ts';
import type { Decision, SmsRequests } from '../../src/ledger/sms-requests.ts';
import type { RequestResult } from '../../src/ledger/sms-rows.ts';
import { loadStatements } from '../../src/ledger/statements.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';
import { type CampaignBench, campaignBench, phoneAt } from '../support/ledger-campaigns.ts';
import {
  ALL,
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

describe('a step', () => {
  test('reports its sent requests to the journal, under the counter of its commit, before it answers', async () => {
    await bench.started(70);
    const told: unknown[] = [];
    const { requests, process } = openRequests(ledger, bench, {
      journal: { intended: async (at, items) => void told.push([at, items.map(({ id }) => id)]) },
    });
    opened.push(requests);
    const { taken } = await requests.step(asked());
    const lane = `${process}/step`;
    const [mark] = await ledger.query<{ counter: string }>(`select counter from relais.mark where lane = '${lane}'`);
    const ids = taken.map(({ campaign, n }) => `${campaign}/${n}`);
    expect(told).toEqual([[{ lane, epoch: 1, counter: mark?.counter }, ids]]);
    expect(ids).toHaveLength(2);
  });

  test('whose answer was lost finds its requests, and takes them one time', async () => {
    await bench.started(120);
    const requests = open();
    await requests.step(asked({ most: 1 }));
    await ledger.query(`create sequence public.warned; create function public.warns() returns trigger language plpgsql as
      $$ begin if nextval('public.warned') = 1 then raise warning 'canceling wait'; end if; return null; end $$;
      create constraint trigger warns after update on relais.mark deferrable initially deferred
      for each row execute function public.warns()`);
    const { taken } = await requests.step(asked({ most: 1 }));
    await ledger.query('drop function public.warns() cascade; drop sequence public.warned');
    expect(taken).toMatchObject([{ n: 1, sends: 1, recipients: { length: 50 } }]);
    expect((await requests.step(asked())).taken).toMatchObject([{ n: 2 }]);
  });

  test('takes requests with their recipients and an intent, and then settles them', async () => {
    const id = await bench.started(70);
    const requests = open();
    const { taken } = await requests.step(asked());
    expect(taken).toMatchObject([{ n: 0, sends: 1, part: false }, { n: 1 }]);
    expect(taken[1]?.recipients.slice(0, 2)).toEqual([
      { n: 50, to: phoneAt(50), values: ['name 50'] },
      { n: 51, to: phoneAt(51), values: ['name 51'] },
    ]);
    expect(await totals(id)).toMatchObject({ queued: 0, sending: 70 });
    expect(await ledger.query('select distinct send_until from relais.sms_request')).toEqual([
      { send_until: new Date(bench.now() + LEASE_MS / 2) },
    ]);
    const [first, second] = taken.map((one) => letters(one, 's'));
    if (!first || !second) throw new Error('two requests');
    const mixed = { ...second, letters: `f${'s'.repeat(19)}`, codes: ['ERROR_110', ...Array(19).fill('00')] };
    await requests.step(asked({ results: [mixed, { ...first, countries: ['SN'] }] }));
    expect(await totals(id)).toMatchObject({ total: 70, queued: 0, sending: 0, sent: 69, failed: 1 });
    expect(await bench.standing(id)).toBe('finished');
    expect(await bench.events(id)).toMatchObject([
      { type: 'campaign.finished', data: { id, state: 'finished', totals: { total: 70, sent: 69, failed: 1 } } },
    ]);
    expect((await bench.campaigns.read(id))?.fields).toMatchObject({ 'c:SN:sent': '50' });
  });

  test('counts a result one time, and only under its lease', async () => {
    const id = await bench.started(50);
    const requests = open();
    const taken = only((await requests.step(asked())).taken);
    const result = letters(taken, 's');
    await requests.step(asked({ results: [{ ...result, lease: '999999' }] }));
    expect(await totals(id)).toMatchObject({ sending: 50, sent: 0 });
    await requests.step(asked({ results: [result] }));
    await requests.step(asked({ results: [result] }));
    expect(await totals(id)).toMatchObject({ sending: 0, sent: 50 });
    expect(await bench.events(id)).toHaveLength(1);
  });

  test('releases requests that did not leave, and takes them again', async () => {
    const id = await bench.started(50);
    const requests = open();
    const taken = only((await requests.step(asked())).taken);
    const again = only((await requests.step(asked({ results: [withdrawn(taken)] }))).taken);
    expect(again).toMatchObject({ n: 0, sends: 1 });
    expect(again.lease).not.toBe(taken.lease);
    expect(await totals(id)).toMatchObject({ sending: 50 });
  });

  test('gives campaigns turns: one of 500 requests does not keep one of two waiting', async () => {
    const large = await bench.started(25_000, { canary: 0 });
    const small = await bench.started(100);
    const requests = open();
    const { taken } = await requests.step(asked({ most: 4 }));
    const counts = await ledger.query<{ id: string; count: string }>(
      `select c.id, count(*) from relais.sms_request q join relais.campaign c on c.number = q.campaign
       where q.state = 'sending' group by 1`,
    );
    expect(taken).toHaveLength(4);
    expect(new Map(counts.map(({ id, count }) => [id, count]))).toEqual(
      new Map([
        [large, '2'],
        [small, '2'],
      ]),
    );
  });

  test('asks every campaign in turn, however many there are', async () => {
    const ids = [];
    for (let at = 0; at < 20; at += 1) ids.push(await bench.started(50));
    const seen = new Set<string>();
    const requests = open();
    const decide = ({ id }: { readonly id: string }): Decision => {
      seen.add(id);
      return { room: 0, alone: false };
    };
    await requests.step(asked({ decide }));
    await requests.step(asked({ decide }));
    expect(seen).toEqual(new Set(ids));
  });

  test('keeps the pace of a campaign', async () => {
    const id = await bench.started(500, { perSecond: 50 });
    const requests = open();
    // A second ahead, and the request that exceeds it.
    expect((await requests.step(asked())).taken).toHaveLength(2);
    expect((await requests.step(asked())).taken).toHaveLength(0);
    bench.advance(1_000);
    expect((await requests.step(asked())).taken).toHaveLength(1);
    await bench.campaigns.amend(id, { perSecond: '' });
    expect((await requests.step(asked())).taken).toHaveLength(7);
  });

  test('takes the canary alone while that is decided', async () => {
    await bench.started(1_200);
    const requests = open();
    expect((await requests.step(asked({ decide: () => ({ room: 100, alone: true }) }))).taken).toHaveLength(1);
    const over: Decision = { room: 100, alone: false, canaryOver: true };
    expect((await requests.step(asked({ decide: () => over }))).taken).toHaveLength(23);
    const [{ canary_over: isOver } = {}] = await ledger.query<{ canary_over: boolean }>(
      'select canary_over from relais.campaign',
    );
    expect(isOver).toBe(true);
  });

  test('holds a campaign in its transaction, and takes nothing of it', async () => {
    const id = await bench.started(100);
    const requests = open();
    const decide = (): Decision => ({ ...ALL, hold: { reason: 'quiet_hours', againInMs: 5_000 } });
    expect(await requests.step(asked({ decide }))).toMatchObject({ taken: [], held: [id] });
    expect(await bench.standing(id)).toBe('held: quiet_hours');
    expect((await bench.events(id)).map(({ type }) => type)).toEqual(['campaign.held']);
  });

  test('takes nothing of a campaign that was paused or cancelled, and nothing while the ledger is recovering', async () => {
    const paused = await bench.started(100);
    const cancelled = await bench.started(100);
    await bench.campaigns.switch(paused, 'pause', { by: 'maker' });
    await bench.campaigns.switch(cancelled, 'cancel', { by: 'maker' });
    const requests = open();
    expect((await requests.step(asked())).taken).toEqual([]);
    await bench.campaigns.switch(paused, 'resume', { by: 'maker' });
    await ledger.query('update relais.deployment set recovering_at = now()');
    expect((await requests.step(asked())).taken).toEqual([]);
    await ledger.query('update relais.deployment set recovering_at = null');
    expect((await requests.step(asked())).taken).toHaveLength(2);
  });

  test('a campaign that is cancelled meanwhile retains what was sent, and the rest never leaves', async () => {
    const id = await bench.started(150);
    const requests = open();
    const { taken } = await requests.step(asked({ most: 2 }));
    await bench.campaigns.switch(id, 'cancel', { by: 'maker' });
    const [first, second] = taken;
    if (!first || !second) throw new Error('two requests');
    expect((await requests.step(asked({ results: [letters(first, 's'), withdrawn(second)] }))).taken).toEqual([]);
    expect(await totals(id)).toMatchObject({ sent: 50, cancelled: 100, queued: 0, sending: 0 });
    expect(await bench.standing(id)).toBe('cancelled');
  });

  test('passes an erased recipient on without a number', async () => {
    await bench.started(2);
    await ledger.query('update relais.recipient set phone = null, variables = null where n = 1');
    const { recipients } = only((await open().step(asked())).taken);
    expect(recipients.map(({ to }) => to)).toEqual([phoneAt(0), undefined]);
  });

  test('a result that PostgreSQL refuses fails alone', async () => {
    const id = await bench.started(150);
    const requests = open();
    const { taken } = await requests.step(asked());
    const results = taken.map((one, at) => letters(one, at === 1 ? '?' : 's'));
    expect(await requests.step(asked({ results }))).toMatchObject({ left: [] });
    expect(await totals(id)).toMatchObject({ sent: 100, sending: 50 });
    bench.advance(LEASE_MS);
    expect(await requests.rescue(SETTLE_MS)).toBe(1);
    expect(await totals(id)).toMatchObject({ sent: 100, unknown: 50 });
  });

  test('a campaign that another session holds stops only its own results, which are written later', async () => {
    const locked = await bench.started(50);
    const free = await bench.started(50);
    const requests = open();
    const { taken } = await requests.step(asked());
    const results = taken.map((one) => letters(one, 's'));
    let left: readonly RequestResult[] = [];
    await database.transaction(async (run) => {
      await run('lock_campaign', [locked, null]);
      ({ left } = await requests.step(asked({ results })));
    });
    expect([await bench.standing(locked), await bench.standing(free)]).toEqual(['running', 'finished']);
    expect(left).toHaveLength(1);
    await requests.step(asked({ results: left }));
    expect(await bench.standing(locked)).toBe('finished');
  });
});

describe('at once', () => {
  test('two workers share a campaign: no request is taken twice, and the counts add up', async () => {
    const id = await bench.started(10_000, { canary: 0 });
    const seen: string[] = [];
    const work = async (requests: SmsRequests): Promise<void> => {
      let results: readonly RequestResult[] = [];
      while ((await bench.standing(id)) !== 'finished') {
        const { taken, left } = await requests.step(asked({ results, most: 7 }));
        seen.push(...taken.map(({ n }) => `${n}`));
        results = [...left, ...taken.map((one) => letters(one, 's'))];
      }
    };
    await Promise.all([work(open()), work(open())]);
    expect([seen.length, new Set(seen).size]).toEqual([200, 200]);
    expect(await totals(id)).toMatchObject({ total: 10_000, sent: 10_000 });
  });

  test('cancellations during steps end without a deadlock', async () => {
    const ids = [];
    for (let at = 0; at < 12; at += 1) ids.push(await bench.started(1_000, { canary: 0 }));
    const ending = new AbortController();
    const work = async (requests: SmsRequests): Promise<void> => {
      let results: readonly RequestResult[] = [];
      while (!ending.signal.aborted || results.length > 0) {
        const most = ending.signal.aborted ? 0 : 20;
        const { taken, left } = await requests.step(asked({ results, most }));
        results = [...left, ...taken.map((one) => letters(one, 's'))];
      }
    };
    const workers = [work(open()), work(open())];
    for (const id of ids) await bench.campaigns.switch(id, 'cancel', { by: 'maker' });
    ending.abort();
    await Promise.all(workers);
    for (const id of ids) expect(await bench.sum(id)).toEqual([1_000, 1_000]);
    const [{ deadlocks } = {}] = await ledger.query<{ deadlocks: string }>(
      'select deadlocks from pg_stat_database where datname = current_database()',
    );
    expect(deadlocks).toBe('0');
  });

  test('nothing leaves after a pause is answered', async () => {
    const id = await bench.started(10_000, { canary: 0 });
    const requests = open();
    let pausing: Promise<unknown> | undefined;
    let isPaused = false;
    let afterwards = 0;
    for (let steps = 0; steps < 30; steps += 1) {
      const startedPaused = isPaused;
      const stepping = requests.step(asked({ most: 3 }));
      pausing ??= bench.campaigns.switch(id, 'pause', { by: 'maker' }).then(() => (isPaused = true));
      const { taken } = await stepping;
      if (startedPaused) afterwards += taken.length;
    }
    await pausing;
    expect([isPaused, afterwards]).toEqual([true, 0]);
  });

  test('a pause is not answered between the turn of its campaign and the take of a step', async () => {
    const id = await bench.started(100);
    const step = new Client({ connectionString: ledger.url });
    await step.connect();
    await step.query('begin');
    const turn = loadStatements(ledger.schema).get('next_campaigns')?.text ?? '';
    expect((await step.query(turn, [['main'], 1, new Date(bench.now())])).rows).toMatchObject([{ id }]);
    const pausing = bench.campaigns.switch(id, 'pause', { by: 'maker' });
    const isWaiting = async (): Promise<boolean> => {
      const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      return (await ledger.query(waits)).length > 0;
    };
    const waits = vi.waitUntil(isWaiting, { interval: 5 }).then(() => 'waits');
    expect(await Promise.race([pausing.then(() => 'paused'), waits])).toBe('waits');
    await step.query('commit');
    await pausing;
    await step.end();
    expect(await bench.standing(id)).toBe('paused');
  });
});
