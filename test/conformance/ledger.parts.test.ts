/** Operations in PostgreSQL answer like the memory model, whatever is asked. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readRow } from '../../src/ledger/records.ts';
import { keys } from '../../src/operations/keys.ts';
import { UnreadableRecord, readRecord } from '../../src/operations/record.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';
import { ledgerUnderTest } from './ledger-under-test.ts';
import { memoryUnderTest } from './memory-under-test.ts';
import { randomCommands } from './random-commands.ts';

const SEEDS = process.env['RELAIS_DEEP'] === '1' ? 200 : 5;
const COMMANDS = 400;
const IDS = ['a', 'b', 'c', 'd', 'ref'];

let ledger: FreshLedger;
beforeAll(async () => {
  ledger = await freshLedger();
});
afterAll(() => ledger?.close());

/** Leases and numbers of statements are each store's own, and so is the form of evidence. */
const OWN: readonly string[] = ['op', 'lease', 'leasedSince', 'written', 'trace', 'differs', 'evidence', 'fields'];
/** The random requests do not name this time in their fields. */
const UNNAMED = 'notBefore';

function comparable(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const compared = Object.entries(value).filter(([name]) => !OWN.includes(name) && name !== UNNAMED);
  return Object.fromEntries(compared.map(([name, one]) => [name, comparable(one)]));
}

test('answers and ends like the memory model', { timeout: 600_000 }, async () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const inLedger = await ledgerUnderTest(ledger, seed);
    const inMemory = await memoryUnderTest(seed);
    const spared = { repeats: false, takes: false } as const;
    const asked = { ...inMemory, operations: inLedger.operations, clock: inLedger.clock };
    const answered = (await randomCommands(asked, seed, COMMANDS, spared)).map(comparable);
    const modelled = (await randomCommands(inMemory, seed, COMMANDS, spared)).map(comparable);
    expect(answered, `answers with seed ${seed}`).toEqual(modelled);
    for (const id of IDS) {
      const row = await inLedger.read(id);
      const fields = await inMemory.fields(keys.record(id));
      expect(row !== undefined, id).toBe('id' in fields);
      if (row === undefined) continue;
      const record = readRow('disbursement', row);
      if (record instanceof UnreadableRecord) throw record;
      expect(comparable(record), `${id} with seed ${seed}`).toEqual(comparable(readRecord('disbursement', fields)));
      if (row.lease !== null) continue;
      const score = row.queue && (await inMemory.score(keys.due(row.queue), id));
      expect(row.due_at?.getTime(), `when ${id} is due with seed ${seed}`).toBe(score ?? undefined);
    }
    await inLedger.close();
  }
});
