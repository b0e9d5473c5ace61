/** A process that may die or stand still at every await. Each attempt is one of its own, which is the worst case. */
import type { Clock } from '../../src/lib/clock.ts';
import type { Chance, Troubles } from './chance.ts';
import type { Timeline } from './timeline.ts';

export const LEASE_MS = 130_000;
const LONGEST_STANDSTILL_MS = 6 * LEASE_MS;

export interface Surroundings {
  readonly timeline: Timeline;
  readonly chance: Chance;
  readonly troubles: Troubles;
  readonly counts: Record<string, number>;
}

export class Process {
  readonly #at: Surroundings;
  readonly #bootedAt: number;
  #dead = false;
  #standsStillUntil = 0;
  /** Standstills of the whole machine. The monotonic clock does not run in them. */
  readonly #suspensions: { readonly from: number; readonly until: number }[] = [];

  constructor(surroundings: Surroundings) {
    this.#at = surroundings;
    this.#bootedAt = surroundings.chance.between(0, 1e9);
  }

  get clock(): Clock {
    const { timeline } = this.#at;
    return {
      now: () => timeline.now,
      monotonic: () => timeline.now - this.#bootedAt - this.#suspendedMs(),
      sinceBoot: () => timeline.now - this.#bootedAt,
      sleep: (ms) => this.pause(ms),
      after: (ms, run) => {
        let armed = true;
        timeline.after(ms, () => this.whenAwake(() => void (armed && run())));
        return () => void (armed = false);
      },
    };
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#at.timeline.after(ms, () => this.whenAwake(resolve));
    });
  }

  /** Goes on after `ms`, unless the process is dead by then; later, if it stands still. Here chance strikes. */
  goOn(ms: number, run: () => void): void {
    this.#suffer();
    this.#at.timeline.after(ms, () => this.whenAwake(run));
  }

  /** The process is frozen, or in half of the cases its machine is suspended. */
  standStill(): void {
    const { timeline, chance } = this.#at;
    const from = timeline.now;
    const ms = chance.between(0, LONGEST_STANDSTILL_MS);
    this.#standsStillUntil = from + ms;
    if (Math.floor(ms) % 2 === 0) this.#suspensions.push({ from, until: this.#standsStillUntil });
  }

  #suspendedMs(): number {
    const { now } = this.#at.timeline;
    const spans = this.#suspensions.map(({ from, until }) => Math.max(0, Math.min(until, now) - from));
    return spans.reduce((sum, ms) => sum + ms, 0);
  }

  #suffer(): void {
    const { chance, troubles, counts } = this.#at;
    if (chance.happens(troubles.kill)) {
      this.#dead = true;
      counts['killed'] = (counts['killed'] ?? 0) + 1;
    }
    if (chance.happens(troubles.freeze)) {
      this.standStill();
      counts['stood still'] = (counts['stood still'] ?? 0) + 1;
    }
  }

  /** Now, or when the process no longer stands still; never, if it is dead. */
  whenAwake(run: () => void): void {
    const { timeline } = this.#at;
    if (this.#dead) return;
    const restMs = this.#standsStillUntil - timeline.now;
    if (restMs > 0) timeline.after(restMs, () => this.whenAwake(run));
    else run();
  }
}
