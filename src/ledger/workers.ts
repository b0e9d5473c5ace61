/** Running workers, which share the work among them. */
import { hostname } from 'node:os';
import type { Random } from '../lib/random.ts';
import type { Database } from './pool.ts';

export interface WorkerHere {
  /** Machine, process and a unique word. */
  readonly name: string;
  /** Maximum requests in flight. */
  readonly slots: number;
}

interface WorkersOptions {
  readonly database: Database;
  /** Maximum requests in flight of this worker. */
  readonly slots: number;
  readonly random: Random;
  readonly place?: string;
  /** Gives the time instead of PostgreSQL, for tests. */
  readonly now?: () => Date;
}

/** A worker reports every second or so; after this silence it counts as gone. */
const SILENT_MS = 10_000;
const LONGEST_PLACE = 80;

/** Machine or container, and process. */
const thisPlace = (): string => `${hostname()}:${process.pid}`;

export async function workersHere(database: Database, now?: Date): Promise<readonly WorkerHere[]> {
  return database.run<WorkerHere>('present', [SILENT_MS, now ?? null]);
}

export class Workers {
  readonly #options: WorkersOptions;
  readonly #name: string;
  #all: number;

  constructor(options: WorkersOptions) {
    this.#options = options;
    // The name is shown on terminals.
    const place = (options.place ?? thisPlace()).replaceAll(/[^\x21-\x7e]/g, '_').slice(0, LONGEST_PLACE);
    this.#name = `${place} ${options.random.hex(4)}`;
    this.#all = options.slots;
  }

  /** The slots of all workers divided by those of this one, as of the last report. */
  get times(): number {
    return Math.max(1, this.#all / this.#options.slots);
  }

  async say(): Promise<void> {
    const { database, slots, now } = this.#options;
    const values = [this.#name, slots, SILENT_MS, now?.() ?? null];
    const [row] = await database.run<{ slots: string }>('say_present', values);
    this.#all = Number(row?.slots ?? slots);
  }

  async leave(): Promise<void> {
    await this.#options.database.run('leave', [this.#name]);
  }
}
