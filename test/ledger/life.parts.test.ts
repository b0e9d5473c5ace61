/** What a process learns from witnesses at its start, and what it reports to them. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { type Entry, Journal, readJournal } from '../../src/ledger/journal.ts';
import type { LifeOptions } from '../../src/ledger/life.ts';
import { FileWitness, RedisWitness, type Witness } from '../../src/ledger/witness.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';
import { callback } from '../support/ledger-callback.ts';
import { type FreshRedis, freshRedis } from '../support/fresh-redis.ts';
import { type LedgerWorker, ledgerWorker } from '../support/ledger-worker.ts';

let ledger: FreshLedger;
let redis: FreshRedis;
let folder: string;
const closing: (() => unknown)[] = [];
beforeEach(async () => {
  [ledger, redis] = await Promise.all([freshLedger(), freshRedis()]);
  folder = mkdtempSync(join(tmpdir(), 'relais-witness-'));
});
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
  rmSync(folder, { recursive: true });
  await redis.close();
  await ledger.close();
});

async function worker(witnesses: readonly Witness[], over: Partial<LifeOptions> = {}): Promise<LedgerWorker> {
  const at = { url: ledger.url, schema: ledger.schema, redis: redis.redis };
  const made = await ledgerWorker(at, witnesses, over);
  closing.push(() => made.kill().catch(() => undefined));
  return made;
}

const signalled = async ({ operations }: LedgerWorker, times: number): Promise<void> => {
  for (let n = 0; n < times; n += 1) await operations.signal(callback('none', 'x'));
};
const accepted = async ({ operations }: LedgerWorker, times: number): Promise<void> => {
  for (let n = 0; n < times; n += 1) {
    const id = `dsb_${systemRandom.hex(13)}`;
    const body = { state: 'queued', queue: 'disbursement', request: {}, createdBy: 'shop' };
    await operations.accept({ id, kind: 'disbursement', account: 'main', fingerprint: Buffer.alloc(0), ...body });
  }
};
const inFile = (process: string): Witness => new FileWitness({ path: join(folder, 'witness'), process });
const said = (witness: Witness): Witness => ({
  name: witness.name,
  hear: (deployment) => witness.hear(deployment),
  note: (own, at) => witness.note(own, at),
  forget: (deployment, lanes) => witness.forget(deployment, lanes),
});
const because = async (): Promise<unknown> =>
  (await ledger.query<{ because: string }>('select because from relais.recovery'))[0]?.because;

test.for(['Redis', 'WITNESS_FILE'])('a restored ledger is detected at the next start by %s', async (which) => {
  const witness = (process: string): Witness => (which === 'Redis' ? new RedisWitness(redis.redis) : inFile(process));
  const one = await worker([witness('one')]);
  await accepted(one, 3);
  await one.end();
  const copy = { ...ledger, ...(await ledger.copy()) };
  const original = ledger;
  closing.unshift(() => original.close());
  const two = await worker([witness('two')]);
  expect(two.life.recovering()).toBeUndefined();
  await accepted(two, 3);
  await two.end();
  ledger = copy;
  const three = await worker([witness('three')]);
  expect(three.life.recovering()).toMatchObject({ because: 'witness' });
  expect(await because()).toBe('witness');
  await expect(accepted(three, 1)).rejects.toMatchObject({ reason: 'recovering' });
});

test.for(['Redis', 'WITNESS_FILE'])(
  'writes of other processes and records in %s during a start are no loss',
  async (which) => {
    const at = (process: string): Witness => (which === 'Redis' ? new RedisWitness(redis.redis) : inFile(process));
    const one = await worker([at('one')]);
    const slow: Witness = {
      ...said(at('two')),
      // Other processes continue between the first beat of a process and the read of the witness.
      hear: async (deployment) => {
        await accepted(one, 3);
        await one.life.beat();
        return at('two').hear(deployment);
      },
    };
    const two = await worker([slow]);
    expect(two.life.recovering()).toBeUndefined();
    expect(await because()).toBeUndefined();
  },
);

test('a loss of one commit is noticed, although another lane went on', async () => {
  const one = await worker([new RedisWitness(redis.redis)]);
  await accepted(one, 3);
  await one.end();
  await ledger.query(`update relais.retired_lane set counter = counter - 1 where lane = '${one.life.name}/accept0'`);
  const two = await worker([new RedisWitness(redis.redis)]);
  expect(two.life.recovering()).toMatchObject({ because: 'witness' });
});

test('a used ledger without a witness is unwitnessed, until an older witness confirms it', async () => {
  const silent: Witness = {
    name: 'away',
    hear: () => Promise.reject(new Error('away')),
    note: async () => undefined,
    forget: async () => undefined,
  };
  const one = await worker([new RedisWitness(redis.redis)]);
  expect(one.life.isUnwitnessed).toBe(false);
  await accepted(one, 2);
  await one.end();
  const two = await worker([silent]);
  expect(two.life.isUnwitnessed).toBe(true);
  expect(two.faults).toContain('the witness in away');
  // Its own record proves nothing to the next one.
  const other = new RedisWitness(redis.redis);
  await two.end();
  const three = await worker([other]);
  await three.life.beat();
  expect(three.life.isUnwitnessed).toBe(false);
});

test('records of processes that began without a witness confirm nothing', async () => {
  const one = await worker([]);
  await accepted(one, 2);
  await one.end();
  const two = await worker([new RedisWitness(redis.redis)]);
  expect(two.life.isUnwitnessed).toBe(true);
  await accepted(two, 2);
  await two.end();
  expect((await worker([new RedisWitness(redis.redis)])).life.isUnwitnessed).toBe(true);
});

test('an operator can do without a witness', async () => {
  const one = await worker([]);
  await accepted(one, 2);
  await one.end();
  expect((await worker([], { needsWitness: false })).life.isUnwitnessed).toBe(false);
});

test('a living process from before confirms the ledger', async () => {
  const one = await worker([]);
  await accepted(one, 2);
  await ledger.query(`update relais.worker set started_at = now() - interval '1 hour'`);
  const two = await worker([]);
  expect(two.life.isUnwitnessed).toBe(true);
  await one.life.beat();
  await two.life.beat();
  await two.life.beat();
  expect(two.life.isUnwitnessed).toBe(false);
});

test('a process with newer memory than the ledger starts the recovery, and others learn of it', async () => {
  const [one, other] = [await worker([]), await worker([])];
  await accepted(one, 2);
  await other.life.beat();
  await ledger.query(`update relais.mark set counter = 1 where lane = '${one.life.name}/accept0'`);
  const heard: unknown[] = [];
  one.life.onChange((state) => heard.push(state?.because));
  await other.life.beat();
  await one.life.beat();
  expect(heard).toEqual(['rolled_back']);
  expect(await one.life.raise()).toBe(false);
  expect(await ledger.query('select known from relais.recovery')).toEqual([
    { known: { [`${one.life.name}/accept0`]: 3 } },
  ]);
});

test('records from before a recovery start no other one', async () => {
  const one = await worker([new RedisWitness(redis.redis)]);
  await accepted(one, 5);
  const lane = `${one.life.name}/accept0`;
  const at = { lane, epoch: 1 };
  await one.journal.intended({ ...at, counter: '6' }, [{ id: 'dsb_1', kind: 'disbursement' }]);
  await ledger.query(`update relais.mark set counter = 2 where lane = '${lane}'`);
  await one.life.beat();
  await ledger.query(`update relais.recovery set ended_at = now()`);
  await ledger.query(`update relais.deployment set recovering_at = null`);
  const two = await worker([new RedisWitness(redis.redis)]);
  expect(two.life.recovering()).toBeUndefined();
  expect(await ledger.query('select because from relais.recovery')).toEqual([{ because: 'rolled_back' }]);
});

test('a ledger of an earlier epoch was restored, and its processes report it instead of exiting', async () => {
  const one = await worker([]);
  await ledger.query('update relais.deployment set epoch = 3, recovering_at = now()');
  await one.life.beat();
  await ledger.query('update relais.deployment set epoch = 2, recovering_at = null');
  await one.life.beat();
  expect(one.fenced).toEqual([]);
  expect(one.life.recovering()).toMatchObject({ because: 'rolled_back' });
  expect(await ledger.query('select d.epoch, r.epoch as copied from relais.deployment d, relais.recovery r')).toEqual(
    [{ epoch: 4, copied: 2 }],
  );
});

test('a loss that was dealt with starts no other recovery', async () => {
  const one = await worker([]);
  await ledger.query('update relais.deployment set epoch = 2');
  await one.life.enterRecovery('rolled_back', { lanes: [{ lane: 'a/accept0', known: '9' }], foundIn: 1 });
  expect(one.life.recovering()).toBeUndefined();
  expect(await because()).toBeUndefined();
});

test('processes of one machine keep their words apart', async () => {
  const [one, two] = [await worker([inFile('a')]), await worker([inFile('b')])];
  await accepted(one, 2);
  await accepted(two, 2);
  for (const each of [one, two]) await each.life.beat();
  expect(readdirSync(folder).toSorted()).toEqual(['witness.a', 'witness.b']);
  const deployment = (await ledger.query<{ id: string }>('select id from relais.deployment'))[0]?.id ?? '';
  const word = await inFile('c').hear(deployment);
  const counters = [one, two].map(({ life }) => word?.lanes[`${life.name}/accept0`]?.counter);
  expect(counters).toEqual(['3', '3']);
  expect(await inFile('c').hear('another')).toBeUndefined();
});

test('a step of the clock of PostgreSQL suspends sending for a while', async () => {
  let ahead = 0;
  const clock = {
    ...systemClock,
    after: () => () => undefined,
    monotonic: () => systemClock.monotonic() + ahead,
    sinceBoot: () => systemClock.sinceBoot() + ahead,
  };
  const one = await worker([], { clock });
  await one.life.beat();
  expect(one.life.isSuspended).toBe(false);
  // For this process an hour has passed, for PostgreSQL none.
  ahead += 3_600_000;
  await one.life.beat();
  expect(one.life.isSuspended).toBe(true);
  ahead += 120_000;
  expect(one.life.isSuspended).toBe(false);
});

test('the files of a process are replaced atomically, and its end is recorded', async () => {
  const one = await worker([inFile('one')]);
  await signalled(one, 2);
  await accepted(one, 1);
  await one.end();
  expect(readdirSync(folder)).toEqual(['witness.one']);
  const word = await inFile('x').hear(
    (await ledger.query<{ id: string }>('select id from relais.deployment'))[0]?.id ?? '',
  );
  expect(word?.lanes[`${one.life.name}/accept0`]).toMatchObject({ counter: '2', ended: true });
});

test('the journal has requests about to leave and acts, in order; a gap stays visible', async () => {
  const faults: unknown[] = [];
  let status = 'ready';
  const client = new Proxy(redis.redis, {
    get: (target, name) => {
      const member: unknown = name === 'status' ? status : Reflect.get(target, name);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
  const journal = new Journal({
    redis: client,
    deployment: () => 'd',
    process: 'a',
    // A slow machine makes no gap.
    clock: { ...systemClock, after: () => () => undefined },
    onHole: (error) => faults.push(error),
  });
  const item = { id: 'dsb_1', kind: 'disbursement' };
  const at = { lane: 'a/intend0', epoch: 1 };
  await journal.intended({ ...at, counter: '2' }, [item]);
  await journal.act('key.revoked', { id: 'key_1' });
  status = 'reconnecting';
  await journal.intended({ ...at, counter: '3' }, [item]);
  await journal.act('key.revoked', { id: 'key_2' });
  expect(faults).toHaveLength(1);
  status = 'ready';
  await journal.intended({ ...at, counter: '5' }, [item]);
  const entries: Entry[] = [];
  for await (const entry of readJournal(redis.redis, 'd')) entries.push(entry);
  expect(entries).toMatchObject([
    { is: 'intended', after: '0', counter: '2', items: [item] },
    { is: 'acted', n: 1, kind: 'key.revoked', facts: { id: 'key_1' } },
    { is: 'intended', after: '3', counter: '5' },
  ]);
  expect([journal.sentOn('a/intend0'), journal.lastAct?.n]).toEqual(['5', 2]);
});

test('a process says which other process keeps everything from leaving after a start of PostgreSQL', async () => {
  let ahead = 0;
  const clock = { ...systemClock, after: () => () => undefined, monotonic: () => systemClock.monotonic() + ahead };
  const one = await worker([], { clock });
  const two = await worker([], { slot: 'other' });
  await ledger.query(`update relais.worker set compared = 'another start'`);
  await one.life.beat();
  expect(one.faults).toEqual([]);
  ahead = 25_000;
  for (let beat = 0; beat < 30; beat += 1) await one.life.beat();
  expect(one.faults).toEqual([expect.stringContaining('has not compared what it remembers')]);
  await two.life.beat();
  for (let beat = 0; beat < 60; beat += 1) await one.life.beat();
  expect(one.faults).toHaveLength(1);
});
