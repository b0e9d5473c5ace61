import { randomFillSync, randomInt } from 'node:crypto';

/** Chance, as an argument: a seed replays it. */
export interface Random {
  /** `bytes` random bytes as lower-case hex. Unguessable when it comes from `systemRandom`. */
  hex(bytes: number): string;
  /** A number in [0, 1). */
  fraction(): number;
}

const POOL_BYTES = 4_096;

/** Bytes of the system, fetched many at a time: a call for each id was 3 % of what a worker does. None is used twice. */
function pooledHex(): Random['hex'] {
  const pool = Buffer.alloc(POOL_BYTES);
  let used = POOL_BYTES;
  return (bytes) => {
    if (bytes > POOL_BYTES) throw new RangeError(`at most ${POOL_BYTES} random bytes at once, not ${bytes}`);
    if (used + bytes > POOL_BYTES) {
      randomFillSync(pool);
      used = 0;
    }
    const hex = pool.toString('hex', used, used + bytes);
    // What was handed out is not kept: it may be a secret.
    pool.fill(0, used, used + bytes);
    used += bytes;
    return hex;
  };
}

export const systemRandom: Random = {
  hex: pooledHex(),
  fraction: () => randomInt(2 ** 47) / 2 ** 47,
};

/** The same numbers for the same seed (mulberry32). For tests, simulations and the sandbox; never for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const byte = (): string =>
    Math.floor(fraction() * 256)
      .toString(16)
      .padStart(2, '0');
  return { fraction, hex: (bytes) => Array.from({ length: bytes }, byte).join('') };
}
