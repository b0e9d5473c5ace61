import { printableLines } from './output.ts';
import { AnswerLost, NotReached, Refused } from './refusal.ts';
import type { Shell } from './shell.ts';

const BETWEEN_TRIES_MS = 1_000;

/**
 * For commands that follow something: like `read`, but after a first success it waits while the API is away. A
 * deployment must not end the command. The first read fails at once: then the address is wrong.
 */
export function patient<T>(
  { io, output, words: { shell } }: Shell,
  read: () => Promise<T>,
  from: 'first-read' | 'worked-before' = 'first-read',
): () => Promise<T> {
  let worked = from === 'worked-before';
  return async () => {
    for (let tries = 0; ; tries += 1) {
      try {
        const value = await read();
        if (tries > 0) await output.note(shell.itIsBack);
        worked = true;
        return value;
      } catch (error) {
        if (!worked || !isAway(error)) throw error;
        if (tries === 0) await output.note(shell.stillTrying(printableLines(error.message)));
        await io.clock.sleep(BETWEEN_TRIES_MS, io.signal);
      }
    }
  };
}

function isAway(error: unknown): error is Error {
  if (error instanceof Refused) return error.status === 502 || error.status === 503;
  return error instanceof NotReached || error instanceof AnswerLost;
}
