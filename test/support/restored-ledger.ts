/** A ledger that is restored from a backup, with workers before it, in the data-loss window, and after it. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import type { JournalItem } from '../../src/ledger/journal.ts';
import type { NewOperation } from '../../src/ledger/operations.ts';
import { RecoveryDesk, type RecoveryOptions } from '../../src/ledger/recovery.ts';
import { FileWitness, RedisWitness, type Witness } from '../../src/ledger/witness.ts';
import { type FreshLedger, freshLedger } from './fresh-ledger.ts';
import { type FreshRedis, freshRedis } from './fresh-redis.ts';
import { type LedgerWorker, ledgerWorker } from './ledger-worker.ts';

const PAYMENT = { accountAlias: '771234567', amount: 1_000, withdrawMode: 'wallet-a-senegal' };

export function payment(id: string, over: Partial<NewOperation> = {}): NewOperation {
  const fingerprint = createHash('sha256').update(id).digest();
  const body = { kind: 'disbursement' as const, account: 'main', state: 'queued', queue: 'disbursement' };
  const rest = { amount: 1_000, counted: true, providerId: `p-${id}`, request: PAYMENT, createdBy: 'shop' };
  return { id, ...body, ...rest, fingerprint, dueMs: 0, ...over };
}

export function message(id: string, over: Partial<NewOperation> = {}): NewOperation {
  const request = { to: '+221771234567', text: 'hi', lane: 'normal' };
  const body = { kind: 'message' as const, account: 'main', state: 'queued', queue: 'sms-batch', createdBy: 'shop' };
  return { id, ...body, fingerprint: Buffer.from(id), beneficiary: '221771234567', request, dueMs: 0, ...over };
}

/** As an attempt writes it: fields of the record. */
export const itemOf = ({ id, kind, account, providerId }: NewOperation, token: string): JournalItem => ({
  id,
  kind,
  account,
  ...PAYMENT,
  disburseId: providerId,
  by: 'shop',
  createdAt: Date.now(),
  token,
});

/** Like a worker's payment: token and intent in one change, followed by its bytes. */
export async function sent({ operations }: LedgerWorker, one: NewOperation): Promise<void> {
  const claimed = await operations.claim('disbursement', ['main'], 50, 60_000);
  const held = claimed.find(({ id }) => id === one.id);
  if (held === undefined) throw new Error(`${one.id} is not due`);
  const token = `tok-${one.id}`;
  const intent = { id: one.id, lease: held.lease, was: 'queued', state: 'submitting', queue: 'status-poll', token };
  const times = { keepMs: 60_000, sendMs: 10_000 };
  const written = await operations.change({ ...intent, ...times, intends: true, journalItem: itemOf(one, token) });
  expect(written).toMatchObject({ known: true, version: 2 });
  await operations.release(claimed.filter(({ id }) => id !== one.id));
}

/** Writes intent and journal of due operations in a queue; returns the lease. */
export async function intended(
  { operations }: LedgerWorker,
  { id, queue, state }: { readonly id: string; readonly queue: string; readonly state: string },
): Promise<string> {
  const claimed = await operations.claim(queue, ['main'], 50, 60_000);
  const held = claimed.find((one) => one.id === id);
  if (held === undefined) throw new Error(`${id} is not due`);
  await operations.release(claimed.filter((one) => one !== held));
  const { kind, lease, state: was } = held;
  const item = { id, kind, account: 'main', fingerprint: '', request: {}, createdBy: 'shop' };
  const journalItem = { ...item, createdAt: new Date().toISOString() };
  const change = {
    id,
    lease,
    was,
    state,
    queue,
    keepMs: 60_000,
    sendMs: 10_000,
    sends: 1,
    intends: true,
    journalItem,
  };
  expect(await operations.change(change)).toMatchObject({ known: true });
  return lease;
}

/** The witness gets later counters than the backup has, so that the loss is detected. */
export const goneOn = async ({ operations }: LedgerWorker): Promise<void> => {
  for (const n of [1, 2, 3]) await operations.accept(payment(`dsb_more${n}`, { dueMs: 3_600_000 }));
};

/** Like a step's record of a campaign request that is about to leave. */
export async function requestsSent({ operations }: LedgerWorker, items: readonly JournalItem[]): Promise<void> {
  const own = payment('dsb_noted');
  await operations.accept(own);
  for (const journalItem of items) {
    const claimed = await operations.claim('disbursement', ['main'], 50, 60_000);
    const { lease = '' } = claimed.find(({ id }) => id === own.id) ?? {};
    await operations.release(claimed.filter(({ id }) => id !== own.id));
    const kept = { id: own.id, lease, was: 'queued', state: 'queued', queue: 'disbursement', dueMs: 0 };
    expect(await operations.change({ ...kept, intends: true, journalItem })).toMatchObject({ known: true });
  }
}

interface WorkerOver {
  readonly witnesses?: readonly Witness[];
  readonly journals?: boolean;
}

export class RestoredLedger {
  ledger!: FreshLedger;
  redis!: FreshRedis;
  /** Age of the backup, minutes: its times are shifted, not its clock. */
  age = 0;
  #folder = '';
  #made = 0;
  readonly #closing: (() => unknown)[] = [];

  async open(): Promise<void> {
    [this.ledger, this.redis] = await Promise.all([freshLedger(), freshRedis()]);
    this.#folder = mkdtempSync(join(tmpdir(), 'relais-recovery-'));
  }

  async close(): Promise<void> {
    for (const close of this.#closing.splice(0).toReversed()) await close();
    rmSync(this.#folder, { recursive: true });
    await this.redis.close();
    await this.ledger.close();
  }

  /** `journals` false: Redis accepts no entry of it. */
  async worker({ witnesses = this.#witnesses(), journals = true }: WorkerOver = {}): Promise<LedgerWorker> {
    const { url, schema } = this.ledger;
    const away = { status: 'end' } as typeof this.redis.redis;
    const one = await ledgerWorker({ url, schema, redis: journals ? this.redis.redis : away }, witnesses);
    this.#closing.push(() => one.kill().catch(() => undefined));
    return one;
  }

  /** A backup is made after `before`, work continues as `lost`, and the backup replaces the ledger. */
  async putBack(
    before: (one: LedgerWorker) => Promise<unknown>,
    lost: (two: LedgerWorker) => Promise<unknown>,
    how: 'ended' | 'killed' = 'ended',
  ): Promise<LedgerWorker> {
    const one = await this.worker();
    await before(one);
    await one.end();
    await this.query(`update relais.deployment set witnessed_at = witnessed_at - interval '${this.age} minutes'`);
    await this.query(`update relais.retired_lane set at = at - interval '${this.age} minutes'`);
    const original = this.ledger;
    const copy = await original.copy();
    const two = await this.worker();
    await two.life.beat();
    await lost(two);
    await two.life.beat();
    await (how === 'ended' ? two.end() : two.kill());
    this.ledger = { ...original, ...copy };
    this.#closing.unshift(() => original.close());
    return this.worker();
  }

  deskOf({ database }: LedgerWorker, over: Partial<RecoveryOptions<never[]>> = {}): RecoveryDesk<never[]> {
    return new RecoveryDesk({
      database,
      redis: this.redis.redis,
      witnesses: this.#witnesses(),
      clock: systemClock,
      quietMs: 60_000,
      settleMs: 60_000,
      quietly: () => undefined,
      says: async () => [],
      ...over,
    });
  }

  async appliedBy(one: LedgerWorker, over: Partial<RecoveryOptions<never[]>> = {}) {
    const desk = this.deskOf(one, over);
    let applied: Awaited<ReturnType<typeof desk.apply>> = await desk.apply({ by: 'awa' });
    while (applied.is === 'under way') applied = await desk.apply({ by: 'awa' });
    return applied;
  }

  async deploymentId(): Promise<string> {
    return (await this.query<{ id: string }>('select id from relais.deployment'))[0]?.id ?? '';
  }

  /** State, and token if there is one, by id. */
  async states(): Promise<Readonly<Record<string, string>>> {
    const rows = await this.query<{ id: string; state: string; token: string | null }>(
      'select id, state, token from relais.operation order by id',
    );
    return Object.fromEntries(rows.map(({ id, state, token }) => [id, token === null ? state : `${state} ${token}`]));
  }

  query<Row extends object>(sql: string): Promise<readonly Row[]> {
    return this.ledger.query<Row>(sql);
  }

  #witnesses() {
    this.#made += 1;
    const path = join(this.#folder, 'witness');
    return [new RedisWitness(this.redis.redis), new FileWitness({ path, process: `p${this.#made}` })];
  }
}
