/**
 * Taking the lease of a record. Attempts that begin together, as what was taken in bulk does, take theirs in one
 * script, and each has an answer of its own.
 */
import type { QueueName } from '../kinds/due-queues.ts';
import { type Kind, isOver, kinds, statesInQueue, statesOf } from '../kinds/index.ts';
import type { Moment } from '../lib/clock.ts';
import { batchPerTick } from '../redis/connections.ts';
import type { RecordHost } from '../redis/scripts.ts';
import { type Waiting as WaitingFor, alike, answerEach } from '../redis/shared-script.ts';
import type { AccountStanding } from '../kinds/hold.ts';
import { readStanding } from './accounts.ts';
import { keys } from './keys.ts';
import { type RecordAt, UnreadableRecord, noteUnreadable, readStored } from './record.ts';
import { type AcquireLease, acquire } from './scripts/generated/scripts.ts';

/** A record that this attempt, and no other, may change. */
export interface Leased<K extends Kind> {
  readonly record: RecordAt<K>;
  readonly lease: string;
  /** The clock of Redis when the lease was given. */
  readonly at: number;
  /** Of the record's account, at that time. Absent: it has to be asked for. */
  readonly standing?: AccountStanding;
  /** Absent: since it was asked for. */
  readonly leasedSince?: Moment;
}

export type Acquired<K extends Kind> = ({ readonly is: 'acquired' } & Leased<K>) | { readonly is: NotAcquired };

type NotAcquired = 'none' | 'final' | 'elsewhere' | 'leased' | 'other version';

interface AcquiringOptions {
  readonly redis: RecordHost;
  readonly now: () => number | undefined;
  readonly standingsOf: readonly string[];
}

/** What one attempt asks for. */
interface Wanted {
  readonly kind: Kind;
  readonly id: string;
  readonly queue: QueueName;
  readonly lease: string;
  readonly leaseMs: number;
}

interface Given {
  readonly at: number;
  readonly lease: AcquireLease;
  /** Of the accounts that were named. */
  readonly standings: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

interface Waiting extends Wanted, WaitingFor<Given> {}

/** With more accounts than this, naming them all costs more than asking for one. */
const STANDINGS_MAX = 8;

/** Final, and nothing that upstream may still say would change it. */
const finalStates = new Map<Kind, readonly string[]>(
  kinds.map((kind) => [kind, statesOf(kind).filter((state) => isOver(kind, state))]),
);

export class Acquiring {
  readonly #options: AcquiringOptions;
  readonly #ask: (waiting: Waiting) => void;

  constructor(options: AcquiringOptions) {
    const { redis, standingsOf } = options;
    this.#options = { ...options, standingsOf: standingsOf.length > STANDINGS_MAX ? [] : standingsOf };
    this.#ask = batchPerTick(redis, async (together) => {
      await Promise.all(alike(together, nameOf).map((group) => this.#askFor(group)));
    });
  }

  async one<K extends Kind>(kind: K, wanted: Omit<Wanted, 'kind'>): Promise<Acquired<K>> {
    const { id, lease } = wanted;
    const given = await new Promise<Given>((resolve, reject) => this.#ask({ ...wanted, kind, resolve, reject }));
    if (given.lease.is === 'failed') throw new Error(`${given.lease.why} (script acquire)`);
    if (given.lease.is !== 'acquired') return { is: given.lease.is };
    const record = readStored(kind, id, given.lease.fields);
    if (record instanceof UnreadableRecord) {
      await noteUnreadable(this.#options.redis, [id]);
      throw record;
    }
    const standing = given.standings.get(record.account);
    const known = standing === undefined ? {} : { standing: readStanding(record.account, standing) };
    return { is: 'acquired', record, lease, at: given.at, ...known };
  }

  async #askFor(group: readonly Waiting[]): Promise<void> {
    const [first] = group;
    if (!first) return;
    const { kind, queue, leaseMs } = first;
    // A look is made whatever the account is held for.
    const names = queue === 'status-poll' ? [] : this.#options.standingsOf;
    await answerEach(group, async () => {
      const { at, standings, leases } = await acquire(this.#options.redis, {
        due: keys.due(queue),
        accounts: names.map((name) => keys.account(name)),
        now: this.#options.now(),
        leaseMs,
        lookedAt: statesInQueue(kind, queue),
        final: finalStates.get(kind) ?? [],
        names,
        records: group.map(({ id, lease }) => ({ record: keys.record(id), id, lease })),
      });
      const byName = new Map(names.map((name, index) => [name, standings[index] ?? {}]));
      return leases.map((lease) => ({ at, lease, standings: byName }));
    });
  }
}

const nameOf = ({ kind, queue, leaseMs }: Waiting): string => `${kind} ${queue} ${leaseMs}`;
