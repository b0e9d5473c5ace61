/** One file of recipients: spooled during the upload, copied in parts under a lease, counted in one transaction. */
import type { UploadRecord } from '../kinds/campaign-fields.ts';
import type { Clock } from '../lib/clock.ts';
import { packValues } from '../lib/packed-values.ts';
import type { Random } from '../lib/random.ts';
import type { Secret } from '../lib/secret.ts';
import { STOP, stopLink, stopPlaceOf } from '../lib/stop-link.ts';
import type { CampaignRecord } from '../operations/record.ts';
import { type Act, noteAct } from './acts.ts';
import { AnswerLost, isHeldUp } from './errors.ts';
import type { Partitions } from './partitions.ts';
import type { Database } from './pool.ts';
import { Spool } from './spool.ts';
import type { StopLinks } from './stop-links.ts';
import { storableJson } from './storable.ts';

export interface UploadedRecipient {
  readonly row: number;
  /** E.164, with the plus sign. */
  readonly to: string;
  readonly vars: Readonly<Record<string, string>>;
  /** Other cells of the row, packed. */
  readonly own?: string;
}

/** A row without a recipient. */
export interface SkippedRow {
  readonly row: number;
  /** As written, truncated. */
  readonly to: string;
  readonly reason: string;
  /** Other cells of the row, packed; '' if all are empty. */
  readonly own: string;
}

export interface UploadTotals {
  readonly recipients: number;
  readonly skipped: number;
  readonly segments: number;
}

/** The upload in the campaign's record, besides its totals. */
export type UploadNames = Omit<UploadRecord, 'tag' | 'slices' | 'recipients' | 'skipped'>;

/** One file during its upload. */
export interface UploadStage {
  readonly tag: string;
  recipient(recipient: UploadedRecipient): Promise<void> | undefined;
  skipped(row: SkippedRow): Promise<void> | undefined;
  /**
   * Undefined: the campaign changed meanwhile, and nothing counts. Throws `UploadUnderWay`: nothing counts either.
   */
  commit(names: UploadNames, totals: UploadTotals): Promise<UploadRecord | undefined>;
  discard(): Promise<void>;
}

export interface UploadStop {
  readonly links: Pick<StopLinks, 'open' | 'close'>;
  readonly publicUrl: string;
  /** The first secret signs. */
  readonly secrets: readonly Secret[];
}

export interface UploadWishes {
  readonly by?: string | undefined;
  readonly act?: Act | undefined;
  /** The variables of the text, in order. */
  readonly variables: readonly string[];
  /** Creates the link of each recipient. Absent: the text has no `{{stop}}`. */
  readonly stop?: UploadStop | undefined;
}

export interface UploadsOptions {
  readonly database: Database;
  readonly partitions: Pick<Partitions, 'ensureCampaign'>;
  readonly random: Random;
  readonly clock: Clock;
  /**
   * How long a file waits for another file of the same campaign. Absent: longer than a dead process keeps its lease.
   */
  readonly patienceMs?: number | undefined;
  /** Name of this process, in `worker`. Absent: others wait for the end of its lease. */
  readonly process?: string | undefined;
  /** The folder for spooled rows. Absent: the folder for temporary files. */
  readonly folder?: string | undefined;
}

/** Another file of the campaign is being added: nothing was done. */
export class UploadUnderWay extends Error {
  override readonly name = 'UploadUnderWay';

  constructor() {
    super('Another file of the campaign is being added');
  }
}

/** Tags of uploads that ended in this process while PostgreSQL was away, by campaign: their leases are free. */
export type GivenUp = Map<string, readonly string[]>;

export const TAG_BYTES = 8;
/** Renewed for each part, which takes a second or two. */
export const LEASE_MS = 60_000;
const SWEPT_AT_ONCE = 20_000;
const COUNT_TRIES = 3;
const PATIENCE_MS = 15_000;
const AGAIN_MS = 100;
const RECIPIENTS_PER_REQUEST = 50;
const RECIPIENT = ['campaign', 'n', 'row', 'phone', 'variables', 'own'] as const;
const LEFT_OUT = ['campaign', 'tag', 'n', 'row', 'written', 'reason', 'own'] as const;

interface Begun {
  /** The campaign's number in the database. */
  readonly number: string;
  readonly first: number;
}

export class Upload implements UploadStage {
  readonly tag: string;
  readonly #options: UploadsOptions & { readonly givenUp: GivenUp };
  readonly #campaign: CampaignRecord;
  readonly #wishes: UploadWishes;
  readonly #stop: UploadStop | undefined;
  readonly #recipients: Spool;
  readonly #leftOut: Spool;
  /** The name of the upload in stop links, if it has one. */
  #link: string | undefined;
  #begun: Begun | undefined;

  constructor(
    options: UploadsOptions & { readonly givenUp: GivenUp },
    campaign: CampaignRecord,
    wishes: UploadWishes,
  ) {
    this.#options = options;
    this.#campaign = campaign;
    this.#wishes = wishes;
    this.#stop = wishes.variables.includes(STOP) ? wishes.stop : undefined;
    this.#recipients = new Spool(options.folder);
    this.#leftOut = new Spool(options.folder);
    this.tag = tagFor(campaign, options.random);
  }

  recipient(one: UploadedRecipient): Promise<void> | undefined {
    const stop = this.#stop;
    if (stop === undefined) return this.#add(one);
    return this.#link === undefined ? this.#addFirst(one, stop) : this.#add(one, this.#linkTo(stop, this.#link));
  }

  skipped({ row, to, reason, own }: SkippedRow): Promise<void> | undefined {
    return this.#leftOut.add([row, to, reason, own === '' ? null : own]);
  }

  async commit(
    names: UploadNames,
    { recipients, skipped, segments }: UploadTotals,
  ): Promise<UploadRecord | undefined> {
    if (recipients !== this.#recipients.rows || skipped !== this.#leftOut.rows)
      throw new Error('the rows of the upload do not add up to its totals');
    try {
      if (!(await this.#copied())) return undefined;
      const slices = Math.ceil(recipients / RECIPIENTS_PER_REQUEST);
      const upload: UploadRecord = { ...names, tag: this.tag, slices, recipients, skipped };
      return (await this.#count(upload, segments)) ? upload : undefined;
    } finally {
      await this.#close();
    }
  }

  async discard(): Promise<void> {
    await this.#close();
    if (this.#begun !== undefined) {
      this.#isGivenUp();
      await giveUp(this.#options.database, this.#begun.number, this.tag);
    }
    if (this.#link !== undefined) await this.#stop?.links.close(this.#link);
  }

  #add({ row, to, vars, own = '' }: UploadedRecipient, link?: string): Promise<void> | undefined {
    const valueOf = (name: string): string => (name === STOP && link !== undefined ? link : vars[name]) ?? '';
    const { variables } = this.#wishes;
    const values = variables.length === 0 ? null : packValues(variables.map(valueOf));
    return this.#recipients.add([row, to.slice(1), values, own === '' ? null : own]);
  }

  async #addFirst(one: UploadedRecipient, stop: UploadStop): Promise<void> {
    this.#link = await stop.links.open(`${this.#campaign.id}.${this.tag}`);
    await this.#add(one, this.#linkTo(stop, this.#link));
  }

  #linkTo({ publicUrl, secrets }: UploadStop, upload: string): string {
    return stopLink(publicUrl, secrets, { upload, ...stopPlaceOf(this.#recipients.rows) });
  }

  /** False: the campaign changed. */
  async #copied(): Promise<boolean> {
    try {
      return await this.#copyAll();
    } catch (error) {
      this.#isGivenUp();
      // Best effort, so that the same file can be sent again at once: the lease ends by itself.
      await this.discard().catch(() => undefined);
      throw isHeldUp(error) ? new UploadUnderWay() : error;
    }
  }

  async #copyAll(): Promise<boolean> {
    const { database, partitions } = this.#options;
    const begun = await this.#begin();
    if (begun === undefined) return false;
    const { number, first } = begun;
    this.#begun = begun;
    await sweepRows(database, { number, tag: this.tag, whole: false });
    await partitions.ensureCampaign(number);
    const recipients = this.#recipients.parts((place) => `${number}\t${first + place}`);
    for await (const rows of recipients) await this.#copy('recipient', RECIPIENT, rows);
    const leftOut = this.#leftOut.parts((place) => `${number}\t${this.tag}\t${place}`);
    for await (const rows of leftOut) await this.#copy('left_out_row', LEFT_OUT, rows);
    return true;
  }

  /**
   * Waits for another file of the campaign: then that file counts and the campaign has changed, or its lease is free.
   * Undefined: the campaign changed.
   */
  async #begin(): Promise<Begun | undefined> {
    const { database, clock, process = null, givenUp, patienceMs = PATIENCE_MS } = this.#options;
    const { id, uploads, rev } = this.#campaign;
    const sinceMono = clock.monotonic();
    for (;;) {
      const asked = [id, this.tag, uploads.length, rev, LEASE_MS, process, givenUp.get(id) ?? [], null];
      const [begun] = await database.run<{ number: string; first_n: number | null }>('begin_upload', asked);
      if (begun === undefined) return undefined;
      const { number, first_n: first } = begun;
      if (first !== null) {
        givenUp.delete(id);
        return { number, first };
      }
      if (clock.monotonic() - sinceMono >= patienceMs) throw new UploadUnderWay();
      await clock.sleep(AGAIN_MS);
    }
  }

  async #copy(table: string, columns: readonly string[], rows: Uint8Array): Promise<void> {
    await this.#options.database.transaction(async (run, copy) => {
      const [held] = await run('renew_upload', [this.#begun?.number, this.tag, LEASE_MS, null]);
      if (held === undefined) throw new UploadUnderWay();
      await copy(table, columns, rows);
    });
  }

  /** Repeats a commit whose answer was lost: the upload counts one time. */
  async #count(upload: UploadRecord, segments: number): Promise<boolean> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#countOnce(upload, segments);
      } catch (error) {
        if ((error instanceof AnswerLost || isHeldUp(error)) && tries < COUNT_TRIES) continue;
        // Sending the same file again shows whether it counted.
        this.#isGivenUp();
        throw error;
      }
    }
  }

  async #countOnce(upload: UploadRecord, segments: number): Promise<boolean> {
    const { by = 'producer', act } = this.#wishes;
    const { uploads, rev } = this.#campaign;
    const number = this.#begun?.number;
    return this.#options.database.transaction(async (run) => {
      const [counted] = await run<{ before: number; after: number }>('count_upload', [
        number,
        this.tag,
        uploads.length,
        rev,
        storableJson(upload),
        upload.recipients,
        upload.skipped,
        segments,
        by,
        null,
      ]);
      if (counted === undefined) {
        const [was] = await run<{ counts: boolean }>('upload_counts', [number, this.tag]);
        return was?.counts === true;
      }
      const { before, after } = counted;
      const changed = { before: { recipients: before }, facts: { ...act?.facts, recipients: after } };
      if (act) await noteAct(run, { ...act, ...changed });
      return true;
    });
  }

  #isGivenUp(): void {
    const { givenUp } = this.#options;
    const { id } = this.#campaign;
    givenUp.set(id, [...(givenUp.get(id) ?? []), this.tag]);
  }

  async #close(): Promise<void> {
    await this.#recipients.close();
    await this.#leftOut.close();
  }
}

/** Removes the rows of an upload that will not count, and ends its lease. */
export async function giveUp(database: Database, number: string, tag: string): Promise<void> {
  await sweepRows(database, { number, tag, whole: true });
  await database.run('end_upload', [number, tag]);
}

interface Sweep {
  readonly number: string;
  readonly tag: string;
  /** Includes the rows of this upload. */
  readonly whole: boolean;
}

async function sweepRows(database: Database, { number, tag, whole }: Sweep): Promise<void> {
  for (;;) {
    const [row] = await database.run<{ gone: string }>('sweep_upload', [number, tag, whole, SWEPT_AT_ONCE]);
    if (Number(row?.gone ?? 0) === 0) return;
  }
}

/** The tags of a campaign differ: rows and links are found by them. */
function tagFor({ uploads }: CampaignRecord, random: Random): string {
  let tag = random.hex(TAG_BYTES);
  while (uploads.some((one) => one.tag === tag)) tag = random.hex(TAG_BYTES);
  return tag;
}
