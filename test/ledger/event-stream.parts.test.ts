/** Reading published events: pages, cursors and their epoch, trimming. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Followers } from '../../src/events/followers.ts';
import { EventStream } from '../../src/ledger/event-stream.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { CursorAhead, CursorTooOld, UnreadableEvent, cursorPattern } from '../../src/lib/cursors.ts';
import { type EventLedger, eventLedger } from '../support/published.ts';

const DAY_MS = 86_400_000;
const START = Date.parse('2026-11-22T10:00:00Z');

let world: EventLedger;
let stream: EventStream;
let now: number;
beforeAll(async () => {
  world = await eventLedger({ now: () => new Date(now) });
  stream = new EventStream({ database: world.database });
});
afterAll(() => world?.close());
beforeEach(async () => {
  now = START;
  await world.ledger.query(`truncate relais.event, relais.event_group cascade; update relais.deployment set epoch = 1;
    update relais.stream set position = 0, trimmed = 0`);
});

const emit = (version: number): Promise<string> => world.emit('msg_1', 'message.sent', { version });
const sequences = async (after?: string) => (await stream.read(after, 100)).events.map(({ sequence }) => sequence);

test('events are read in the order of their positions, as callers know them', async () => {
  await world.emit('dsb_1', 'disbursement.succeeded', { data: { amount: 500 }, account: 'other', version: 3 });
  await emit(2);
  const { events } = await stream.read(undefined, 100);
  expect(events).toEqual([
    {
      id: 'dsb_1.3',
      type: 'disbursement.succeeded',
      timestamp: '2026-11-22T10:00:00.000Z',
      sequence: 3,
      account: 'other',
      data: { id: 'dsb_1', state: 'succeeded', amount: 500 },
    },
    expect.objectContaining({ id: 'msg_1.2', sequence: 2 }),
  ]);
  expect(await world.ledger.query('select position, id, type, account, at, data from relais.events')).toHaveLength(2);
});

describe('a cursor', () => {
  test('continues after the end of the page, also at the end of the stream', async () => {
    await emit(1);
    const { next } = await stream.read(undefined, 100);
    expect(next).toBe('1-1');
    expect(next).toMatch(cursorPattern);
    expect(await sequences(next)).toEqual([]);
    await emit(2);
    expect(await sequences(next)).toEqual([2]);
  });

  test('beyond the end is refused', async () => {
    await emit(1);
    await expect(stream.read('1-2', 100)).rejects.toThrow(CursorAhead);
  });

  test('of an epoch before a recovery is refused wherever it is, and names the new epoch', async () => {
    await emit(1);
    const { next } = await stream.read(undefined, 100);
    await world.ledger.query('update relais.deployment set epoch = 2');
    await expect(stream.read(next, 100)).rejects.toMatchObject({ name: 'CursorAhead', epoch: '2', oldest: '2-1' });
    expect(await sequences()).toEqual([1]);
  });

  test('whose next events are deleted is refused, and one that had read them is not', async () => {
    await emit(1);
    const { next: first } = await stream.read(undefined, 100);
    await emit(2);
    const { next: second } = await stream.read(undefined, 100);
    now += 31 * DAY_MS;
    await stream.trim(30 * DAY_MS, new Date(now));
    await expect(stream.read(first, 100)).rejects.toThrow(CursorTooOld);
    expect(await sequences(second)).toEqual([]);
    expect(await sequences()).toEqual([]);
    await emit(3);
    expect(await sequences(second)).toEqual([3]);
    expect(await world.ledger.query('select from relais.event')).toHaveLength(1);
  });
});

test('events that a group has not taken are not trimmed', async () => {
  await emit(1);
  await emit(2);
  await world.ledger.query(`insert into relais.event_group (name, position) values ('slow', 1)`);
  now += 31 * DAY_MS;
  await stream.trim(30 * DAY_MS, new Date(now));
  expect(await sequences()).toEqual([2]);
  await world.ledger.query(`update relais.event_group set position = 2`);
  await stream.trim(30 * DAY_MS, new Date(now));
  expect(await sequences()).toEqual([]);
});

test('a filtered page shows whether the end was reached', async () => {
  for (let version = 1; version <= 5; version += 1) await emit(version);
  const isLast = ({ sequence }: { readonly sequence: number }): boolean => sequence === 5;
  expect(await stream.read(undefined, 10, isLast)).toMatchObject({ events: [{ sequence: 5 }], more: false });
  const page = await stream.read(undefined, 2);
  expect(page).toMatchObject({ events: [{ sequence: 1 }, { sequence: 2 }], more: true, next: '1-2' });
});

test('an event is found by its place, its id and its time', async () => {
  const place = await emit(1);
  now += 1_000;
  await emit(2);
  expect(await stream.at(place)).toMatchObject({ event: { id: 'msg_1.1' } });
  expect(await stream.at('1-77')).toBeUndefined();
  expect(await stream.find('msg_1.2', 10)).toEqual({
    place: '1-2',
    id: 'msg_1.2',
    type: 'message.sent',
    account: 'main',
  });
  expect(await stream.find('msg_1.1', 1)).toBeUndefined();
  expect(await stream.before(START + 1)).toBe('1-1');
  expect(await stream.before(START + 5_000)).toBe('1-2');
});

test('an event with damaged data stops a reader with its place, and its head is read', async () => {
  const place = await emit(1);
  await world.ledger.query(`update relais.event set data = '[]'`);
  await expect(stream.at(place)).rejects.toThrow(UnreadableEvent);
  expect(await stream.heads('1-0', 10)).toMatchObject([{ place, id: 'msg_1.1' }]);
});

test('followers share one reader of the stream', async () => {
  const followers = new Followers({
    events: stream,
    clock: systemClock,
    onError: (error) => expect(error).toBeUndefined(),
  });
  const heard: string[] = [];
  const stop = new AbortController();
  const follow = async (): Promise<void> => {
    for await (const page of followers.after('1-0', 10_000, stop.signal)) {
      heard.push(...page.map(({ event }) => event.id));
      if (heard.length === 4) stop.abort();
    }
  };
  await emit(1);
  const following = [follow(), follow()];
  await emit(2);
  await Promise.all(following);
  expect(heard.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(['msg_1.1', 'msg_1.1', 'msg_1.2', 'msg_1.2']);
  followers.end();
});
