/**
 * The witness: a small file outside Redis that knows how far Redis had come. A copy of Redis that is put back knows
 * less, however young it is; one that knows exactly as much has merely slept.
 *
 * It has a line for each deployment, so that one folder may see several: another Redis is no older one.
 */
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { Beat } from '../operations/heartbeat.ts';

const entrySchema = z.object({
  deployment: z.string(),
  epoch: z.string(),
  counter: z.number(),
  event: z.string(),
  at: z.number(),
  /** ENVIRONMENT and where Redis is: what a Redis that has lost everything is known by. */
  place: z.string(),
});
const fileSchema = z.object({ deployments: z.array(entrySchema) });
type Entry = z.output<typeof entrySchema>;

/** Of these, the last ones that were at work. */
const KEPT_MOST = 20;

export interface WitnessOptions {
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

  /** Throws where the file could not be written. Writes nothing that stays. */
  async prove(): Promise<void> {
    const { path, tag } = this.#options;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(`${path}.${tag}`, '');
    await rm(`${path}.${tag}`);
  }

  async #read(): Promise<Entry[]> {
    let text: string;
    try {
      text = await readFile(this.#options.path, 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
      throw error;
    }
    return fileSchema.parse(JSON.parse(text)).deployments;
  }
}
