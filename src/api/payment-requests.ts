/** Payment requests by a link. The provider is called while the caller waits. */
import { advancePaymentRequest } from '../processors/collect/payment-request.ts';
import { paymentRequestRequest } from '../kinds/payment-request.ts';
import { createWhileWaiting, lookWhileWaiting, WHILE_WAITING } from './collect-create.ts';
import { resolutionOf, resolve } from './collect-resolve.ts';
import { paymentRequestView } from './collect-views.ts';
import { type ApiContext, isRecord } from './context.ts';
import { personOf } from './keys.ts';
import { listRoute } from './lists.ts';
import { collectFor, dryRunQuery, JUDGED, judgedAs, accepted, answer, route } from './route.ts';
import { paymentRequest } from './openapi/answers-collect.ts';
import { ApiProblem } from './problem.ts';
import { message } from '../messages/message.ts';

const createPaymentRequest = route(
  {
    method: 'post',
    path: '/v1/payment-requests',
    id: 'createPaymentRequest',
    cli: 'payment-request create',
    tag: 'Payment requests',
    summary: 'Create a payment request',
    description: WHILE_WAITING,
    role: 'enqueue-payments',
    scope: 'named',
    identity: 'required',
    durable: true,
    query: dryRunQuery,
    body: accepted(paymentRequestRequest),
    answers: {
      200: JUDGED,
      201: answer('Made: send the customer to `url`.', paymentRequest),
      202: answer('Somebody is still at it: repeat the request.', paymentRequest),
    },
    problems: ['upstream-refused', 'upstream-silent'],
  },
  async (asked) => {
    requireLive(asked.context, asked.body);
    const given = await collectFor(asked).paymentRequest(asked.body, asked.idempotencyKey, personOf(asked.key));
    if (asked.query.dryRun) return judgedAs(given);
    return createWhileWaiting(asked, {
      kind: 'payment_request',
      answer: given,
      advance: advancePaymentRequest,
      view: paymentRequestView,
    });
  },
);

/** interface: Authentication. The provider refuses a test application with 4001, so nothing is recorded for one. */
function requireLive({ processing }: ApiContext, body: unknown): void {
  const name = isRecord(body) && typeof body['account'] === 'string' ? body['account'] : 'main';
  if (processing.account(name)?.upstream.mode !== 'test') return;
  const sentence = message('failure_live_only');
  const problems = [{ pointer: '/account', message: sentence }];
  throw new ApiProblem('invalid', sentence, { code: 'live_only', problems });
}

const about = {
  tag: 'Payment requests',
  record: 'payment_request',
  answers: { 200: answer('As it is now.', paymentRequest) },
} as const;

const getPaymentRequest = route(
  {
    ...about,
    method: 'get',
    path: '/v1/payment-requests/{id}',
    id: 'getPaymentRequest',
    cli: 'payment-request show',
    summary: 'Get a payment request',
    role: 'read',
    scope: 'record',
  },
  ({ record }) => paymentRequestView(record),
);

const confirmPaymentRequest = route(
  {
    ...about,
    method: 'post',
    path: '/v1/payment-requests/{id}/confirm',
    id: 'confirmPaymentRequest',
    cli: 'payment-request confirm',
    summary: 'Check a payment request with the provider',
    description: 'relais asks the provider now whether the request was paid.',
    role: 'enqueue-payments',
    scope: 'record',
    answers: { 200: answer('As the provider says.', paymentRequest) },
    problems: ['wrong-state', 'upstream-refused', 'upstream-silent'],
  },
  async ({ context, record, again }) =>
    paymentRequestView(await lookWhileWaiting(context, { record, again, advance: advancePaymentRequest })),
);

const resolvePaymentRequest = route(
  {
    ...about,
    ...resolutionOf('payment_request', {}),
    path: '/v1/payment-requests/{id}/resolve',
    id: 'resolvePaymentRequest',
    fresh: true,
    cli: { name: 'payment-request resolve', asks: 'Resolve {id}?' },
    description: 'relais asks the provider first; an answer of the provider takes precedence (409).',
    problems: ['wrong-state', 'upstream-refused', 'upstream-silent'],
  },
  async (asked) => paymentRequestView(await resolve<'payment_request'>(asked, advancePaymentRequest)),
);

const listPaymentRequests = listRoute({
  kind: 'payment_request',
  path: '/v1/payment-requests',
  id: 'listPaymentRequests',
  tag: 'Payment requests',
  summary: 'List payment requests',
  cli: 'payment-request list',
  columns: ['id', 'state', 'amount', 'feesPaidBy', 'reference', 'account', 'createdAt'],
  row: paymentRequestView,
});

export const paymentRequestRoutes = [
  listPaymentRequests,
  createPaymentRequest,
  getPaymentRequest,
  confirmPaymentRequest,
  resolvePaymentRequest,
];
