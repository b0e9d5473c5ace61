/**
 * The uploaded file of a draft until its recipients are added, so that decisions about it can be made on different
 * days. It expires after a few days.
 */
import { UnusableFile } from '../files/problems.ts';
import { RowReader } from '../files/rows.ts';
import type { Random } from '../lib/random.ts';
import type { Database, Run } from './pool.ts';
import { storableJson, storableText } from './storable.ts';

const KEPT_MS = 3 * 86_400_000;
const PIECE_BYTES = 512 * 1_024;
const ID_BYTES = 16;

interface About {
  readonly name: string;
  /** The media type of the upload. */
  readonly type: string;
  readonly bytes: number;
  /** ms since the epoch. */
  readonly at: number;
}

export interface KeptFile extends About {
  readonly until: number;
  /** The options and report of its last check; undefined: never checked. */
  readonly options: unknown;
  readonly report: unknown;
}

/** The file is larger than allowed. */
export class FileTooLarge extends Error {
  override readonly name = 'FileTooLarge';
}

interface KeptFilesOptions {
  readonly database: Database;
  readonly random: Random;
  /** For tests, instead of the time of PostgreSQL. */
  readonly now?: () => Date;
}

interface Row {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly bytes: string;
  readonly kept_at: Date;
  readonly expires_at: Date;
  readonly options: unknown;
  readonly report: unknown;
}

export class KeptFiles {
  readonly #database: Database;
  readonly #random: Random;
  readonly #now: () => Date | null;

  constructor({ database, random, now }: KeptFilesOptions) {
    this.#database = database;
    this.#random = random;
    this.#now = () => now?.() ?? null;
  }

  /** Replaces the file as a whole, or changes nothing. No transaction waits for the sender. */
  async keep(
    campaign: string,
    source: AsyncIterable<Uint8Array>,
    { most, name, type, at }: Omit<About, 'bytes'> & { readonly most: number },
  ): Promise<void> {
    const id = this.#random.hex(ID_BYTES);
    const values = [id, campaign, storableText(name), storableText(type), new Date(at), KEPT_MS, this.#now()];
    await this.#database.run('begin_kept_file', values);
    try {
      const bytes = await this.#write(id, source, most);
      await this.#database.transaction(async (run) => {
        await run('forget_kept_files', [campaign]);
        const [complete] = await run('complete_kept_file', [id, bytes]);
        if (complete === undefined) throw new Error('the file expired before it was complete');
      });
    } catch (error) {
      await this.#database.run('drop_kept_file', [id]);
      throw error;
    }
  }

  async #write(id: string, source: AsyncIterable<Uint8Array>, most: number): Promise<number> {
    let [bytes, piece, waiting, wait] = [0, 0, [] as Uint8Array[], 0];
    const flush = async (): Promise<void> => {
      await this.#database.run('add_kept_piece', [id, piece, Buffer.concat(waiting)]);
      [piece, waiting, wait] = [piece + 1, [], 0];
    };
    for await (const chunk of source) {
      const { length } = chunk;
      bytes += length;
      if (bytes > most) throw new FileTooLarge(`more than ${most} bytes`);
      waiting.push(chunk);
      // A running sum: half a million chunks of one byte form one piece too.
      wait += length;
      if (wait >= PIECE_BYTES) await flush();
    }
    await flush();
    return bytes;
  }

  async find(campaign: string): Promise<KeptFile | undefined> {
    const row = await this.#row(campaign);
    if (row === undefined) return undefined;
    const { name, type, bytes, kept_at: keptAt, expires_at: expiresAt, options, report } = row;
    const about = { name, type, bytes: Number(bytes), at: keptAt.getTime(), until: expiresAt.getTime() };
    return { ...about, options: options ?? undefined, report: report ?? undefined };
  }

  /** Its bytes, one piece at a time. */
  async *open(campaign: string): AsyncGenerator<Uint8Array, void, undefined> {
    const row = await this.#row(campaign);
    if (row !== undefined) yield* piecesOf(this.#database.run, row.id);
  }

  /** Whether any cell on any sheet matches. True for an unreadable file, which might match. */
  async mentions(campaign: string, isAbout: (cell: string) => boolean): Promise<boolean> {
    const row = await this.#row(campaign);
    return row !== undefined && (await fileMentions(this.#database.run, row.id, isAbout));
  }

  /**
   * Stores the result of a check; without a report, only the options. A file that replaced it meanwhile is unchanged.
   */
  async judged(
    campaign: string,
    { at }: KeptFile,
    { options, report }: { readonly options: object; readonly report: object | undefined },
  ): Promise<void> {
    const said = [storableJson(options), report === undefined ? null : storableJson(report)];
    await this.#database.run('judge_kept_file', [campaign, new Date(at), ...said]);
  }

  /** The text or the country changed: the report is outdated. */
  async outdated(campaign: string): Promise<void> {
    await this.#database.run('outdate_kept_file', [campaign]);
  }

  async forget(campaign: string): Promise<void> {
    await this.#database.run('forget_kept_files', [campaign]);
  }

  /** Removes expired files. Returns their number. */
  async expire(most: number): Promise<number> {
    return (await this.#database.run('expire_kept_files', [most, this.#now()])).length;
  }

  async #row(campaign: string): Promise<Row | undefined> {
    const [row] = await this.#database.run<Row>('kept_file', [campaign, this.#now()]);
    return row;
  }
}

async function* piecesOf(run: Run, file: string): AsyncGenerator<Uint8Array, void, undefined> {
  for (let piece = 0; ; piece += 1) {
    const [row] = await run<{ bytes: Buffer }>('kept_piece', [file, piece]);
    if (row === undefined) return;
    yield row.bytes;
  }
}

/** Whether any cell of a stored file matches, on any sheet. True for an unreadable file, which might match. */
export async function fileMentions(run: Run, file: string, isAbout: (cell: string) => boolean): Promise<boolean> {
  try {
    const first = await sheetMentions(run, file, undefined, isAbout);
    if (first.found) return true;
    for (const other of first.others) if ((await sheetMentions(run, file, other, isAbout)).found) return true;
    return false;
  } catch (error) {
    if (!(error instanceof UnusableFile)) throw error;
    return true;
  }
}

async function sheetMentions(
  run: Run,
  file: string,
  sheet: string | undefined,
  isAbout: (cell: string) => boolean,
): Promise<{ readonly found: boolean; readonly others: readonly string[] }> {
  const reader = new RowReader(piecesOf(run, file), { sheet });
  let found = false;
  for await (const rows of reader.batches()) found ||= rows.some(({ cells }) => cells.some(isAbout));
  return { found: found || reader.columns.some(isAbout), others: reader.allOthers };
}
