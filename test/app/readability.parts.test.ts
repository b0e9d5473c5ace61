/** An account is held while the provider's answers are unreadable, with a description of them. */
import { beforeEach, describe, expect, test } from 'vitest';
import { Readability } from '../../src/app/readability.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { PROVIDER_UNREADABLE } from '../../src/kinds/hold.ts';
import { Holds } from '../../src/ledger/holds.ts';
import { advanceDirectCredit } from '../../src/processors/disbursement/direct-credit.ts';
import { payDisbursement } from '../../src/processors/disbursement/pay.ts';
import type { ExchangeSummary, UpstreamOperation } from '../../src/provider/verdict.ts';
import { openBench } from '../support/benches.ts';
import { ledgerOfThisFile } from '../support/ledger-of-file.ts';
import { ok } from '../support/processor-world.ts';

const ledger = ledgerOfThisFile('hold', 'failure_row');
const bench = openBench();
const accounts = () => new Holds({ database: ledger.database, clock: systemClock });
const CAME = 'html (text/html, begins: <b>Warning</b>)';
const logged: object[] = [];

beforeEach(() => {
  logged.length = 0;
});

const aProcess = () =>
  new Readability({
    accounts: accounts(),
    clock: systemClock,
    logger: { error: (fields: object) => void logged.push(fields) },
  });
const heard = (operation: UpstreamOperation, code: string, more: Partial<ExchangeSummary> = {}): ExchangeSummary => ({
  operation,
  account: 'main',
  code,
  message: CAME,
  sent: 'answered',
  durationMs: 1,
  ...more,
});
const holds = () => accounts().holdsOf('main');
async function hear(process: Readability, operation: UpstreamOperation, ...codes: string[]): Promise<void> {
  for (const code of codes) await process.heard(heard(operation, code));
}
const UNREADABLE = ['unreadable', 'unreadable', 'unreadable'];

describe('three unreadable answers in a row', () => {
  test('hold the account, with a description', async () => {
    await hear(aProcess(), 'disbursement_create', ...UNREADABLE, 'unreadable');
    expect(await holds()).toMatchObject([
      {
        area: 'payments',
        reason: PROVIDER_UNREADABLE,
        unreadable: { operation: 'disbursement_create', came: CAME },
      },
    ]);
    expect(logged).toEqual([{ account: 'main', operation: 'disbursement_create', came: CAME }]);
  });

  test('of a direct credit and of SMS hold their own area', async () => {
    await hear(aProcess(), 'direct_credit', ...UNREADABLE);
    await hear(aProcess(), 'sms_send', ...UNREADABLE);
    expect((await holds()).map(({ area }) => area).toSorted()).toEqual(['direct_credit', 'messaging']);
  });

  test('to invoices are logged and hold nothing', async () => {
    await hear(aProcess(), 'invoice_create', ...UNREADABLE);
    expect([await holds(), logged]).toMatchObject([[], [{ operation: 'invoice_create', came: CAME }]]);
  });

  test('are not counted across a readable answer, or another operation', async () => {
    const process = aProcess();
    await hear(process, 'disbursement_create', 'unreadable', 'unreadable', 'ok', 'unreadable', 'unreadable');
    await hear(process, 'disbursement_status', 'unreadable');
    expect(await holds()).toEqual([]);
  });
});

describe('the hold ends', () => {
  test.for([
    ['an answer that is understood', heard('disbursement_create', 'ok'), true],
    ['a refusal with a code of the provider', heard('disbursement_create', '1001', { upstreamCode: '1001' }), true],
    ['an answer to another operation', heard('disbursement_status', 'ok'), false],
    ['a failing server', heard('disbursement_create', 'server_error'), false],
    ['a request that did not leave', heard('disbursement_create', 'ok', { sent: 'never' }), false],
  ] as const)('by %s, in any process: %s', async ([, exchange, ends]) => {
    await hear(aProcess(), 'disbursement_create', ...UNREADABLE);
    await aProcess().heard(exchange);
    expect(await holds()).toHaveLength(ends ? 0 : 1);
  });

  test('of SMS by statistics that can be read', async () => {
    await hear(aProcess(), 'sms_send', ...UNREADABLE);
    await hear(aProcess(), 'sms_statistics', 'ok');
    expect(await holds()).toEqual([]);
  });

  test('and begin again after an operator released it too early', async () => {
    const process = aProcess();
    await hear(process, 'disbursement_create', ...UNREADABLE);
    await accounts().release('main', 'payments', PROVIDER_UNREADABLE);
    await hear(process, 'disbursement_create', 'unreadable');
    expect(await holds()).toHaveLength(1);
  });
});

describe('while the account is held', () => {
  async function held(operation: UpstreamOperation) {
    const world = bench.world({ policy: { pollMs: [900_000] }, accounts: accounts() });
    const base = { account: 'main', state: 'queued', fingerprint: 'fp', xof: 100, dueInMs: 0 } as const;
    const fields = { amount: 100, accountAlias: '771234567' };
    const paid = { ...fields, withdrawMode: 'wallet-a-senegal' };
    for (const id of ['dsb_1', 'dsb_2']) {
      await world.operations.accept({ ...base, kind: 'disbursement', id, fields: { ...paid, disburseId: id } });
    }
    await world.operations.accept({ ...base, kind: 'direct_credit', id: 'dcr_1', fields });
    world.answer('createDisbursement', ok({ token: 'tok-1' }));
    world.answer('submitDisbursement', ok({ status: 'pending' }));
    await hear(aProcess(), operation, ...UNREADABLE);
    // The interval passes.
    const [{ area } = { area: 'payments' }] = await holds();
    await ledger.query(
      `update relais.hold set trial_at = 'epoch' where area = '${area}' and reason = '${PROVIDER_UNREADABLE}'`,
    );
    return world;
  }
  const calls = ({ calls: made }: Awaited<ReturnType<typeof held>>) => made.map(({ name }) => name);
  const WAITS = { outcome: 'waits', reason: 'account_held_provider_unreadable' };

  test('one disbursement an interval tries again, and direct credits wait', async () => {
    const world = await held('disbursement_create');
    await payDisbursement('dsb_1', world.context);
    expect(await payDisbursement('dsb_2', world.context)).toEqual(WAITS);
    expect(await advanceDirectCredit('dcr_1', world.context)).toEqual(WAITS);
    expect(calls(world)).toEqual(['createDisbursement', 'submitDisbursement']);
  });

  test('nothing is paid where the status of a payment cannot be read', async () => {
    const world = await held('disbursement_status');
    expect(await payDisbursement('dsb_1', world.context)).toEqual(WAITS);
    expect(calls(world)).toEqual([]);
  });

  test('a direct credit is no trial: each one would need review', async () => {
    const world = await held('direct_credit');
    expect(await advanceDirectCredit('dcr_1', world.context)).toEqual(WAITS);
    expect(calls(world)).toEqual([]);
  });
});
