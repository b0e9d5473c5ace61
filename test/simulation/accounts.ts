/** Holds of a world's only account, and its failures in a row. */
import type { HoldArea } from '../../src/kinds/account.ts';
import type { Row } from '../../src/kinds/hold.ts';
import type { Process, Surroundings } from './process.ts';

export class ModelAccounts {
  readonly #at: Surroundings;
  /** The last trial of each hold, by `area.reason`. */
  readonly #holds = new Map<string, number>();
  readonly #failing = new Map<string, number>();

  constructor(at: Surroundings) {
    this.#at = at;
  }

  /** As one process sees them. */
  of(process: Process) {
    const [holds, failing] = [this.#holds, this.#failing];
    const { timeline } = this.#at;
    const listed = () =>
      [...holds].map(([name, since]) => {
        const [area = '', reason = ''] = name.split('.');
        return { account: 'main', area: area as HoldArea, reason, since };
      });
    const begin = (name: string): boolean => {
      if (holds.has(name)) return false;
      holds.set(name, timeline.now);
      return true;
    };
    return {
      hold: (_: string, area: HoldArea, reason: string) => process.send(() => begin(`${area}.${reason}`)),
      release: (_: string, area: HoldArea, reason: string) => process.send(() => holds.delete(`${area}.${reason}`)),
      holdsOf: () => process.send(listed),
      standingOf: () => process.send(() => ({ holds: listed(), failing: new Set(failing.keys()) })),
      countFailure: (_: string, area: HoldArea, reason: string, { length }: Row) =>
        process.send(() => {
          const name = `${area}.${reason}`;
          const count = (failing.get(name) ?? 0) + 1;
          failing.set(name, count);
          if (count < length) return false;
          failing.delete(name);
          return begin(name);
        }),
      endRow: (_: string, area: HoldArea, reason: string) =>
        process.send(() => void failing.delete(`${area}.${reason}`)),
      mayProbe: (_: string, area: HoldArea, reason: string, everyMs: number) =>
        process.send(() => {
          const name = `${area}.${reason}`;
          const triedAt = holds.get(name);
          const may = triedAt === undefined || timeline.now - triedAt >= everyMs;
          if (may && triedAt !== undefined) holds.set(name, timeline.now);
          return may;
        }),
    };
  }
}
