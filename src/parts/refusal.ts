import type { Foundation } from './foundation.ts';

/** A fuller Redis accepts nothing new; what was accepted is settled all the same. */
const MEMORY_SHARE_MAX = 0.85;

/** Why nothing can be accepted now, through any door, if so. */
export function refusalOf({ durability }: Foundation) {
  const { durable, reasons, usedMemoryShare } = durability();
  if (!durable) return { kind: 'not-durable' as const, detail: reasons.join(' ') };
  if (usedMemoryShare === null || usedMemoryShare <= MEMORY_SHARE_MAX) return undefined;
  const percent = Math.round(usedMemoryShare * 100);
  return { kind: 'memory-full' as const, detail: `Redis uses ${percent} % of its maxmemory; give it more, or wait.` };
}
