/** submit-invoice: the request goes to the operator (interface: Disbursement; States). */
import { z } from 'zod';
import { type Answer, ok, refuse, serverError } from './answers.ts';
import type { Disbursement } from './books.ts';
import { countryPaying, findDisbursement, move, refuseFields, settle, unknownToken } from './disbursements.ts';
import { disbursementOutcomeOf } from './magic.ts';
import { understood } from './understood.ts';
import { type Ask, type Handler, type World } from './world.ts';

const submitBody = z.strictObject({ disburse_invoice: z.string().min(1), disburse_id: z.string().min(1).optional() });

export const submitDisbursement: Handler = async (ask, world) => {
  const parsed = understood(submitBody, ask, world);
  if (!parsed.success) return refuseFields(parsed.error, ask, world);
  const { disburse_invoice: token, disburse_id: id } = parsed.data;
  const record = findDisbursement(token, ask, world);
  if (record === undefined) return unknownToken(world);
  record.submits += 1;

  const magic = disbursementOutcomeOf(record.accountAlias);
  if (magic === 'submit refused') {
    spend(id, token, world);
    return serverError('payment');
  }
  const refusal = refuseRepeat(record, id, world);
  if (refusal !== undefined) return refusal;
  if (!world.settings.values.disbursementEnabled) return refuse('401', 'Initiation not authorized');

  if (id !== undefined) {
    world.disburseIds.set(id, token);
    record.disburseId = id;
  }
  const answer = await carryOut(record, ask, world);
  return magic === 'answers 5000 and pays' ? serverError('payment') : answer;
};

/** A request that failed before its work may still have used its disburse_id up: the page does not say. */
function spend(id: string | undefined, token: string, { settings, disburseIds }: World): void {
  if (settings.values.lostSubmitSpendsId && id !== undefined && !disburseIds.has(id)) disburseIds.set(id, token);
}

/** For a submit that a fault stopped before its work. */
export function spendIdOf(text: string, world: World): void {
  const id = /"disburse_id"\s*:\s*"([^"]+)"/.exec(text)?.[1];
  spend(id, '', world);
}

function refuseRepeat(record: Disbursement, id: string | undefined, world: World): Answer | undefined {
  const { disburseIdUnique, tokenSingleUse, repeatedSubmit } = world.settings.values;
  const submitted = record.status !== 'created';
  if (submitted && tokenSingleUse && repeatedSubmit === 'repeats') return submitAnswer(record, 'repeat');
  if (disburseIdUnique && id !== undefined && world.disburseIds.has(id))
    return refuse('5000', 'disburse_id already used');
  if (submitted && tokenSingleUse) return refuse('5000', 'This token was already submitted');
  return undefined;
}

async function carryOut(record: Disbursement, ask: Ask, world: World): Promise<Answer> {
  const { random, settings, faults } = world;
  const magic = disbursementOutcomeOf(record.accountAlias);
  record.transactionId ??= `TX${random.hex(6).toUpperCase()}`;
  record.operatorId ??= random.hex(8);
  settings.book(countryPaying(record, world), -record.amount);
  record.undecided += 1;

  if (faults.named('calls back early', { ...ask, operation: 'disbursement.callback' })) {
    await settle(record, 'success', world);
    return submitAnswer(record, 'pending');
  }
  if (magic === 'fails at once') {
    void settle(record, 'failed', world);
    return submitAnswer(record, 'failed');
  }
  if (magic === 'succeeds at once' || settings.values.submitAnswer === 'success') {
    void settle(record, 'success', world);
    return submitAnswer(record, 'success');
  }
  move(record, 'pending', world);
  awaitOperator(record, world, {
    fails: faults.named('fails the disbursement', ask) !== undefined,
    stays: faults.named('leaves the disbursement pending', ask) !== undefined,
    reversed: faults.named('reverses a success', ask) !== undefined,
  });
  return submitAnswer(record, settings.values.submitAnswer);
}

interface Ordered {
  readonly fails: boolean;
  readonly stays: boolean;
  readonly reversed: boolean;
}

/** What becomes of a pending one: its number says so, or a fault that was ordered. */
function awaitOperator(record: Disbursement, world: World, ordered: Ordered): void {
  const { settleDelayMs } = world.settings.values;
  const magic = disbursementOutcomeOf(record.accountAlias);
  const now = world.time.now();
  const verdict = ordered.fails || magic === 'fails' ? 'failed' : 'success';
  if (!ordered.stays && magic !== 'stays pending') say(record, { word: verdict, at: now + settleDelayMs }, world);
  if (ordered.reversed || magic === 'is reversed')
    say(record, { word: 'reversal', at: now + settleDelayMs * 2 }, world);
}

type Word = Disbursement['coming'][number];

function say(record: Disbursement, word: Word, world: World): void {
  record.coming = [...record.coming, word];
  waitFor(record, word, world);
}

export function waitFor(record: Disbursement, coming: Word, world: World): void {
  const { word, at } = coming;
  world.time.after(at - world.time.now(), () => {
    record.coming = record.coming.filter((one) => one !== coming);
    // The control API may have decided before.
    const stands = word === 'reversal' ? record.status === 'success' : record.undecided > 0;
    if (stands) void settle(record, word === 'success' ? 'success' : 'failed', world);
  });
}

/** interface: Submit response fields. provider_ref is absent for pending answers and for account-to-account. */
function submitAnswer(record: Disbursement, says: 'pending' | 'bare' | 'success' | 'failed' | 'repeat'): Answer {
  const status = says === 'repeat' ? record.status : says;
  const wallet = record.withdrawMode !== 'service' && status !== 'pending';
  return ok({
    response_code: '00',
    response_text: status === 'pending' ? 'Transaction pending' : 'Transaction received',
    description: 'The request was sent to the operator',
    transaction_id: record.transactionId,
    ...(wallet ? { provider_ref: record.operatorId } : {}),
    ...(status === 'bare' ? {} : { status }),
  });
}
