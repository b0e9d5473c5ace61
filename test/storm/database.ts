/** The PostgreSQL of a storm: killed and restarted, frozen, backed up, and restored. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { EmbeddedPostgres } from '../../src/ledger/embedded.ts';
import { openPostgres } from '../support/postgres.ts';
import { mind } from './child.ts';
import { nowMs, wait } from './clock.ts';
import { within } from './phases.ts';

const START_WITHIN_MS = 90_000;

export interface RestoreTimes {
  readonly goneAt: number;
  readonly backAt: number;
}

export class StormDatabase {
  readonly #server: EmbeddedPostgres;
  readonly counts = { crashes: 0, freezes: 0 };
  /** When it answered no process, in ms since the epoch. */
  readonly dark: { readonly from: number; readonly to: number }[] = [];
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(server: EmbeddedPostgres) {
    this.#server = server;
  }

  static async in(folder: string): Promise<StormDatabase> {
    return new StormDatabase(await openPostgres(folder, { started: mind }));
  }

  get port(): number {
    return Number(new URL(this.#server.url).port);
  }

  get url(): string {
    return this.#server.url;
  }

  /** With SIGKILL; restarted after `darkMs`. */
  async crash(darkMs: number): Promise<void> {
    await this.#away(async () => {
      this.counts.crashes += 1;
      await this.#server.crash();
      await wait(darkMs);
      await this.#start();
    });
  }

  /** Every process of the server: a running one would answer. */
  async freeze(ms: number): Promise<void> {
    await this.#away(async () => {
      this.counts.freezes += 1;
      const pids = this.#pids();
      signal(pids, 'SIGSTOP');
      await wait(ms);
      signal(pids, 'SIGCONT');
    });
  }

  /** Copies its data into a folder; the server is stopped meanwhile. */
  async copy(to: string): Promise<void> {
    await this.#away(async () => {
      await this.#server.crash();
      copyFolder(this.#server.data, to);
      await this.#start();
    });
  }

  /** Restores a backup: all later commits are gone. */
  async restore(copy: string, darkMs: number): Promise<RestoreTimes> {
    return this.#away(async () => {
      await this.#server.crash();
      const goneAt = nowMs();
      rmSync(this.#server.data, { recursive: true });
      copyFolder(copy, this.#server.data);
      await wait(darkMs);
      const backAt = nowMs();
      await this.#start();
      return { goneAt, backAt };
    });
  }

  async stop(): Promise<void> {
    await this.#turn;
    await this.#server.crash();
  }

  #start(): Promise<void> {
    return within(START_WITHIN_MS, 'PostgreSQL to start', this.#server.start());
  }

  /** One act at a time. */
  #away<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(async () => {
      const from = Date.now();
      try {
        return await act();
      } finally {
        this.dark.push({ from, to: Date.now() });
      }
    });
    this.#turn = done.catch(() => undefined);
    return done;
  }

  #pids(): readonly number[] {
    const [first = ''] = readFileSync(join(this.#server.data, 'postmaster.pid'), 'utf8').split('\n');
    const postmaster = Number(first);
    // Only Linux lists the children; elsewhere the server only stops accepting connections.
    const children = `/proc/${postmaster}/task/${postmaster}/children`;
    const backends = existsSync(children) ? readFileSync(children, 'utf8').trim().split(' ') : [];
    return [postmaster, ...backends.map(Number)].filter((pid) => pid > 0);
  }
}

/** The files keep their owner: PostgreSQL refuses data of another user. */
export function copyFolder(from: string, to: string): void {
  execFileSync('cp', ['-a', from, to]);
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      // A backend whose client disconnected ends by itself.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }
}
