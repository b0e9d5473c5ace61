/** Campaigns with lost answers, refused requests, retries, and killed workers. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { Database } from '../../../src/ledger/pool.ts';
import { type FreshLedger, freshLedger } from '../../support/fresh-ledger.ts';
import { type CampaignBench, campaignBench, phoneAt } from '../../support/ledger-campaigns.ts';
import { TABLES } from '../../support/ledger-requests.ts';
import { RECHECK_MS, SETTLE_DELAY_MS, SmsBench } from '../../support/sms-workers.ts';

const LEASE_MS = 60_000;
const DAY = 86_400_000;

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
/** No request is queued or in flight. */
const isAnswered = async (id: string): Promise<boolean> => {
  const { queued = 1, sending = 1 } = (await totals(id)) ?? {};
  return queued + sending === 0;
};

/** The daily totals after all rows that the publisher will add. */
async function dayTotals(): Promise<Readonly<Record<string, number>>> {
  const rows = await ledger.query<{ name: string; change: number }>(
    `select split_part(t.name, '|', 4) as name, sum(t.change::int)::int as change
     from relais.outbox o cross join lateral jsonb_each_text(o.totals) as t(name, change) group by 1`,
  );
  return Object.fromEntries(rows.map(({ name, change }) => [name, change]));
}

/** Advances the clock until the campaign is finished. */
async function finish(id: string): Promise<void> {
  await sms.until(async () => {
    if ((await bench.standing(id)) === 'finished') return true;
    // A request in flight would look like one of a dead worker.
    const [onItsWay] = await ledger.query(`select from relais.sms_request where state = 'sending' limit 1`);
    if (onItsWay === undefined) bench.advance(SETTLE_DELAY_MS / 4);
    return false;
  });
}

describe('an answer that is lost', () => {
  test('is checked: sent SMS are sent, the rest stays unknown, and no recipient gets it twice', async () => {
    const id = await bench.started(200, { canary: 0 });
    sms.provider.fates.push('lost', 'answer lost', 'half lost');
    sms.start({ concurrency: 1 });
    await sms.until(() => isAnswered(id));
    expect(await totals(id)).toMatchObject({ sent: 75, unknown: 125 });
    await finish(id);
    expect(await totals(id)).toMatchObject({ total: 200, sent: 125, unknown: 75 });
    expect(await dayTotals()).toMatchObject({ sent: 125, unknown: 75, sentSegments: 125 });
    expect(sms.timesSent(200, phoneAt)).toEqual(
      new Map([
        [0, 75],
        [1, 125],
      ]),
    );
  });

  test('with onUnknown resend those not seen go out again, at most three times in all', async () => {
    const id = await bench.started(100, { canary: 0, onUnknown: 'resend', pauseOnFailure: 0 });
    sms.provider.fates.push('answer lost', 'lost', 'lost', 'lost', 'lost');
    sms.start({ concurrency: 1 });
    await sms.until(() => isAnswered(id));
    await finish(id);
    expect(await totals(id)).toMatchObject({ sent: 50, unknown: 50 });
    expect(await dayTotals()).toMatchObject({ sent: 50, unknown: 50 });
    expect(await bench.campaigns.read(id)).toMatchObject({ resent: 100 });
    expect(sms.provider.requests.map(({ length }) => length)).toEqual([50, 50, 50, 50]);
    expect(sms.timesSent(100, phoneAt).get(2)).toBeUndefined();
  });

  test('of a recipient that the statistics do not show is no reason to send again', async () => {
    const id = await bench.started(50, { onUnknown: 'resend' });
    sms.provider.fates.push('answer lost');
    sms.provider.isBlind = true;
    sms.start();
    await sms.until(() => isAnswered(id));
    for (let day = 0; day < 4; day += 1) bench.advance(DAY);
    await finish(id);
    expect([await totals(id), sms.provider.requests.length]).toMatchObject([{ unknown: 50 }, 1]);
  });

  test('too much doubt stops the campaign, and the statistics resume it', async () => {
    const id = await bench.started(2_000, { canary: 0 });
    sms.provider.fate = 'answer lost';
    sms.start({ concurrency: 1 });
    await sms.untilStanding(id, 'held: in_doubt');
    sms.provider.fate = undefined;
    await finish(id);
    expect(await totals(id)).toMatchObject({ sent: 2_000 });
    expect(sms.timesSent(2_000, phoneAt)).toEqual(new Map([[1, 2_000]]));
  });
});

describe('a request that is refused for one recipient', () => {
  test('goes out without the recipient that the statistics name', async () => {
    const id = await bench.started(150, { canary: 0 });
    sms.provider.bad.add(phoneAt(60));
    sms.provider.namesTheBad = true;
    sms.start();
    await finish(id);
    expect(await totals(id)).toMatchObject({ sent: 149, failed: 1 });
    expect(sms.provider.requests).toHaveLength(4);
    const codes = await ledger.query("select distinct codes from relais.sms_request where outcome ~ 'f'");
    expect(codes).toEqual([{ codes: 'ERROR_110' }]);
  });

  test('is split if no recipient is named, and each recipient gets it one time at most', async () => {
    const id = await bench.started(150, { canary: 0 });
    for (const at of [60, 61, 99]) sms.provider.bad.add(phoneAt(at));
    sms.start();
    await finish(id);
    expect(await totals(id)).toMatchObject({ sent: 147, failed: 3 });
    expect(sms.timesSent(150, phoneAt)).toEqual(
      new Map([
        [1, 147],
        [0, 3],
      ]),
    );
    expect(sms.provider.requests.length).toBeLessThan(45);
  });

  test('is settled as it was refused where splits are off', async () => {
    const id = await bench.started(100, { canary: 0, pauseOnFailure: 0 });
    sms.provider.bad.add(phoneAt(60));
    sms.start({ policy: { split: false } });
    await sms.untilStanding(id, 'finished');
    expect(await totals(id)).toMatchObject({ sent: 50, failed: 50 });
  });
});

describe('a retry', () => {
  test('sends only to the failed again, and finishes with another event', async () => {
    const id = await bench.started(230, { canary: 0 });
    for (const at of [3, 60, 229]) sms.provider.failing.add(phoneAt(at));
    const { worker } = sms.start();
    await sms.untilStanding(id, 'finished');
    expect(await totals(id)).toMatchObject({ sent: 227, failed: 3 });
    sms.provider.failing.clear();
    await bench.campaigns.retry(id, { includeUnknown: false });
    worker.wake();
    await sms.untilStanding(id, 'finished');
    expect(await totals(id)).toMatchObject({ sent: 230, failed: 0 });
    expect(sms.timesSent(230, phoneAt)).toEqual(new Map([[1, 230]]));
    const events = await bench.events(id);
    expect(events).toMatchObject([{ type: 'campaign.finished' }, { data: { retries: 1, totals: { sent: 230 } } }]);
  });

  test('of unknown recipients that fails now leaves them unknown: they may have got it before', async () => {
    const id = await bench.started(50);
    sms.provider.fates.push('answer lost');
    sms.provider.isBlind = true;
    sms.start();
    await sms.until(() => isAnswered(id));
    await finish(id);
    for (let at = 0; at < 50; at += 1) sms.provider.failing.add(phoneAt(at));
    await bench.campaigns.retry(id, { includeUnknown: true });
    await sms.until(() => isAnswered(id));
    await finish(id);
    expect(await totals(id)).toMatchObject({ unknown: 50, failed: 0 });
  });
});

describe('workers', () => {
  test('two share a campaign: every recipient gets it one time', async () => {
    const id = await bench.started(5_000, { canary: 0 });
    sms.start();
    sms.start();
    await sms.untilStanding(id, 'finished');
    expect(sms.timesSent(5_000, phoneAt)).toEqual(new Map([[1, 5_000]]));
  });

  test('a worker killed between intent and answer leaves doubt, and the other one sends the rest', async () => {
    const id = await bench.started(1_000, { canary: 0 });
    const hanging = new Promise<void>(() => undefined);
    sms.provider.answers = () => hanging;
    const first = sms.start({ concurrency: 4 });
    await sms.until(() => sms.provider.requests.length === 4);
    await sms.kill(first);
    sms.provider.answers = async () => undefined;
    sms.start();
    await sms.until(async () => (await totals(id))?.queued === 0);
    bench.advance(LEASE_MS);
    await sms.until(async () => (await totals(id))?.sending === 0);
    await finish(id);
    // Requests that left are found in the statistics; intents beyond the slots never left.
    const { sent = 0, unknown = 0 } = (await totals(id)) ?? {};
    expect([sent + unknown, sent]).toEqual([1_000, sms.provider.book.length]);
    expect(await dayTotals()).toMatchObject({ sent, unknown });
    expect(sms.timesSent(1_000, phoneAt).get(2)).toBeUndefined();
  });

  test('a worker that starts when nothing is left to send checks others’ requests in doubt', async () => {
    const id = await bench.started(50, { canary: 0 });
    sms.provider.answers = () => new Promise<void>(() => undefined);
    const first = sms.start({ concurrency: 1 });
    await sms.until(() => sms.provider.requests.length === 1);
    await sms.kill(first);
    bench.advance(LEASE_MS);
    sms.start();
    await sms.until(async () => (await totals(id))?.unknown === 50);
    await finish(id);
    expect(await totals(id)).toMatchObject({ sent: 50 });
  });

  test('a worker that stops ends its running requests, and releases the rest', async () => {
    const id = await bench.started(2_000, { canary: 0 });
    const first = sms.start({ concurrency: 2 });
    await sms.until(() => sms.provider.requests.length > 2);
    await first.worker.stop();
    const { sent = 0, queued = 0, sending } = (await totals(id)) ?? {};
    expect([sent, sent + queued, sending]).toEqual([sms.provider.book.length, 2_000, 0]);
    sms.start();
    await sms.untilStanding(id, 'finished');
    expect(sms.timesSent(2_000, phoneAt)).toEqual(new Map([[1, 2_000]]));
  });
});

describe('an answer whose consequence for the account cannot be written', () => {
  const timesAsked = (at: number): number =>
    sms.provider.requests.flat().filter(({ to }) => to === phoneAt(at)).length;

  test('leaves its request in doubt, and sends nothing of it again', async () => {
    const id = await bench.started(150, { canary: 0 });
    vi.spyOn(sms.holds, 'hold').mockRejectedValueOnce(new Error('away'));
    sms.provider.fates.push('no funds');
    sms.start({ concurrency: 1 });
    await sms.until(async () => (await totals(id))?.unknown === 50);
    await finish(id);
    expect(await totals(id)).toMatchObject({ sent: 100, unknown: 50 });
    expect(timesAsked(0)).toBe(1);
  });

  test('counts all the same, and no recipient gets it twice', async () => {
    const id = await bench.started(150, { canary: 0 });
    sms.provider.fate = 'keys refused';
    sms.start({ concurrency: 1 });
    await sms.until(async () => (await sms.holds.holdsOf('main')).length > 0);
    await sms.until(async () => (await totals(id))?.queued === 150);
    const release = vi.spyOn(sms.holds, 'release').mockRejectedValueOnce(new Error('away'));
    sms.provider.fate = undefined;
    bench.advance(RECHECK_MS);
    await sms.until(() => release.mock.calls.length > 0);
    bench.advance(RECHECK_MS);
    await sms.untilStanding(id, 'finished');
    expect(sms.timesSent(150, phoneAt)).toEqual(new Map([[1, 150]]));
  });
});

test('a campaign of 100,000 recipients holds no more than its slots in memory', async () => {
  const id = await bench.started(100_000, { canary: 0 });
  let open = 0;
  const opened = sms.open({ concurrency: 16 });
  const { requests } = opened;
  const step = requests.step.bind(requests);
  let most = 0;
  requests.step = async (asked) => {
    const stepped = await step(asked);
    open += stepped.taken.length - asked.results.length;
    most = Math.max(most, open);
    return stepped;
  };
  opened.worker.start();
  await sms.untilStanding(id, 'finished');
  expect(most).toBeLessThanOrEqual(20);
  expect(await totals(id)).toMatchObject({ total: 100_000, sent: 100_000 });
  expect(sms.provider.book).toHaveLength(100_000);
});
