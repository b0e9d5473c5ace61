/** Consumer groups of events: positions, leased events, and dead letters. */
import type { Database } from './pool.ts';
import { storableText } from './storable.ts';

/** A `StoredEvent` before its data is parsed. */
export interface TakenEvent {
  readonly epoch: number;
  readonly position: string;
  readonly id: string;
  readonly account: string;
  readonly type: string;
  readonly data: unknown;
  readonly at: Date;
  readonly tries: number;
}

export interface DeadLetter {
  readonly position: number;
  readonly id: string;
  readonly type: string;
  readonly account: string;
  readonly data: unknown;
  readonly tries: number;
  readonly error: string;
  readonly at: Date;
}

/** For operators and metrics. */
export interface GroupState {
  readonly name: string;
  readonly position: number;
  /** Published events that no consumer has taken. */
  readonly behind: number;
  /** Leased events, and events between two tries. */
  readonly trying: number;
  readonly dead: number;
  readonly seenAt: Date;
}

/** A group without successful handlers must not fill the ledger. */
const DEAD_MOST = 100_000;
const ERROR_LONGEST = 500;

export class EventGroups {
  readonly #database: Database;
  readonly #now: () => Date | undefined;

  /** `now` is for tests. */
  constructor({ database, now }: { readonly database: Database; readonly now?: () => Date }) {
    this.#database = database;
    this.#now = () => now?.();
  }

  /** Creates the group if it does not exist. */
  async join(group: string, from: 'beginning' | 'now'): Promise<void> {
    await this.#database.run('join_group', [group, from === 'now']);
  }

  /** The next event for a consumer, leased to it. Undefined: there is none. */
  async take(
    group: string,
    consumer: string,
    { types, leaseMs }: { readonly types: readonly string[] | undefined; readonly leaseMs: number },
  ): Promise<TakenEvent | undefined> {
    const [taken] = await this.#database.run<TakenEvent>('take_event', [
      group,
      consumer,
      types,
      leaseMs,
      this.#now(),
    ]);
    return taken;
  }

  /** False: another consumer took it. */
  async renew(group: string, position: string, consumer: string, leaseMs: number): Promise<boolean> {
    return this.#does('renew_event', [group, position, consumer, leaseMs, this.#now()]);
  }

  async complete(group: string, position: string, consumer: string): Promise<boolean> {
    return this.#does('finish_event', [group, position, consumer]);
  }

  async postpone(group: string, position: string, consumer: string, waitMs: number): Promise<boolean> {
    return this.#does('postpone_event', [group, position, consumer, waitMs, this.#now()]);
  }

  /** Moves the event to the dead letters. */
  async bury(group: string, position: string, consumer: string, error: string): Promise<boolean> {
    const text = storableText(error.slice(0, ERROR_LONGEST));
    return this.#does('bury_event', [group, position, consumer, text, DEAD_MOST]);
  }

  /** Releases the events of a consumer that stops. */
  async release(group: string, consumer: string): Promise<void> {
    await this.#database.run('release_events', [group, consumer, this.#now()]);
  }

  /** Oldest first. */
  async deadLetters(group: string, after = 0, most = 100): Promise<readonly DeadLetter[]> {
    const rows = await this.#database.run<Omit<DeadLetter, 'position'> & { position: string }>('dead_letters', [
      group,
      after,
      most,
    ]);
    return rows.map(({ position, ...letter }) => ({ position: Number(position), ...letter }));
  }

  /** Retries the dead letters of a group, or one of them. Returns their number. */
  async replay(group: string, position?: number): Promise<number> {
    return (await this.#database.run('replay_dead_letters', [group, position, this.#now()])).length;
  }

  async list(): Promise<readonly GroupState[]> {
    const rows = await this.#database.run<{
      readonly name: string;
      readonly position: string;
      readonly behind: string;
      readonly trying: string;
      readonly dead: string;
      readonly seen_at: Date;
    }>('groups');
    return rows.map(({ name, position, behind, trying, dead, seen_at: seenAt }) => ({
      name,
      position: Number(position),
      behind: Number(behind),
      trying: Number(trying),
      dead: Number(dead),
      seenAt,
    }));
  }

  /** Removes a group and its dead letters. While a group exists, events are retained for its consumers. */
  async remove(group: string): Promise<boolean> {
    return this.#does('remove_group', [group]);
  }

  async #does(statement: string, values: readonly unknown[]): Promise<boolean> {
    return (await this.#database.run(statement, values)).length > 0;
  }
}
