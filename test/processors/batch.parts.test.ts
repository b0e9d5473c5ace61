import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { seededRandom } from '../../src/lib/random.ts';
import type { BatchRow } from '../../src/operations/batch-rows.ts';
import { Batches } from '../../src/operations/batches.ts';
import { keys } from '../../src/operations/keys.ts';
import { Operations } from '../../src/operations/operations.ts';
import { Queries } from '../../src/operations/queries.ts';
import { SharedLimits } from '../../src/operations/limits.ts';
import { type BatchTools, batchProcessor } from '../../src/processors/batch/batch.ts';
import type { ProcessorContext, AttemptResult } from '../../src/processors/context.ts';
import type { Acceptance } from '../../src/producer/acceptance.ts';
import { BatchDoor } from '../../src/producer/batch/door.ts';
import { readBatchFile } from '../../src/producer/batch/read-file.ts';
import { progressOf } from '../../src/producer/batch/report.ts';
import { type FreshRedis, freshRedis, keysLike } from '../support/fresh-redis.ts';
import { acceptanceOver } from '../support/acceptance.ts';

const DAY_MS = 86_400_000;
const random = seededRandom(7);

let fresh: FreshRedis;
let operations: Operations;
let queries: Queries;
let batches: Batches;
let acceptance: Acceptance;
let woken: string[];
let laterMs: number;
let durable: boolean;
let known: boolean;

beforeEach(async () => {
  fresh = await freshRedis();
  const { redis } = fresh;
  woken = [];
  laterMs = 0;
  durable = true;
  known = true;
  operations = new Operations({ redis, random, now: () => Date.now() + laterMs });
  queries = new Queries(redis);
  batches = new Batches(redis, random);
  acceptance = acceptanceOver({
    redis,
    random,
    environment: 'test',
    batchWindowMs: 50,
    after: () => () => undefined,
    wake: () => undefined,
  });
});
afterEach(() => fresh.close());

const accept: BatchTools['accept'] = ({ row: _row, id: _id, ...request }, { id, account, by }) =>
  acceptance.disbursement({ ...request, account }, undefined, by, { batch: id, approvedBy: 'checker' });

/** One attempt, as a worker makes it. */
async function attempt(id: string, tools: Partial<BatchTools> = {}, records = operations): Promise<AttemptResult> {
  const context = {
    operations: records,
    queries,
    policy: { leaseMs: 1_000, holdRecheckMs: 1_000 },
    durability: () => ({ durable, reasons: [] }),
    account: () => (known ? {} : undefined),
    wake: (queue: string) => woken.push(queue),
  } as unknown as ProcessorContext;
  return batchProcessor({ batches, accept, ...tools })(id, context);
}

/** The lease of an attempt that died runs out. */
const outlive = (): void => {
  laterMs += 2_000;
};

const people = (count: number, tag = 'sal') =>
  Array.from({ length: count }, (_, at) => ({
    reference: `${tag}-${at}`,
    accountAlias: String(770_000_000 + at),
    amount: 1_000 + at,
    withdrawMode: 'wallet-a-senegal',
  }));

async function uploaded(rows: readonly object[]): Promise<string> {
  const door = new BatchDoor({
    batches,
    limits: new SharedLimits(fresh.redis),
    environment: 'test',
    now: () => Date.now(),
  });
  const file = await readBatchFile(Buffer.from(JSON.stringify(rows)), { format: 'json' });
  const { id } = await door.accept(file, { account: 'main', by: 'maker' });
  return id;
}

async function approved(rows: readonly object[]): Promise<string> {
  const id = await uploaded(rows);
  const set = { approvedBy: 'checker', '@approvedAt': 0 };
  await operations.transition(await record(id), undefined, { to: 'running', dueInMs: 0, set });
  return id;
}

async function record(id: string) {
  const found = await queries.read('batch', id);
  if (!found) throw new Error(`no batch ${id}`);
  return found;
}

/** As upstream would settle it, whatever state it is in. */
async function end(rows: readonly BatchRow[], state: string): Promise<void> {
  for (const { id } of rows) await fresh.redis.hset(keys.record(id), 'state', state);
}

const disbursements = async (): Promise<number> => (await keysLike(fresh.redis, 'op:dsb_*')).length;

async function finishedEvents(): Promise<Record<string, unknown>[]> {
  const entries = await fresh.redis.xrange(keys.events, '-', '+');
  const events = entries.map(([, flat]) => Object.fromEntries(flat.map((word, at) => [word, flat[at + 1]])));
  return events.filter(({ type }) => type === 'batch.finished').map(({ data }) => JSON.parse(data ?? '{}'));
}

describe('before the approval', () => {
  test('nothing of a batch is a disbursement, however often it is looked at', async () => {
    const id = await uploaded(people(3));
    expect(await attempt(id)).toEqual({ outcome: 'waits', reason: 'awaiting_approval' });
    expect(await disbursements()).toBe(0);
    expect(Number(await fresh.redis.zscore(keys.due('batch'), id)) - Date.now()).toBeGreaterThan(DAY_MS - 5_000);
  });

  test('it expires after a day, and can be approved no more', async () => {
    const id = await uploaded(people(3));
    laterMs = DAY_MS + 1_000;
    expect(await attempt(id)).toEqual({ outcome: 'ended', reason: 'expired' });
    const expired = await record(id);
    expect(expired.state).toBe('expired');
    await expect(operations.transition(expired, undefined, { to: 'running' })).rejects.toThrow('no arrow');
    expect(await fresh.redis.zscore(keys.due('batch'), id)).toBeNull();
  });
});

describe('an approved batch', () => {
  test('accepts every row once, follows them, and says once how it ended', async () => {
    const id = await approved(people(3));
    expect(await attempt(id)).toEqual({ outcome: 'advanced', reason: 'handed_out' });
    const rows = await batches.rows(id, 0, 3);
    const first = await queries.read('disbursement', rows[0]?.id ?? '');
    expect(first).toMatchObject({ state: 'queued', amount: 1_000, reference: 'sal-0', batch: id });
    expect(first?.fields).toMatchObject({ by: 'maker', approvedBy: 'checker' });

    await end(rows.slice(1, 2), 'needs_review');
    expect(await attempt(id)).toEqual({ outcome: 'waits', reason: 'rows_under_way' });
    expect((await record(id)).mark).toBe(0);
    await end(rows.slice(0, 1), 'succeeded');
    await attempt(id);
    expect((await record(id)).mark).toBe(2);
    await end(rows.slice(2), 'failed');
    await attempt(id);
    expect(await attempt(id)).toMatchObject({ outcome: 'idle' });
    expect((await record(id)).state).toBe('finished');
    expect(await finishedEvents()).toEqual([
      {
        id,
        state: 'finished',
        contentHash: (await record(id)).contentHash,
        by: 'maker',
        approvedBy: 'checker',
        totals: { count: 3, xof: 3_003 },
        states: {
          succeeded: { count: 1, xof: 1_000 },
          needs_review: { count: 1, xof: 1_001 },
          failed: { count: 1, xof: 1_002 },
        },
      },
    ]);
  });

  test('a row above APPROVAL_ABOVE was approved with its batch', async () => {
    await new SharedLimits(fresh.redis).set('APPROVAL_ABOVE', 10, 'maker');
    const id = await approved(people(1));
    await attempt(id);
    expect(await progressOf(await record(id), batches)).toEqual({ queued: { count: 1, xof: 1_000 } });
  });

  test('waits while Redis would not keep what it answers', async () => {
    const id = await approved(people(1));
    durable = false;
    expect(await attempt(id)).toEqual({ outcome: 'waits', reason: 'redis_not_durable' });
    expect(await disbursements()).toBe(0);
  });

  test('waits while this worker does not have the keys of its account, and refuses no row for it', async () => {
    const id = await approved(people(2));
    known = false;
    expect(await attempt(id)).toEqual({ outcome: 'waits', reason: 'account_not_configured' });
    expect(await batches.refused(id)).toEqual({});
    expect(Number(await fresh.redis.zscore(keys.due('batch'), id)) - Date.now()).toBeGreaterThan(0);
    known = true;
    expect(await attempt(id)).toEqual({ outcome: 'advanced', reason: 'handed_out' });
    expect(await disbursements()).toBe(2);
  });

  test('no more than five hundred rows wait for their first submit at a time', async () => {
    const id = await approved(people(1_200));
    for (let times = 0; times < 6; times += 1) await attempt(id);
    expect([await disbursements(), (await record(id)).fed]).toEqual([500, 500]);
    // One that is stuck at the very beginning keeps nobody behind it waiting.
    await end(await batches.rows(id, 0, 1), 'unknown');
    await end(await batches.rows(id, 1, 499), 'pending');
    for (let times = 0; times < 6; times += 1) await attempt(id);
    expect([await disbursements(), (await record(id)).mark]).toEqual([1_000, 0]);
  });

  test('goes on at once while there is room, and not otherwise', async () => {
    const id = await approved(people(450));
    await attempt(id);
    await attempt(id);
    expect(woken).toEqual(['batch', 'batch']);
    await attempt(id);
    expect(woken).toHaveLength(2);
  });
});

describe('a worker that dies', () => {
  test.for([0, 1, 19, 20, 21, 137, 199])('after %i rows leaves nothing lost and nothing twice', async (survived) => {
    const id = await approved(people(230));
    let taken = 0;
    const dying: BatchTools['accept'] = async (row, batch) => {
      if (taken >= survived) throw new Error('killed');
      taken += 1;
      return accept(row, batch);
    };
    await expect(attempt(id, { accept: dying })).rejects.toThrow('killed');
    expect((await record(id)).fed).toBe(0);
    expect(await attempt(id)).toEqual({ outcome: 'idle', reason: 'leased' });
    outlive();
    for (let times = 0; times < 3; times += 1) await attempt(id);
    expect(await disbursements()).toBe(230);
    const counts = await queries.counts('disbursement');
    expect([counts.count['queued'], counts.xof['queued']]).toEqual([230, 230_000 + (229 * 230) / 2]);
  });

  test('right before or right after it says how it ended says it once all the same', async () => {
    const id = await approved(people(2));
    await attempt(id);
    await end(await batches.rows(id, 0, 2), 'succeeded');
    const killed = async (when: 'before' | 'after'): Promise<void> => {
      const settle: Operations['transition'] = async (...change) => {
        if (when === 'after') await operations.transition(...change);
        throw new Error('killed');
      };
      const acquire: Operations['acquire'] = (...how) => operations.acquire(...how);
      await expect(attempt(id, {}, { acquire, transition: settle } as Operations)).rejects.toThrow('killed');
      outlive();
    };
    await killed('before');
    expect(await finishedEvents()).toHaveLength(0);
    await killed('after');
    expect(await attempt(id)).toEqual({ outcome: 'idle', reason: 'final' });
    expect(await finishedEvents()).toHaveLength(1);
  });

  test('two attempts at once are one', async () => {
    const id = await approved(people(50));
    const settlements = await Promise.all([attempt(id), attempt(id), attempt(id)]);
    expect(settlements.map(({ outcome: did }) => did).filter((did) => did === 'advanced')).toHaveLength(1);
  });
});

describe('a row that acceptance refuses', () => {
  test('ends as rejected with the reason, and the others go on', async () => {
    const id = await approved(people(3));
    await acceptance.disbursement({ ...people(3)[1], amount: 5 });
    await attempt(id);
    await end([(await batches.rows(id, 0, 1))[0]!, (await batches.rows(id, 2, 1))[0]!], 'succeeded');
    await attempt(id);
    await attempt(id);
    const finished = await record(id);
    expect(finished.state).toBe('finished');
    expect(await progressOf(finished, batches)).toEqual({
      succeeded: { count: 2, xof: 2_002 },
      rejected: { count: 1, xof: 1_001 },
    });
    for await (const page of batches.rowsNow(finished, { from: 1, to: 2 })) {
      expect(page).toMatchObject([
        { state: 'rejected', reason: expect.stringContaining('the reference stands for dsb_') },
      ]);
      expect(page[0]).not.toHaveProperty('fields');
    }
  });

  test('stays refused when the limit that refused it is gone', async () => {
    const id = await approved(people(2));
    await new SharedLimits(fresh.redis).set('MAX_DISBURSEMENT', 1_000, 'maker');
    let answered = 0;
    const counting: BatchTools['accept'] = async (row, batch) => {
      answered += 1;
      return accept(row, batch);
    };
    class Cut extends Batches {
      override async refuse(...refusal: Parameters<Batches['refuse']>): Promise<void> {
        await super.refuse(...refusal);
        throw new Error('killed');
      }
    }
    const cut = new Cut(fresh.redis, random);
    await expect(attempt(id, { accept: counting, batches: cut })).rejects.toThrow('killed');
    await fresh.redis.del(keys.limits);
    outlive();
    await attempt(id, { accept: counting });
    // Both at first; then only the one that was accepted, to find that it was.
    expect(answered).toBe(3);
    expect(await disbursements()).toBe(1);
  });

  /** One attempt stands still before its first row, until another has gone by it and the limit is gone. */
  async function overtaken(count: number, limit: number) {
    const id = await approved(people(count));
    await new SharedLimits(fresh.redis).set('MAX_DISBURSEMENT', limit, 'maker');
    let other: Promise<unknown> | undefined;
    const goesBy = async (): Promise<void> => {
      outlive();
      await attempt(id);
      await fresh.redis.del(keys.limits);
    };
    const late: BatchTools['accept'] = async (row, batch) => {
      await (other ??= goesBy());
      return accept(row, batch);
    };
    expect(await attempt(id, { accept: late })).toMatchObject({ outcome: 'lost' });
    return record(id);
  }

  test('and that a late attempt had in hand all the same is told as its payment stands, and not as rejected', async () => {
    const batch = await overtaken(1, 500);
    expect(Object.keys(await batches.refused(batch.id))).toEqual(['0']);
    expect(await disbursements()).toBe(1);
    expect(await progressOf(batch, batches)).toEqual({ queued: { count: 1, xof: 1_000 } });
  });

  test('is not accepted by an attempt that stood still meanwhile', async () => {
    const batch = await overtaken(21, 1_019);
    expect(await disbursements()).toBe(20);
    expect(await progressOf(batch, batches)).toMatchObject({ rejected: { count: 1, xof: 1_020 } });
  });

  test('is never shown with what another request became under its reference', async () => {
    const id = await approved(people(1));
    await acceptance.disbursement({ ...people(1)[0], amount: 5 });
    await end(await batches.rows(id, 0, 1), 'succeeded');
    await attempt(id);
    expect(await progressOf(await record(id), batches)).toEqual({ rejected: { count: 1, xof: 1_000 } });
  });
});
