/** Campaigns from start to end: workers over a real ledger, with a scripted provider. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import { Database } from '../../../src/ledger/pool.ts';
import { type FreshLedger, freshLedger } from '../../support/fresh-ledger.ts';
import { type CampaignBench, campaignBench, phoneAt } from '../../support/ledger-campaigns.ts';
import { TABLES } from '../../support/ledger-requests.ts';
import { RECHECK_MS, SETTLE_DELAY_MS, SmsBench } from '../../support/sms-workers.ts';

const HOUR = 3_600_000;

let ledger: FreshLedger;
let database: Database;
let bench: CampaignBench;
let sms: SmsBench;
beforeAll(async () => {
  ledger = await freshLedger();
  database = new Database({ url: ledger.url, schema: ledger.schema, size: 8 });
});
afterAll(async () => {
  await database?.close();
  await ledger?.close();
});
beforeEach(async () => {
  await ledger.query(`truncate ${TABLES}, relais.hold, relais.opt_out, relais.sms_cost`);
  bench = campaignBench(ledger, database);
  sms = new SmsBench(ledger, database, bench);
});
afterEach(() => sms.close());

const totals = async (id: string) => (await bench.campaigns.read(id))?.totals;

describe('a campaign', () => {
  test('is sent to every recipient one time, with its own words, and finishes', async () => {
    const id = await bench.started(230, { text: 'Bonjour {{nom}}', from: 'BOUTIK' });
    sms.start();
    await sms.untilStanding(id, 'finished');
    expect(await totals(id)).toMatchObject({ total: 230, sent: 230 });
    expect(sms.timesSent(230, phoneAt)).toEqual(new Map([[1, 230]]));
    expect(sms.provider.requests.flat()[3]).toEqual({
      at: 3,
      to: phoneAt(3),
      text: 'Bonjour name 3',
      from: 'BOUTIK',
    });
    expect((await bench.events(id)).map(({ type }) => type)).toEqual(['campaign.finished']);
    expect((await bench.campaigns.read(id))?.fields).toMatchObject({ 'c:SN:sent': '230' });
  });

  test('starts by itself when its time has come', async () => {
    const id = await bench.started(60, { sendAt: bench.now() + HOUR });
    const { worker } = sms.start();
    await sms.untilStanding(id, 'scheduled');
    bench.advance(HOUR);
    worker.wake();
    await sms.untilStanding(id, 'finished');
  });

  test('skips recipients who opted out or were erased meanwhile', async () => {
    const id = await bench.started(60);
    await sms.optOuts.add({ account: 'main', sender: '' }, [phoneAt(3), phoneAt(59)]);
    await ledger.query('update relais.recipient set phone = null, variables = null where n = 7');
    sms.start();
    await sms.untilStanding(id, 'finished');
    expect(await totals(id)).toMatchObject({ sent: 57, skipped: 3 });
    expect(sms.provider.times(phoneAt(3)) + sms.provider.times(phoneAt(59))).toBe(0);
  });

  test('sends nothing after an answered pause, and continues after it', async () => {
    const id = await bench.started(5_000, { canary: 0 });
    const { worker } = sms.start({ concurrency: 2 });
    await sms.until(() => sms.provider.requests.length > 4);
    await bench.campaigns.switch(id, 'pause', { by: 'maker' });
    const taken = await ledger.query<{ n: number }>(
      "select count(*)::int as n from relais.sms_request where state <> 'queued'",
    );
    await sms.until(async () => (await totals(id))?.sending === 0);
    // Only requests with an intent by then may have left.
    expect(sms.provider.requests.length).toBeLessThanOrEqual(taken[0]?.n ?? 0);
    expect(await bench.sum(id)).toEqual([5_000, 5_000]);
    await bench.campaigns.switch(id, 'resume', { by: 'maker' });
    worker.wake();
    await sms.untilStanding(id, 'finished');
    expect(sms.timesSent(5_000, phoneAt)).toEqual(new Map([[1, 5_000]]));
  });

  test('is cancelled while a request that was taken waits for a slot: that one does not leave', async () => {
    const id = await bench.started(300, { canary: 0 });
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    sms.provider.answers = () => answered;
    sms.start({ concurrency: 1, sweepMs: 1 });
    const taken = `select count(*)::int as n from relais.sms_request where state = 'sending'`;
    await sms.until(async () => (await ledger.query<{ n: number }>(taken))[0]?.n === 2);
    await sms.until(() => sms.provider.requests.length === 1);
    await bench.campaigns.switch(id, 'cancel', { by: 'maker' });
    answer();
    await sms.untilStanding(id, 'cancelled');
    await sms.until(async () => (await totals(id))?.sending === 0);
    expect(await totals(id)).toMatchObject({ sent: 50, cancelled: 250 });
    expect(sms.provider.requests.length).toBe(1);
  });

  test('is cancelled midway: sent SMS stay sent, the rest never leaves', async () => {
    const id = await bench.started(5_000, { canary: 0 });
    sms.start({ concurrency: 2 });
    await sms.until(() => sms.provider.requests.length > 4);
    await bench.campaigns.switch(id, 'cancel', { by: 'maker' });
    await sms.until(async () => (await totals(id))?.sending === 0);
    const { sent = 0, cancelled = 0 } = (await totals(id)) ?? {};
    expect([sent, sent + cancelled]).toEqual([sms.provider.book.length, 5_000]);
  });
});

describe('conditions', () => {
  test('quiet hours hold the campaign, and their end releases it', async () => {
    bench.advance(10 * HOUR);
    const id = await bench.started(60, { quietHours: 'on' });
    const { worker } = sms.start();
    await sms.untilStanding(id, 'held: quiet_hours');
    expect(sms.provider.requests).toHaveLength(0);
    bench.advance(10 * HOUR);
    worker.wake();
    await sms.untilStanding(id, 'finished');
    expect((await bench.events(id)).map(({ type }) => type)).toEqual(['campaign.held', 'campaign.finished']);
  });

  test('a canary that reached no recipient stops the campaign after one request', async () => {
    const id = await bench.started(2_000);
    for (let at = 0; at < 50; at += 1) sms.provider.failing.add(phoneAt(at));
    const { worker } = sms.start();
    await sms.untilStanding(id, 'held: canary_failed');
    expect(sms.provider.requests).toHaveLength(1);
    await bench.campaigns.switch(id, 'resume', { by: 'maker' });
    worker.wake();
    await sms.untilStanding(id, 'finished');
    expect(await totals(id)).toMatchObject({ sent: 1_950, failed: 50 });
  });

  test('a canary under another sender stops the campaign, and a good one lets the rest follow', async () => {
    sms.provider.sender = 'SMS-TEST';
    const other = await bench.started(2_000);
    const { worker } = sms.start();
    await sms.untilStanding(other, 'held: canary_sender');
    sms.provider.sender = undefined;
    const good = await bench.started(2_000);
    worker.wake();
    await sms.untilStanding(good, 'finished');
  });

  test('a campaign that requires its sender stops at the first SMS under another one', async () => {
    const id = await bench.started(5_000, { canary: 0, requireSender: 1 });
    sms.provider.sender = 'SMS-TEST';
    sms.start({ concurrency: 1 });
    await sms.untilStanding(id, 'held: sender_replaced');
    expect(sms.provider.requests.length).toBeLessThan(10);
  });

  test('too many failures stop the campaign, and an operator resumes it', async () => {
    const id = await bench.started(3_000, { canary: 0, pauseOnFailure: 20 });
    for (let at = 500; at < 1_000; at += 1) sms.provider.failing.add(phoneAt(at));
    const { worker } = sms.start({ concurrency: 1 });
    await sms.untilStanding(id, 'held: failures');
    await bench.campaigns.amend(id, { pauseOnFailure: 0 });
    await bench.campaigns.switch(id, 'resume', { by: 'maker' });
    worker.wake();
    await sms.untilStanding(id, 'finished');
    expect(await totals(id)).toMatchObject({ sent: 2_500, failed: 500 });
  });

  test('a budget stops to the SMS, and a higher one lets the rest follow', async () => {
    const id = await bench.started(230, { canary: 0, text: 'short' });
    // 10 XOF each: the day has room for 130.
    const prices = { SN: 10 };
    const { worker } = sms.start({ limits: { SMS_BUDGET_DAY: 1_300 }, prices, concurrency: 1 });
    await sms.untilStanding(id, 'held: budget');
    expect([sms.provider.book.length, await bench.sum(id)]).toEqual([130, [230, 230]]);
    expect(await ledger.query('select period, cents from relais.sms_cost order by period')).toEqual([
      { period: '2026-01', cents: '130000' },
      { period: '2026-01-01', cents: '130000' },
    ]);
    await worker.stop();
    bench.advance(RECHECK_MS);
    sms.start({ limits: { SMS_BUDGET_DAY: 5_000 }, prices });
    await sms.untilStanding(id, 'finished');
    expect(sms.timesSent(230, phoneAt)).toEqual(new Map([[1, 230]]));
  });

  test('an empty balance holds account and campaign, and its end resumes the campaign', async () => {
    const id = await bench.started(500, { canary: 0 });
    sms.provider.fates.push('no funds');
    const { worker } = sms.start({ concurrency: 1 });
    await sms.untilStanding(id, 'held: funds');
    expect(await sms.holds.holdsOf('main')).toMatchObject([{ area: 'messaging', reason: 'funds' }]);
    await sms.holds.release('main', 'messaging', 'funds');
    bench.advance(SETTLE_DELAY_MS);
    worker.wake();
    await sms.until(async () => (await totals(id))?.queued === 0);
    await sms.until(async () => (await totals(id))?.sending === 0);
    bench.advance(SETTLE_DELAY_MS);
    await sms.untilStanding(id, 'finished');
    expect(await totals(id)).toMatchObject({ sent: 450, unknown: 50 });
  });

  test('keys that are refused hold the account, and one request an interval tries again', async () => {
    const id = await bench.started(200, { canary: 0 });
    sms.provider.fate = 'keys refused';
    sms.start({ concurrency: 4 });
    await sms.until(async () => (await sms.holds.holdsOf('main')).length > 0);
    await sms.until(async () => (await totals(id))?.queued === 200);
    const tried = sms.provider.requests.length;
    sms.provider.fate = undefined;
    bench.advance(RECHECK_MS);
    await sms.untilStanding(id, 'finished');
    expect(await sms.holds.holdsOf('main')).toEqual([]);
    // The trial is for one recipient.
    const [trial, ...rest] = sms.provider.requests.slice(tried).map(({ length }) => length);
    expect([trial, rest.toSorted((a, b) => a - b)]).toEqual([1, [49, 50, 50, 50]]);
    expect(sms.timesSent(200, phoneAt)).toEqual(new Map([[1, 200]]));
  });

  test('a connection that fails sends nothing, and all of it goes out later', async () => {
    const id = await bench.started(200, { canary: 0 });
    sms.provider.fates.push('never left', 'never left', 'never left', 'never left');
    sms.start({ concurrency: 4 });
    await sms.untilStanding(id, 'finished');
    expect(sms.timesSent(200, phoneAt)).toEqual(new Map([[1, 200]]));
  });

  test('campaigns of one account, in two workers, send no more requests than its rate admits', async () => {
    const ids: string[] = [];
    for (let nth = 0; nth < 5; nth += 1) ids.push(await bench.started(500, { canary: 0 }));
    let admitted = 0;
    const admit = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      admitted += 1;
      return { admitted: true } as const;
    };
    let over = 0;
    sms.provider.answers = async () => {
      over = Math.max(over, sms.provider.requests.length - admitted);
    };
    const upstream = { messaging: sms.provider, admit };
    sms.start({ upstream });
    sms.start({ upstream });
    for (const id of ids) await sms.untilStanding(id, 'finished');
    expect(over).toBe(0);
  });

  test('permits that were not used in time do not leave in one burst later', async () => {
    const id = await bench.started(5_000, { canary: 50 });
    let admitted = 0;
    const admit = async () => {
      admitted += 1;
      return { admitted: true } as const;
    };
    let answerCanary: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => (answerCanary = resolve));
    // The canary is in flight alone for longer than a permit is valid.
    sms.provider.answers = () => (sms.provider.requests.length === 1 ? answered : Promise.resolve());
    const { context, worker } = sms.open({ upstream: { messaging: sms.provider, admit }, concurrency: 40 });
    let skippedMs = 0;
    const clock = { ...context.clock, monotonic: () => systemClock.monotonic() + skippedMs };
    Object.assign(context, { clock });
    worker.start();
    await sms.until(() => sms.provider.requests.length === 1);
    const before = admitted;
    skippedMs = HOUR;
    answerCanary();
    await sms.untilStanding(id, 'finished');
    expect(sms.provider.requests.length - 1).toBeLessThanOrEqual(admitted - before + 1);
  });

  test('no more requests are in flight than the worker has slots', async () => {
    const id = await bench.started(1_000, { canary: 0 });
    let inFlight = 0;
    let most = 0;
    sms.provider.answers = async () => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      await new Promise((resolve) => setImmediate(resolve));
      inFlight -= 1;
    };
    sms.start({ concurrency: 3 });
    await sms.untilStanding(id, 'finished');
    expect(most).toBeLessThanOrEqual(3);
  });
});
