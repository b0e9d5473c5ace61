/** How long each part of a storm took, and the end of everybody's patience with it. */
import { nowMs } from './clock.ts';

/** What a storm waited for did not come: that says something of the storm, or of what it waited for. */
export class WaitedInVain extends Error {
  override readonly name = 'WaitedInVain';

  constructor(what: string, ms: number) {
    super(`waited ${Math.round(ms / 1_000)} s in vain for ${what}`);
  }
}

/** As the work ends; after `ms` it is given up, in words that name it. Nobody hears of it any more then. */
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

/** Told one after the other, as each is over. */
export class Phases {
  readonly over: Phase[] = [];
  readonly #tell: (phase: Phase) => void;

  /** Of a phase that is over. */
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
