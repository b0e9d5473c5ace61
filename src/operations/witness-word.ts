/** What a beat has found, and what a witness writes down of it: a file and history tell the same. */
import { z } from 'zod';

const beat = z.object({
  deployment: z.string(),
  epoch: z.string(),
  counter: z.number(),
  /** What it was at `at`, where it has been raised since; absent: it was this. */
  beaten: z.number().optional(),
  /** The last id that the stream of events had given. */
  event: z.string(),
  /** By the clock of Redis, ms since the epoch. */
  at: z.number(),
});

export type Beat = Readonly<z.output<typeof beat>>;

export const witnessWord = beat.extend({
  /** ENVIRONMENT and where Redis is: what a Redis that has lost everything is known by. */
  place: z.string(),
});

export type WitnessWord = Readonly<z.output<typeof witnessWord>>;
