/** A worker on a ledger within the test: its life, its journal and its operations, without timers. */
import type { Redis } from 'ioredis';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { Journal } from '../../src/ledger/journal.ts';
import { Memory } from '../../src/ledger/lane.ts';
import { Life, type LifeOptions } from '../../src/ledger/life.ts';
import { Operations } from '../../src/ledger/operations.ts';
import { Database } from '../../src/ledger/pool.ts';
import { processName } from '../../src/ledger/processes.ts';
import { Server } from '../../src/ledger/server.ts';

export interface LedgerWorker {
  readonly life: Life;
  readonly operations: Operations;
  readonly journal: Journal;
  readonly database: Database;
  readonly faults: string[];
  readonly fenced: string[];
  /** Cleanly. */
  readonly end: () => Promise<void>;
  /** It reports nothing more. */
  readonly kill: () => Promise<void>;
}

interface At {
  readonly url: string;
  readonly schema: string;
  /** Of the journal. */
  readonly redis: Redis;
}

export async function ledgerWorker(
  { url, schema, redis }: At,
  witnesses: LifeOptions['witnesses'],
  over: Partial<LifeOptions> = {},
): Promise<LedgerWorker> {
  const at = { url, schema, server: new Server() };
  const database = new Database({ ...at, size: 2 });
  const [memory, faults, fenced] = [new Memory(), [] as string[], [] as string[]];
  const needs = { clock: { ...systemClock, after: () => () => undefined }, random: systemRandom };
  const life = new Life({
    clock: needs.clock,
    name: processName('worker', systemRandom),
    database,
    at,
    memory,
    deployment: url,
    slot: 'worker',
    version: 'test',
    schemaVersion: 1,
    roles: ['worker'],
    witnesses,
    needsWitness: true,
    suspendMs: 120_000,
    onFenced: (why) => fenced.push(why),
    quietly: (message) => faults.push(message),
    ...over,
  });
  const [row] = await database.run<{ id: string }>('read_deployment');
  const names = { deployment: () => row?.id, process: life.name };
  const journal = new Journal({ redis, ...names, clock: systemClock, onHole: () => faults.push('hole') });
  life.journalIn(journal);
  await life.start();
  const operations = new Operations({ ...needs, database: at, process: life.name, memory, lanes: 1, journal });
  const kill = async (): Promise<void> => {
    await operations.close();
    await database.close();
  };
  const end = async (): Promise<void> => {
    await operations.close();
    await life.end();
    await database.close();
  };
  return { life, operations, journal, database, faults, fenced, end, kill };
}
