/**
 * Makes the partitions of events and audit lines ahead, and drops those that retention no longer needs. Events go below
 * every group's and delivery's position, audit lines once they are verified.
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
  /** The act of deleting audit lines. */
  readonly act: Parameters<AuditSeals['forget']>[0]['act'];
  /** For tests. */
  readonly now?: () => Date;
}

export interface KeptPartitions {
  readonly made: readonly string[];
  readonly dropped: readonly string[];
  readonly forgotten: number;
  /** Nothing of the audit log is deleted: this line does not fit. */
  readonly fault?: AuditFault;
}

/**
 * Makes the partitions of this month and the next ones. Call it before anything is written: rows that are in a default
 * partition keep the partition of their month from being made.
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

/** Call it hourly; many processes may. */
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
