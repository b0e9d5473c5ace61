/** What is known of Redis outside it, in small files: how far it had come, and what processes were about to let leave. */
import { closeSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import type { Marks } from '../operations/heartbeat.ts';
import { type Beat, type WitnessWord, witnessWord } from '../operations/witness-word.ts';

/**
 * The witness: a small file outside Redis that knows how far Redis had come. A copy of Redis that is put back knows
 * less, however young it is; one that knows exactly as much has merely slept.
 *
 * It has a line for each deployment, so that one folder may see several: another Redis is no older one.
 */

const fileSchema = z.object({ deployments: z.array(witnessWord) });

/** Of these, the last ones that were at work. */
const KEPT_MOST = 20;

interface WitnessOptions {
  readonly path: string;
  readonly place: string;
  /** Tells the file that is being written from that of another process. */
  readonly tag: string;
}

export class Witness {
  readonly #options: WitnessOptions;

  constructor(options: WitnessOptions) {
    this.#options = options;
  }

  /**
   * What is known of this deployment. A Redis that knows of none is compared with what was last known of its place.
   * Throws when the file is there and cannot be read.
   */
  async tell(deployment: string | undefined): Promise<Beat | undefined> {
    const entries = await this.#read();
    const { place } = this.#options;
    return entries.find((one) => (deployment === undefined ? one.place === place : one.deployment === deployment));
  }

  /** Writes down what is known now, and never less than stands there: another process may have come further. */
  async keep(beat: Beat): Promise<void> {
    if (beat.epoch === '') return;
    const { path, place, tag } = this.#options;
    const entries = await this.#read();
    const known = entries.find(({ deployment }) => deployment === beat.deployment);
    const own = { ...(known && known.counter > beat.counter ? known : beat), place };
    const others = entries.filter(({ deployment }) => deployment !== beat.deployment);
    const text = `${JSON.stringify({ deployments: [own, ...others].slice(0, KEPT_MOST) }, null, 2)}\n`;
    await mkdir(dirname(path), { recursive: true });
    const draft = `${path}.${tag}`;
    const file = await open(draft, 'w', 0o600);
    try {
      await file.writeFile(text);
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  }

  /** What the processes that share this folder have let leave, each in a file of its own. */
  marks(onError: (error: unknown) => void): MarkFiles {
    return new MarkFiles({ ...this.#options, onError });
  }

  /** Throws where the file could not be written. Writes nothing that stays. */
  async prove(): Promise<void> {
    const { path, tag } = this.#options;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(`${path}.${tag}`, '');
    await rm(`${path}.${tag}`);
  }

  async #read(): Promise<WitnessWord[]> {
    let text: string;
    try {
      text = await readFile(this.#options.path, 'utf8');
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
    return fileSchema.parse(JSON.parse(text)).deployments;
  }
}

interface MarkFilesOptions extends Omit<WitnessOptions, 'place'> {
  readonly onError: (error: unknown) => void;
}

/** A process that died so long ago (ms) has been heard by all that have started since. */
const HEARD_AFTER_MS = 600_000;
const COUNTER_LENGTH = 16;

/**
 * A file of this process beside the witness, with the counter of the last thing that it let leave: a process that is
 * killed remembers nothing, and a replica that was promoted may not have heard of what it sent a moment before. Written
 * without waiting for the disk, since it has to outlive a process and not the machine: some microseconds for each.
 */
export class MarkFiles implements Marks {
  readonly #options: MarkFilesOptions;
  #file: number | undefined;
  #failed = false;

  constructor(options: MarkFilesOptions) {
    this.#options = options;
  }

  keep(epoch: string, counter: number): void {
    try {
      this.#file ??= openSync(this.#own, 'w', 0o600);
      writeSync(this.#file, `${epoch} ${String(counter).padStart(COUNTER_LENGTH)}\n`, 0);
      this.#failed = false;
    } catch (error) {
      // Told once, and not for each thing that leaves: without it there is the memory of the processes.
      if (!this.#failed) this.#options.onError(error);
      this.#failed = true;
    }
  }

  highest(epoch: string): number {
    const counters = this.#all((path) => {
      const [of, counter] = readFileSync(path, 'utf8').split(/\s+/);
      return of === epoch ? Number(counter) : 0;
    });
    return Math.max(0, ...counters.filter(Number.isSafeInteger));
  }

  /** Files of the dead, once the witness knows what they knew. `now`: ms since the epoch. */
  forgetDead(now: number): void {
    this.#all((path) => {
      if (now - statSync(path).mtimeMs > HEARD_AFTER_MS) rmSync(path, { force: true });
    });
  }

  /** This process has ended in good order: the witness knows what it knew. */
  close(): void {
    if (this.#file === undefined) return;
    closeSync(this.#file);
    this.#file = undefined;
    rmSync(this.#own, { force: true });
  }

  get #own(): string {
    return `${this.#options.path}.mark.${this.#options.tag}`;
  }

  /** Of each such file of this folder. One that goes meanwhile belonged to a process that has ended in good order. */
  #all<T>(read: (path: string) => T): T[] {
    const { path, onError } = this.#options;
    const folder = dirname(path);
    try {
      const names = readdirSync(folder).filter((name) => name.startsWith(`${basename(path)}.mark.`));
      return names.flatMap((name) => orNone(() => [read(join(folder, name))]));
    } catch (error) {
      onError(error);
      return [];
    }
  }
}

function orNone<T>(read: () => T[]): T[] {
  try {
    return read();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
