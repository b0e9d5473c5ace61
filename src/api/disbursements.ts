/** Money to a wallet, or to an account of the provider: request, display, cancellation, decisions. */
import { disbursementRequest } from '../kinds/disbursement-fields.ts';
import type { StateOf } from '../kinds/index.ts';
import { notifiedStates } from '../kinds/notify.ts';
import { describeLimit } from '../kinds/limits.ts';
import { RESTORED } from '../ledger/recovery-report.ts';
import { notificationId } from '../ledger/messages.ts';
import type { DisbursementRecord } from '../operations/record.ts';
import { eventOf } from '../operations/transition.ts';
import type { Resolve, Resolved } from '../processors/disbursement/resolve.ts';
import { answerInBulk } from './bulk.ts';
import { paidOut, refusedClaim, requirePaid, resolutionOf } from './collect-resolve.ts';
import { type ApiContext, findRecord, takeAnswer } from './context.ts';
import { requireAnother, requireNoRecovery } from './gates.ts';
import { listRoute } from './lists.ts';
import {
  acceptanceFor,
  dryRunQuery,
  JUDGED,
  judgedAs,
  accepted,
  answer,
  inBulk,
  VERDICT_LINES,
  type AnyAsked,
  Reply,
  replayed,
  route,
} from './route.ts';
import { type ApiKey, personOf } from './keys.ts';
import { disbursement } from './openapi/answers-money.ts';
import { ApiProblem, languageFor } from './problem.ts';
import { NOT_APPROVED, rejecting } from './rejecting.ts';
import { disbursementView } from './views.ts';
import { type Message, message } from '../messages/message.ts';

const LINE =
  '{"reference":"salary-2026-11-awa","accountAlias":"771234567","amount":25000,"withdrawMode":"wallet-a-senegal"}';

const createDisbursement = route(
  {
    method: 'post',
    path: '/v1/disbursements',
    id: 'createDisbursement',
    cli: {
      name: 'disburse create',
      says: 'Pay one beneficiary, at most once per reference',
      asks: 'Pay {amount} to {accountAlias}?',
    },
    tag: 'Disbursements',
    summary: 'Create a disbursement',
    description:
      'relais answers as soon as the disbursement is durable; an event reports its final state. The same identity ' +
      'with the same body returns the same disbursement in its current state, so repeat a request whose answer was ' +
      'lost.',
    role: 'enqueue-payments',
    scope: 'named',
    identity: 'required',
    durable: true,
    query: dryRunQuery,
    body: { ...accepted(disbursementRequest), files: inBulk(LINE) },
    answers: {
      200: { ...JUDGED, files: VERDICT_LINES },
      202: { ...answer('Accepted, or accepted before.', disbursement), files: VERDICT_LINES },
    },
  },
  async (asked) => {
    const { context, key, query, body, idempotencyKey, response } = asked;
    if (asked.type) {
      return answerInBulk(asked, (acceptance, { request, identity, by }) =>
        acceptance.disbursement(request, identity, by),
      );
    }
    const acceptance = acceptanceFor(asked);
    const {
      answer: given,
      written,
      warnings,
    } = await acceptance.disbursementInFull(body, idempotencyKey, personOf(key));
    if (query.dryRun) return judgedAs(given, warnings, languageFor(asked.request));
    const { id, outcome } = takeAnswer(given);
    replayed(response, outcome === 'duplicate');
    const record = written?.() ?? (await findRecord(context, key, 'disbursement', id));
    return new Reply(202, await alone(context, record));
  },
);

/** With its SMS to the payee so far. */
async function alone({ queries, environment }: ApiContext, record: DisbursementRecord) {
  if (record.notify === undefined) return disbursementView(record);
  const ids = notifiedStates.map((on) => notificationId(environment, record.id, on));
  const found = new Map((await queries.readable('message', ids)).map((one) => [one.id, one]));
  const notified = notifiedStates.map((on, at) => [on, found.get(ids[at] ?? '')] as const);
  return disbursementView(record, Object.fromEntries(notified));
}

const getDisbursement = route(
  {
    method: 'get',
    path: '/v1/disbursements/{id}',
    id: 'getDisbursement',
    cli: 'disburse show',
    tag: 'Disbursements',
    summary: 'Get a disbursement',
    description: 'With its current state and the last report of the provider.',
    role: 'read',
    scope: 'record',
    record: 'disbursement',
    answers: { 200: answer('As it is now.', disbursement) },
  },
  ({ context, record }) => alone(context, record),
);

const cancelDisbursement = route(
  {
    method: 'post',
    path: '/v1/disbursements/{id}/cancel',
    id: 'cancelDisbursement',
    cli: 'disburse cancel',
    tag: 'Disbursements',
    summary: 'Cancel a disbursement',
    description:
      'A disbursement that may have been submitted cannot be cancelled: the provider offers no cancellation. During a ' +
      'recovery, one that may have been submitted in the lost time becomes `needs_review` instead (409).',
    role: 'enqueue-payments',
    scope: 'record',
    record: 'disbursement',
    answers: { 200: answer('It is cancelled.', disbursement) },
    problems: ['wrong-state'],
  },
  async (asked) => {
    const { record, again } = asked;
    if (record.state !== 'cancelled') await cancel(asked);
    return alone(asked.context, await again());
  },
);

/** The provider has no cancellation: a payment that may have been submitted cannot be cancelled. */
const CANCELLABLE: readonly StateOf<'disbursement'>[] = ['awaiting_approval', 'queued', 'held', 'created'];

interface Deciding extends Pick<AnyAsked, 'context' | 'key' | 'act'> {
  readonly record: DisbursementRecord;
}

async function cancel(deciding: Deciding): Promise<void> {
  const { context, key, record, act } = deciding;
  if (!CANCELLABLE.includes(record.state)) throw tooLate(record.state);
  if (await context.recoveryDesk.mayHaveLeft(record)) return review(deciding);
  const settled = await context.operations.transition(record, undefined, {
    to: 'cancelled',
    set: { reason: 'cancelled_by_caller' },
    evidence: { operation: 'cancel', code: 'by', detail: personOf(key) },
    event: eventOf(record, 'cancelled'),
    act: act(record.id, { amount: record.amount }),
  });
  if (settled.is === 'not yours') throw tooLate(settled.state);
}

/** A restored ledger shows it as unsent, but it may have been paid since the backup. */
async function review({ context, key, record, act }: Deciding): Promise<never> {
  const { leaseMs, quietMs } = context.processing.policy;
  const asked = record.token === undefined ? {} : { dueInMs: 0 };
  const settled = await context.operations.transition(record, undefined, {
    ...asked,
    to: 'needs_review',
    set: { reason: RESTORED, ...(record.token === undefined ? {} : { '@quietUntil': leaseMs + quietMs }) },
    evidence: { operation: 'cancel', code: 'by', detail: personOf(key) },
    event: eventOf(record, 'needs_review', { reason: RESTORED }),
    act: act(record.id, { amount: record.amount }),
  });
  if (settled.is === 'not yours') throw tooLate(settled.state);
  const detail = message('payment_in_recovery');
  throw new ApiProblem('wrong-state', detail, { state: 'needs_review' });
}

const approveDisbursement = route(
  {
    method: 'post',
    path: '/v1/disbursements/{id}/approve',
    id: 'approveDisbursement',
    fresh: true,
    tag: 'Disbursements',
    summary: 'Approve a disbursement',
    description: 'For a disbursement above APPROVAL_ABOVE. The key that requested it cannot approve it (403).',
    role: 'approve',
    scope: 'record',
    record: 'disbursement',
    releases: true,
    answers: { 200: answer('It is approved.', disbursement) },
    problems: ['wrong-state'],
  },
  async (asked) => {
    const { key, record, again } = asked;
    if (record.state === 'awaiting_approval') await approve(asked);
    else if (record.approvedBy !== personOf(key)) throw notPossible(record.state, message('no_approval_needed'));
    return alone(asked.context, await again());
  },
);

async function approve({ context, key, record, act }: Deciding): Promise<void> {
  await refuseOwn(context, key, record);
  await requireWithinLimit(context, record);
  const waitMs = Math.max(0, (record.notBefore ?? 0) - context.clock.now());
  const settled = await context.operations.transition(record, undefined, {
    to: 'queued',
    // A payment with a later earliest time waits in the due index.
    dueInMs: waitMs,
    set: { approvedBy: personOf(key), '@approvedAt': 0 },
    evidence: { operation: 'approve', code: 'by', detail: personOf(key) },
    act: act(record.id, { amount: record.amount }),
  });
  if (settled.is === 'not yours') throw notPossible(settled.state, message('no_approval_needed'));
  if ('rev' in settled && waitMs === 0) context.wake('disbursement');
}

const rejectDisbursement = route(
  {
    ...rejecting,
    path: '/v1/disbursements/{id}/reject',
    id: 'rejectDisbursement',
    cli: { name: 'disburse reject', asks: 'Reject {id}?' },
    tag: 'Disbursements',
    summary: 'Reject a disbursement',
    description:
      'For a disbursement that waits for approval. It becomes `cancelled` with the reason `not_approved`. The person ' +
      'who requested it cannot reject it (403), and cancels it instead.',
    record: 'disbursement',
    answers: { 200: answer('It is cancelled.', disbursement) },
  },
  async (asked) => {
    const { record, key, body, again } = asked;
    await refuseOwn(asked.context, key, record);
    const isRejected = record.state === 'cancelled' && record.rejectedBy === personOf(key);
    if (!isRejected) await reject(asked, body.reason);
    return alone(asked.context, await again());
  },
);

async function reject({ context, key, record, act }: Deciding, note: string): Promise<void> {
  if (record.state !== 'awaiting_approval') throw notPossible(record.state, message('no_approval_waits'));
  const decision = { reason: NOT_APPROVED, note, rejectedBy: personOf(key) };
  const settled = await context.operations.transition(record, undefined, {
    to: 'cancelled',
    set: decision,
    evidence: { operation: 'reject', code: 'by', detail: personOf(key) },
    event: eventOf(record, 'cancelled', decision),
    act: act(record.id, { amount: record.amount }),
  });
  if (settled.is === 'not yours') throw notPossible(settled.state, message('no_approval_waits'));
}

/** Accepted under the limit of its day, it leaves under that of today. */
async function requireWithinLimit({ limits }: ApiContext, { amount, state }: DisbursementRecord): Promise<void> {
  const { MAX_DISBURSEMENT: most } = await limits.inForce();
  if (most === undefined || amount <= most) return;
  const detail = message('amount_limited', { limit: describeLimit('MAX_DISBURSEMENT', String(most)) });
  throw new ApiProblem('wrong-state', detail, { rule: 'limit', state });
}

const resolveDisbursement = route(
  {
    ...resolutionOf('disbursement', paidOut),
    path: '/v1/disbursements/{id}/resolve',
    id: 'resolveDisbursement',
    fresh: true,
    cli: { name: 'review resolve', byHand: true },
    tag: 'Disbursements',
    description:
      'relais asks the provider first; an answer of the provider takes precedence (409). `resubmit` submits again with ' +
      'the same token and the same id, and only after the provider has just reported that nothing was submitted. A ' +
      'disbursement that was reported as paid ends as `succeeded` or `reversed`; no other one ends as `reversed`.',
    record: 'disbursement',
    answers: { 200: answer('As it is now.', disbursement) },
    problems: ['wrong-state', 'no-answer', 'recovering'],
  },
  async ({ context, key, record, body, again, response, act }) => {
    await decideDisbursement({ context, key, record, act, response }, body);
    return alone(context, await again());
  },
);

/** An operator's decision about a payment that needs review: alone, or among many. */
export async function decideDisbursement(
  { context, key, record, act, response }: Deciding & Pick<AnyAsked, 'response'>,
  word: Pick<Resolve, 'outcome' | 'note' | 'transactionId'>,
): Promise<void> {
  await refuseOwn(context, key, record);
  requirePaid(word);
  if (word.outcome === 'resubmit') {
    await requireNoRecovery(context, response);
    await requireWithinLimit(context, record);
  }
  const told = act(record.id, { amount: record.amount });
  takeResolved(await context.resolve(record.id, { ...word, by: personOf(key), act: told }));
}

/** Four eyes: a person cannot approve or resolve their own request. */
function refuseOwn(context: ApiContext, key: ApiKey, record: DisbursementRecord): Promise<void> {
  return requireAnother(context, key, record.by, 'another_person_asked');
}

function takeResolved(resolved: Resolved): void {
  if (resolved.is === 'resolved') return;
  if (resolved.is === 'contradicted') {
    const { upstream } = resolved;
    const code = upstream === 'created' ? 'provider_reports_of_token' : 'provider_reports';
    const detail = message(code, { state: upstream });
    throw new ApiProblem('wrong-state', detail, { rule: 'upstream', upstream });
  }
  if (resolved.is === 'never') {
    const detail = message(resolved.toldPaid ? 'was_paid' : 'was_never_paid');
    throw new ApiProblem('wrong-state', detail, { rule: 'state', state: 'needs_review' });
  }
  if (resolved.is === 'no answer') {
    const detail = message('provider_not_asked', { why: resolved.because });
    throw new ApiProblem('no-answer', detail);
  }
  if (resolved.is === 'claimed') throw refusedClaim();
  throw notPossible(resolved.because, message('no_review_needed'));
}

function tooLate(state: string): ApiProblem {
  return notPossible(state, message('submitted_already'));
}

function notPossible(state: string, why: Message): ApiProblem {
  return new ApiProblem('wrong-state', message('state_forbids', { state, why }), { state });
}

const listDisbursements = listRoute({
  kind: 'disbursement',
  path: '/v1/disbursements',
  id: 'listDisbursements',
  tag: 'Disbursements',
  summary: 'List disbursements',
  cli: 'disburse list',
  columns: ['id', 'state', 'amount', 'accountAlias', 'withdrawMode', 'reference', 'updatedAt'],
  row: (record) => disbursementView(record),
});

export const disbursementRoutes = [
  listDisbursements,
  createDisbursement,
  getDisbursement,
  cancelDisbursement,
  approveDisbursement,
  rejectDisbursement,
  resolveDisbursement,
];
