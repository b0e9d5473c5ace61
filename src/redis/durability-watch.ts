import type { Redis } from 'ioredis';
import type { Clock } from '../lib/clock.ts';
import { DISK_FAILS } from './connections.ts';
import type { Durability } from './durability.ts';

export interface DurabilityWatch {
  readonly redis: Pick<Redis, 'on' | 'off' | 'status'>;
  readonly clock: Clock;
  /** Between two looks. */
  readonly everyMs: number;
  readonly check: () => Promise<Durability>;
  /** Told the first verdict, and then each one that differs. */
  readonly onChange: (verdict: Durability) => void;
}

/** Where money waits for the next look, or memory may run out before it, that one comes sooner. */
const SOON_MS = 5_000;
const FILLING_SHARE = 0.7;

/**
 * Looks at start, every `everyMs` (sooner while something is wrong), whenever the connection is made again, and when a
 * write was refused because of the disk: what answers after a reconnect may be another server, and a setting may be
 * changed while it runs. A look that fails is a verdict too: not durable. The returned function ends the watch; a look
 * on its way is then not told.
 */
export function watchDurability({ redis, clock, everyMs, check, onChange }: DurabilityWatch): () => void {
  let looks = 0;
  let told = '';
  /** Nobody is looking, and the last look found nothing wrong. */
  let calm = false;
  let cancelNext = (): void => undefined;

  const look = async (): Promise<void> => {
    looks += 1;
    const mine = looks;
    calm = false;
    cancelNext();
    const verdict = await check().catch(notAsked);
    if (mine !== looks) return; // a newer look was begun, or the watch has ended
    calm = isCalm(verdict);
    cancelNext = clock.after(calm ? everyMs : Math.min(everyMs, SOON_MS), start);
    if (likeness(verdict) === told) return;
    told = likeness(verdict);
    onChange(verdict);
  };
  const start = (): void => void look();

  // Refusals come by the hundred; one of them is enough, and while something is wrong it is looked at soon anyway.
  const startIfCalm = (): void => {
    if (calm) start();
  };

  redis.on('ready', start);
  redis.on(DISK_FAILS, startIfCalm);
  start();
  return () => {
    looks += 1;
    cancelNext();
    redis.off('ready', start);
    redis.off(DISK_FAILS, startIfCalm);
  };
}

function isCalm({ durable, usedMemoryShare }: Durability): boolean {
  return durable && (usedMemoryShare ?? 0) < FILLING_SHARE;
}

function notAsked(error: unknown): Durability {
  const why = error instanceof Error ? error.message : String(error);
  return {
    durable: false,
    reasons: [`Redis could not be asked how it keeps its writes: ${why}`],
    runId: '',
    version: 'unknown',
    usedMemoryShare: null,
  };
}

/** Memory moves with every command; a change of a percent is worth telling, a change of a byte is not. */
function likeness(verdict: Durability): string {
  const { usedMemoryShare: share } = verdict;
  return JSON.stringify({ ...verdict, usedMemoryShare: share === null ? null : Math.round(share * 100) });
}
