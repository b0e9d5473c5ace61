/** Endpoints that events are posted to. What waits for one is a list of places in the stream. */
import type { Redis } from 'ioredis';
import { eventEndpoint } from '../kinds/event-endpoint.ts';
import { derivedId } from '../lib/ids.ts';
import type { Random } from '../lib/random.ts';
import { type Act, told } from './audit.ts';
import { keys } from './keys.ts';
import {
  addEndpoint,
  dispatchEvents,
  removeEndpoint,
  replayEvents,
  resealEndpointSecrets,
  rotateEndpointSecret,
  settleDeliveries,
  takeDeliveries,
} from './scripts/generated/scripts.ts';

/** Sealed secrets, the newest first: as they were read, and as they become. */
interface Resealing {
  readonly kept: readonly string[];
  readonly again: readonly string[];
  readonly headers?: { readonly kept: string; readonly again: string } | undefined;
  readonly act?: Act | undefined;
}

export interface NewEndpoint {
  readonly url: string;
  /** Event types; empty: all. */
  readonly types: readonly string[];
  /** Accounts whose events it gets; empty: all. */
  readonly accounts: readonly string[];
  /** The name of the key that registered it. */
  readonly owner: string;
  /** Headers of its own for each delivery, encrypted. */
  readonly headers?: string | undefined;
}

export interface Endpoint extends NewEndpoint {
  readonly id: string;
  readonly state: keyof typeof eventEndpoint.states;
  /** ms since the epoch. */
  readonly createdAt: number;
  /** Only events after this place in the stream. */
  readonly from: string;
  readonly deliveredAt?: number;
  readonly failingSince?: number;
  readonly reason?: string;
}

/** Where the dispatcher stands, and which list of endpoints it knows. */
export interface DispatchState {
  readonly cursor: string;
  readonly rev: string;
}

/** An event, by its place in the stream, that is to be posted now. */
export interface Due {
  readonly place: string;
  /** Made before this one. */
  readonly tries: number;
}

export interface Taken {
  readonly lease: string;
  readonly url: string;
  /** Sealed; the newest first. */
  readonly secrets: readonly string[];
  /** Encrypted. */
  readonly headers?: string | undefined;
  readonly due: readonly Due[];
}

export interface DeliveryResult {
  readonly place: string;
  readonly outcome: 'delivered' | 'retried' | 'undelivered';
  /** Until the next try, ms; only for `retried`. */
  readonly waitMs: number;
  /** Whether it was posted: what was not says nothing of the endpoint. */
  readonly asked: boolean;
  /** For the log: a status or a word for what went wrong, and the number of the try. */
  readonly line: string;
}

export interface LogLine {
  /** ms since the epoch. */
  readonly at: number;
  readonly event: string;
  readonly outcome: string;
  readonly answer: string;
  readonly tries: number;
}

export interface SettledDeliveries {
  /** Until the next event is due, ms; absent: none is waiting. */
  readonly dueInMs?: number;
  readonly rev: number;
  readonly disabled: boolean;
}

const ENDPOINTS_MOST = 1_000;

export interface EndpointsOptions {
  readonly redis: Redis;
  readonly random: Random;
  /** Gives the time instead of Redis, for tests that turn the clock by hand. */
  readonly now?: () => number;
}

export class Endpoints {
  readonly #redis: Redis;
  readonly #random: Random;
  readonly #now: () => number | undefined;

  constructor({ redis, random, now }: EndpointsOptions) {
    this.#redis = redis;
    this.#random = random;
    this.#now = () => now?.();
  }

  newId(): string {
    return derivedId(eventEndpoint.prefix, this.#random.hex(16));
  }

  /** False: there are too many already. `secret` is sealed. */
  async add(id: string, { url, types, accounts, owner }: NewEndpoint, secret: string, act?: Act): Promise<boolean> {
    const fields = { url, owner, types: types.join(','), accounts: accounts.join(','), secret };
    const answer = await addEndpoint(this.#redis, {
      record: keys.record(id),
      endpoints: keys.endpoints,
      dispatch: keys.dispatch,
      events: keys.events,
      ...told(act),
      now: this.#now(),
      id,
      most: ENDPOINTS_MOST,
      // Of what concerns an endpoint itself, its owner is told through an account that it may see.
      fields: { ...fields, account: accounts[0] ?? 'main' },
    });
    return answer.is === 'added';
  }

  async remove(id: string, act?: Act): Promise<boolean> {
    return removeEndpoint(this.#redis, {
      ...deliveryKeys(id),
      endpoints: keys.endpoints,
      dispatch: keys.dispatch,
      undelivered: keys.undelivered(id),
      log: keys.deliveryLog(id),
      ...told(act),
      now: this.#now(),
      id,
    });
  }

  async rotate(
    id: string,
    secret: string,
    { bothForMs, act }: { readonly bothForMs: number; readonly act?: Act | undefined },
  ): Promise<boolean> {
    const record = keys.record(id);
    return rotateEndpointSecret(this.#redis, { record, ...told(act), now: this.#now(), secret, bothForMs });
  }

  /** As they are kept: the newest first. */
  async sealedSecrets(id: string): Promise<string[]> {
    const kept = await this.#redis.hmget(keys.record(id), 'secret', 'oldSecret', 'olderSecret');
    return kept.filter((text) => text !== null);
  }

  /** None: this store keeps no headers. */
  async sealedHeaders(_id: string): Promise<string | undefined> {
    return undefined;
  }

  /** The same secrets, sealed anew. False: they are no longer those that were read. */
  async reseal(id: string, { kept, again, act }: Resealing): Promise<boolean> {
    return resealEndpointSecrets(this.#redis, { record: keys.record(id), ...told(act), kept, again });
  }

  async read(id: string): Promise<Endpoint | undefined> {
    return readEndpoint(await this.#redis.hgetall(keys.record(id)));
  }

  async all(): Promise<Endpoint[]> {
    const ids = await this.#redis.smembers(keys.endpoints);
    const found = await Promise.all(ids.map((id) => this.read(id)));
    return found.filter((one) => one !== undefined).sort((a, b) => a.createdAt - b.createdAt);
  }

  async dispatchState(): Promise<DispatchState> {
    const [cursor, rev] = await this.#redis.hmget(keys.dispatch, 'cursor', 'rev');
    return { cursor: cursor ?? '0-0', rev: rev ?? '0' };
  }

  /** False: somebody else was quicker, or the endpoints are no longer those. */
  async dispatch(
    state: DispatchState,
    cursor: string,
    wanted: ReadonlyMap<string, readonly string[]>,
  ): Promise<boolean> {
    const entries = [...wanted].filter(([, places]) => places.length > 0);
    return dispatchEvents(this.#redis, {
      dispatch: keys.dispatch,
      due: keys.due('event-delivery'),
      now: this.#now(),
      ...state,
      next: cursor,
      endpoints: entries.map(([id, places]) => ({
        record: keys.record(id),
        deliveries: keys.deliveries(id),
        id,
        places,
      })),
    });
  }

  /** What an endpoint is to be posted now; a word when there is nothing, or when it is not for us to do. */
  async take(id: string, leaseMs: number, most: number): Promise<Taken | string> {
    const lease = this.#random.hex(16);
    const answer = await takeDeliveries(this.#redis, {
      ...deliveryKeys(id),
      now: this.#now(),
      id,
      lease,
      leaseMs,
      most,
    });
    if (answer.is !== 'taken') return answer.is;
    const { url, secret, old, older, due } = answer;
    return { lease, url, secrets: [secret, old, older].filter((one) => one !== undefined), due };
  }

  /** Undefined: the lease was over, and somebody else has them by now. */
  async settle(
    id: string,
    lease: string,
    results: readonly DeliveryResult[],
    { restMs, disableAfterMs }: { readonly restMs: number; readonly disableAfterMs: number },
  ): Promise<SettledDeliveries | undefined> {
    const answer = await settleDeliveries(this.#redis, {
      ...deliveryKeys(id),
      undelivered: keys.undelivered(id),
      log: keys.deliveryLog(id),
      events: keys.events,
      counts: keys.counts('endpoint'),
      now: this.#now(),
      id,
      lease,
      restMs,
      disableAfterMs,
      results,
    });
    if (answer.is !== 'settled') return undefined;
    const { rev, disabled, dueInMs } = answer;
    return { rev, disabled, ...(dueInMs === undefined ? {} : { dueInMs }) };
  }

  /** Makes events due again for an endpoint, and enables it. False: there is no such endpoint. */
  async replay(id: string, places: readonly string[], act?: Act): Promise<boolean> {
    const all = { ...deliveryKeys(id), dispatch: keys.dispatch, ...told(act) };
    return replayEvents(this.#redis, { ...all, now: this.#now(), id, places });
  }

  /** How many events wait, how many it never took, and what became of the last ones. */
  async progress(id: string): Promise<{ waiting: number; undelivered: number; log: LogLine[] }> {
    const [waiting, undelivered, lines] = await Promise.all([
      this.#redis.zcard(keys.deliveries(id)),
      this.#redis.llen(keys.undelivered(id)),
      this.#redis.lrange(keys.deliveryLog(id), 0, -1),
    ]);
    return { waiting, undelivered, log: lines.map(readLogLine) };
  }
}

const deliveryKeys = (id: string) => ({
  record: keys.record(id),
  deliveries: keys.deliveries(id),
  tries: keys.deliveryTries(id),
  due: keys.due('event-delivery'),
});

/** As `line` of a result. */
export function logLine(event: string, outcome: string, answer: string, tries: number): string {
  return [event, outcome, answer, tries].join('|');
}

function readLogLine(line: string): LogLine {
  const [at, event = '', outcome = '', answer = '', tries] = line.split('|');
  return { at: Number(at), event, outcome, answer, tries: Number(tries) };
}

function readEndpoint(fields: Readonly<Record<string, string>>): Endpoint | undefined {
  if (fields['kind'] !== 'endpoint') return undefined;
  const list = (name: string): string[] => (fields[name] ?? '').split(',').filter((word) => word !== '');
  const number = (name: string) => (fields[name] === undefined ? {} : { [name]: Number(fields[name]) });
  return {
    id: fields['id'] ?? '',
    url: fields['url'] ?? '',
    types: list('types'),
    accounts: list('accounts'),
    owner: fields['owner'] ?? '',
    state: fields['state'] === 'disabled' ? 'disabled' : 'enabled',
    createdAt: Number(fields['createdAt']),
    from: fields['from'] ?? '0-0',
    ...number('deliveredAt'),
    ...number('failingSince'),
    ...(fields['reason'] === undefined ? {} : { reason: fields['reason'] }),
  };
}
