/** `onEvent` over HTTP, against an API that comes and goes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type CompletionEvent, type EventsOverHttp, NoAnswer, Refused, onEvent } from '../../src/events/library.ts';
import { Database } from '../../src/ledger/pool.ts';
import { type Running, apiOn, freshStores } from '../support/api-process.ts';
import { publisherOf, report } from '../support/published.ts';

const API_KEYS = 'reader:read:reader-secret,sender:enqueue:sender-secret';

let stores: Awaited<ReturnType<typeof freshStores>>;
let database: Database;
let api: Running;
beforeAll(async () => {
  stores = await freshStores();
  database = new Database({ url: stores.databaseUrl, schema: 'relais' });
  api = await apiOn(stores, { API_KEYS });
});
afterAll(async () => {
  await api?.stop();
  await database?.close();
  await stores?.close();
});

let last: string;
let made = 0;
async function emit(type: 'message.sent' | 'message.failed' = 'message.sent'): Promise<string> {
  made += 1;
  const id = await report(stores, `msg_${made}`, type);
  const publisher = publisherOf(database);
  while ((await publisher.step()).is === 'published');
  return id;
}
async function newest(): Promise<string> {
  const [state] = await database.run<{ epoch: number; position: string }>('stream_state');
  return `${state?.epoch}-${state?.position}`;
}
/** Each test begins behind the events of those before it. */
beforeEach(async () => {
  last = await newest();
});

const toClose: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  for (const close of toClose.splice(0).toReversed()) await close();
});

function listen(options: Partial<EventsOverHttp> = {}) {
  const store = { cursor: last as string | undefined, written: [] as string[] };
  const heard: string[] = [];
  const errors: [unknown, CompletionEvent | undefined][] = [];
  const stop = new AbortController();
  const { handler = () => undefined } = options;
  const ended = onEvent({
    url: api.url,
    key: 'reader-secret',
    retryAfter: ['20ms'],
    cursor: {
      read: () => store.cursor,
      write: (cursor) => void store.written.push((store.cursor = cursor)),
    },
    onError: (error, event) => errors.push([error, event]),
    ...options,
    signal: stop.signal,
    handler: (event, context) => {
      heard.push(event.id);
      return handler(event, context);
    },
  });
  toClose.push(async () => {
    stop.abort();
    await ended.catch(() => undefined);
  });
  return { heard, errors, store, ended, stop: () => stop.abort() };
}

test('each event is handled once, in order, and the next consumer goes on behind the cursor', async () => {
  const ids = [await emit(), await emit()];
  const first = listen();
  await vi.waitFor(() => expect(first.heard).toEqual(ids));
  const later = await emit();
  await vi.waitFor(() => expect(first.heard).toEqual([...ids, later]));
  const place = await newest();
  await vi.waitFor(() => expect(first.store.cursor).toBe(place));
  first.stop();
  await first.ended;
  const next = await emit();
  const second = listen({ cursor: { read: () => first.store.cursor, write: () => undefined } });
  await vi.waitFor(() => expect(second.heard).toEqual([next]));
  expect(first.errors).toEqual([]);
});

test('a consumer that is killed between its handler and its cursor skips nothing: the event comes again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'relais-hearing-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(`${folder}/cursor`, last);
  writeFileSync(`${folder}/handled`, '');
  const ids = [await emit(), await emit(), await emit()];
  const program = fileURLToPath(new URL('hearing-process.ts', import.meta.url));
  const run = (...more: string[]) =>
    spawn(process.execPath, [program, api.url, folder, ...more], { stdio: 'ignore' });
  const [, signal] = (await once(run(ids[1] ?? ''), 'exit')) as [null, string];
  expect(signal).toBe('SIGKILL');
  const again = run();
  onTestFinished(() => void again.kill());
  const handled = () => readFileSync(`${folder}/handled`, 'utf8').trim().split('\n');
  await vi.waitFor(() => expect(handled()).toEqual([ids[0], ids[1], ids[1], ids[2]]), { timeout: 30_000 });
});

test('an event whose handler fails is handled again before any later one', async () => {
  const tries: number[] = [];
  const [bad, fine] = [await emit(), await emit()];
  const { heard, errors, store } = listen({
    handler: ({ id }, context) => {
      if (id !== bad) return;
      tries.push(context.tries);
      if (context.tries < 3) throw new Error('not yet');
    },
  });
  await vi.waitFor(() => expect(heard).toEqual([bad, bad, bad, fine]));
  await vi.waitFor(() => expect(store.written).toHaveLength(2));
  expect(tries).toEqual([1, 2, 3]);
  expect(errors.map(([error, event]) => [String(error), event?.id])).toEqual([
    ['Error: not yet', bad],
    ['Error: not yet', bad],
  ]);
});

test('a cursor that cannot be stored is stored later, without handling its event again', async () => {
  const written: string[] = [];
  let isAway = true;
  let reads = 0;
  const { heard, errors } = listen({
    cursor: {
      read: () => {
        reads += 1;
        if (reads === 1) throw new Error('the store is away');
        return last;
      },
      write: (cursor) => {
        if (isAway) throw new Error('the store is full');
        written.push(cursor);
      },
    },
  });
  const id = await emit();
  await vi.waitFor(() => expect(errors.length).toBeGreaterThan(1), { timeout: 10_000 });
  isAway = false;
  await vi.waitFor(() => expect(written).toHaveLength(1), { timeout: 10_000 });
  expect(heard).toEqual([id]);
  expect(errors.map(([error]) => String(error))).toEqual(
    expect.arrayContaining(['Error: the store is away', 'Error: the store is full']),
  );
});

test('without a cursor it begins with the oldest event, or at once stores where now is', async () => {
  const id = await emit();
  const oldest = listen({ cursor: { read: () => undefined, write: () => undefined } });
  await vi.waitFor(() => expect(oldest.heard.at(-1)).toBe(id));
  expect(oldest.heard[0]).toBe('msg_1.1');
  const places: string[] = [];
  const now = listen({ from: 'now', cursor: { read: () => null, write: (place) => void places.push(place) } });
  await vi.waitFor(() => expect(places).toHaveLength(1));
  const later = await emit();
  await vi.waitFor(() => expect(now.heard).toEqual([later]));
});

test('only the types that were asked for reach the handler', async () => {
  const { heard } = listen({ types: ['message.failed'] });
  await emit();
  const failed = await emit('message.failed');
  await vi.waitFor(() => expect(heard).toEqual([failed]));
});

test('stopping waits for the handler in progress, and stores its cursor', async () => {
  let finish = (): void => undefined;
  const { heard, store, stop, ended } = listen({ handler: () => new Promise<void>((resolve) => (finish = resolve)) });
  const id = await emit();
  await vi.waitFor(() => expect(heard).toEqual([id]));
  stop();
  finish();
  await ended;
  expect(store.written).toHaveLength(1);
});

test('an API that goes away and comes back is waited for, and nothing is missed', async () => {
  const { port } = new URL(api.url);
  const { heard, errors } = listen();
  const before = await emit();
  await vi.waitFor(() => expect(heard).toEqual([before]));
  await api.stop();
  const meanwhile = await emit();
  await vi.waitFor(() => expect(errors.length).toBeGreaterThan(0), { timeout: 10_000 });
  api = await apiOn(stores, { API_KEYS, API_PORT: port });
  await vi.waitFor(() => expect(heard).toEqual([before, meanwhile]), { timeout: 30_000 });
  for (const [error] of errors) expect(error).toBeInstanceOf(NoAnswer);
});

describe('what does not pass by itself ends it', () => {
  const refusalOf = async (options: Partial<EventsOverHttp>): Promise<Refused> => {
    const error: unknown = await listen(options).ended.catch((thrown: unknown) => thrown);
    if (error instanceof Refused) return error;
    throw new Error('it was not refused', { cause: error });
  };

  test.for([
    ['a wrong key', 'nobody-secret', 401],
    ['a key that may not read', 'sender-secret', 403],
  ] as const)('%s', async ([, key, status]) => {
    expect((await refusalOf({ key })).status).toBe(status);
  });

  test('a cursor of another ledger', async () => {
    const cursor = { read: () => '9-999999', write: () => undefined };
    expect(await refusalOf({ cursor })).toMatchObject({ status: 410, word: 'ahead-of-the-stream' });
  });

  test.for([
    ['url', { url: undefined }],
    ['cursor', { cursor: undefined }],
    ['retryAfter', { retryAfter: [] }],
  ] as const)('options without %s', async ([name, options]) => {
    const { ended } = listen(options as unknown as Partial<EventsOverHttp>);
    await expect(ended).rejects.toThrow(TypeError);
    await expect(ended).rejects.toThrow(name);
  });
});
