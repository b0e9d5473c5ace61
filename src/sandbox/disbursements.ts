/**
 * Disbursements: their life, their callback, and check-status (interface: Disbursement; States; Events).
 *
 *   created ──submit──▶ pending ──settle delay──▶ success (money left, callback) or failed (money came back)
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type Answer, ok, refuse } from './answers.ts';
import type { Disbursement, DisbursementStatus, Verdict } from './books.ts';
import { updatedAtText } from './dates.ts';
import type { BalanceCountry } from './settings.ts';
import { countryOf } from './withdraw-modes.ts';
import { understood } from './understood.ts';
import { type Ask, type Handler, type World } from './world.ts';

export const countryPaying = (record: Disbursement, world: World): BalanceCountry =>
  payingCountry(record.withdrawMode || undefined, record.debitAccountNumber, world);

/** The operator's verdict. Success means that money left, and is the one thing that calls back. */
export async function settle(record: Disbursement, status: Verdict, world: World): Promise<void> {
  const country = countryPaying(record, world);
  const undecided = record.undecided > 0;
  if (undecided) record.undecided -= 1;
  if (status === 'success') {
    record.effects += 1;
    // A submit took its money; a verdict after the last one, where the operator changed its mind, takes it once more.
    if (!undecided) world.settings.book(country, -record.amount);
  } else if (undecided || record.status === 'success') world.settings.book(country, record.amount);
  move(record, status, world);
  if (status !== 'success' && !world.settings.values.callbackOnFailure) return;
  await callBack(record, world);
}

export async function callBack(record: Disbursement, world: World): Promise<void> {
  const hash = createHash('sha512').update(world.credentials.masterKey).digest('hex');
  await world.postman.send(
    {
      kind: 'disbursement',
      token: record.token,
      url: record.callbackUrl,
      fields: {
        ...statusFields(record, record.status, world),
        ...(world.settings.values.callbackHash ? { hash } : {}),
      },
      posted: () => {
        record.callbacks += 1;
      },
    },
    world,
  );
}

export function move(record: Disbursement, status: DisbursementStatus, { time }: World): void {
  if (record.status === status) return;
  record.previousStatus = record.status;
  record.status = status;
  record.updatedAt = time.now();
}

const statusBody = z.strictObject({ disburse_invoice: z.string().min(1) });

export const disbursementStatus: Handler = (ask, world) => {
  const parsed = understood(statusBody, ask, world);
  if (!parsed.success) return refuseFields(parsed.error, ask, world);
  const record = findDisbursement(parsed.data.disburse_invoice, ask, world);
  if (record === undefined) return unknownToken(world);
  const amount = world.faults.named('reports another amount', ask) ? record.amount - 1 : record.amount;
  const disburseId = world.faults.named('leaves out the disburse_id', ask) ? undefined : record.disburseId;
  const fields = statusFields({ ...record, amount, disburseId }, shownStatus(record, ask, world), world);
  return ok({ response_code: '00', ...fields });
};

function shownStatus(record: Disbursement, ask: Ask, { faults, settings, time }: World): string {
  if (faults.named('reports an unknown status', ask)) return 'in_review';
  const lagging = time.now() - record.updatedAt < settings.values.statusLagMs;
  return lagging || faults.named('reports an old status', ask) ? record.previousStatus : record.status;
}

function statusFields(record: Disbursement, status: string, world: World): Record<string, unknown> {
  return {
    status,
    token: record.token,
    withdraw_mode: record.withdrawMode,
    amount: `${record.amount}.00`,
    updated_at: updatedAtText(record.updatedAt, world.settings.values.dateOrder),
    ...(record.disburseId === undefined ? {} : { disburse_id: record.disburseId }),
    ...(record.transactionId === undefined ? {} : { transaction_id: record.transactionId }),
    ...(record.operatorId === undefined ? {} : { disburse_tx_id: record.operatorId }),
  };
}

export function findDisbursement(
  token: string,
  ask: Ask,
  { books, faults, settings, time }: World,
): Disbursement | undefined {
  const record = books.disbursements.get(token);
  if (record === undefined || faults.named('forgets the token', ask)) return undefined;
  const { disburseTokenLifetimeMs: lifetime } = settings.values;
  const dead = lifetime > 0 && record.status === 'created' && time.now() - record.createdAt > lifetime;
  return dead ? undefined : record;
}

export const unknownToken = ({ settings }: World): Answer =>
  refuse(settings.values.notFoundCode, 'Transaction not found');

/** An unusable callback URL is "not authorized"; everything else is data validation. */
export function refuseFields(error: z.ZodError, { operation }: Ask, world: World): Answer {
  const [first] = error.issues;
  const field = first?.path.join('.') ?? '';
  world.books.breach(operation, `${field || 'body'}: ${first?.message ?? 'not valid'}`);
  if (field === 'callback_url') return refuse('401', 'Transaction not authorized: callback_url is not a valid URL');
  return refuse('1001', `Data not valid: ${field || 'body'}`, 400);
}

/** The country whose balance a disbursement is paid from. */
export function payingCountry(mode: string | undefined, account: string | undefined, world: World): BalanceCountry {
  if (mode === 'service' && account !== undefined) return world.settings.values.accounts[account] ?? 'SN';
  return countryOf(mode ?? 'service');
}
