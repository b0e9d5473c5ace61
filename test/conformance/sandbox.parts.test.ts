/** Two independent implementations of one interface, the client and the sandbox, compared in every point. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Secret } from '../../src/lib/secret.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import type { Verdict } from '../../src/provider/verdict.ts';
import { liveAccount, openUpstream, type Opened } from '../provider/listener.ts';
import { logInLongAgo } from '../provider/old-bearer.ts';
import { type OpenLedger, openLedger } from '../support/fresh-ledger.ts';
import { type Tokens, callsWith, payBy } from './calls.ts';
import { type OperationName, answersOf, facts, needsBearer, operationNames, operations } from './interface-page.ts';

let store: OpenLedger;
let sandbox: Sandbox;
let opened: Opened;
let accounts = 0;

beforeAll(async () => {
  store = await openLedger();
  sandbox = await startSandbox({ settings: { settleDelayMs: 3_600_000 } });
  opened = openUpstream(sandbox.base, {
    crmUrl: sandbox.crm,
    database: store.database,
    softpayCard: true,
    livePathsInTest: true,
    timeoutMs: 2_000,
  });
});
afterAll(async () => {
  await opened.upstream.close();
  await sandbox.stop();
  await store.close();
});

/** Refused bearers and keys are cached per account, so each case has its own. */
function account(mode: 'live' | 'test' = 'live') {
  accounts += 1;
  return liveAccount({
    name: `account-${accounts}`,
    mode,
    masterKey: new Secret('sandbox-master'),
    privateKey: new Secret('sandbox-private'),
    token: new Secret('sandbox-token'),
    smsUserKey: new Secret('sandbox-user'),
    smsSecretKey: new Secret('sandbox-secret'),
    smsAppKey: new Secret('sandbox-app'),
    smsSender: 'RELAIS',
  });
}

async function control(method: string, path: string, body?: object): Promise<unknown> {
  const answer = await fetch(`${sandbox.control}${path}`, {
    method,
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`the sandbox said ${answer.status}: ${text}`);
  return text === '' ? undefined : (JSON.parse(text) as unknown);
}

const valueOf = <T>(verdict: Verdict<T>): T => {
  if (verdict.is !== 'ok')
    throw new Error(`${verdict.exchange.operation}: ${verdict.code} ${verdict.exchange.message}`);
  return verdict.value;
};

/** Preconditions of an operation. */
async function prepared(mode: 'live' | 'test' = 'live'): Promise<Tokens> {
  const { payments } = opened.upstream;
  const keys = account(mode);
  const invoice = valueOf(await payments.createInvoice(keys, { totalAmount: 2_500, store: { name: 'Shop' } }));
  const callbackUrl = 'https://relais.example/cb';
  const order = { accountAlias: '771234567', amount: 1_000, callbackUrl, withdrawMode: 'wallet-a-senegal' };
  const disbursement = valueOf(await payments.createDisbursement(keys, order));
  const request = { amount: 5_000, phone: '+221771234567', feesPaidBy: 'customer' } as const;
  const asked = valueOf(await payments.createPaymentRequest(account(), request));
  return {
    invoice: invoice.token,
    disbursement: disbursement.token,
    ...(asked.referenceNumber ? { paymentRequest: asked.referenceNumber } : {}),
  };
}

/** The sandbox's name of an operation. */
const names: Readonly<Record<OperationName, string>> = {
  invoice_create: 'invoice.create',
  invoice_confirm: 'invoice.confirm',
  direct_credit: 'direct-credit.create',
  payment_request_create: 'payment-request.create',
  payment_request_status: 'payment-request.status',
  balance_all: 'balance.all',
  balance_one: 'balance.one',
  disbursement_create: 'disbursement.create',
  disbursement_submit: 'disbursement.submit',
  disbursement_status: 'disbursement.status',
  sms_login: 'sms.login',
  sms_send: 'sms.send',
  sms_statistics: 'sms.stats',
};

describe.for(operationNames)('%s', (name) => {
  test('is understood, with the least and with everything', async () => {
    for (const how of ['whole', 'least'] as const) {
      const verdict = await callsWith(await prepared())[name][how](opened.upstream, account());
      expect([how, verdict.is, verdict.exchange.code]).toEqual([how, 'ok', 'ok']);
    }
  });

  test('is understood in test mode', async () => {
    if (operations[name].area === 'crm' || !operations[name].paths.test) return;
    const verdict = await callsWith(await prepared('test'))[name].whole(opened.upstream, account('test'));
    expect(verdict.is).toBe('ok');
  });

  const codes = answersOf(name).filter(({ is, body }) => is !== 'ok' && ('response-code' in body || 'code' in body));
  test.for(codes.flatMap((fact) => ['200', '4xx'].map((status) => ({ ...fact, status }))))(
    '$name, answered with HTTP $status, is $is',
    async ({ body, is, code, status }) => {
      await control('POST', '/settings', { errorStatus: status });
      const given = 'code' in body ? body.code : (body as Record<string, unknown>)['response-code'];
      const tokens = await prepared();
      const keys = account();
      if (needsBearer(name)) await logInLongAgo(opened.upstream, store, keys);
      await control('POST', '/faults', {
        fault: 'answers a given code',
        operation: names[name],
        code: given,
        // A refused bearer is renewed and the request repeated; a login is tried in up to three encodings.
        count: 3,
      });
      const verdict = await callsWith(tokens)[name].whole(opened.upstream, keys);
      await control('DELETE', '/faults');
      await control('POST', '/settings', { errorStatus: '200' });
      expect([verdict.is, verdict.exchange.code]).toEqual([is, code]);
    },
  );
});

describe('the causes that the page names', () => {
  const create = (alias: string) =>
    opened.upstream.payments.createDisbursement(account(), {
      accountAlias: alias,
      amount: 1_000,
      callbackUrl: 'https://relais.example/cb',
      withdrawMode: 'wallet-a-senegal',
    });

  test.for([
    ['779999903', 'held', 'funds'],
    ['779999904', 'held', 'callback_unreachable'],
    ['779999905', 'config', undefined],
    ['779999906', 'transient', undefined],
    ['779999907', 'transient', undefined],
  ] as const)('a disbursement to %s is %s', async ([alias, is, condition]) => {
    const verdict = await create(alias);
    expect([verdict.is, 'condition' in verdict ? verdict.condition : undefined]).toEqual([is, condition]);
  });

  test.for([
    ['disbursement_submit', '5000', 'unknown'],
    ['disbursement_submit', '1001', 'unknown'],
    ['disbursement_submit', '7777', 'unknown'],
    ['disbursement_status', '5000', 'transient'],
    ['disbursement_status', '1001', 'transient'],
    ['invoice_create', '7777', 'refused'],
    ['invoice_confirm', '7777', 'transient'],
    ['direct_credit', '7777', 'unknown'],
  ] as const)('%s answered with %s is %s', async ([name, code, is]) => {
    const tokens = await prepared();
    await control('POST', '/faults', { fault: 'answers a given code', operation: names[name], code, count: 1 });
    expect((await callsWith(tokens)[name].whole(opened.upstream, account())).is).toBe(is);
  });

  test('a disburse_id that was used is no refusal', async () => {
    const { payments } = opened.upstream;
    const [first, second] = [valueOf(await create('771234567')), valueOf(await create('771234567'))];
    expect((await payments.submitDisbursement(account(), { token: first.token, disburseId: 'used' })).is).toBe('ok');
    const again = await payments.submitDisbursement(account(), { token: second.token, disburseId: 'used' });
    expect([again.is, again.exchange.code]).toEqual(['unknown', 'disburse_id_used']);
    expect(valueOf(await payments.disbursementStatus(account(), second)).status).toBe('created');
  });

  test('an account that there is not has no balance', async () => {
    const verdict = await opened.upstream.payments.balance(account(), { accountNumber: 'BBJ9999999999' });
    expect([verdict.is, verdict.exchange.code]).toEqual(['config', 'balance_user_not_found']);
  });

  test('a payment request that there is not', async () => {
    const verdict = await opened.upstream.payments.paymentRequestStatus(account(), { referenceNumber: 'NONE' });
    expect([verdict.is, verdict.exchange.code]).toEqual(['transient', '4004']);
  });

  test('an unpaid invoice is cancelled after 24 hours', async () => {
    const { invoice = '' } = await prepared();
    await control('POST', '/clock', { advance: '24h' });
    const { payments } = opened.upstream;
    expect(valueOf(await payments.confirmInvoice(account(), { token: invoice })).status).toBe('cancelled');
  });
});

describe('softpay', () => {
  test.for(Object.keys(facts.softpay.methods))('%s is understood', async (suffix) => {
    const { invoice = '' } = await prepared();
    let transactionId = '';
    if (suffix === 'wallet-h-senegal/confirm') {
      const begun = (await payBy('wallet-h-senegal', invoice)(opened.upstream, account())) as Verdict<{
        transactionId: string;
      }>;
      transactionId = valueOf(begun).transactionId;
    }
    const verdict = await payBy(suffix, invoice, transactionId)(opened.upstream, account());
    expect([verdict.is, verdict.exchange.code]).toEqual(['ok', 'ok']);
  });
});

test('in all of this the client broke no rule of the page', async () => {
  expect(await control('GET', '/books/breaches')).toEqual([]);
});
