/**
 * The faults of a storm: of our processes, their connections, PostgreSQL, Redis and the provider, drawn from the
 * seed.
 */
import { type Random, seededRandom } from '../../src/lib/random.ts';
import type { Child } from './child.ts';
import { nowMs, wait, waitUntil } from './clock.ts';
import type { Link } from '../support/link.ts';
import { redisFaults } from '../support/faulty-redis.ts';
import type { Hands } from './restores.ts';
import { WaitedInVain } from './phases.ts';
import { LEASE_MS, LOCK_MS } from './plan.ts';
import type { System } from './system.ts';

export interface StrikeCounts {
  kills: number;
  /** Frozen for longer than a lease, and some for longer than a lock. */
  stops: number;
  /** Connections to PostgreSQL and Redis that were cut, held, delayed, refused, or lost their replies. */
  wires: number;
  /** Times the provider refused connections. */
  refusals: number;
}

/** Two beats of a process that detects its replacement. */
const ENDS_ITSELF_MS = 2_000;
/** One process on an idle machine, even during short outages of the stores. */
const STARTS_IN_MS = 3_000;
const SLOWEST = 8;
/** Longer than any fault of one process: a start after a kill may take five minutes. */
const BUSY_AT_MOST_MS = 330_000;

export class Strikes implements Hands {
  readonly counts: StrikeCounts = { kills: 0, stops: 0, wires: 0, refusals: 0 };
  readonly #system: System;
  readonly #seed: number;
  #slowness: number;
  readonly #stop = new AbortController();
  readonly #loops: Promise<void>[] = [];
  /** Processes with a running fault. */
  readonly #busy = new Set<Child | Link>();
  readonly #errors: unknown[] = [];
  #newSettings: (random: Random) => Readonly<Record<string, string>> = () => ({});
  #tellFailure: (error: unknown) => void = () => undefined;
  /** Rejects if a fault cannot be started or ended: then the storm proves nothing about relais. */
  readonly failure: Promise<never> = new Promise((_resolve, reject) => (this.#tellFailure = reject));

  /** `slowness`: the initial factor of the time between two faults. */
  constructor(system: System, seed: number, slowness: number) {
    this.#system = system;
    this.#seed = seed;
    this.#slowness = slowness;
    system.stopping.addEventListener('abort', () => this.#stop.abort(), { once: true });
    // There may be no listener yet; `end` throws it again.
    this.failure.catch(() => undefined);
  }

  /** `newSettings`: the settings of a restarted process. */
  begin(newSettings: (random: Random) => Readonly<Record<string, string>>): void {
    this.#newSettings = newSettings;
    this.#loop(1, [250, 750], (random) => this.#strikeProcess(random));
    this.#loop(2, [250, 800], (random) => this.#strikeWire(random));
    this.#loop(3, [4_000, 7_000], (random) => this.#strikeDatabase(random));
    this.#loop(6, [1_500, 3_000], (random) => this.#strikeRedis(random));
    this.#loop(4, [2_000, 4_000], (random) => this.#strikeService(random));
  }

  /** Waits until their faults have ended, and starts none until `release`. */
  async take(children: readonly Child[]): Promise<readonly Child[]> {
    for (const child of children) {
      if (!(await waitUntil(() => !this.#busy.has(child), BUSY_AT_MOST_MS, 20)))
        throw new WaitedInVain(`a fault of ${child.plan.name} to end`, BUSY_AT_MOST_MS);
      this.#busy.add(child);
    }
    return children;
  }

  release(children: readonly Child[]): void {
    for (const child of children) this.#busy.delete(child);
  }

  /** Ends all faults, and starts stopped processes. */
  async end(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#loops);
    const { links, redisLinks, front, workers, taps } = this.#system;
    for (const link of [...links, ...redisLinks]) link.heal();
    for (const tap of Object.values(taps)) await tap.listen();
    for (const child of [front, ...workers]) if (child.frozen) child.thaw();
    await this.restartEnded();
    if (this.#errors.length > 0) throw this.#errors[0];
  }

  /** Like a supervisor: a process that was replaced, or left behind by a restore, has exited. */
  async restartEnded(): Promise<void> {
    const { front, workers } = this.#system;
    for (const child of [front, ...workers]) if (!child.running) await child.start();
  }

  #loop(part: number, [least, most]: readonly [number, number], strike: (random: Random) => Promise<void>): void {
    const random = seededRandom(this.#seed * 10 + part);
    const run = async (): Promise<void> => {
      while (!this.#stop.signal.aborted) {
        await wait(this.#slowness * (least + random.fraction() * (most - least)));
        if (!this.#stop.signal.aborted) await strike(random);
      }
    };
    this.#loops.push(run().catch((error: unknown) => this.failed(error)));
  }

  /** A fault could not be started or ended. */
  failed(error: unknown): void {
    this.#errors.push(error);
    this.#tellFailure(error);
  }

  /** Runs concurrently with the loop, and is awaited at the end. */
  #beside(what: Child | Link, work: () => Promise<void>): void {
    this.#busy.add(what);
    const done = work().finally(() => this.#busy.delete(what));
    this.#loops.push(done.catch((error: unknown) => this.failed(error)));
  }

  async #strikeProcess(random: Random): Promise<void> {
    const { workers, front } = this.#system;
    const [who, how, when] = [random.fraction(), random.fraction(), random.fraction()];
    const worker = who > 0.95 ? front : workers[Math.floor((who / 0.95) * workers.length)];
    if (!worker || this.#busy.has(worker)) return;
    if (worker !== front) worker.more = this.#newSettings(random);
    if (how < 0.6 || worker === front) this.#beside(worker, () => this.#kill(worker, when * 300));
    else
      this.#beside(worker, () =>
        this.#freeze(worker, (when < 0.6 ? LEASE_MS : LOCK_MS) + 300 + when * 2_000, how > 0.9),
      );
  }

  async #kill(worker: Child, deadMs: number): Promise<void> {
    this.counts.kills += 1;
    await worker.kill();
    await wait(deadMs);
    const from = nowMs();
    await worker.start();
    // Other load of the machine varies.
    this.#slowness = Math.min(SLOWEST, Math.max(1, (nowMs() - from) / STARTS_IN_MS));
  }

  async #freeze(worker: Child, ms: number, forGood: boolean): Promise<void> {
    this.counts.stops += 1;
    worker.freeze();
    await wait(ms);
    if (forGood) return this.#kill(worker, 0);
    worker.thaw();
    // A process that was silent for too long exits: its supervisor restarts it.
    await wait(ENDS_ITSELF_MS);
    if (!worker.running) await worker.start();
  }

  async #strikeWire(random: Random): Promise<void> {
    const links = [...this.#system.links, ...this.#system.redisLinks];
    const [which, how, ms] = [random.fraction(), random.fraction(), random.fraction()];
    const link = links[Math.floor(which * links.length)];
    if (!link || this.#busy.has(link)) return;
    this.counts.wires += 1;
    if (how < 0.3) link.cut();
    else if (how < 0.55) this.#until(link, () => link.swallow(), 20 + ms * 150);
    else if (how < 0.7) this.#until(link, () => link.delay(20 + ms * 100), 1_000);
    else if (how < 0.85) this.#until(link, () => link.refuse(), 100 + ms * 500);
    else this.#until(link, () => link.hold(), 200 + ms * 1_300);
  }

  #until(link: Link, begin: () => void, ms: number): void {
    this.#beside(link, async () => {
      begin();
      await wait(ms);
      link.heal();
    });
  }

  async #strikeDatabase(random: Random): Promise<void> {
    const { database } = this.#system;
    const [how, ms] = [random.fraction(), random.fraction()];
    if (how < 0.6) await database.crash(50 + ms * 500);
    else await database.freeze(200 + ms * 3_000);
  }

  async #strikeRedis(random: Random): Promise<void> {
    const how = redisFaults[Math.floor(random.fraction() * redisFaults.length)] ?? 'flush';
    await this.#system.redis.strike(how, 100 + random.fraction() * 2_000);
  }

  async #strikeService(random: Random): Promise<void> {
    this.counts.refusals += 1;
    const tap = random.fraction() < 0.7 ? this.#system.taps.base : this.#system.taps.crm;
    await tap.refuse();
    await wait(100 + random.fraction() * 200);
    await tap.listen();
  }
}
