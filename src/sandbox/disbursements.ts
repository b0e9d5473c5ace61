/**
 * Disbursements (interface: Disbursement; States; Events):
 *
 *   created ──submit──▶ pending ──delay──▶ success (money left, callback) or failed (money returned)
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type Answer, ok, refuse, serverError } from './answers.ts';
import { readBody } from './body.ts';
import { type FaultName, MAINTENANCE } from './fault-table.ts';
import { type DisbursementOutcome, disbursementOutcomeOf } from './magic.ts';
import type { Disbursement, DisbursementStatus, Verdict } from './records.ts';
import type { BalanceCountry } from './settings.ts';
import type { Call, Handler, Simulator } from './simulator.ts';
import { isWithdrawMode, payingCountry } from './withdraw-modes.ts';

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

/** get-invoice: returns a token. No money moves. */
export const createDisbursement: Handler = async (call, simulator) => {
  const read = readBody(createBody, call, simulator);
  if (!read.ok) return refuseField(read.field);
  const body = read.data;
  const refusal = refuseMode(body, call, simulator) ?? refuseCreation(body, call, simulator);
  if (refusal !== undefined) return refusal;
  if (!(await answersCallbacks(body.callback_url, call, simulator))) return callbackUnreachable();

  const { disbursements } = simulator.records;
  if (disbursements.size > 0 && simulator.faults.strikes('gives the token of another', call))
    return ok({ response_code: '00', disburse_token: [...disbursements.keys()].at(-1) });
  const record = newRecord(body, simulator);
  disbursements.set(record.token, record);
  return ok({ response_code: '00', disburse_token: record.token });
};

/** An unusable callback URL is "not authorized"; every other field is data validation. */
function refuseField(field: string): Answer {
  if (field === 'callback_url') return refuse('401', 'Transaction not authorized: callback_url is not a valid URL');
  return refuse('1001', `Data not valid: ${field || 'body'}`, 400);
}

function refuseMode(
  { withdraw_mode: mode, debit_account_number: account }: CreateBody,
  { operation }: Call,
  { records, settings }: Simulator,
): Answer | undefined {
  if (mode === undefined) {
    if (!settings.values.withdrawModeRequired) return undefined;
    records.breach(operation, 'withdraw_mode is missing');
    return refuse('1001', 'withdraw_mode is missing', 400);
  }
  if (!isWithdrawMode(mode)) {
    records.breach(operation, `withdraw_mode: "${mode}" is not supported`);
    return refuse('1001', 'withdraw_mode not supported', 400);
  }
  if (account !== undefined && mode !== 'service')
    records.breach(operation, 'debit_account_number is only read when withdraw_mode is service');
  return undefined;
}

function refuseCreation(body: CreateBody, call: Call, simulator: Simulator): Answer | undefined {
  const { faults, settings } = simulator;
  const magic = disbursementOutcomeOf(body.account_alias);
  const is = (outcome: DisbursementOutcome, fault: FaultName) => magic === outcome || faults.strikes(fault, call);
  if (!settings.values.disbursementEnabled)
    return refuse('401', 'Initiation not authorized: disbursement is not enabled');
  if (magic === 'maintenance') return refuse('5000', MAINTENANCE, 400);
  if (magic === 'server error') return serverError('payment');
  if (is('not authorized', 'says not authorized')) return refuse('401', 'Initiation not authorized');
  if (is('no funds', 'says funds are insufficient')) return insufficientFunds();
  if (is('callback unreachable', 'says the callback URL is not reachable')) return callbackUnreachable();
  if (faults.strikes('says 4002 and nothing else', call)) return refuse('4002', 'Operation impossible');
  const country = payingCountry(body.withdraw_mode, body.debit_account_number, simulator);
  return body.amount > (settings.values.balances[country] ?? 0) ? insufficientFunds() : undefined;
}

const insufficientFunds = (): Answer => refuse('4002', 'Insufficient funds');
const callbackUnreachable = (): Answer => refuse('4002', 'The callback URL is not reachable');

async function answersCallbacks(
  url: string,
  call: Call,
  { faults, settings, callbacks }: Simulator,
): Promise<boolean> {
  const { probeCallbackUrl, probeMethod } = settings.values;
  if (!probeCallbackUrl && !faults.strikes('probes the callback URL', call)) return true;
  return callbacks.probe(url, probeMethod);
}

function newRecord(body: CreateBody, { random, time }: Simulator): Disbursement {
  const now = time.now();
  return {
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
    scheduled: [],
    undecided: 0,
    effects: 0,
    transactionId: undefined,
    operatorId: undefined,
    callbacks: 0,
  };
}

const submitBody = z.strictObject({ disburse_invoice: z.string().min(1), disburse_id: z.string().min(1).optional() });

/** submit-invoice: the request goes to the operator. */
export const submitDisbursement: Handler = async (call, simulator) => {
  const read = readBody(submitBody, call, simulator);
  if (!read.ok) return refuseField(read.field);
  const { disburse_invoice: token, disburse_id: id } = read.data;
  const record = findDisbursement(token, call, simulator);
  if (record === undefined) return unknownToken(simulator);
  record.submits += 1;

  const magic = disbursementOutcomeOf(record.accountAlias);
  if (magic === 'submit refused') {
    spendLostId(id, token, simulator);
    return serverError('payment');
  }
  const refusal = refuseRepeat(record, id, simulator);
  if (refusal !== undefined) return refusal;
  if (!simulator.settings.values.disbursementEnabled) return refuse('401', 'Initiation not authorized');

  if (id !== undefined) {
    simulator.records.disburseIds.set(id, token);
    record.disburseId = id;
  }
  const answer = await sendToOperator(record, call, simulator);
  return magic === 'answers 5000 and pays' ? serverError('payment') : answer;
};

/** A request that failed before its work may have used up its disburse_id: the interface does not say. */
function spendLostId(id: string | undefined, token: string, { records, settings }: Simulator): void {
  const { disburseIds } = records;
  if (settings.values.lostSubmitSpendsId && id !== undefined && !disburseIds.has(id)) disburseIds.set(id, token);
}

/** For a submit that a fault stopped before its work. */
export function spendIdOf(text: string, simulator: Simulator): void {
  const id = /"disburse_id"\s*:\s*"([^"]+)"/.exec(text)?.[1];
  spendLostId(id, '', simulator);
}

function refuseRepeat(
  record: Disbursement,
  id: string | undefined,
  { records, settings }: Simulator,
): Answer | undefined {
  const { disburseIdUnique, tokenSingleUse, repeatedSubmit } = settings.values;
  const submitted = record.status !== 'created';
  if (submitted && tokenSingleUse && repeatedSubmit === 'repeats') return submitAnswer(record, record.status);
  if (disburseIdUnique && id !== undefined && records.disburseIds.has(id))
    return refuse('5000', 'disburse_id already used');
  if (submitted && tokenSingleUse) return refuse('5000', 'This token was already submitted');
  return undefined;
}

async function sendToOperator(record: Disbursement, call: Call, simulator: Simulator): Promise<Answer> {
  const { random, settings, faults } = simulator;
  const { submitAnswer: answered } = settings.values;
  const magic = disbursementOutcomeOf(record.accountAlias);
  record.transactionId ??= `TX${random.hex(6).toUpperCase()}`;
  record.operatorId ??= random.hex(8);
  settings.moveBalance(countryOf(record, simulator), -record.amount);
  record.undecided += 1;

  if (faults.strikes('calls back early', { ...call, operation: 'disbursement.callback' })) {
    await settle(record, 'success', simulator);
    return submitAnswer(record, 'pending');
  }
  if (magic === 'fails at once') {
    void settle(record, 'failed', simulator);
    return submitAnswer(record, 'failed');
  }
  if (magic === 'succeeds at once' || answered === 'success') {
    void settle(record, 'success', simulator);
    return submitAnswer(record, 'success');
  }
  setStatus(record, 'pending', simulator);
  awaitOperator(record, call, simulator);
  return submitAnswer(record, answered === 'bare' ? undefined : answered);
}

function awaitOperator(record: Disbursement, call: Call, simulator: Simulator): void {
  const { faults, settings, time } = simulator;
  const magic = disbursementOutcomeOf(record.accountAlias);
  const [fails, stays, reversed] = [
    faults.strikes('fails the disbursement', call) || magic === 'fails',
    faults.strikes('leaves the disbursement pending', call) || magic === 'stays pending',
    faults.strikes('reverses a success', call) || magic === 'is reversed',
  ];
  const at = time.now() + settings.values.settleDelayMs;
  if (!stays) schedule(record, { status: fails ? 'failed' : 'success', at }, simulator);
  if (reversed) schedule(record, { status: 'reversal', at: at + settings.values.settleDelayMs }, simulator);
}

type Scheduled = Disbursement['scheduled'][number];

function schedule(record: Disbursement, scheduled: Scheduled, simulator: Simulator): void {
  record.scheduled = [...record.scheduled, scheduled];
  resumeDisbursement(record, scheduled, simulator);
}

/** Waits for a scheduled status, also after a restart with stored records. */
export function resumeDisbursement(record: Disbursement, scheduled: Scheduled, simulator: Simulator): void {
  const { status, at } = scheduled;
  simulator.time.after(at - simulator.time.now(), () => {
    record.scheduled = record.scheduled.filter((one) => one !== scheduled);
    simulator.revision += 1;
    // The control API may have decided earlier.
    const applies = status === 'reversal' ? record.status === 'success' : record.undecided > 0;
    if (applies) void settle(record, status === 'success' ? 'success' : 'failed', simulator);
  });
}

/** interface: Submit response fields. provider_ref is absent for pending answers and for account-to-account. */
function submitAnswer(record: Disbursement, status: DisbursementStatus | undefined): Answer {
  const wallet = record.withdrawMode !== 'service' && status !== 'pending';
  return ok({
    response_code: '00',
    response_text: status === 'pending' ? 'Transaction pending' : 'Transaction received',
    description: 'The request was sent to the operator',
    transaction_id: record.transactionId,
    ...(wallet ? { provider_ref: record.operatorId } : {}),
    ...(status === undefined ? {} : { status }),
  });
}

const countryOf = (record: Disbursement, simulator: Simulator): BalanceCountry =>
  payingCountry(record.withdrawMode || undefined, record.debitAccountNumber, simulator);

/** The operator's final status. Success means that money left, and only success calls back by default. */
export async function settle(record: Disbursement, verdict: Verdict, simulator: Simulator): Promise<void> {
  const { settings } = simulator;
  const country = countryOf(record, simulator);
  const undecided = record.undecided > 0;
  if (undecided) record.undecided -= 1;
  if (verdict === 'success') {
    record.effects += 1;
    // A submit took its money. A success after a final status, as a correction of the operator, takes it again.
    if (!undecided) settings.moveBalance(country, -record.amount);
  } else if (undecided || record.status === 'success') settings.moveBalance(country, record.amount);
  setStatus(record, verdict, simulator);
  if (verdict !== 'success' && !settings.values.callbackOnFailure) return;
  await callBack(record, simulator);
}

export async function callBack(record: Disbursement, simulator: Simulator): Promise<void> {
  const { callbacks, credentials, settings } = simulator;
  const { token, callbackUrl: url, status } = record;
  const hash = createHash('sha512').update(credentials.masterKey).digest('hex');
  const fields = {
    ...statusFields(record, status, simulator),
    ...(settings.values.callbackHash ? { hash } : {}),
  };
  const posted = () => {
    record.callbacks += 1;
  };
  await callbacks.send({ kind: 'disbursement', token, url, fields, posted }, simulator);
}

function setStatus(record: Disbursement, status: DisbursementStatus, simulator: Simulator): void {
  simulator.revision += 1;
  if (record.status === status) return;
  record.previousStatus = record.status;
  record.status = status;
  record.updatedAt = simulator.time.now();
}

const statusBody = z.strictObject({ disburse_invoice: z.string().min(1) });

export const disbursementStatus: Handler = (call, simulator) => {
  const { faults } = simulator;
  const read = readBody(statusBody, call, simulator);
  if (!read.ok) return refuseField(read.field);
  const record = findDisbursement(read.data.disburse_invoice, call, simulator);
  if (record === undefined) return unknownToken(simulator);
  const amount = faults.strikes('reports another amount', call) ? record.amount - 1 : record.amount;
  const disburseId = faults.strikes('leaves out the disburse_id', call) ? undefined : record.disburseId;
  const status = reportedStatus(record, call, simulator);
  return ok({ response_code: '00', ...statusFields({ ...record, amount, disburseId }, status, simulator) });
};

function reportedStatus(record: Disbursement, call: Call, { faults, settings, time }: Simulator): string {
  if (faults.strikes('reports an unknown status', call)) return 'in_review';
  const lagging = time.now() - record.updatedAt < settings.values.statusLagMs;
  return lagging || faults.strikes('reports an old status', call) ? record.previousStatus : record.status;
}

function statusFields(record: Disbursement, status: string, { settings }: Simulator): Record<string, unknown> {
  return {
    status,
    token: record.token,
    withdraw_mode: record.withdrawMode,
    amount: `${record.amount}.00`,
    updated_at: updatedAtText(record.updatedAt, settings.values.dateOrder),
    ...(record.disburseId === undefined ? {} : { disburse_id: record.disburseId }),
    ...(record.transactionId === undefined ? {} : { transaction_id: record.transactionId }),
    ...(record.operatorId === undefined ? {} : { disburse_tx_id: record.operatorId }),
  };
}

/** `NN/NN/YYYY HH:MM:SS` in UTC. The order of day and month is a setting, because it is not documented. */
function updatedAtText(ms: number, order: 'dmy' | 'mdy'): string {
  const [date = '', time = ''] = new Date(ms).toISOString().split('T');
  const [year, month, day] = date.split('-');
  return `${order === 'dmy' ? `${day}/${month}` : `${month}/${day}`}/${year} ${time.slice(0, 8)}`;
}

function findDisbursement(
  token: string,
  call: Call,
  { records, faults, settings, time }: Simulator,
): Disbursement | undefined {
  const record = records.disbursements.get(token);
  if (record === undefined || faults.strikes('forgets the token', call)) return undefined;
  const { disburseTokenLifetimeMs: lifetime } = settings.values;
  const expired = lifetime > 0 && record.status === 'created' && time.now() - record.createdAt > lifetime;
  return expired ? undefined : record;
}

const unknownToken = ({ settings }: Simulator): Answer =>
  refuse(settings.values.notFoundCode, 'Transaction not found');
