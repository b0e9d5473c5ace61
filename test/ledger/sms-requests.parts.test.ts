/** Requests of campaigns on real PostgreSQL: steps, counts, leases, splits, rescue, and two workers at once. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { Memory } from '../../src/ledger/lane.ts';
import { Database } from '../../src/ledger/pool.ts';
import { type Decision, SmsRequests, type StepAsked } from '../../src/ledger/sms-requests.ts';
import type { RequestResult, TakenRequest } from '../../src/ledger/sms-rows.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';
import { type CampaignBench, campaignBench, phoneAt } from '../support/ledger-campaigns.ts';

const LEASE_MS = 60_000;
const SETTLE_MS = 120_000;

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
  await ledger.query(
    'truncate relais.campaign, relais.campaign_country, relais.sms_request, relais.recipient, relais.outbox, relais.worker',
  );
  bench = campaignBench(ledger, database);
});

let processes = 0;
function open(): SmsRequests {
  processes += 1;
  const one = new SmsRequests({
    database: { url: ledger.url, schema: ledger.schema },
    memory: new Memory(),
    campaigns: bench.campaigns,
    process: `worker-${processes}`,
    clock: systemClock,
    random: systemRandom,
    leaseMs: LEASE_MS,
    sendMs: LEASE_MS / 2,
    now: () => bench.now(),
  });
  opened.push(one);
  return one;
}

const ALL: Decision = { room: 1_000, alone: false };
const asked = (more: Partial<StepAsked> = {}): StepAsked => ({
  results: [],
  accounts: ['main'],
  most: 1_000,
  decide: () => ALL,
  ...more,
});
const letters = (taken: TakenRequest, letter: string, state: RequestResult['state'] = 'settled'): RequestResult => ({
  campaign: taken.campaign,
  n: taken.n,
  lease: taken.lease,
  size: taken.recipients.length,
  state,
  letters: letter.length === 1 ? letter.repeat(taken.recipients.length) : letter,
});
const totals = async (id: string) => (await bench.campaigns.read(id))?.totals;
const only = (taken: readonly TakenRequest[]): TakenRequest => {
  const [one] = taken;
  if (one === undefined || taken.length > 1) throw new Error(`not one request, but ${taken.length}`);
  return one;
};

describe('a step', () => {
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

  test('gives back what did not leave, and takes it again', async () => {
    const id = await bench.started(50);
    const requests = open();
    const taken = only((await requests.step(asked())).taken);
    const withdrawn: RequestResult = { ...letters(taken, 's', 'queued'), letters: undefined };
    const again = only((await requests.step(asked({ results: [withdrawn] }))).taken);
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
    // A second ahead, and the request that crosses it.
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

  test('a campaign that is cancelled meanwhile keeps what was sent, and the rest never leaves', async () => {
    const id = await bench.started(150);
    const requests = open();
    const { taken } = await requests.step(asked({ most: 2 }));
    await bench.campaigns.switch(id, 'cancel', { by: 'maker' });
    const [first, second] = taken;
    if (!first || !second) throw new Error('two requests');
    const withdrawn: RequestResult = { ...letters(second, 's', 'queued'), letters: undefined };
    expect((await requests.step(asked({ results: [letters(first, 's'), withdrawn] }))).taken).toEqual([]);
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
    await slow.step(asked({ results: [{ ...letters(taken, 's', 'queued'), letters: undefined }], most: 0 }));
    expect(await totals(id)).toMatchObject({ queued: 50, unknown: 0 });
  });

  test('a process that has ended is not waited for beyond the deadline of its intents', async () => {
    const id = await bench.started(50);
    await open().step(asked());
    const other = open();
    bench.advance(LEASE_MS / 2);
    await ledger.query(
      `insert into relais.worker (process, slot, boot_id, pid_namespace, pid, pid_started, version, schema_version, roles)
       values ('worker-${processes - 1}', 's', 'b', 'n', 1, 's', '1', 1, '{}')`,
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
});
