/** Single SMS, and one-time passwords. */
import { z } from 'zod';
import { messageRequest } from '../kinds/message.ts';
import type { Act } from '../ledger/acts.ts';
import type { MessageRecord } from '../operations/record.ts';
import type { Answer } from '../producer/acceptance.ts';
import { answerInBulk, shownVerdict, unconfirmedAt, verdictOf } from './bulk.ts';
import { type ApiContext, takeAnswer } from './context.ts';
import { listRoute } from './lists.ts';
import {
  acceptanceFor,
  dryRunQuery,
  accepted,
  answer,
  inBulk,
  VERDICT_LINES,
  Reply,
  replayed,
  route,
} from './route.ts';
import { message, messageVerdicts } from './openapi/answers-texts.ts';
import { ApiProblem, invalid, languageFor } from './problem.ts';
import { view } from './views.ts';
import { message as said } from '../messages/message.ts';

const MESSAGES_MAX = 1_000;

const messageRequests = z
  .union([messageRequest, z.array(messageRequest).min(1).max(MESSAGES_MAX)])
  .meta({ id: 'MessageRequests', description: 'One, or up to a thousand.' });

const sendMessages = route(
  {
    method: 'post',
    path: '/v1/messages',
    id: 'sendMessages',
    tag: 'Messages',
    summary: 'Send one or more SMS',
    description:
      'One message, or an array of up to 1,000. A message needs no identity; without one, each request is a new ' +
      'message. Each message of an array is checked on its own; an `Idempotency-Key` identifies each by its ' +
      'position.',
    role: 'enqueue-sms',
    scope: 'named',
    identity: 'optional',
    durable: true,
    query: dryRunQuery,
    body: { ...accepted(messageRequests), files: inBulk('{"to":"+221771234567","text":"Bonjour Awa"}') },
    answers: {
      200: {
        ...answer('With `dryRun`: what each would be; nothing was written.', messageVerdicts),
        files: VERDICT_LINES,
      },
      202: { ...answer('A verdict for each, in order.', messageVerdicts), files: VERDICT_LINES },
    },
    problems: ['conflict'],
  },
  async (asked) => {
    const {
      query: { dryRun },
      body,
      idempotencyKey: given,
      response,
    } = asked;
    if (asked.type) {
      return answerInBulk(asked, (acceptance, { request, identity }) => acceptance.message(request, identity));
    }
    const many = Array.isArray(body);
    const requests: readonly unknown[] = many ? body : [body];
    if (requests.length === 0 || requests.length > MESSAGES_MAX) {
      throw invalid([{ pointer: '', message: said('one_or_many_messages', { most: MESSAGES_MAX }) }]);
    }
    // The header of several messages is combined with each position.
    const keyOf = (index: number): string | undefined => (given && many ? `${given}#${index}` : given);
    const acceptance = acceptanceFor(asked);
    const settled = await Promise.allSettled(requests.map((one, index) => acceptance.message(one, keyOf(index))));
    const answers = settled.map((one) => (one.status === 'fulfilled' ? one.value : undefined));
    const failed = settled.find((one) => one.status === 'rejected');
    // After a plain error a caller would repeat all messages, and the accepted ones would be sent twice.
    if (failed && !answers.some(isAccepted)) throw failed.reason;
    const [only] = answers;
    if (!many && only) takeAnswer(only);
    replayed(
      response,
      answers.every((one) => one?.outcome === 'duplicate'),
    );
    const language = languageFor(asked.request);
    const items = answers.map((one, at) =>
      shownVerdict(one ? verdictOf(one, at, dryRun) : unconfirmedAt(at), language),
    );
    return dryRun ? new Reply(200, { items }) : new Reply(202, { items });
  },
);

function isAccepted(given: Answer | undefined): boolean {
  return given?.outcome === 'accepted' || given?.outcome === 'duplicate';
}

const getMessage = route(
  {
    method: 'get',
    path: '/v1/messages/{id}',
    id: 'getMessage',
    cli: 'messages show',
    tag: 'Messages',
    summary: 'Get a message',
    role: 'read',
    scope: 'record',
    record: 'message',
    answers: { 200: answer('As it is now.', message) },
  },
  ({ record }) => view(record),
);

const cancelMessage = route(
  {
    method: 'post',
    path: '/v1/messages/{id}/cancel',
    id: 'cancelMessage',
    cli: 'messages cancel',
    tag: 'Messages',
    summary: 'Cancel a message',
    description:
      'Only while it is `queued`. A message that was perhaps sent in an earlier request becomes `unknown` instead of ' +
      '`cancelled`.',
    role: 'enqueue-sms',
    scope: 'record',
    record: 'message',
    answers: { 200: answer('As it is now.', message) },
    problems: ['wrong-state'],
  },
  async ({ context, record, again, act }) => {
    if (record.state !== 'cancelled') await cancel(context, record, act(record.id));
    return view(await again());
  },
);

async function cancel(context: ApiContext, record: MessageRecord, act: Act): Promise<void> {
  const { id, state } = record;
  if (await context.recoveryDesk.mayHaveLeft(record)) {
    const detail = said('message_in_recovery');
    throw new ApiProblem('wrong-state', detail, { state });
  }
  const decided = await context.messages.cancel(id, act);
  if (decided.is !== 'not yours' || decided.state === 'cancelled') return;
  const detail = said('state_forbids', { state: decided.state, why: said('message_cancelled_too_late') });
  throw new ApiProblem('wrong-state', detail, { state: decided.state });
}

const listMessages = listRoute({
  kind: 'message',
  path: '/v1/messages',
  id: 'listMessages',
  tag: 'Messages',
  summary: 'List messages',
  cli: 'messages list',
  columns: ['id', 'state', 'to', 'lane', 'code', 'reference', 'account', 'createdAt'],
  row: (record) => view(record),
});

export const messageRoutes = [listMessages, sendMessages, getMessage, cancelMessage];
