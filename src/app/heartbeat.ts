/** The heartbeat of a process: finds out at its start what it may work on, beats each second, and keeps the witness. */
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { type Config, WrongSettings } from '../config.ts';
import type { Beat } from '../operations/heartbeat.ts';
import { KeysOfAnother } from '../operations/stamp.ts';
import type { Container } from './container.ts';
import { type Part, waitForRedis } from './parts.ts';

const BEAT_EVERY_MS = 1_000;
const DEFAULT_WITNESS = '.relais/witness';

type Needs = Pick<
  Container,
  'config' | 'logger' | 'quietly' | 'clock' | 'random' | 'redis' | 'heartbeat' | 'patience'
>;

/**
 * Before whatever accepts or sends: nobody may be at work on a Redis that has lost something. `onKeysOfAnother`: a
 * reconnect has led to another deployment's, and nothing was written there.
 */
export function heartbeatPart(needs: Needs, onKeysOfAnother: () => void): Part {
  const { heartbeat, clock, quietly, redis, patience } = needs;
  return {
    name: 'the heartbeat',
    start: async () => {
      const witness = await witnessOf(needs);
      await waitForRedis(async () => heartbeat.begin(await told(witness, needs)), patience);
      const writeDown = async (): Promise<void> => {
        await witness?.keep(heartbeat.known()).catch((error: unknown) => quietly('the witness file', error));
      };
      await writeDown();
      const failed = (error: unknown): void => {
        if (error instanceof KeysOfAnother) onKeysOfAnother();
        else quietly('heartbeat', error);
      };
      let cancel = (): void => undefined;
      let underWay: Promise<void> = Promise.resolve();
      const beat = async (): Promise<void> => {
        cancel();
        await heartbeat.beat().then(writeDown, failed);
        cancel = clock.after(BEAT_EVERY_MS, next);
      };
      const next = (): void => {
        underWay = underWay.then(beat);
      };
      // What answers after a reconnect may be another server.
      redis.on('ready', next);
      cancel = clock.after(BEAT_EVERY_MS, next);
      return async () => {
        redis.off('ready', next);
        await underWay;
        cancel();
        await heartbeat.end().then(writeDown, (error: unknown) => quietly('heartbeat', error));
      };
    },
  };
}

async function told(witness: Witness | undefined, { heartbeat, logger }: Needs) {
  const deployment = await heartbeat.deployment();
  try {
    return await witness?.tell(deployment);
  } catch (error) {
    logger.warn({ err: error }, 'the witness file cannot be read, so it proves nothing at this start');
    return undefined;
  }
}

/** Undefined: there is none. A file that was asked for and cannot be written is a wrong setting. */
async function witnessOf({ config, logger, random }: Needs): Promise<Witness | undefined> {
  const { WITNESS_FILE: path } = config;
  if (path === 'off') return undefined;
  const witness = new Witness({ path: path ?? DEFAULT_WITNESS, place: placeOf(config), tag: random.hex(4) });
  try {
    await witness.prove();
    return witness;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    if (path !== undefined) throw new WrongSettings([`WITNESS_FILE: cannot be written (${why})`]);
    logger.info({ why }, 'there is no witness file: a long stop will have to be confirmed');
    return undefined;
  }
}

/** The name of this place, without a password. */
function placeOf(config: Config): string {
  const { host, pathname } = new URL(config.REDIS_URL);
  const server = config.REDIS_SENTINELS === undefined ? host : config.REDIS_SENTINEL_NAME;
  return `${config.ENVIRONMENT} ${server}${pathname === '' ? '/' : pathname} ${config.REDIS_PREFIX}`;
}

/**
 * The witness: a small file outside Redis that knows how far Redis had come. A copy of Redis that is put back knows
 * less, however young it is; one that knows exactly as much has merely slept.
 *
 * It has a line for each deployment, so that one folder may see several: another Redis is no older one.
 */

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

interface WitnessOptions {
  readonly path: string;
  readonly place: string;
  /** Tells the file that is being written from that of another process. */
  readonly tag: string;
}

class Witness {
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
