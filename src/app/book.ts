/** Whose midnight ends a day of the book, and how long its days are kept: said when a process starts. */
import type { Container } from './container.ts';
import { type Part, waitForRedis } from './parts.ts';

const DAY_MS = 86_400_000;

type Needs = Pick<Container, 'patience' | 'clock' | 'config' | 'dayBook'>;

export function bookPart({ dayBook, patience, clock, config }: Needs): Part {
  return {
    name: 'the book of the day',
    start: async () => {
      const keepDays = Math.ceil(config.REPORTS_KEEP / DAY_MS);
      await waitForRedis(() => dayBook.keepIn(config.TIMEZONE, keepDays, clock.now()), patience);
      return async () => undefined;
    },
  };
}
