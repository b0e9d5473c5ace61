/**
 * The publisher assigns positions to events, updates daily totals and signs the audit log, all in one transaction.
 * Many processes can run it: the holder of a lease row works, the others wait until it ends.
 */
import type { Clock } from '../lib/clock.ts';
import type { Secret } from '../lib/secret.ts';
import { dateIn } from '../lib/zone.ts';
import { AnswerLost, isHeldUp, isOfOneRow } from './errors.ts';
import type { Database, Run } from './pool.ts';
import { Signer } from './signing.ts';

export interface PublisherOptions {
  readonly database: Database;
  /** Name of this process, unique among running processes. */
  readonly process: string;
  /** `TIMEZONE`: defines when a day ends. */
  readonly timezone: string;
  /** Days of totals that are retained. */
  readonly keepDays: number;
  /** The first secret signs, all of them verify. None: no line is signed. */
  readonly secrets: readonly Secret[];
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Receives failures after which the publisher continues: a refused row, or lines that were not signed. */
  readonly onError: (error: unknown) => void;
  readonly most?: number;
  /** How long until a dead process is replaced, ms. */
  readonly leaseMs?: number;
  /** For tests. */
  readonly now?: () => Date;
}

export interface Published {
  readonly is: 'published' | 'idle' | 'held up' | 'not leading';
  /** Rows of the outbox. */
  readonly rows: number;
  readonly lines: number;
  /** More rows may be ready at once. */
  readonly more: boolean;
}

/** An outbox row that cannot be published is quarantined, and the others continue. */
export class RowRefused extends Error {
  override readonly name = 'RowRefused';
  readonly event: string | undefined;

  constructor(event: string | undefined, cause: Error) {
    super(`An event cannot be published and is quarantined: ${cause.message}`, { cause });
    this.event = event;
  }
}

interface Work {
  readonly events: boolean;
  readonly lines: boolean;
  readonly day: string | null;
  readonly at: Date;
}

interface Batch {
  readonly rows: number;
  readonly lines: number;
  readonly upTo: number;
}

const MOST = 500;
const LEASE_MS = 3_000;
/** After a failure to sign, events are published without signing for this time. */
const SIGN_AGAIN_MS = 30_000;
const NOTHING = { rows: 0, lines: 0, more: false } as const;

export class Publisher {
  readonly #options: PublisherOptions;
  readonly #signer: Signer;
  readonly #most: number;
  /** Smaller after a failure, until one row is alone in its batch. */
  #batch: number;
  #signsFromMono = Number.NEGATIVE_INFINITY;

  constructor(options: PublisherOptions) {
    this.#options = options;
    this.#most = options.most ?? MOST;
    this.#batch = this.#most;
    this.#signer = new Signer(options.secrets, this.#most);
  }

  /** Publishes one batch. Throws if PostgreSQL is away or the answer was lost: then the result is unknown. */
  async step(): Promise<Published> {
    const { database, process, clock } = this.#options;
    const signs = this.#signer.signs && clock.monotonic() >= this.#signsFromMono;
    const [work] = await database.run<Work>('publisher_work', [process, signs, this.#now()]);
    if (work === undefined) return { is: 'not leading', ...NOTHING };
    if (!work.events && !work.lines && !this.#isOver(work)) return { is: 'idle', ...NOTHING };
    const one = work.events && this.#batch === 1 ? await this.#oldest() : undefined;
    return this.#publish(one, signs);
  }

  /** Ends the lease, so that another process takes over at once. */
  async resign(): Promise<void> {
    await this.#options.database.run('resign_publisher', [this.#options.process]);
  }

  async #publish(one: string | undefined, signs: boolean): Promise<Published> {
    let isSigning = false;
    try {
      const done = await this.#options.database.transaction(async (run): Promise<Batch | undefined> => {
        const at = await this.#lead(run);
        if (at === undefined) return undefined;
        const rows = await this.#publishRows(run, at, one);
        isSigning = true;
        const signed = signs ? await this.#signer.sign(run, at) : { lines: 0, upTo: 0 };
        return { rows, ...signed };
      });
      if (done === undefined) return { is: 'not leading', ...NOTHING };
      this.#signer.committed(done.upTo);
      const more = done.rows >= this.#batch || done.lines >= this.#most;
      this.#batch = Math.min(this.#most, this.#batch * 2);
      return { is: 'published', rows: done.rows, lines: done.lines, more };
    } catch (error) {
      if (isSigning && signs && !(error instanceof AnswerLost)) {
        const { clock, onError } = this.#options;
        this.#signsFromMono = clock.monotonic() + SIGN_AGAIN_MS;
        onError(error);
        return this.#publish(one, false);
      }
      return this.#failed(one, error);
    }
  }

  /** The day opens before any total is added. Undefined: another process leads. */
  async #lead(run: Run): Promise<Date | undefined> {
    const { process, leaseMs = LEASE_MS, keepDays, timezone } = this.#options;
    const [lead] = await run<Pick<Work, 'at' | 'day'>>('lead_publisher', [process, leaseMs, this.#now()]);
    if (lead === undefined) return undefined;
    if (this.#isOver(lead)) await run('open_day', [dateIn(timezone, lead.at.getTime()), keepDays, this.#now()]);
    return lead.at;
  }

  async #publishRows(run: Run, at: Date, one: string | undefined): Promise<number> {
    const day = dateIn(this.#options.timezone, at.getTime());
    const values = [this.#batch, day, this.#now(), one];
    const [published] = await run<{ readonly taken: number }>('publish_events', values);
    return published?.taken ?? 0;
  }

  async #oldest(): Promise<string | undefined> {
    const [row] = await this.#options.database.run<{ readonly sequence: string }>('oldest_waiting');
    return row?.sequence;
  }

  /** Searches for the failing row in halves of the batch: the oldest rows come first. */
  async #failed(one: string | undefined, error: unknown): Promise<Published> {
    if (!isHeldUp(error) && (!isOfOneRow(error) || !(error instanceof Error))) throw error;
    if (this.#batch > 1) {
      this.#batch = Math.ceil(this.#batch / 2);
      return { is: 'held up', ...NOTHING, more: !isHeldUp(error) };
    }
    if (isHeldUp(error) || one === undefined) return { is: 'held up', ...NOTHING };
    const cause = error as Error;
    const [row] = await this.#options.database.run<{ readonly id: string | null }>('refuse_row', [
      one,
      cause.message,
    ]);
    if (row) this.#options.onError(new RowRefused(row.id ?? undefined, cause));
    this.#batch = this.#most;
    return { is: 'held up', ...NOTHING, more: true };
  }

  #isOver({ day, at }: Pick<Work, 'at' | 'day'>): boolean {
    return day === null || day < dateIn(this.#options.timezone, at.getTime());
  }

  #now(): Date | null {
    return this.#options.now?.() ?? null;
  }
}

interface PublishingOptions {
  readonly clock: Pick<Clock, 'sleep'>;
  /** The poll interval of an empty outbox. */
  readonly intervalMs: number;
  readonly onError: (error: unknown) => void;
}

/** Publishes until the signal fires; resolves when the current batch is committed and the lease is released. */
export async function publishUntil(
  signal: AbortSignal,
  publisher: Publisher,
  { clock, intervalMs, onError }: PublishingOptions,
): Promise<void> {
  while (!signal.aborted) {
    const more = await publisher.step().then(
      (done) => done.more,
      (error: unknown) => {
        onError(error);
        return false;
      },
    );
    // A sleep is interrupted only by the signal, and then the loop ends.
    if (!more) await clock.sleep(intervalMs, signal).catch(() => undefined);
  }
  await publisher.resign().catch(onError);
}

/** For metrics and alerts. */
export interface PublisherFigures {
  readonly waiting: number;
  /** ms; absent: the outbox is empty. */
  readonly oldestAgeMs: number | undefined;
  /** Unpublishable rows that wait for an operator. */
  readonly refused: number;
  readonly unsigned: number;
  readonly oldestUnsignedAgeMs: number | undefined;
  readonly position: number;
}

interface FiguresRow {
  readonly waiting: string;
  readonly oldest_at: Date | null;
  readonly refused: string;
  readonly unsigned: string;
  readonly oldest_unsigned_at: Date | null;
  readonly position: string;
  readonly at: Date;
}

export async function publisherFigures(database: Database, now?: Date): Promise<PublisherFigures> {
  const [row] = await database.run<FiguresRow>('publisher_figures', [now]);
  if (row === undefined) throw new Error('the stream has no row');
  const ageOf = (at: Date | null): number | undefined => (at ? row.at.getTime() - at.getTime() : undefined);
  return {
    waiting: Number(row.waiting),
    oldestAgeMs: ageOf(row.oldest_at),
    refused: Number(row.refused),
    unsigned: Number(row.unsigned),
    oldestUnsignedAgeMs: ageOf(row.oldest_unsigned_at),
    position: Number(row.position),
  };
}

/** Lets the publisher retry quarantined rows after their cause is removed. Returns their number. */
export async function releaseRefused(database: Database): Promise<number> {
  return (await database.run('release_refused')).length;
}
