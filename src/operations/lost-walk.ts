/** What history has of a lost time, page after page: a turn that runs out of time is gone on with where it stood. */
import type { Redis } from 'ioredis';
import { keys } from './keys.ts';

const AT_ONCE = 500;
const DONE = 'done';

interface Stood {
  readonly place: string;
  readonly at: number;
}

interface Walk<T extends Stood> {
  /** Where the walk keeps its place. */
  readonly field: string;
  readonly page: (from: { readonly after: Stood | undefined; readonly limit: number }) => Promise<readonly T[]>;
  readonly take: (found: readonly T[]) => Promise<unknown>;
}

/** True: the end was reached, now or before. False: call again. */
export async function walkLost<T extends Stood>(
  redis: Redis,
  { field, page, take }: Walk<T>,
  hasTime: () => boolean,
): Promise<boolean> {
  let place = await redis.hget(keys.recoveryBefore, field);
  while (place !== DONE) {
    const found = await page({ after: placeOf(place), limit: AT_ONCE });
    await take(found);
    const last = found.length < AT_ONCE ? undefined : found.at(-1);
    place = last === undefined ? DONE : `${last.place} ${last.at}`;
    await redis.hset(keys.recoveryBefore, field, place);
    if (place !== DONE && !hasTime()) return false;
  }
  return true;
}

function placeOf(place: string | null): Stood | undefined {
  if (place === null) return undefined;
  const [stood = '', at] = place.split(' ');
  return { place: stood, at: Number(at) };
}
