/**
 * The file of a draft, as it was uploaded, until its recipients are added: decisions about it can be made today and
 * tomorrow. It expires after a few days.
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
  /** The media type that it came with. */
  readonly type: string;
  readonly bytes: number;
  /** ms since the epoch. */
  readonly at: number;
}

export interface KeptFile extends About {
  readonly until: number;
  /** How its last check read it, and the report; undefined: it was never checked. */
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

  /** The whole file replaces the one before, or nothing does. No transaction waits for the sender. */
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
      // Not added up anew: half a million chunks of one byte are a piece as well.
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

  /** Its bytes, a piece at a time. */
  async *open(campaign: string): AsyncGenerator<Uint8Array, void, undefined> {
    const row = await this.#row(campaign);
    if (row !== undefined) yield* piecesOf(this.#database.run, row.id);
  }

  /** Whether any cell does, on any sheet; a file that cannot be read might. */
  async mentions(campaign: string, isAbout: (cell: string) => boolean): Promise<boolean> {
    const row = await this.#row(campaign);
    return row !== undefined && (await fileMentions(this.#database.run, row.id, isAbout));
  }

  /** The result of a check; without a report, only how the file was read. Another file that came meanwhile stays as it is. */
  async judged(
    campaign: string,
    { at }: KeptFile,
    { options, report }: { readonly options: object; readonly report: object | undefined },
  ): Promise<void> {
    const said = [storableJson(options), report === undefined ? null : storableJson(report)];
    await this.#database.run('judge_kept_file', [campaign, new Date(at), ...said]);
  }

  /** The text or the country changed: the report no longer holds. */
  async outdated(campaign: string): Promise<void> {
    await this.#database.run('outdate_kept_file', [campaign]);
  }

  async forget(campaign: string): Promise<void> {
    await this.#database.run('forget_kept_files', [campaign]);
  }

  /** Removes expired files. Answers their number. */
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

/** Whether any cell of a stored file does, on any sheet; a file that cannot be read might. */
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
