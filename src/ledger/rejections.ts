/** Refused requests of the queue `intake` and of SQL clients: reported as events, and listed for operators. */
import type { Rejection } from '../kinds/intake.ts';
import { masked } from '../queues/rejection.ts';
import type { Database } from './pool.ts';
import { storableJson } from './storable.ts';

interface StoredRejection extends Rejection {
  /** Position in the list. */
  readonly place: string;
  /** ms since the epoch. */
  readonly at: number;
}

interface RejectionPage {
  readonly items: readonly StoredRejection[];
  readonly next: string | null;
}

interface Wanted {
  readonly before?: string | undefined;
  readonly limit: number;
  readonly isMeant: (account: string) => boolean;
}

interface RejectionsOptions {
  readonly database: Database;
}

const AT_ONCE = 500;
/** Decided requests are stored for 30 days. */
const KEPT_MS = 30 * 86_400_000;
const FORGOTTEN_AT_ONCE = 5_000;

interface Row {
  readonly number: string;
  readonly id: string;
  readonly kind: string;
  readonly account: string;
  readonly reference: string | null;
  readonly job_id: string | null;
  readonly existing_id: string | null;
  readonly problems: Rejection['problems'];
  readonly decided_at: Date;
}

export class Rejections {
  readonly #database: Database;

  constructor({ database }: RejectionsOptions) {
    this.#database = database;
  }

  /** Row and event are one statement. False: already reported. */
  async add(refused: Rejection): Promise<boolean> {
    // The id and the reference of a job can contain any character.
    const { account, ...rejection } = JSON.parse(storableJson(refused)) as Rejection;
    const { id, jobId, kind, reference, existingId, problems } = rejection;
    const [json, data] = [JSON.stringify(problems), JSON.stringify(rejection)];
    const values = [id, kind, account, reference, jobId, existingId, json, data, null];
    return (await this.#database.run('add_rejection', values)).length > 0;
  }

  /** Newest first. */
  async page({ before, limit, isMeant }: Wanted): Promise<RejectionPage> {
    const found: StoredRejection[] = [];
    for (let from = before; ; ) {
      const read = await this.#read(from);
      for (const one of read) {
        if (!isMeant(one.account)) continue;
        found.push(one);
        if (found.length === limit) return { items: found, next: one.place };
      }
      from = read.at(-1)?.place;
      if (from === undefined || read.length < AT_ONCE) return { items: found, next: null };
    }
  }

  /** Removes old decided requests. Returns how many: call it again until it returns 0. */
  async forget(now: Date): Promise<number> {
    const before = new Date(now.getTime() - KEPT_MS);
    return (await this.#database.run('forget_intake', [before, FORGOTTEN_AT_ONCE])).length;
  }

  async #read(before: string | undefined): Promise<readonly StoredRejection[]> {
    const [ms, number] = before === undefined ? [] : before.split('-');
    const at = ms === undefined ? null : new Date(Number(ms));
    return (await this.#database.run<Row>('rejections', [at, number ?? null, AT_ONCE])).map(stored);
  }
}

function stored(row: Row): StoredRejection {
  const { number, id, kind, account, reference, problems, job_id: jobId, existing_id: existingId } = row;
  const at = row.decided_at.getTime();
  return {
    id,
    kind,
    account,
    problems,
    place: `${at}-${number}`,
    at,
    ...(jobId === null ? {} : { jobId }),
    ...(reference === null ? {} : { reference: masked(reference) }),
    ...(existingId === null ? {} : { existingId }),
  };
}
