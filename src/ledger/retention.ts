/**
 * Removes finished rows after their retention time. The tombstone is committed first, and its row is removed ten
 * minutes later in another transaction, so that a repeated request always finds one of them. Rows are removed in
 * bounded parts; a partition is dropped when every campaign in it can be removed.
 */
import { type Kind, kinds } from '../kinds/index.ts';
import type { KeptFiles } from './kept-files.ts';
import { type Partitions, campaignsIn } from './partitions.ts';
import type { Database, Run } from './pool.ts';
import type { Uploads } from './uploads.ts';

export interface RetentionOptions {
  readonly database: Database;
  readonly partitions: Pick<Partitions, 'list'>;
  readonly keptFiles: Pick<KeptFiles, 'expire'>;
  readonly uploads: Pick<Uploads, 'sweep'>;
  /** Retention of finished rows, ms; 0: for ever. */
  readonly paymentsMs: number;
  readonly smsMs: number;
  /** Retention of tombstones, ms. */
  readonly identitiesMs: number;
  /** For tests, instead of the time of PostgreSQL. */
  readonly now?: () => Date;
}

export interface Removed {
  readonly buried: number;
  readonly operations: number;
  readonly batches: number;
  readonly campaigns: number;
  readonly partitions: number;
  readonly tombstones: number;
  readonly files: number;
  readonly uploads: number;
}

const AT_ONCE = 5_000;
/** Maximum parts of each kind per pass. */
const PARTS = 20;
const CAMPAIGNS_AT_ONCE = 20;
const UNTIL_ROW_GOES_MS = 10 * 60_000;
const LOCK_MS = 500;

const moneyKinds = kinds.filter((kind) => !['message', 'campaign', 'batch'].includes(kind));

export class Retention {
  readonly #options: RetentionOptions;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  /** A bounded amount of work; call it every minute. Several processes can call it at once. */
  async pass(): Promise<Removed> {
    const { database, now, paymentsMs, smsMs, identitiesMs, keptFiles, uploads } = this.#options;
    const [row] = await database.run<{ at: Date }>('time', [now?.() ?? null]);
    if (row === undefined) throw new Error('PostgreSQL told no time');
    const { at } = row;
    const ago = (ms: number): Date => new Date(at.getTime() - ms);
    const due = ago(UNTIL_ROW_GOES_MS);
    // Rows first: tombstones of this pass wait for ten minutes anyway.
    const removed = await this.#remove(due, at);
    const buried =
      (paymentsMs > 0 ? await this.#buryPayments(ago(paymentsMs), at) : 0) +
      (smsMs > 0 ? await this.#burySms(ago(smsMs), at) : 0);
    const tombstones = await this.#inParts('forget_tombstones', [ago(identitiesMs), AT_ONCE]);
    return {
      ...removed,
      buried,
      tombstones,
      files: await keptFiles.expire(AT_ONCE),
      uploads: await uploads.sweep(now?.()),
    };
  }

  async #buryPayments(before: Date, at: Date): Promise<number> {
    let buried = 0;
    for (const kind of moneyKinds) buried += await this.#buryKind(kind, before, at);
    return buried + (await this.#inParts('bury_batches', [before, AT_ONCE, at]));
  }

  async #burySms(before: Date, at: Date): Promise<number> {
    const messages = await this.#buryKind('message', before, at);
    return messages + (await this.#inParts('bury_campaigns', [before, AT_ONCE, at]));
  }

  async #buryKind(kind: Kind, before: Date, at: Date): Promise<number> {
    let buried = 0;
    let after: readonly [Date, string] = [new Date(0), ''];
    for (let parts = 0; parts < PARTS; parts += 1) {
      const values = [kind, before, ...after, AT_ONCE, at];
      const [page] = await this.#options.database.run<BuryPage>('bury_operations', values);
      buried += Number(page?.buried ?? 0);
      if (page === undefined || page.last_at === null || Number(page.looked) < AT_ONCE) return buried;
      after = [page.last_at, page.last_id];
    }
    return buried;
  }

  async #remove(due: Date, at: Date): Promise<Pick<Removed, 'operations' | 'batches' | 'campaigns' | 'partitions'>> {
    const { database } = this.#options;
    let operations = 0;
    for (const kind of [...moneyKinds, 'message'] as const) {
      for (let parts = 0; parts < PARTS; parts += 1) {
        const part = await database.transaction((run) => removeOperations(run, kind, due, at));
        operations += part.removed;
        if (part.looked < AT_ONCE) break;
      }
    }
    const batches = await this.#inParts('remove_batches', [due, AT_ONCE]);
    await database.run('unbury_campaigns');
    const partitions = await this.#dropPartitions(due);
    return { operations, batches, partitions, campaigns: await this.#removeCampaigns(due) };
  }

  async #inParts(statement: string, values: readonly unknown[]): Promise<number> {
    let count = 0;
    for (let parts = 0; parts < PARTS; parts += 1) {
      const rows = await this.#options.database.run(statement, values);
      count += rows.length;
      if (rows.length < AT_ONCE) break;
    }
    return count;
  }

  /** Campaigns stay locked until the partition is dropped, so that no retry begins meanwhile. */
  async #dropPartitions(due: Date): Promise<number> {
    const { database, partitions } = this.#options;
    const [newest] = await database.run<{ number: string | null }>('newest_campaign');
    let dropped = 0;
    for (const { part } of await partitions.list()) {
      const range = campaignsIn(part);
      if (range === undefined || Number(newest?.number ?? 0) < range[1]) continue;
      dropped += await database.transaction(async (run) => {
        const all = await run<Locked>('lock_campaigns_between', [...range, due]);
        if (!all.every(({ removable }) => removable)) return 0;
        const [row] = await run<{ dropped: boolean }>('drop_partition', [part, LOCK_MS]);
        return row?.dropped ? 1 : 0;
      });
    }
    return dropped;
  }

  async #removeCampaigns(due: Date): Promise<number> {
    const { database } = this.#options;
    const campaigns = await database.run<{ number: string }>('campaigns_to_remove', [due, CAMPAIGNS_AT_ONCE]);
    let removed = 0;
    for (const { number } of campaigns) {
      for (let parts = 0; parts < PARTS; parts += 1) {
        const is = await database.transaction((run) => removePart(run, number, due));
        if (is === 'removed') removed += 1;
        if (is !== 'more') break;
      }
    }
    return removed;
  }
}

interface BuryPage {
  readonly looked: string;
  readonly buried: string;
  readonly last_at: Date | null;
  readonly last_id: string;
}

interface Locked {
  readonly removable: boolean;
}

async function removePart(run: Run, number: string, due: Date): Promise<'more' | 'removed' | 'kept'> {
  const [locked] = await run<Locked>('lock_campaigns_between', [number, String(BigInt(number) + 1n), due]);
  if (!locked?.removable) return 'kept';
  const [rows] = await run<{ removed: string }>('remove_campaign_rows', [number, AT_ONCE]);
  if (Number(rows?.removed ?? 0) > 0) return 'more';
  await run('remove_campaign', [number]);
  return 'removed';
}

async function removeOperations(
  run: Run,
  kind: Kind,
  due: Date,
  at: Date,
): Promise<{ readonly removed: number; readonly looked: number }> {
  const buried = await run<{ id: string }>('due_tombstones', [kind, due, AT_ONCE]);
  const ids = buried.map(({ id }) => id);
  const gone = await run<{ id: string }>('remove_operations', [ids]);
  await run('remove_callbacks', [gone.map(({ id }) => id), at]);
  await run('unbury_operations', [ids]);
  await run('rebury_operations', [ids, at]);
  await run('settle_tombstones', [ids]);
  return { removed: gone.length, looked: ids.length };
}
