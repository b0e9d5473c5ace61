/** What happens to history while something else does: somebody is forgotten, Redis is away, a clock runs ahead. */
import { expect, test } from 'vitest';
import { HistoryForgetting } from '../../src/history/forgetting.ts';
import { keepBeside } from '../../src/history/parts.ts';
import { HistoryStore } from '../../src/history/store.ts';
import { fingerprint } from '../../src/lib/ids.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { Campaigns } from '../../src/operations/campaigns.ts';
import { HistoryDesk } from '../../src/operations/history.ts';
import { KeptFiles } from '../../src/operations/kept-files.ts';
import { keys } from '../../src/operations/keys.ts';
import { acceptMessages } from '../../src/operations/messages.ts';
import { forgetName, Names } from '../../src/operations/places.ts';
import { Purge } from '../../src/operations/purge.ts';
import { Queries } from '../../src/operations/queries.ts';
import { stubAt, stubBuckets } from '../../src/operations/stubs.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';
import { historyOfThisFile, PAID, trimmerOf, writerOf } from './history-world.ts';

const DAY_MS = 86_400_000;
const NOON = Date.parse('2026-11-01T12:00:00Z');
const LATER = NOON + 8 * DAY_MS;
const AWA = '+221771000000';

const store = storeOfThisFile();
const here = historyOfThisFile(store, NOON);

const { turnTo, pass } = here;

async function sentMessage(text = 'Bonjour Awa Secret'): Promise<void> {
  const one = { id: 'msg_a', fingerprint: fingerprint('a'), to: AWA, text };
  await acceptMessages(store.redis, { id: 'slc_1', account: 'main', lane: 'normal', dueInMs: 0 }, [one], {
    now: here.now,
  });
  await store.redis.hset(keys.record('msg_a'), 'state', 'sent');
  await store.redis.zrem(keys.listed('message', 'main', 'queued'), 'msg_a');
  await store.redis.zadd(keys.listed('message', 'main', 'sent'), NOON, 'msg_a');
  await store.redis.zadd(keys.historyWaiting, 0, 'msg_a');
}

const purge = (past = new HistoryForgetting(here.database.url)) =>
  new Purge(store.redis, { files: new KeptFiles({ redis: store.redis, random: systemRandom }), past });

const person = {
  phone: AWA,
  reads: () => false,
  name: 'p:SN 771000000',
  told: async () => undefined,
};

async function forgetAll(reads: (written: string) => boolean = () => false): Promise<void> {
  await purge().page({ phone: AWA, reads });
  for (let after: string | undefined = ''; after !== undefined; ) {
    after = (await purge().inHistory(person, after))?.next;
  }
}

test('while nobody can copy, a callback that says otherwise than it ended is kept, whatever is posted after it', async () => {
  await here.world.accept('dsb_a');
  await here.world.go('dsb_a', ...PAID);
  await pass();
  turnTo(LATER);
  await pass();
  const agrees = { success: ['succeeded'], failed: ['failed', 'reversed'] } as const;
  for (const code of ['success', 'failed', 'success'] as const) {
    const posted = { redacted: `{"status":"${code}"}`, agreesWith: agrees[code] };
    const hinted = here.world.operations.nudge('disbursement', 'dsb_a', { operation: 'callback', code }, 0, posted);
    expect(await hinted).toEqual({ is: 'final', state: 'succeeded', written: {} });
  }
  await pass();
  expect(await store.redis.zrange(keys.due('status-poll'), '0', '-1')).toEqual(['dsb_a']);
});

test('a person who is forgotten while their message is copied is not left in history', async () => {
  await pass();
  await sentMessage();
  const writer = writerOf(store.redis, () => here.database.url, {
    at: async (step) => {
      if (step === 'read') await forgetAll();
    },
  });
  await writer.pass();
  await writer.close();
  await pass();
  await pass();
  expect(JSON.stringify(await here.database.query('select * from relais.messages'))).not.toMatch(/771000000|Secret/);
});

test('what was said of a record that left is not lost where two looks in a row find Redis away', async () => {
  await here.world.accept('dsb_a');
  await here.world.go('dsb_a', ...PAID);
  await pass();
  turnTo(LATER);
  await pass();
  const said = { operation: 'callback', code: 'reversed' } as const;
  const posted = { redacted: '{"status":"reversed"}', agreesWith: ['reversed'] };
  await here.world.operations.nudge('disbursement', 'dsb_a', said, 5_000, posted);
  const away = Object.create(here.world.operations);
  away.nudge = () => Promise.reject(new Error('TRYAGAIN Multiple keys request during rehashing of slot'));
  await expect(pass({}, away)).rejects.toThrow('TRYAGAIN');
  await expect(pass({}, away)).rejects.toThrow('TRYAGAIN');
  await pass();
  const record = await new Queries(store.redis).read('disbursement', 'dsb_a');
  expect(JSON.stringify(record?.fields ?? {})).toContain('callback');
});

test('a payment of somebody who was forgotten is found by the number no more, in Redis, once it is back', async () => {
  await here.world.accept('dsb_a');
  await here.world.go('dsb_a', ...PAID);
  await pass();
  turnTo(LATER);
  await pass();
  await forgetName(store.redis, await Names.of({ redis: store.redis }).placeOf('SN 771000000'));
  await forgetAll();
  await here.world.operations.nudge('disbursement', 'dsb_a', { operation: 'callback', code: 'reversed' }, 5_000);
  await pass();
  const [place] = await Names.of({ redis: store.redis }).placesOf([['phone', 'SN 771000000']]);
  const found = place ? await new Queries(store.redis).named(place, { accounts: undefined, limit: 10 }) : [];
  expect(found).toEqual([]);
});

const forgetPayee = async (): Promise<void> => {
  await forgetName(store.redis, await Names.of({ redis: store.redis }).placeOf('SN 771000000'));
  await forgetAll();
};
const paymentsInHistory = () =>
  here.database.query<{ state: string; names: string[] }>('select state, names from relais.disbursements');

test('a payment of somebody who was forgotten is copied without the number when it changes after that', async () => {
  await here.world.accept('dsb_a');
  await here.world.go('dsb_a', ...PAID);
  await pass();
  await forgetPayee();
  await here.world.go('dsb_a', 'reversed');
  await pass();
  expect(await paymentsInHistory()).toEqual([{ state: 'reversed', names: ['d:dsb_a'] }]);
});

test('a payment of somebody who was forgotten before it ended is copied without the number', async () => {
  await pass();
  await here.world.accept('dsb_a');
  await forgetPayee();
  await here.world.go('dsb_a', ...PAID);
  await pass();
  expect(await paymentsInHistory()).toEqual([{ state: 'succeeded', names: ['d:dsb_a'] }]);
  turnTo(LATER);
  await pass();
  expect(await store.redis.exists(keys.record('dsb_a'))).toBe(0);
});

test('a payment whose person is forgotten while it is copied is not left with the number in history', async () => {
  await pass();
  await here.world.accept('dsb_a');
  await here.world.go('dsb_a', ...PAID);
  let once = true;
  const writer = writerOf(store.redis, () => here.database.url, {
    at: async (step) => {
      if (step !== 'read' || !once) return;
      once = false;
      await forgetPayee();
    },
  });
  await writer.pass();
  await writer.close();
  expect(await paymentsInHistory()).toEqual([{ state: 'succeeded', names: ['d:dsb_a'] }]);
});

test('a writer that slept, and whose turn was over, leaves nobody in history who was forgotten meanwhile', async () => {
  await pass();
  await here.world.accept('dsb_a');
  await here.world.go('dsb_a', ...PAID);
  let once = true;
  const slept = writerOf(store.redis, () => here.database.url, {
    at: async (step) => {
      if (step !== 'read' || !once) return;
      once = false;
      await store.redis.del(keys.historyTurn);
      await forgetPayee();
      const other = writerOf(store.redis, () => here.database.url, { name: 'two' });
      await other.pass();
      await other.close();
      expect(await paymentsInHistory()).toEqual([{ state: 'succeeded', names: ['d:dsb_a'] }]);
    },
  });
  await slept.pass();
  await slept.close();
  await pass();
  expect(await paymentsInHistory()).toEqual([{ state: 'succeeded', names: ['d:dsb_a'] }]);
});

test('what changed since a writer that slept has read it is copied again, also where another had copied it already', async () => {
  await pass();
  await here.world.accept('dsb_a');
  await here.world.go('dsb_a', ...PAID);
  const slept = writerOf(store.redis, () => here.database.url, {
    at: async (step) => {
      if (step !== 'written') return;
      // As another has copied it, and somebody of a slice was forgotten since: that is another revision, and waits for nobody.
      await store.redis.zrem(keys.historyWaiting, 'dsb_a');
      await store.redis.hincrby(keys.record('dsb_a'), 'rev', 1);
    },
  });
  await slept.pass();
  await slept.close();
  expect(await store.redis.zrange(keys.historyWaiting, '0', '-1')).toEqual(['dsb_a']);
});

test.for(['a\u0000b', 'a\ud800b'])(
  'a person is forgotten in history whatever their text holds (%j)',
  async (text) => {
    await pass();
    await sentMessage(text);
    await pass();
    // As rows of before have it.
    await here.database.query(
      `update relais.messages set record = '{"n":"\\\\u0000\\u0000\\u0000","text":"x"}' where '${text.length}' = '3'`,
    );
    await store.redis.del(keys.record('msg_a'));
    await forgetAll();
    expect(JSON.stringify(await here.database.query('select * from relais.messages'))).not.toMatch(/771000000/);
  },
);

test('a person who is forgotten while those who were left out are copied is not left in history', async () => {
  await pass();
  const campaign = {
    id: 'cmp_1',
    account: 'main',
    createdAt: NOON,
    state: 'finished',
    uploads: [{ tag: 'ab', hash: 'h', slices: 0, recipients: 0, skipped: 1 }],
    slices: 0,
    fed: 0,
  } as const;
  await store.redis.rpush(keys.skipped('cmp_1', 'ab'), JSON.stringify([2, AWA, 'repeated', '']));
  const options = { url: here.database.url, newName: () => systemRandom.hex(8), timezone: 'UTC' };
  const into = await HistoryStore.open(options, () => undefined);
  const campaigns = new Campaigns(store.redis);
  const skippedRows: Campaigns['skippedRows'] = async (...asked) => {
    const rows = await campaigns.skippedRows(...asked);
    await forgetAll((written) => written === AWA);
    return rows;
  };
  const desk = new HistoryDesk(store.redis, 'one');
  await keepBeside(campaign, { desk, campaigns: { skippedRows } }, { store: into, isStopping: () => false });
  await into.close();
  expect(await store.redis.lrange(keys.skipped('cmp_1', 'ab'), 0, -1)).not.toContain('771000000');
  expect(JSON.stringify(await here.database.query('select * from relais.recipients'))).not.toContain('771000000');
});

test('a slice that cannot be read keeps nothing else from leaving', async () => {
  const after = { message: 3 * DAY_MS, disbursement: 7 * DAY_MS, campaign: 3 * DAY_MS };
  await pass({ after });
  await sentMessage();
  await store.redis.hset(keys.record('slc_1'), { state: 'settled', v: '9' });
  await store.redis.hset(keys.record('msg_a'), 'slice', 'slc_1');
  await pass({ after });
  turnTo(LATER);
  await pass({ after });
});

test('a clock of Redis that has run ahead frees no identity', async () => {
  const id = Array.from({ length: 5_000 }, (_, at) => `dsb_${at}`).find((one) =>
    stubBuckets(0, 500).names.some((name) => stubAt(one).stubs === keys.stubs(name)),
  );
  if (id === undefined) throw new Error('none of them is looked at first');
  await here.world.accept(id);
  await here.world.go(id, ...PAID);
  await pass();
  turnTo(LATER);
  await pass();
  turnTo(LATER + 1_000 * DAY_MS);
  await pass();
  expect((await here.world.ask(id)).outcome).toBe('duplicate');
});

test('whose turn is over takes nothing more out', async () => {
  await here.world.accept('dsb_a');
  await here.world.go('dsb_a', ...PAID);
  const desk = new HistoryDesk(store.redis, 'one');
  await pass();
  await here.world.accept('dsb_b');
  await here.world.go('dsb_b', 'created', 'submitting', 'failed');
  await pass();
  turnTo(LATER);
  const trimmer = trimmerOf(store.redis, here.world.operations, {
    now: here.now,
    keepsTurn: () => desk.isMyTurn(),
    // It took longer than a turn, and another process is at work.
    at: async (step) => {
      if (step !== 'trimmed') return;
      await store.redis.del(keys.historyTurn);
      await new HistoryDesk(store.redis, 'another').isMyTurn();
    },
  });
  const writer = writerOf(store.redis, () => here.database.url, { trimmer });
  await writer.pass();
  await writer.close();
  const left = await Promise.all(['dsb_a', 'dsb_b'].map((id) => store.redis.exists(keys.record(id))));
  expect(left.toSorted((one, other) => one - other)).toEqual([0, 1]);
});
