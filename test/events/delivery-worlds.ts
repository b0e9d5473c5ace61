/** A separate ledger, a manual clock, and endpoints that answer as the test defines. */
import { EndpointService } from '../../src/events/endpoint-service.ts';
import { letterIn } from '../../src/events/outgoing/letter.ts';
import type { EventType } from '../../src/kinds/index.ts';
import { type Endpoint, Endpoints } from '../../src/ledger/endpoints.ts';
import { EventStream } from '../../src/ledger/event-stream.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { seededRandom } from '../../src/lib/random.ts';
import { type DeliveryTools, deliverEvents } from '../../src/processors/delivery/event-delivery.ts';
import { eventLedger } from '../support/published.ts';

export type World = Awaited<ReturnType<typeof deliveryWorld>>;

const START = 1_763_700_000_000;
const AT_A_TIME = 500;

export async function deliveryWorld(answer: (post: number) => string = () => 'http_200') {
  let now = START;
  const store = await openStore(() => now);
  const { endpoints, stream } = store;
  const random = seededRandom(7);
  const posts: { to: string; event: string }[] = [];
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
  const post = async () => ({ taken: true, answer: 'http_200' }) as const;
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
    replay: (endpoint: Endpoint) => service.replay(endpoint, 0),
    endpoint: async (more: { types?: string[]; accounts?: string[] } = {}) => {
      const id = endpoints.newId();
      const url = 'https://shop.example/in/s3cr3t?key=hidden';
      await endpoints.add(id, { url, types: [], accounts: [], owner: 'dev', ...more }, 'sealed');
      return id;
    },
    /** Advances the time to each next due moment until none is left. Returns the waits between the deliveries. */
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

/** Times in ms since the epoch. */
async function openStore(now: () => number) {
  const world = await eventLedger({ now: () => new Date(now()) });
  const { ledger, database } = world;
  const endpoints = new Endpoints({ database, random: seededRandom(7), now });
  const placesIn = async (id: string, state: string): Promise<readonly string[]> => {
    const rows = await ledger.query<{ position: string }>(
      `select position from relais.delivery where endpoint = '${id}' and state = '${state}' order by position`,
    );
    return rows.map(({ position }) => `1-${position}`);
  };
  return {
    endpoints,
    stream: new EventStream({ database }),
    /** Number of dispatched events. */
    dispatch: async (): Promise<number> => {
      const dispatched = await endpoints.dispatch(AT_A_TIME);
      return dispatched.reduce((sum, { added }) => sum + added, 0);
    },
    emit: (op: string, type: EventType, data?: object, account?: string): Promise<string> =>
      world.emit(op, type, { ...(data && { data }), ...(account && { account }) }),
    emitMany: async (ops: readonly string[]): Promise<void> => {
      await ledger.query(`insert into relais.outbox (id, account, subject, type, data)
        select op || '.1', 'main', op, 'message.sent', jsonb_build_object('id', op, 'state', 'sent')
        from unnest('{${ops.join(',')}}'::text[]) op`);
      await world.publish();
    },
    /** An unreadable event. */
    emitOdd: async (): Promise<string> => {
      const place = await world.emit('odd', 'message.sent');
      await ledger.query(`update relais.event set data = '[]' where subject = 'odd'`);
      return place;
    },
    forgetEvents: async (): Promise<void> => {
      await ledger.query(`update relais.stream set trimmed = position`);
      await new EventStream({ database }).trim(0);
    },
    /** Positions that wait for an endpoint. */
    waiting: (id: string) => placesIn(id, 'due'),
    undelivered: (id: string) => placesIn(id, 'dead'),
    /** The next delivery; ends the endpoint's pause. */
    next: async (id: string) => {
      const [row] = await ledger.query<{ due_at: Date; rest_until: Date | null }>(
        `select d.due_at, p.rest_until from relais.delivery d join relais.endpoint p on p.id = d.endpoint
         where d.endpoint = '${id}' and d.state = 'due' order by d.due_at limit 1`,
      );
      return row && { dueAt: row.due_at.getTime(), restUntil: row.rest_until?.getTime() ?? 0 };
    },
    isScheduled: async (id: string): Promise<boolean> => {
      const rows = await ledger.query(`select from relais.delivery where endpoint = '${id}' and state = 'due'`);
      return rows.length > 0;
    },
    disable: async (id: string): Promise<void> =>
      void (await ledger.query(
        `update relais.endpoint set state = 'disabled', failures = 9, reason = 'failing_for_days' where id = '${id}'`,
      )),
    /** Number of rows of an endpoint. */
    leftOf: async (id: string): Promise<number> =>
      (
        await ledger.query(`select id from relais.endpoint where id = '${id}'
          union all select endpoint from relais.delivery where endpoint = '${id}'
          union all select endpoint from relais.delivery_log where endpoint = '${id}'`)
      ).length,
    close: () => world.close(),
  };
}
