import { afterAll, beforeAll, expect, test } from 'vitest';
import { Campaigns } from '../../src/ledger/campaigns.ts';
import { OperationStore } from '../../src/ledger/operation-store.ts';
import { Operations } from '../../src/ledger/operations.ts';
import { Database } from '../../src/ledger/pool.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { CollectAcceptance, type CollectOptions } from '../../src/producer/acceptance-collect.ts';
import { acceptanceInLedger } from '../../src/producer/acceptance-store.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';
import { limitOf } from '../support/ledger-limit.ts';

let ledger: FreshLedger;
let shared: Operations;
let database: Database;
beforeAll(async () => {
  ledger = await freshLedger();
  const at = { url: ledger.url, schema: ledger.schema };
  database = new Database(at);
  shared = new Operations({ database: at, process: 'one', clock: systemClock, random: systemRandom, lanes: 1 });
});
afterAll(async () => {
  await shared?.close();
  await database?.close();
  await ledger?.close();
});

function collectOver(more: Partial<CollectOptions>): CollectAcceptance {
  const options = { operations: shared, clock: systemClock, accounts: ['main', 'wakes'], leaseMs: 60_000 };
  const store = acceptanceInLedger({
    operations: new OperationStore(options),
    judging: new OperationStore({ ...options, dryRun: true }),
    sharedOperations: shared,
    campaigns: new Campaigns({ database }),
  });
  return new CollectAcceptance({ store, environment: 'test', directCredit: true, wake: () => undefined, ...more });
}

test('a direct credit never waits for an approval: one that needs it is refused, and an accepted one is found', async () => {
  const collect = collectOver({});
  const body = { account: 'main', amount: 5_000, accountAlias: '771234567', reference: 'before' };
  expect(await collect.directCredit(body)).toMatchObject({ outcome: 'accepted', state: 'queued' });
  await limitOf(ledger, 'main', 'APPROVAL_ABOVE', 10);
  expect(await collect.directCredit(body)).toMatchObject({ outcome: 'duplicate', state: 'queued' });
  expect(await collect.directCredit({ ...body, reference: 'next' })).toMatchObject({
    outcome: 'invalid',
    problems: [{ pointer: '/amount', message: { code: 'approval_impossible' } }],
  });
});

test('an accepted request wakes the queue of its state, unless a caller waits for it', async () => {
  const wokenBy = async (nobodyWaits: boolean): Promise<readonly string[]> => {
    const woken: string[] = [];
    const collect = collectOver({
      environment: `waits ${nobodyWaits}`,
      nobodyWaits,
      wake: (queue) => woken.push(queue),
    });
    const named = { account: 'wakes', reference: `once ${nobodyWaits}` };
    await collect.invoice({ ...named, totalAmount: 1_000, store: { name: 'Boutique' } });
    await collect.paymentRequest({ ...named, amount: 1_000, phone: '+221771234567', feesPaidBy: 'customer' });
    await collect.directCredit({ ...named, amount: 5, accountAlias: nobodyWaits ? 'shop' : 'stall' });
    return woken;
  };
  expect(await wokenBy(true)).toEqual(['invoice-confirm', 'status-poll', 'direct-credit']);
  expect(await wokenBy(false)).toEqual(['direct-credit']);
});
