/** Side effects of an opt-out: an audit line in the same transaction, and a journal entry for a recovery. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OptOuts } from '../../src/ledger/opt-outs.ts';
import { Database } from '../../src/ledger/pool.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';

let ledger: FreshLedger;
let database: Database;
beforeAll(async () => {
  ledger = await freshLedger();
  database = new Database(ledger);
});
afterAll(async () => {
  await database?.close();
  await ledger?.close();
});

const act = {
  by: 'k',
  person: '',
  role: 'enqueue',
  source: 'api',
  requestId: 'r',
  act: 'opt-outs.add',
  target: 'main/',
} as const;
const list = { account: 'main', sender: '' };

test('each change has one audit line with its number, a change of nothing none, and no line has a phone number', async () => {
  const journal: unknown[] = [];
  const onCommitted = async (kind: string, facts: object): Promise<void> => void journal.push([kind, facts]);
  const optOuts = new OptOuts({ database, onCommitted });
  await optOuts.add(list, ['+221771234567', '+221771234568'], act);
  await optOuts.add(list, ['+221771234567'], act);
  await optOuts.remove(list, ['+221771234567'], { ...act, act: 'opt-outs.remove' });
  await optOuts.forget('+221771234568', { ...act, act: 'person.purge', target: '+22177•••4568' });
  const lines = await ledger.query<{ act: string; facts: object }>(
    `select act, facts from relais.audit_line order by sequence`,
  );
  expect(lines).toEqual([
    { act: 'opt-outs.add', facts: { added: 2 } },
    { act: 'opt-outs.remove', facts: { removed: 1 } },
    { act: 'person.purge', facts: { optOuts: 1 } },
  ]);
  expect(journal).toEqual([
    ['opt_out.added', { ...list, phones: ['221771234567', '221771234568'] }],
    // Whether the first request was journaled is unknown.
    ['opt_out.added', { ...list, phones: ['221771234567'] }],
  ]);
});
