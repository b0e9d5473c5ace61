/** Payment batches on a separate ledger, with an acceptance that has one limit. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { BatchRow } from '../../src/kinds/batch-rows.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { type BatchAttempt, type BatchWorkOptions, BatchWork, type RowAnswer } from '../../src/ledger/batch-work.ts';
import { type LedgerBatch, fingerprintBytes } from '../../src/ledger/batch-record.ts';
import { Batches } from '../../src/ledger/batches.ts';
import { Operations } from '../../src/ledger/operations.ts';
import { Database } from '../../src/ledger/pool.ts';
import { askedFields, judgeDisbursement } from '../../src/producer/acceptance.ts';
import { BatchDoor, type UploadAnswer } from '../../src/producer/batch/door.ts';
import { readBatchFile } from '../../src/producer/batch/read-file.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';
import { message } from '../../src/messages/message.ts';

const LEASE_MS = 60_000;
/** A little more than the longest pause between two checks of a batch. */
const PAUSE_MS = 31_000;

class BatchWorld {
  ledger!: FreshLedger;
  database!: Database;
  operations!: Operations;
  batches!: Batches;
  laterMs = 0;
  /** The worker has the keys of the account. */
  isKnown = true;
  /** XOF above which acceptance refuses a row. */
  limit = Number.POSITIVE_INFINITY;
  #made = 0;

  async open(): Promise<void> {
    this.ledger = await freshLedger();
    const place = { url: this.ledger.url, schema: this.ledger.schema };
    this.database = new Database({ ...place, size: 8 });
    this.operations = new Operations({ database: place, process: 'one', clock: systemClock, random: systemRandom });
  }

  async close(): Promise<void> {
    await this.operations?.close();
    await this.database?.close();
    await this.ledger?.close();
  }

  begin(): void {
    this.laterMs = 0;
    this.isKnown = true;
    this.limit = Number.POSITIVE_INFINITY;
    this.batches = new Batches({ database: this.database, now: this.now });
  }

  readonly now = (): Date => new Date(Date.now() + this.laterMs);

  /** Ends the lease of a dead attempt. */
  outlive(): void {
    this.laterMs += LEASE_MS + 1_000;
  }

  readonly acceptRow = async (
    { row: _row, id: _id, own: _own, ...request }: BatchRow,
    { id: batch, account }: Pick<LedgerBatch, 'id' | 'account'>,
  ): Promise<RowAnswer> => {
    const judged = judgeDisbursement({ ...request, account }, { environment: 'test', unusual: 'warned' });
    if (judged.is === 'invalid') return { outcome: 'invalid', problems: judged.problems };
    const { amount, reference = '' } = judged.request;
    if (amount > this.limit) return refused('is above the limit');
    const answer = await this.operations.accept({
      id: judged.names.id,
      kind: 'disbursement',
      account,
      reference,
      fingerprint: fingerprintBytes(judged.names.fingerprint),
      state: 'queued',
      queue: 'disbursement',
      amount,
      counted: true,
      request: { ...askedFields(judged.request), reference },
      providerId: createHash('md5').update(judged.names.id).digest('hex'),
      batch,
      createdBy: 'maker',
    });
    if (answer.outcome === 'conflict') return { outcome: 'conflict', existingId: answer.id, differs: [] };
    return answer.outcome === 'refused' ? refused(answer.rule) : { outcome: answer.outcome };
  };

  work(more: Partial<BatchWorkOptions> = {}): BatchWork {
    return new BatchWork({
      database: this.database,
      batches: this.batches,
      accept: this.acceptRow,
      hasAccount: () => this.isKnown,
      clock: systemClock,
      leaseMs: LEASE_MS,
      recheckMs: 5_000,
      now: this.now,
      ...more,
    });
  }

  /** One attempt when the batch is due. */
  attempt(id: string, more: Partial<BatchWorkOptions> = {}): Promise<BatchAttempt> {
    this.laterMs += PAUSE_MS;
    return this.work(more).attempt(id);
  }

  /** Payments with their own references, or with those of a tag. */
  people(count: number, tag = this.nextTag()) {
    return Array.from({ length: count }, (_, at) => ({
      reference: `${tag}-${at}`,
      accountAlias: String(770_000_000 + at),
      amount: 1_000 + at,
      withdrawMode: 'wallet-a-senegal',
    }));
  }

  nextTag(): string {
    return `sal${(this.#made += 1)}`;
  }

  door(limits: Readonly<Record<string, number>> = {}): BatchDoor {
    const { batches } = this;
    return new BatchDoor({
      batches,
      limits: { inForce: async () => limits },
      environment: 'test',
      now: () => this.now().getTime(),
    });
  }

  async upload(rows: readonly object[], more: object = {}): Promise<UploadAnswer> {
    const file = await readBatchFile(Buffer.from(JSON.stringify(rows)), { format: 'json' });
    return this.door().accept(file, { account: 'main', by: 'maker', ...more });
  }

  async uploaded(rows: readonly object[]): Promise<string> {
    return (await this.upload(rows)).id;
  }

  async approved(rows: readonly object[]): Promise<string> {
    const id = await this.uploaded(rows);
    const { contentHash } = await this.read(id);
    expect(await this.batches.approve(id, { by: 'checker', contentHash })).toMatchObject({ is: 'applied' });
    return id;
  }

  async read(id: string): Promise<LedgerBatch> {
    const found = await this.batches.read(id);
    if (!found) throw new Error(`no batch ${id}`);
    return found;
  }

  /** From any state of the payments: their transitions are not tested here. */
  async end(rows: readonly BatchRow[], state: string): Promise<void> {
    const ids = rows.map(({ id }) => `'${id}'`).join(', ');
    await this.ledger.query(`alter table relais.operation disable trigger user`);
    await this.ledger.query(`update relais.operation set state = '${state}' where id in (${ids})`);
    await this.ledger.query(`alter table relais.operation enable trigger user`);
  }

  async payments(id: string): Promise<number> {
    return (await this.ledger.query(`select from relais.operation where batch = '${id}'`)).length;
  }

  async events(id: string, type: string): Promise<readonly { id: string; data: object }[]> {
    return this.ledger.query(`select id, data from relais.outbox where subject = '${id}' and type = '${type}'`);
  }
}

const refused = (text: string): RowAnswer => ({
  outcome: 'invalid',
  problems: [{ pointer: '/amount', message: message('other', { text }) }],
});

/** For one file of tests. */
export function batchWorld(): BatchWorld {
  const world = new BatchWorld();
  beforeAll(() => world.open());
  afterAll(() => world.close());
  beforeEach(() => world.begin());
  return world;
}
