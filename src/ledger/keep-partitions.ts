/**
 * Creates the partitions of events and audit lines in advance, and drops those that retention no longer needs. Events
 * are dropped below the position of every group and delivery, audit lines after their verification.
 */
import type { AuditFault } from './audit-chain.ts';
import type { AuditSeals } from './audit-seals.ts';
import type { EventStream } from './event-stream.ts';
import { type Partitions, monthIn } from './partitions.ts';
import type { Database } from './pool.ts';

export interface KeepingPartitions {
  readonly database: Database;
  readonly partitions: Partitions;
  readonly events: Pick<EventStream, 'trim'>;
  readonly seals: Pick<AuditSeals, 'forget'>;
  /** `EVENTS_KEEP` and `AUDIT_KEEP`, ms. */
  readonly eventsKeepMs: number;
  readonly auditKeepMs: number;
  /** The audit entry of the deletion. */
  readonly act: Parameters<AuditSeals['forget']>[0]['act'];
  /** For tests. */
  readonly now?: () => Date;
}

export interface KeptPartitions {
  readonly made: readonly string[];
  readonly dropped: readonly string[];
  readonly forgotten: number;
  /** Audit lines are not deleted: this line is invalid. */
  readonly fault?: AuditFault;
}

/**
 * Creates the partitions of this month and the next ones. Call it before any write: rows in a default partition block
 * the partition of their month.
 */
export async function makePartitions({
  database,
  partitions,
  now,
}: Pick<KeepingPartitions, 'database' | 'partitions' | 'now'>): Promise<Pick<KeptPartitions, 'made'> & { at: Date }> {
  const [clock] = await database.run<{ readonly at: Date }>('ledger_time', [now?.()]);
  if (clock === undefined) throw new Error('the ledger tells no time');
  return { at: clock.at, made: await partitions.ensureMonths(clock.at) };
}

/** Call it hourly; many processes may call it. */
export async function keepPartitions(keeping: KeepingPartitions): Promise<KeptPartitions> {
  const { events, seals, eventsKeepMs, auditKeepMs, act } = keeping;
  const { at, made } = await makePartitions(keeping);
  await events.trim(eventsKeepMs, at);
  const forgotten = await seals.forget({ beforeAt: at.getTime() - auditKeepMs, act, now: keeping.now?.() });
  const dropped = [
    ...(await dropOld(keeping, 'event', new Date(at.getTime() - eventsKeepMs))),
    ...(await dropOld(keeping, 'audit_line', new Date(at.getTime() - auditKeepMs))),
  ];
  if (typeof forgotten === 'number') return { made, dropped, forgotten };
  return { made, dropped, forgotten: 0, fault: forgotten };
}

const NEEDED = { event: 'needed_events', audit_line: 'needed_lines' } as const;

async function dropOld(
  { database, partitions }: KeepingPartitions,
  parent: keyof typeof NEEDED,
  before: Date,
): Promise<readonly string[]> {
  const dropped: string[] = [];
  for (const { parent: its, part } of await partitions.list()) {
    const low = its === parent ? monthIn(part) : undefined;
    if (low === undefined) continue;
    const high = new Date(Date.UTC(low.getUTCFullYear(), low.getUTCMonth() + 1));
    if (high > before) continue;
    const [row] = await database.run<{ readonly needed: boolean }>(NEEDED[parent], [low, high]);
    if (row?.needed === false && (await partitions.drop(part))) dropped.push(part);
  }
  return dropped;
}
