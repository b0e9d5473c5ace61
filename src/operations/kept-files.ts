/**
 * The file of a draft, as it was uploaded, until its recipients are counted: what is decided about it can be decided
 * today and tomorrow, and nobody has to choose the file again. Kept for a few days and then forgotten.
 */
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { UnusableFile } from '../files/problems.ts';
import { RowReader } from '../files/rows.ts';
import type { Random } from '../lib/random.ts';
import { answersOf, ignored } from '../redis/scripts.ts';
import { keys } from './keys.ts';

const KEPT_SECONDS = 3 * 86_400;
const PIECE_BYTES = 512 * 1_024;

const about = z.object({
  name: z.string(),
  /** The media type that it came with. */
  type: z.string(),
  bytes: z.int(),
  /** ms since the epoch. */
  at: z.number(),
});

type About = z.output<typeof about>;

export interface KeptFile extends About {
  readonly until: number;
  /** How it was read when it was judged last, and what that said; undefined: it never was. */
  readonly wishes: unknown;
  readonly report: unknown;
}

/** More came than may be kept. */
export class FileTooLarge extends Error {
  override readonly name = 'FileTooLarge';
}

interface KeptFilesOptions {
  readonly redis: Redis;
  readonly random: Random;
}

export class KeptFiles {
  readonly #redis: Redis;
  readonly #random: Random;

  constructor({ redis, random }: KeptFilesOptions) {
    this.#redis = redis;
    this.#random = random;
  }

  /** The whole of it takes the place of the one before, or nothing does. */
  async keep(
    campaign: string,
    source: AsyncIterable<Uint8Array>,
    { most, ...facts }: Omit<About, 'bytes'> & { readonly most: number },
  ): Promise<void> {
    const place = keys.keptFile(`${campaign}.${this.#random.hex(6)}`);
    try {
      const bytes = await this.#write(place, source, most);
      await this.#redis.hset(place, 'about', JSON.stringify({ ...facts, bytes }));
      await this.#redis.rename(place, keys.keptFile(campaign));
    } catch (error) {
      await this.#redis.unlink(place);
      throw error;
    }
  }

  async #write(place: string, source: AsyncIterable<Uint8Array>, most: number): Promise<number> {
    let [bytes, piece, waiting, wait] = [0, 0, [] as Uint8Array[], 0];
    const flush = async (): Promise<void> => {
      // In one step: nothing of it may stay for ever where the process dies in between.
      const writing = this.#redis.multi().hset(place, String(piece), Buffer.concat(waiting));
      await answersOf(piece === 0 ? writing.expire(place, KEPT_SECONDS) : writing, ignored);
      [piece, waiting, wait] = [piece + 1, [], 0];
    };
    for await (const chunk of source) {
      bytes += chunk.length;
      if (bytes > most) throw new FileTooLarge(`more than ${most} bytes`);
      waiting.push(chunk);
      // Not added up anew: half a million chunks of a byte are a piece, too.
      wait += chunk.length;
      if (wait >= PIECE_BYTES) await flush();
    }
    await flush();
    return bytes;
  }

  async find(campaign: string): Promise<KeptFile | undefined> {
    const place = keys.keptFile(campaign);
    const [[facts, wishes, report], left] = await Promise.all([
      this.#redis.hmget(place, 'about', 'wishes', 'report'),
      this.#redis.pexpiretime(place),
    ]);
    if (!facts) return undefined;
    return { ...about.parse(JSON.parse(facts)), until: left, wishes: parsed(wishes), report: parsed(report) };
  }

  /** Its bytes, a piece at a time. */
  async *open(campaign: string): AsyncGenerator<Uint8Array, void, undefined> {
    for (let piece = 0; ; piece += 1) {
      const bytes = await this.#redis.hgetBuffer(keys.keptFile(campaign), String(piece));
      if (bytes === null) return;
      yield bytes;
    }
  }

  /** Whether any cell of it does, on any sheet; what cannot be read might. */
  async mentions(campaign: string, isAbout: (cell: string) => boolean): Promise<boolean> {
    try {
      const first = await this.#sheet(campaign, undefined, isAbout);
      if (first.found) return true;
      for (const other of first.others) if ((await this.#sheet(campaign, other, isAbout)).found) return true;
      return false;
    } catch (error) {
      if (!(error instanceof UnusableFile)) throw error;
      return true;
    }
  }

  async #sheet(campaign: string, sheet: string | undefined, isAbout: (cell: string) => boolean) {
    const reader = new RowReader(this.open(campaign), { sheet });
    let found = false;
    for await (const rows of reader.batches()) found ||= rows.some(({ cells }) => cells.some(isAbout));
    return { found: found || reader.columns.some(isAbout), others: reader.allOthers };
  }

  /** What the last look at it came to; without a report, how it was looked at. One that is gone stays gone. */
  async judged(
    campaign: string,
    { at }: KeptFile,
    { wishes, report }: { readonly wishes: object; readonly report: object | undefined },
  ): Promise<void> {
    const place = keys.keptFile(campaign);
    const now = await this.find(campaign);
    // Another file took its place meanwhile: this is not what it came to.
    if (now?.at !== at) return;
    const said = { wishes: JSON.stringify(wishes), ...(report ? { report: JSON.stringify(report) } : {}) };
    await answersOf(this.#redis.multi().hset(place, said).pexpireat(place, now.until), ignored);
  }

  /** Another text, or another country: what was said of it is no longer so. */
  async outdated(campaign: string): Promise<void> {
    await this.#redis.hdel(keys.keptFile(campaign), 'report');
  }

  async forget(campaign: string): Promise<void> {
    await this.#redis.unlink(keys.keptFile(campaign));
  }
}

function parsed(text: string | null | undefined): unknown {
  return text ? JSON.parse(text) : undefined;
}
