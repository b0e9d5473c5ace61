/**
 * Partitions of the large tables. A default partition ensures that no insert fails. Rows in it make retention slower,
 * because they are deleted instead of dropped.
 */
import type { Database } from './pool.ts';

const byMonth = ['event', 'audit_line'] as const;
const byCampaign = ['recipient', 'sms_request'] as const;
export type Partitioned = (typeof byMonth)[number] | (typeof byCampaign)[number];

/** `taken`: the default partition has rows of this range. `busy`: a lock was not free in time; retry later. */
type PartitionOutcome = 'made' | 'there' | 'taken' | 'busy';

interface PartitionRow {
  readonly parent: Partitioned;
  readonly part: string;
}

const MONTHS_AHEAD = 3;
const CAMPAIGNS_IN_PARTITION = 100;
/** Inserts wait for this lock, so the time-out is short; a busy table is retried. */
const LOCK_MS = 500;

export class Partitions {
  readonly #database: Database;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

  /** The month of `now` and three more, for events and audit lines. Call it daily. Returns the created partitions. */
  async ensureMonths(now: Date): Promise<readonly string[]> {
    const months = Array.from({ length: MONTHS_AHEAD + 1 }, (_, ahead) => monthOf(now, ahead));
    const made: string[] = [];
    for (const parent of byMonth) {
      for (const [at, low] of months.entries()) {
        const part = partOfMonth(parent, low);
        const high = months[at + 1] ?? monthOf(low, 1);
        if ((await this.#make(parent, part, [low.toISOString(), high.toISOString()])) === 'made') made.push(part);
      }
    }
    return made;
  }

  /** The end of the last month with a partition; undefined: none. */
  async monthsEnd(parent: (typeof byMonth)[number]): Promise<Date | undefined> {
    const ends = (await this.list()).flatMap((row) => (row.parent === parent ? (monthIn(row.part) ?? []) : []));
    const last = ends.at(-1);
    return last && monthOf(last, 1);
  }

  /** The range of this campaign number, for its recipients and requests. The caller continues in any case. */
  async ensureCampaign(number: string): Promise<readonly PartitionOutcome[]> {
    const range = rangeOf(number);
    const bounds = [range * CAMPAIGNS_IN_PARTITION, (range + 1) * CAMPAIGNS_IN_PARTITION].map(String);
    const outcomes: PartitionOutcome[] = [];
    for (const parent of byCampaign) outcomes.push(await this.#make(parent, `${parent}_${range}`, bounds));
    return outcomes;
  }

  /** Every partition except the default ones, ordered by name. */
  async list(): Promise<readonly PartitionRow[]> {
    const rows = await this.#database.run<PartitionRow>('partitions');
    return rows.filter(({ part }) => !part.endsWith('_rest'));
  }

  /** False: a lock was not free in time. */
  async drop(part: string): Promise<boolean> {
    const [row] = await this.#database.run<{ dropped: boolean }>('drop_partition', [part, LOCK_MS]);
    return row?.dropped === true;
  }

  async #make(parent: Partitioned, part: string, [low, high]: readonly string[]): Promise<PartitionOutcome> {
    const values = [parent, part, low, high, LOCK_MS];
    const [row] = await this.#database.run<{ outcome: PartitionOutcome }>('make_partition', values);
    return row?.outcome ?? 'busy';
  }
}

/** The first moment of a month in UTC. */
function monthOf(at: Date, ahead: number): Date {
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + ahead));
}

function partOfMonth(parent: string, low: Date): string {
  return `${parent}_${low.toISOString().slice(0, 7).replace('-', '_')}`;
}

/** The first moment of a partition's month; undefined: it is not a month. */
export function monthIn(part: string): Date | undefined {
  const [, year, month] = /_(\d{4})_(\d\d)$/.exec(part) ?? [];
  return year === undefined ? undefined : new Date(Date.UTC(Number(year), Number(month) - 1));
}

const rangeOf = (number: string): number => Math.floor(Number(number) / CAMPAIGNS_IN_PARTITION);

/** The campaign numbers of a partition: the first is included, the second is not. */
export function campaignsIn(part: string): readonly [low: number, high: number] | undefined {
  const [, range] = /^(?:recipient|sms_request)_(\d+)$/.exec(part) ?? [];
  if (range === undefined) return undefined;
  return [Number(range) * CAMPAIGNS_IN_PARTITION, (Number(range) + 1) * CAMPAIGNS_IN_PARTITION];
}
