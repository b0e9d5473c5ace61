/** get-invoice: a token, and nothing moves (interface: Disbursement; Errors). */
import { z } from 'zod';
import { type Answer, ok, refuse, serverError } from './answers.ts';
import type { Disbursement } from './books.ts';
import { payingCountry, refuseFields } from './disbursements.ts';
import { disbursementOutcomeOf } from './magic.ts';
import { isWithdrawMode } from './withdraw-modes.ts';
import { understood } from './understood.ts';
import { type Ask, type Handler, type World } from './world.ts';

const createBody = z.strictObject({
  account_alias: z.string().min(1),
  amount: z.int().positive(),
  callback_url: z.url({ protocol: /^https?$/ }),
  withdraw_mode: z.string().optional(),
  debit_account_number: z
    .string()
    .regex(/^BBJ[0-9A-Z]{10}$/)
    .optional(),
});

type CreateBody = z.output<typeof createBody>;

export const createDisbursement: Handler = async (ask, world) => {
  const parsed = understood(createBody, ask, world);
  if (!parsed.success) return refuseFields(parsed.error, ask, world);
  const body = parsed.data;
  const refusal = refuseMode(body, ask, world) ?? refuseByFault(body, ask, world) ?? refuseFunds(body, world);
  if (refusal !== undefined) return refusal;
  if (!(await answers(body.callback_url, ask, world))) return callbackUnreachable();

  const { disbursements } = world.books;
  if (disbursements.size > 0 && world.faults.named('gives the token of another', ask))
    return ok({ response_code: '00', disburse_token: [...disbursements.keys()].at(-1) });
  const record = open(body, world);
  return ok({ response_code: '00', disburse_token: record.token });
};

function refuseMode({ withdraw_mode, debit_account_number }: CreateBody, ask: Ask, world: World): Answer | undefined {
  if (withdraw_mode === undefined) {
    if (!world.settings.values.withdrawModeRequired) return undefined;
    world.books.breach(ask.operation, 'withdraw_mode is missing');
    return refuse('1001', 'withdraw_mode is missing', 400);
  }
  if (!isWithdrawMode(withdraw_mode)) {
    world.books.breach(ask.operation, `withdraw_mode: "${withdraw_mode}" is not supported`);
    return refuse('1001', 'withdraw_mode not supported', 400);
  }
  if (debit_account_number !== undefined && withdraw_mode !== 'service')
    world.books.breach(ask.operation, 'debit_account_number is only read when withdraw_mode is service');
  return undefined;
}

function refuseByFault({ account_alias }: CreateBody, ask: Ask, world: World): Answer | undefined {
  const magic = disbursementOutcomeOf(account_alias);
  const { faults, settings } = world;
  if (!settings.values.disbursementEnabled)
    return refuse('401', 'Initiation not authorized: disbursement is not enabled');
  if (magic === 'maintenance') return refuse('5000', 'Service under maintenance, please retry later', 400);
  if (magic === 'server error') return serverError('payment');
  if (magic === 'not authorized' || faults.named('says not authorized', ask))
    return refuse('401', 'Initiation not authorized');
  if (magic === 'no funds' || faults.named('says funds are insufficient', ask)) return insufficientFunds();
  if (magic === 'callback unreachable' || faults.named('says the callback URL is not reachable', ask))
    return callbackUnreachable();
  if (faults.named('says 4002 and nothing else', ask)) return refuse('4002', 'Operation impossible');
  return undefined;
}

const insufficientFunds = (): Answer => refuse('4002', 'Insufficient funds');
const callbackUnreachable = (): Answer => refuse('4002', 'The callback URL is not reachable');

function refuseFunds({ amount, withdraw_mode, debit_account_number }: CreateBody, world: World): Answer | undefined {
  const { balances } = world.settings.values;
  const country = payingCountry(withdraw_mode, debit_account_number, world);
  return amount > (balances[country] ?? 0) ? insufficientFunds() : undefined;
}

async function answers(url: string, ask: Ask, { faults, settings, postman }: World): Promise<boolean> {
  const { probeCallbackUrl, probeMethod } = settings.values;
  if (!probeCallbackUrl && !faults.named('probes the callback URL', ask)) return true;
  return postman.probe(url, probeMethod);
}

function open(body: CreateBody, { books, random, time }: World): Disbursement {
  const now = time.now();
  const record: Disbursement = {
    token: random.hex(12),
    disburseId: undefined,
    accountAlias: body.account_alias,
    amount: body.amount,
    withdrawMode: body.withdraw_mode ?? '',
    debitAccountNumber: body.debit_account_number,
    callbackUrl: body.callback_url,
    status: 'created',
    previousStatus: 'created',
    createdAt: now,
    updatedAt: now,
    submits: 0,
    coming: [],
    undecided: 0,
    effects: 0,
    transactionId: undefined,
    operatorId: undefined,
    callbacks: 0,
  };
  books.disbursements.set(record.token, record);
  return record;
}
