/** Webhook endpoints: registration, secrets, and the events dispatched to each. */
import { eventEndpoint } from '../kinds/event-endpoint.ts';
import { derivedId } from '../lib/ids.ts';
import type { Random } from '../lib/random.ts';
import { type Act, type Known, actOf, noteAct } from './acts.ts';
import {
  type Delivering,
  type DeliveryResult,
  type SettledDeliveries,
  type Taken,
  settleDeliveries,
  takeDeliveries,
} from './deliveries.ts';
import { positionOf } from './event-stream.ts';
import type { Database, Run } from './pool.ts';

/** Encrypted secrets, newest first: the stored values and their replacements. */
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
  /** Accounts whose events it receives; empty: all. */
  readonly accounts: readonly string[];
  /** Name of the key that registered it. */
  readonly owner: string;
  /** Additional headers of each delivery. */
  readonly headers?: { readonly names: readonly string[]; readonly encrypted: string } | undefined;
}

export interface Endpoint extends Omit<NewEndpoint, 'headers'> {
  readonly id: string;
  readonly headerNames: readonly string[];
  readonly state: keyof typeof eventEndpoint.states;
  /** ms since the epoch. */
  readonly createdAt: number;
  /** It receives events after this position. */
  readonly from: string;
  readonly deliveredAt?: number;
  readonly failingSince?: number;
  readonly reason?: string;
}

export interface LogLine {
  /** ms since the epoch. */
  readonly at: number;
  readonly event: string;
  readonly outcome: string;
  readonly answer: string;
  readonly tries: number;
}

/** Events dispatched to one endpoint. */
export interface Dispatched {
  readonly id: string;
  /** The last position. */
  readonly position: string;
  readonly added: number;
  readonly more: boolean;
}

export interface EndpointsOptions {
  readonly database: Database;
  readonly random: Random;
  /** For tests, ms since the epoch. */
  readonly now?: () => number;
}

interface EndpointRow {
  readonly id: string;
  readonly owner: string;
  readonly url: string;
  readonly types: readonly string[];
  readonly accounts: readonly string[];
  readonly headers: string | null;
  readonly header_names: readonly string[];
  readonly secret: string;
  readonly old_secret: string | null;
  readonly older_secret: string | null;
  readonly state: Endpoint['state'];
  readonly reason: string | null;
  readonly registered_at_position: string;
  readonly created_at: Date;
  readonly delivered_at: Date | null;
  readonly failing_since: Date | null;
  readonly epoch: number;
}

const ENDPOINTS_MOST = 1_000;

export class Endpoints {
  readonly #database: Database;
  readonly #random: Random;
  readonly #now: () => Date | undefined;

  constructor({ database, random, now }: EndpointsOptions) {
    this.#database = database;
    this.#random = random;
    this.#now = () => (now ? new Date(now()) : undefined);
  }

  newId(): string {
    return derivedId(eventEndpoint.prefix, this.#random.hex(16));
  }

  /** False: the limit is reached. `secret` is encrypted. */
  async add(id: string, endpoint: NewEndpoint, secret: string, act?: Act): Promise<boolean> {
    const { owner, url, types, accounts, headers } = endpoint;
    const own = [headers?.encrypted, headers?.names ?? []];
    const values = [id, owner, url, types, accounts, ...own, secret, ENDPOINTS_MOST, this.#now()];
    return this.#database.transaction(async (run) => {
      const [added] = await run<{ fresh: boolean }>('add_endpoint', values);
      if (added?.fresh) await this.#note(run, act, { facts: { state: 'enabled' } });
      return added !== undefined;
    });
  }

  async remove(id: string, act?: Act): Promise<boolean> {
    return this.#database.transaction(async (run) => {
      const [removed] = await run<{ state: string }>('remove_endpoint', [id]);
      if (removed) await this.#note(run, act, { before: { state: removed.state } });
      return removed !== undefined;
    });
  }

  async rotate(
    id: string,
    secret: string,
    { bothForMs, act }: { readonly bothForMs: number; readonly act?: Act | undefined },
  ): Promise<boolean> {
    return this.#database.transaction(async (run) => {
      const [rotated] = await run('rotate_secret', [id, secret, bothForMs, this.#now()]);
      if (rotated) await this.#note(run, act);
      return rotated !== undefined || (await run('endpoints', [id])).length > 0;
    });
  }

  /** Newest first. */
  async sealedSecrets(id: string): Promise<string[]> {
    const row = await this.#row(id);
    return [row?.secret, row?.old_secret, row?.older_secret].filter((one) => typeof one === 'string');
  }

  async sealedHeaders(id: string): Promise<string | undefined> {
    return (await this.#row(id))?.headers ?? undefined;
  }

  /** Replaces the secrets with the re-encrypted ones. False: the stored secrets have changed since they were read. */
  async reseal(id: string, { kept, again, headers, act }: Resealing): Promise<boolean> {
    return this.#database.transaction(async (run) => {
      const [done] = await run('reseal_endpoint', [id, kept, again, headers?.kept, headers?.again]);
      if (done) await this.#note(run, act);
      return done !== undefined;
    });
  }

  async read(id: string): Promise<Endpoint | undefined> {
    const row = await this.#row(id);
    return row && readEndpoint(row);
  }

  async all(): Promise<Endpoint[]> {
    return (await this.#database.run<EndpointRow>('endpoints', [null])).map(readEndpoint);
  }

  /** Dispatches new events to subscribed endpoints, at most `most` to each. */
  async dispatch(most: number): Promise<readonly Dispatched[]> {
    return this.#database.run<Dispatched>('dispatch_events', [most, this.#now()]);
  }

  /** Endpoints that can receive deliveries now. */
  async due(most: number): Promise<readonly string[]> {
    const rows = await this.#database.run<{ id: string }>('due_endpoints', [most, this.#now()]);
    return rows.map(({ id }) => id);
  }

  /** The events to deliver to an endpoint now; a word if there are none, or if another caller has the lease. */
  async take(id: string, leaseMs: number, most: number): Promise<Taken | string> {
    const lease = this.#random.hex(16);
    return this.#database.transaction((run) => takeDeliveries(run, this.#at(id, lease), { leaseMs, most }));
  }

  /** Undefined: the lease ended, and another caller has the events. */
  async settle(
    id: string,
    lease: string,
    results: readonly DeliveryResult[],
    limits: { readonly restMs: number; readonly disableAfterMs: number },
  ): Promise<SettledDeliveries | undefined> {
    return this.#database.transaction((run) => settleDeliveries(run, this.#at(id, lease), results, limits));
  }

  /** Makes events due again for an endpoint, and enables it. False: there is no such endpoint. */
  async replay(id: string, places: readonly string[], act?: Act): Promise<boolean> {
    return this.#database.transaction(async (run) => {
      const [before] = await run<{ state: string }>('lock_endpoint', [id, this.#now()]);
      if (before === undefined) return false;
      const [due] = await run<{ waited: boolean }>('replay_deliveries', [id, places.map(positionOf), this.#now()]);
      await run('enable_endpoint', [id, due?.waited === true]);
      await this.#note(run, act, { before: { state: before.state }, facts: { state: 'enabled' } });
      return true;
    });
  }

  /** The number of waiting and of failed events, and the newest deliveries. */
  async progress(id: string): Promise<{ waiting: number; undelivered: number; log: LogLine[] }> {
    const [[counts], lines] = await Promise.all([
      this.#database.run<{ waiting: string; undelivered: string }>('delivery_progress', [id]),
      this.#database.run<Omit<LogLine, 'at'> & { at: Date }>('delivery_lines', [id]),
    ]);
    return {
      waiting: Number(counts?.waiting ?? 0),
      undelivered: Number(counts?.undelivered ?? 0),
      log: lines.map(({ at, ...line }) => ({ at: at.getTime(), ...line })),
    };
  }

  #at(id: string, lease: string): Delivering {
    return { id, lease, now: this.#now() };
  }

  async #row(id: string): Promise<EndpointRow | undefined> {
    const [row] = await this.#database.run<EndpointRow>('endpoints', [id]);
    return row;
  }

  async #note(run: Run, act: Act | undefined, known: Known = {}): Promise<void> {
    if (act) await noteAct(run, actOf(act, known), this.#now());
  }
}

function readEndpoint(row: EndpointRow): Endpoint {
  const { id, url, owner, types, accounts, state, epoch } = row;
  return {
    id,
    url,
    types,
    accounts,
    headerNames: row.header_names,
    owner,
    state,
    createdAt: row.created_at.getTime(),
    from: `${epoch}-${row.registered_at_position}`,
    ...(row.delivered_at ? { deliveredAt: row.delivered_at.getTime() } : {}),
    ...(row.failing_since ? { failingSince: row.failing_since.getTime() } : {}),
    ...(row.reason === null ? {} : { reason: row.reason }),
  };
}
