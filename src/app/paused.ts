/** The queues paused by an operator, as this process last read them. */
import type { Switches } from '../ledger/switches.ts';
import { repeatUntil } from '../processors/sweeper.ts';
import type { Container } from './container.ts';
import type { Part } from './parts.ts';

export class PausedQueues {
  readonly #switches: Pick<Switches, 'paused'>;
  #names: ReadonlySet<string> | undefined;

  constructor(switches: Pick<Switches, 'paused'>) {
    this.#switches = switches;
  }

  has(name: string): boolean {
    return this.#names?.has(name) ?? false;
  }

  /** False while PostgreSQL does not answer. */
  get isKnown(): boolean {
    return this.#names !== undefined;
  }

  async read(): Promise<void> {
    this.#names = await this.#switches.paused().catch((error: unknown) => {
      this.#names = undefined;
      throw error;
    });
  }
}

export function pausedPart({ config, clock, quietly }: Container, paused: PausedQueues): Part {
  return {
    name: 'the paused queues',
    start: async () => {
      const stop = new AbortController();
      const onError = (error: unknown): void => quietly('paused queues', error);
      await paused.read().catch(onError);
      const interval = { clock, intervalMs: config.SWEEP_INTERVAL, onError };
      const read = repeatUntil(stop.signal, interval, () => paused.read());
      return async () => {
        stop.abort();
        await read;
      };
    },
  };
}
