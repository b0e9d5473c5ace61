/** A store of its own, a time that is turned by hand, and endpoints that answer as the test says: on both stores. */
import { Dispatcher } from '../../src/events/dispatcher.ts';
import { EndpointService } from '../../src/events/endpoint-service.ts';
import { letterIn } from '../../src/events/outgoing/letter.ts';
import { EventStream } from '../../src/events/stream.ts';
import type { EventType } from '../../src/kinds/index.ts';
import { Endpoints as LedgerEndpoints } from '../../src/ledger/endpoints.ts';
import { EventStream as LedgerStream } from '../../src/ledger/event-stream.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { Public } from '../../src/lib/public.ts';
import { seededRandom } from '../../src/lib/random.ts';
import { type Endpoint, Endpoints } from '../../src/operations/endpoints.ts';
import { keys } from '../../src/operations/keys.ts';
import { type DeliveryTools, deliverEvents } from '../../src/processors/delivery/event-delivery.ts';
import { freshRedis } from '../support/fresh-redis.ts';
import { eventLedger } from '../support/published.ts';
import { emit } from './stream-writer.ts';

/** The part that differs between the stores. Times in ms since the epoch. */
interface Store {
  readonly endpoints: Omit<Public<Endpoints>, 'dispatch' | 'dispatchState'>;
  readonly stream: Pick<Public<EventStream>, 'read' | 'at' | 'heads' | 'find' | 'before'>;
  newDispatcher(): { step(): Promise<number> };
  emit(op: string, type: EventType, data?: object, account?: string): Promise<string>;
  emitMany(ops: readonly string[]): Promise<void>;
  /** An event that cannot be read. */
  emitOdd(): Promise<string>;
  forgetEvents(): Promise<void>;
  /** Places that wait for an endpoint. */
  waiting(id: string): Promise<readonly string[]>;
  undelivered(id: string): Promise<readonly string[]>;
  /** The next delivery, and the end of the rest of the endpoint. */
  next(id: string): Promise<{ readonly dueAt: number; readonly restUntil: number } | undefined>;
  isScheduled(id: string): Promise<boolean>;
  disable(id: string): Promise<void>;
  /** Number of stored values that belong to an endpoint. */
  leftOf(id: string): Promise<number>;
  close(): Promise<unknown>;
}

export type World = Awaited<ReturnType<typeof worldOn>>;
export type OpenStore = (now: () => number) => Promise<Store>;

const START = 1_763_700_000_000;
const AT_A_TIME = 500;

export async function worldOn(openStore: OpenStore, answer: (post: number) => string = () => 'http_200') {
  let now = START;
  const store = await openStore(() => now);
  const { endpoints, stream } = store;
  const random = seededRandom(7);
  const posts: { to: string; event: string }[] = [];
  const dispatcher = store.newDispatcher();
  const tools: DeliveryTools = {
    endpoints,
    clock: systemClock,
    random,
    letterAt: (place) => letterIn(stream, place),
    post: async (to, letter) => {
      const said = answer(posts.length);
      posts.push({ to: to.id, event: letter.id });
      return { taken: said === 'http_200', answer: said };
    },
    onDelivery: () => undefined,
  };
  const post = async () => ({ taken: true, answer: 'http_200' });
  const own = { endpoints, events: stream, random, clock: systemClock };
  const rules = { allowLoopback: false };
  const service = new EndpointService({ ...own, secrets: [], rules, post, wake: () => undefined });
  const deliver = (id: string) => deliverEvents(id, tools);
  return {
    ...store,
    posts,
    deliver,
    now: () => now,
    pass: (ms: number) => (now += ms),
    dispatch: () => dispatcher.step(),
    replay: (endpoint: Endpoint) => service.replay(endpoint, 0),
    endpoint: async (more: { types?: string[]; accounts?: string[] } = {}) => {
      const id = endpoints.newId();
      const url = 'https://shop.example/in/s3cr3t?key=hidden';
      await endpoints.add(id, { url, types: [], accounts: [], owner: 'dev', ...more }, 'sealed');
      return id;
    },
    /** Turns the time to each next due moment until none is left. The waits between the posts. */
    deliverUntilQuiet: async (id: string): Promise<number[]> => {
      const waits: number[] = [];
      for (;;) {
        const before = posts.length;
        await deliver(id);
        const next = await store.next(id);
        if (next === undefined) return waits;
        if (posts.length > before) waits.push(next.dueAt - now);
        now = Math.max(next.dueAt, next.restUntil);
      }
    },
  };
}

export const onRedis: OpenStore = async (now) => {
  const fresh = await freshRedis();
  const { redis } = fresh;
  const endpoints = new Endpoints({ redis, random: seededRandom(7), now });
  const stream = new EventStream({ redis });
  const places = (id: string): Promise<string[]> => redis.zrange(keys.deliveries(id), '0', '-1');
  return {
    endpoints,
    stream,
    newDispatcher: () =>
      new Dispatcher({
        endpoints,
        events: stream,
        clock: systemClock,
        intervalMs: 1,
        wake: () => undefined,
        onError: (error) => {
          throw error;
        },
      }),
    emit: (op, type, data, account) => emit(redis, op, type, data, account),
    emitMany: async (ops) => void (await Promise.all(ops.map((op) => emit(redis, op, 'message.sent')))),
    emitOdd: async () => {
      const written = ['op', 'odd', 'seq', '1', 'at', '1', 'account', 'main', 'type', 'message.sent'];
      return String(await redis.xadd(keys.events, '*', ...written, 'data', '{"id'));
    },
    forgetEvents: async () => void (await redis.xtrim(keys.events, 'MAXLEN', 0)),
    waiting: places,
    undelivered: (id) => redis.lrange(keys.undelivered(id), 0, -1),
    next: async (id) => {
      const [, dueAt] = await redis.zrange(keys.deliveries(id), '0', '0', 'WITHSCORES');
      const restUntil = Number(await redis.hget(keys.record(id), 'restUntil'));
      return dueAt === undefined ? undefined : { dueAt: Number(dueAt), restUntil };
    },
    isScheduled: async (id) => (await redis.zscore(keys.due('event-delivery'), id)) !== null,
    disable: async (id) =>
      void (await redis.hset(keys.record(id), { state: 'disabled', failures: 9, reason: 'failing_for_days' })),
    leftOf: async (id) => (await redis.keys(`*${id}*`)).length,
    close: () => fresh.close(),
  };
};

export const onLedger: OpenStore = async (now) => {
  const world = await eventLedger({ now: () => new Date(now()) });
  const { ledger, database } = world;
  const endpoints = new LedgerEndpoints({ database, random: seededRandom(7), now });
  const placesIn = async (id: string, state: string): Promise<readonly string[]> => {
    const rows = await ledger.query<{ position: string }>(
      `select position from relais.delivery where endpoint = '${id}' and state = '${state}' order by position`,
    );
    return rows.map(({ position }) => `1-${position}`);
  };
  return {
    endpoints,
    stream: new LedgerStream({ database }),
    newDispatcher: () => ({
      step: async () => {
        const dispatched = await endpoints.dispatch(AT_A_TIME);
        return dispatched.reduce((sum, { added }) => sum + added, 0);
      },
    }),
    emit: (op, type, data, account) => world.emit(op, type, { ...(data && { data }), ...(account && { account }) }),
    emitMany: async (ops) => {
      await ledger.query(`insert into relais.outbox (id, account, subject, type, data)
        select op || '.1', 'main', op, 'message.sent', jsonb_build_object('id', op, 'state', 'sent')
        from unnest('{${ops.join(',')}}'::text[]) op`);
      await world.publish();
    },
    emitOdd: async () => {
      const place = await world.emit('odd', 'message.sent');
      await ledger.query(`update relais.event set data = '[]' where subject = 'odd'`);
      return place;
    },
    forgetEvents: async () => {
      await ledger.query(`update relais.stream set trimmed = position`);
      await new LedgerStream({ database }).trim(0);
    },
    waiting: (id) => placesIn(id, 'due'),
    undelivered: (id) => placesIn(id, 'dead'),
    next: async (id) => {
      const [row] = await ledger.query<{ due_at: Date; rest_until: Date | null }>(
        `select d.due_at, p.rest_until from relais.delivery d join relais.endpoint p on p.id = d.endpoint
         where d.endpoint = '${id}' and d.state = 'due' order by d.due_at limit 1`,
      );
      return row && { dueAt: row.due_at.getTime(), restUntil: row.rest_until?.getTime() ?? 0 };
    },
    isScheduled: async (id) => {
      const rows = await ledger.query(`select from relais.delivery where endpoint = '${id}' and state = 'due'`);
      return rows.length > 0;
    },
    disable: async (id) =>
      void (await ledger.query(
        `update relais.endpoint set state = 'disabled', failures = 9, reason = 'failing_for_days' where id = '${id}'`,
      )),
    leftOf: async (id) =>
      (
        await ledger.query(`select id from relais.endpoint where id = '${id}'
          union all select endpoint from relais.delivery where endpoint = '${id}'
          union all select endpoint from relais.delivery_log where endpoint = '${id}'`)
      ).length,
    close: () => world.close(),
  };
};
