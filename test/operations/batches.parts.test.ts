import { expect, test } from 'vitest';
import { systemRandom } from '../../src/lib/random.ts';
import type { BatchRow } from '../../src/operations/batch-rows.ts';
import { Batches } from '../../src/operations/batches.ts';
import { NO_MEMORY } from '../../src/operations/heartbeat.ts';
import { keys } from '../../src/operations/keys.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';

const store = storeOfThisFile();
const batch = {
  id: 'bat_1',
  account: 'main',
  fingerprint: 'fp',
  contentHash: 'ab',
  state: 'awaiting_approval',
  dueInMs: 1_000,
  fields: { by: 'maker' },
  tells: {},
} as const;
const rows: BatchRow[] = [1, 2, 3].map((row) => ({
  row,
  id: `dsb_${row}`,
  reference: `r-${row}`,
  accountAlias: '771234567',
  amount: 100,
  withdrawMode: 'wallet-a-senegal',
}));

/** A primary takes over that has only so many of the rows that were staged. */
function lessThan(left: number): Batches {
  const remembered = () => {
    void store.redis.ltrim(keys.batchRows('bat_1.tag'), rows.length - left, -1);
    return NO_MEMORY.remembered();
  };
  return new Batches(store.redis, { ...systemRandom, hex: () => 'tag' }, { heartbeat: { ...NO_MEMORY, remembered } });
}

test.for([0, 2])(
  'a batch of which %i of 3 staged rows are left is not written, and can be uploaded again',
  async (left) => {
    await expect(lessThan(left).accept(batch, rows)).rejects.toThrow('upload it again');
    expect(await store.redis.exists(keys.record('bat_1'), keys.batchRows('bat_1'))).toBe(0);
    const batches = new Batches(store.redis, systemRandom);
    expect(await batches.accept(batch, rows)).toMatchObject({ outcome: 'accepted' });
    expect(await batches.rows('bat_1', 0, 10)).toEqual(rows);
  },
);
