/** The duration of each phase of a storm, and its time-out. */
import { nowMs } from './clock.ts';

/** An awaited condition was never met: an error of the storm or of relais. */
export class WaitedInVain extends Error {
  override readonly name = 'WaitedInVain';

  constructor(what: string, ms: number) {
    super(`waited ${Math.round(ms / 1_000)} s in vain for ${what}`);
  }
}

/** The result of the work; after `ms` it is abandoned with an error that names it. Its later result is ignored. */
export function within<T>(ms: number, what: string | (() => string), work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(new WaitedInVain(typeof what === 'string' ? what : what(), ms));
    const timer = setTimeout(giveUp, ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

export interface Phase {
  readonly name: string;
  readonly ms: number;
}

/** Reported in sequence, each at its end. */
export class Phases {
  readonly over: Phase[] = [];
  readonly #tell: (phase: Phase) => void;

  /** Of a finished phase. */
  msOf(name: string): number {
    return this.over.find((phase) => phase.name === name)?.ms ?? 0;
  }

  constructor(tell: (phase: Phase) => void = () => undefined) {
    this.#tell = tell;
  }

  async run<T>(name: string, ms: number, work: Promise<T>): Promise<T> {
    const from = nowMs();
    try {
      return await within(ms, name, work);
    } finally {
      const phase = { name, ms: nowMs() - from };
      this.over.push(phase);
      this.#tell(phase);
    }
  }
}
