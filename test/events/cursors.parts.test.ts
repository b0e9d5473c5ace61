/** Where a reader of the events may stand, and what it is told when the stream no longer goes so far. */
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { seededRandom } from '../../src/lib/random.ts';
import { CursorAhead, CursorTooOld, EventStream } from '../../src/events/stream.ts';
import { Heartbeat, Recovery } from '../../src/operations/heartbeat.ts';
import { keys } from '../../src/operations/keys.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';

const store = storeOfThisFile();
const random = seededRandom(7);

let heartbeat: Heartbeat;
let stream: EventStream;
/** Whether the replicas have what was written. */
let confirmed: boolean;
beforeEach(async () => {
  const { redis } = store;
  confirmed = true;
  heartbeat = new Heartbeat({ redis, random, silenceMs: 900_000, fence: async () => confirmed });
  stream = new EventStream({
    redis,
    epoch: () => heartbeat.known().epoch,
    keptUpTo: (place) => heartbeat.keptUpTo(place),
    onLost: (place) => heartbeat.lost(place),
  });
  await heartbeat.begin(undefined);
});

/** At a place of its own where the clock of Redis is not the one that counts. */
async function emit(seq: number, place = '*'): Promise<string> {
  const data = JSON.stringify({ id: 'msg_1', state: 'sent' });
  const fields = [
    'op',
    'msg_1',
    'seq',
    String(seq),
    'at',
    '1',
    'account',
    'main',
    'type',
    'message.sent',
    'data',
    data,
  ];
  return (await store.redis.xadd(keys.events, place, ...fields)) ?? '';
}

const sequences = async (after?: string) => (await stream.read(after, 100)).events.map(({ sequence }) => sequence);

describe('a cursor', () => {
  test('is good as it was given, and so is the bare place in it', async () => {
    await emit(1);
    const { next } = await stream.read(undefined, 100);
    await emit(2);
    expect(await sequences(next)).toEqual([2]);
    expect(await sequences(next.split('.')[0])).toEqual([2]);
  });

  test('at the end of the stream is good, also when what it has read is forgotten', async () => {
    await emit(1);
    const { next } = await stream.read(undefined, 100);
    expect(await sequences(next)).toEqual([]);
    await store.redis.xtrim(keys.events, 'MAXLEN', 0);
    expect(await sequences(next)).toEqual([]);
  });

  test('is refused when what it has not read is forgotten, though nothing else is kept', async () => {
    await emit(1);
    const { next } = await stream.read(undefined, 100);
    await emit(2);
    await stream.trim(-60_000);
    expect(await sequences()).toEqual([]);
    await expect(stream.read(next, 100)).rejects.toThrow(CursorTooOld);
  });

  test('is good until EVENTS_KEEP is over by the clock of Redis, however far that of a process is ahead', async () => {
    await emit(1);
    vi.setSystemTime(Date.now() + 60 * 86_400_000);
    onTestFinished(() => void vi.useRealTimers());
    await stream.trim(30 * 86_400_000);
    expect(await sequences()).toHaveLength(1);
  });

  test('however many are older, none of them is left after a while', async () => {
    const MANY = 25_000;
    const old = store.redis.pipeline();
    for (let nth = 1; nth <= MANY; nth += 1) old.xadd(keys.events, `${nth}-0`, 'op', 'x');
    await old.exec();
    await stream.trim(60_000);
    expect(await store.redis.xlen(keys.events), 'but for what shares its node with the newest').toBeLessThan(200);
  });

  test('is good when the newest event was taken out with a person, and that is no sign of a loss', async () => {
    await emit(1);
    const last = await emit(2);
    const { next } = await stream.read(undefined, 100);
    await store.redis.xdel(keys.events, last);
    expect(await sequences(next)).toEqual([]);
    await heartbeat.beat();
    expect(heartbeat.recovering()).toBeUndefined();
    await emit(3);
    expect(await sequences(next)).toEqual([3]);
  });

  test('beyond the end of the stream is refused, and one that was made up begins no recovery', async () => {
    await emit(1);
    await expect(stream.read('99999999999999-0', 100)).rejects.toThrow(CursorAhead);
    await expect(stream.read('99999999999999-0.0123456789abcdef', 100)).rejects.toThrow(CursorAhead);
    await heartbeat.beat();
    expect(heartbeat.recovering()).toBeUndefined();
  });

  test('that was given, and that the stream does not come to, is how a loss is noticed', async () => {
    await emit(1);
    const last = await emit(2);
    const { next } = await stream.read(undefined, 100);
    await store.redis.del(keys.events);
    await expect(stream.read(next, 100)).rejects.toThrow(CursorAhead);
    await heartbeat.beat();
    expect(heartbeat.recovering()).toMatchObject({ because: 'event_cursor', knownLastEvent: last });
  });

  test('of an epoch before a recovery is refused, wherever it stands', async () => {
    await emit(1);
    const { next } = await stream.read(undefined, 100);
    const recovery = new Recovery({ redis: store.redis, random });
    await recovery.enter('rolled_back');
    await recovery.leave({ ledOn: await recovery.server(), by: 'maker' });
    await heartbeat.beat();
    await emit(2);
    await expect(stream.read(next, 100)).rejects.toThrow(CursorAhead);
    expect(await sequences()).toContain(2);
  });
});

describe('an event that no replica has yet', () => {
  test('is shown to nobody, so that a failover cannot take away what was read', async () => {
    await emit(1);
    expect(await sequences()).toEqual([1]);
    confirmed = false;
    await emit(2);
    expect(await sequences()).toEqual([1]);
    confirmed = true;
    expect(await sequences()).toEqual([1, 2]);
  });

  test('and is lost leaves no follower beyond those that come after it, whatever the clock says', async () => {
    await emit(1);
    const { next } = await stream.read(undefined, 100);
    const kept = await store.redis.dumpBuffer(keys.events);
    confirmed = false;
    await emit(2, `${Date.now() + 60_000}-0`);
    const read = await stream.read(next, 100);
    // The replica that takes over has neither the event nor the clock that gave its place.
    await store.redis.restore(keys.events, 0, kept ?? '', 'REPLACE');
    await emit(3);
    confirmed = true;
    expect(await sequences(read.next)).toEqual([3]);
  });
});

test.for(['dispatcher', 'group'] as const)(
  'the cursor of a %s beyond the stream is noticed by the next beat',
  async (whose) => {
    const { redis } = store;
    await emit(1);
    if (whose === 'dispatcher') await redis.hset(keys.dispatch, 'cursor', '99999999999999-0');
    else await redis.xgroup('CREATE', keys.events, 'shop', '99999999999999-0');
    await heartbeat.beat();
    expect(heartbeat.recovering()?.because).toBe('event_cursor');
  },
);

describe('a page says whether the end was reached', () => {
  test('and is no end where a thousand of others were stepped over', async () => {
    for (let seq = 1; seq <= 1_050; seq += 1) await emit(seq);
    const isLast = ({ sequence }: { readonly sequence: number }): boolean => sequence === 1_050;
    const first = await stream.read(undefined, 10, isLast);
    expect([first.events, first.more]).toEqual([[], true]);
    const second = await stream.read(first.next, 10, isLast);
    expect([second.events.map(({ sequence }) => sequence), second.more]).toEqual([[1_050], false]);
    expect(await stream.read(second.next, 10, isLast)).toEqual({ events: [], next: second.next, more: false });
  });

  test('and is none where it is full', async () => {
    for (const seq of [1, 2, 3]) await emit(seq);
    const { next, more } = await stream.read(undefined, 2);
    expect(more).toBe(true);
    expect(await stream.read(next, 2)).toMatchObject({ events: [{ sequence: 3 }], more: false });
  });
});
