import { RECOVERING } from '../operations/recovery.ts';
import { MEMORY_SHARE_MAX } from '../redis/durability.ts';
import type { Container } from './container.ts';

/** Why nothing can be accepted now, through any door, if so. */
export function refusalOf(container: Pick<Container, 'durability' | 'heartbeat'>) {
  if (container.heartbeat.recovering()) return { kind: 'recovering' as const, detail: `${RECOVERING}.` };
  return keepingRefusalOf(container);
}

/** Why what is written down now would not be kept, if so. */
export function keepingRefusalOf({ durability }: Pick<Container, 'durability'>) {
  const { durable, reasons, usedMemoryShare } = durability();
  if (!durable) return { kind: 'not-durable' as const, detail: reasons.join(' ') };
  if (usedMemoryShare === null || usedMemoryShare <= MEMORY_SHARE_MAX) return undefined;
  const percent = Math.round(usedMemoryShare * 100);
  return { kind: 'memory-full' as const, detail: `Redis uses ${percent} % of its maxmemory; give it more, or wait.` };
}
