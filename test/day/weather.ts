/**
 * The weather of a day: after so many orders that were taken something breaks, in turn, and is put right again. Counted
 * and not timed, so that a slow machine has the same day.
 */
import { type Random, seededRandom } from '../../src/lib/random.ts';
import type { Child } from '../storm/child.ts';
import { wait } from '../storm/clock.ts';
import type { Hands } from '../storm/restores.ts';
import type { World } from '../storm/world.ts';

const LEAST_BETWEEN = 8;
const STRIKES_MOST = 80;
const DARK_MS = 150;

export class Weather implements Hands {
  readonly counts = { kills: 0, wires: 0, crashes: 0 };
  readonly #world: World;
  readonly #random: Random;
  readonly #between: number;
  #taken = 0;
  #strikes = 0;
  #turn: Promise<void> = Promise.resolve();

  constructor(world: World, { seed, orders }: { readonly seed: number; readonly orders: number }) {
    this.#world = world;
    this.#random = seededRandom(seed + 31);
    this.#between = Math.max(LEAST_BETWEEN, Math.ceil(orders / STRIKES_MOST));
  }

  orderTaken(): void {
    this.#taken += 1;
    if (this.#taken % this.#between === 0) this.#turn = this.#turn.then(() => this.#strike());
  }

  /** Until what is broken is put right. */
  calm(): Promise<void> {
    return this.#turn;
  }

  async end(): Promise<void> {
    await this.#turn;
    for (const link of this.#world.links) link.heal();
  }

  async take(children: readonly Child[]): Promise<readonly Child[]> {
    return children;
  }

  release(): void {}

  async #strike(): Promise<void> {
    const { workers, door, links, database } = this.#world;
    const nth = this.#strikes;
    this.#strikes += 1;
    const worker = workers[nth % workers.length];
    const link = links[nth % links.length];
    if (nth % 4 === 3) {
      this.counts.crashes += 1;
      await database.crash(DARK_MS);
    } else if (nth % 4 === 1 && link) {
      this.counts.wires += 1;
      link.swallow();
      await wait(this.#random.fraction() * DARK_MS);
      link.heal();
    } else await this.#kill(nth % 8 === 6 ? door : worker);
  }

  async #kill(child: Child | undefined): Promise<void> {
    if (!child) return;
    this.counts.kills += 1;
    await child.kill();
    await child.start();
  }
}
