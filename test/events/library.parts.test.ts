/**
 * `onEvent` on the ledger: groups whose consumers share events, retries, dead letters, and an outage of PostgreSQL.
 */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type CompletionEvent, type EventsFromDatabase, onEvent } from '../../src/events/library.ts';
import { EventGroups } from '../../src/ledger/groups.ts';
import { type EventLedger, eventLedger } from '../support/published.ts';

let world: EventLedger;
let groups: EventGroups;
const toClose: Array<() => Promise<unknown>> = [];
beforeEach(async () => {
  world = await eventLedger();
  groups = new EventGroups({ database: world.database });
});
afterEach(async () => {
  for (const close of toClose.splice(0).toReversed()) await close();
  await world.close();
});

function listen(options: Partial<EventsFromDatabase> = {}) {
  const heard: CompletionEvent[] = [];
  const errors: [unknown, CompletionEvent | undefined][] = [];
  const stop = new AbortController();
  const { handler = () => undefined } = options;
  const ended = onEvent({
    database: { url: world.ledger.url, schema: world.ledger.schema },
    group: 'ours',
    retryAfter: ['150ms', '150ms', '150ms'],
    onError: (error, event) => errors.push([error, event]),
    ...options,
    signal: stop.signal,
    handler: (event, context) => {
      heard.push(event);
      return handler(event, context);
    },
  });
  toClose.push(async () => {
    stop.abort();
    await ended;
  });
  return { heard: () => heard.map(({ data }) => data.id), errors, stop: () => stop.abort(), ended };
}

const emit = (subject: string): Promise<string> => world.emit(subject, 'message.sent');
const inOrder = (ids: readonly string[]): readonly string[] => ids.toSorted((a, b) => (a < b ? -1 : 1));
const tried = () => world.ledger.query('select * from relais.event_try');

test('each event is handled once, in order, and then finished', async () => {
  for (const subject of ['a', 'b', 'c']) await emit(subject);
  const { heard } = listen();
  await vi.waitFor(() => expect(heard()).toEqual(['a', 'b', 'c']));
  await vi.waitFor(async () => expect(await tried()).toEqual([]));
  expect(await groups.list()).toMatchObject([{ name: 'ours', behind: 0, trying: 0, dead: 0 }]);
});

test('the consumers of a group share the events, and another group sees all of them', async () => {
  const [one, two, others] = [listen(), listen(), listen({ group: 'others' })];
  const subjects = Array.from({ length: 40 }, (_, n) => `op-${n}`);
  for (const subject of subjects) await emit(subject);
  await vi.waitFor(() => expect(inOrder([...one.heard(), ...two.heard()])).toEqual(inOrder(subjects)));
  await vi.waitFor(() => expect(others.heard()).toEqual(subjects));
  expect(one.errors.concat(two.errors)).toEqual([]);
});

test('an event whose handler failed is handled again', async () => {
  const tries: number[] = [];
  const { errors } = listen({
    handler: (_event, context) => {
      tries.push(context.tries);
      if (context.tries < 3) throw new Error('not yet');
    },
  });
  await emit('a');
  await vi.waitFor(() => expect(tries).toEqual([1, 2, 3]));
  await vi.waitFor(async () => expect(await tried()).toEqual([]));
  expect(errors.map(([error, event]) => [String(error), event?.data.id])).toEqual(
    Array.from({ length: 2 }, () => ['Error: not yet', 'a']),
  );
});

test('an event that cannot be handled becomes a dead letter with the reason, holds up no other, and can be replayed', async () => {
  let broken = true;
  const { heard } = listen({
    retryAfter: ['30ms', '60ms'],
    handler: ({ data }) => {
      if (data.id === 'bad' && broken) throw new Error('no such customer\0');
    },
  });
  await emit('bad');
  await emit('fine');
  await vi.waitFor(async () => expect(await groups.deadLetters('ours')).toHaveLength(1));
  expect(inOrder(heard())).toEqual(['bad', 'bad', 'bad', 'fine']);
  expect(await groups.deadLetters('ours')).toMatchObject([
    { position: 1, id: 'bad.1', tries: 3, error: 'no such customer', data: { id: 'bad', state: 'sent' } },
  ]);
  broken = false;
  expect(await groups.replay('ours')).toBe(1);
  await vi.waitFor(() => expect(inOrder(heard())).toEqual(['bad', 'bad', 'bad', 'bad', 'fine']));
  expect(await groups.deadLetters('ours')).toEqual([]);
});

test('a damaged event becomes a dead letter, and holds up no event', async () => {
  await emit('odd');
  await world.ledger.query(`update relais.event set data = '[]'`);
  await emit('fine');
  const { heard } = listen({ retryAfter: ['20ms'] });
  await vi.waitFor(async () => expect(await groups.deadLetters('ours')).toHaveLength(1));
  await vi.waitFor(() => expect(heard()).toEqual(['fine']));
});

test('an event whose consumer died is handled by another', async () => {
  await emit('a');
  await groups.join('ours', 'beginning');
  expect(await groups.take('ours', 'the dead', { types: undefined, leaseMs: 100 })).toMatchObject({ id: 'a.1' });
  const { heard } = listen();
  await vi.waitFor(() => expect(heard()).toEqual(['a']));
});

test('an event whose handler takes long is not handled by another consumer', async () => {
  let finish = (): void => undefined;
  const working = new Promise<void>((resolve) => (finish = resolve));
  const slow = listen({ retryAfter: ['200ms'], handler: () => working });
  toClose.push(async () => finish());
  await emit('a');
  await vi.waitFor(() => expect(slow.heard()).toEqual(['a']));
  const other = listen({ retryAfter: ['200ms'] });
  // Ten later events, each awaited for longer than the renewal of a lease.
  for (let n = 0; n < 10; n += 1) {
    await emit(`later-${n}`);
    await vi.waitFor(() => expect(other.heard()).toHaveLength(n + 1), { interval: 60 });
  }
  expect(other.heard()).not.toContain('a');
  finish();
  await vi.waitFor(async () => expect(await tried()).toEqual([]));
});

test('stopping waits for the handler in progress', async () => {
  let finish = (): void => undefined;
  const { heard, stop, ended } = listen({ handler: () => new Promise<void>((resolve) => (finish = resolve)) });
  await emit('a');
  await vi.waitFor(() => expect(heard()).toEqual(['a']));
  stop();
  finish();
  await ended;
  expect(await tried()).toEqual([]);
});

test('only the types that were asked for reach the handler, and the group is not behind for the others', async () => {
  const { heard } = listen({ types: ['campaign.finished'] });
  await emit('a');
  await world.emit('b', 'campaign.finished');
  await emit('c');
  await vi.waitFor(() => expect(heard()).toEqual(['b']));
  await vi.waitFor(async () => expect(await groups.list()).toMatchObject([{ behind: 0 }]));
});

test('a group that begins now does not see earlier events', async () => {
  await emit('before');
  const { heard } = listen({ from: 'now' });
  await vi.waitFor(async () => expect(await groups.list()).toHaveLength(1));
  await emit('after');
  await vi.waitFor(() => expect(heard()).toEqual(['after']));
});

test('a PostgreSQL that ends every connection is waited for, and nothing is missed', async () => {
  const { heard, errors } = listen();
  await emit('a');
  await vi.waitFor(() => expect(heard()).toEqual(['a']));
  await world.ledger.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'relais' and datname = current_database()`);
  await world.emit('b', 'message.sent').catch(() => world.publish());
  await vi.waitFor(() => expect(new Set(heard())).toEqual(new Set(['a', 'b'])), { timeout: 5_000 });
  for (const [error] of errors)
    expect(error).toMatchObject({ name: expect.stringMatching(/AnswerLost|DatabaseAway|error/i) });
});

test('an abandoned group is removed, and retention continues', async () => {
  await groups.join('gone', 'beginning');
  expect(await groups.remove('gone')).toBe(true);
  expect(await groups.remove('gone')).toBe(false);
  expect(await groups.list()).toEqual([]);
});
