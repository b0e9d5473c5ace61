import { randomBytes, randomInt } from 'node:crypto';

/** Chance, as an argument: a seed replays it. */
export interface Random {
  /** `bytes` random bytes as lower-case hex. Unguessable when it comes from `systemRandom`. */
  hex(bytes: number): string;
  /** A number in [0, 1). */
  fraction(): number;
}

export const systemRandom: Random = {
  hex: (bytes) => randomBytes(bytes).toString('hex'),
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
