/** Webhook endpoints. A key that may read events can register an endpoint of its own. */
import { z } from 'zod';
import { eventTypes } from '../kinds/index.ts';
import { headersProblem } from '../events/outgoing/webhook-sender.ts';
import type { Endpoint, LogLine } from '../ledger/endpoints.ts';
import { type ApiContext } from './context.ts';
import type { ApiKey } from './keys.ts';
import {
  endpointDetail,
  endpoints,
  endpointTested,
  endpointWithSecret,
  replayed,
} from './openapi/answers-endpoints.ts';
import { answer, json, route } from './route.ts';
import { ApiProblem, invalid, languageFor } from './problem.ts';
import { message } from '../messages/message.ts';
import { says } from '../messages/schemas.ts';
import { textOf } from '../messages/texts.ts';

const registration = z
  .strictObject({
    url: z.string().min(1).max(2_048).meta({ example: 'https://shop.example/relais' }),
    types: z
      .array(z.enum(eventTypes, { error: says('one_or_more_of', { values: eventTypes.join(', ') }) }))
      .min(1)
      .max(eventTypes.length)
      .optional()
      .meta({
        description: 'Only events of these types. Absent: all types.',
        example: ['disbursement.succeeded', 'disbursement.failed'],
      }),
    headers: z
      .record(z.string(), z.string())
      .optional()
      .meta({
        description:
          'At most 10 headers that relais adds to each delivery, such as the key of a gateway. ' +
          'Answers show only their names.',
        example: { 'X-Gateway-Key': 'k3y' },
      }),
  })
  .meta({ id: 'EndpointRegistration' });

const replayOrder = z
  .strictObject({
    since: z.iso
      .datetime({ offset: true, error: says('time') })
      .optional()
      .meta({ description: 'Events from this time on.', example: '2026-11-21T08:00:00Z' }),
    event: z
      .string()
      .regex(/^[\w-]{1,80}\.\d{1,9}(?:\.\d{1,9})?$/, says('event_id'))
      .optional()
      .meta({ description: 'Only the event with this id, as in `deliveries`.' }),
  })
  .meta({ id: 'ReplayOrder' });

const ONLY_OWN = 'Only the key that registered an endpoint can use it; for every other key it does not exist (404).';

const createEventEndpoint = route(
  {
    method: 'post',
    path: '/v1/event-endpoints',
    id: 'createEventEndpoint',
    fresh: true,
    cli: {
      name: 'endpoints create',
      argument: 'url',
      next: 'Store the secret: it is not shown again. `relais endpoints rotate-secret` creates another.',
    },
    tag: 'Events',
    summary: 'Register a webhook endpoint',
    description: 'Deliveries are signed as in Standard Webhooks. The secret is shown only in this answer.',
    role: 'read',
    scope: 'none',
    body: json(registration),
    answers: { 201: answer('Registered. Store the secret.', endpointWithSecret) },
    problems: ['wrong-state'],
  },
  async ({ context, key, body: { url, types = [], headers }, act }) => {
    const problem = context.endpointService.problemOf(url);
    if (problem) throw invalid([{ pointer: '/url', message: problem }]);
    const wrong = headers && headersProblem(headers);
    if (wrong) throw invalid([{ pointer: '/headers', message: wrong }]);
    const endpoint = { url, types, accounts: [...(key.accounts ?? [])], owner: key.name, headers };
    const made = await context.endpointService.register(endpoint, act());
    const registered = 'id' in made ? await context.endpoints.read(made.id) : undefined;
    if ('problem' in made) throw new ApiProblem('wrong-state', made.problem, { rule: made.rule });
    if (!registered) throw new ApiProblem('wrong-state', message('deleted_meanwhile'));
    // The only time that the secret is shown.
    return { ...view(registered), secret: made.secret.reveal() };
  },
);

const listEventEndpoints = route(
  {
    method: 'get',
    path: '/v1/event-endpoints',
    id: 'listEventEndpoints',
    cli: 'endpoints list',
    tag: 'Events',
    summary: 'List webhook endpoints',
    description: 'The webhook endpoints of this key.',
    role: 'read',
    scope: 'list',
    answers: { 200: answer('All webhook endpoints.', endpoints) },
  },
  async ({ context, key }) => {
    const all = await context.endpoints.all();
    return { items: all.filter((endpoint) => maySee(key, endpoint)).map(view), next: null };
  },
);

const ofOne = { tag: 'Events', description: ONLY_OWN, role: 'read', scope: 'record' } as const;

const getEventEndpoint = route(
  {
    ...ofOne,
    method: 'get',
    path: '/v1/event-endpoints/{id}',
    id: 'getEventEndpoint',
    cli: 'endpoints show',
    summary: 'Get a webhook endpoint',
    answers: { 200: answer('With the last deliveries.', endpointDetail) },
  },
  async (asked) => {
    const endpoint = await find(asked);
    const { log, ...progress } = await asked.context.endpoints.progress(endpoint.id);
    return { ...view(endpoint), ...progress, deliveries: log.map(lineView) };
  },
);

const deleteEventEndpoint = route(
  {
    ...ofOne,
    method: 'delete',
    path: '/v1/event-endpoints/{id}',
    id: 'deleteEventEndpoint',
    fresh: true,
    cli: { name: 'endpoints delete', asks: 'Delete the webhook endpoint {id}?' },
    summary: 'Delete a webhook endpoint',
    answers: { 204: { says: 'Deleted.' } },
  },
  async (asked) => {
    const { id } = await find(asked);
    await asked.context.endpoints.remove(id, asked.act(id));
    return undefined;
  },
);

const replayEvents = route(
  {
    ...ofOne,
    method: 'post',
    path: '/v1/event-endpoints/{id}/replay',
    id: 'replayEvents',
    fresh: true,
    cli: 'endpoints replay',
    summary: 'Replay events to a webhook endpoint',
    body: json(replayOrder),
    answers: { 202: answer('The deliveries are scheduled.', replayed) },
  },
  async (asked) => {
    const endpoint = await find(asked);
    const { since, event } = asked.body;
    const { endpointService } = asked.context;
    if (since !== undefined && event === undefined) {
      const told = await endpointService.replay(endpoint, Date.parse(since), asked.act(endpoint.id, { since }));
      return told;
    }
    if (since !== undefined || event === undefined)
      throw invalid([{ pointer: '/since', message: message('endpoint_or_event') }]);
    if (await endpointService.resend(endpoint, event, asked.act(endpoint.id, { event }))) {
      return { replayed: 1, complete: true };
    }
    throw new ApiProblem('not-found', message('event_not_found', { event, endpoint: endpoint.id }));
  },
);

const testEventEndpoint = route(
  {
    ...ofOne,
    method: 'post',
    path: '/v1/event-endpoints/{id}/test',
    id: 'testEventEndpoint',
    cli: 'endpoints test',
    summary: 'Test a webhook endpoint',
    description:
      `${ONLY_OWN} The test is a signed \`endpoint.tested\` event. relais delivers it one time, whatever the endpoint is ` +
      'registered for, and lists it in no list of events or deliveries. The answer shows the request and the response.',
    answers: { 200: answer('The request, and the answer of the endpoint.', endpointTested) },
  },
  async (asked) => {
    const endpoint = await find(asked);
    const tested = await asked.context.endpointService.test(endpoint);
    await asked.context.audit.tell(asked.act(endpoint.id, { answer: tested.answer }));
    const { error } = tested;
    return { ...tested, error: error && textOf(error, languageFor(asked.request)) };
  },
);

const rotateEndpointSecret = route(
  {
    ...ofOne,
    method: 'post',
    path: '/v1/event-endpoints/{id}/rotate-secret',
    id: 'rotateEndpointSecret',
    fresh: true,
    cli: {
      name: 'endpoints rotate-secret',
      says: 'Rotate the secret of a webhook endpoint. For a day, deliveries are signed with both secrets',
      asks: 'Rotate the secret of {id}?',
      next: 'Store the secret: it is not shown again.',
    },
    summary: 'Rotate the secret of a webhook endpoint',
    answers: { 200: answer('Store the new secret.', endpointWithSecret) },
    problems: ['wrong-state'],
  },
  async (asked) => {
    const endpoint = await find(asked);
    const made = await asked.context.endpointService.rotate(endpoint.id, asked.act(endpoint.id));
    if ('problem' in made) throw new ApiProblem('wrong-state', made.problem, { rule: made.rule });
    return { ...view(endpoint), secret: made.secret.reveal() };
  },
);

function maySee(key: ApiKey, { owner }: Endpoint): boolean {
  return owner === key.name || (key.roles.has('operate') && key.accounts === undefined);
}

interface AskedForOne {
  readonly context: ApiContext;
  readonly key: ApiKey;
  readonly params: { readonly id: string };
}

/** Another key's endpoint looks nonexistent. */
async function find({ context, key, params: { id } }: AskedForOne): Promise<Endpoint> {
  const endpoint = /^[\w-]{1,64}$/.test(id) ? await context.endpoints.read(id) : undefined;
  if (endpoint && maySee(key, endpoint)) return endpoint;
  throw new ApiProblem('not-found', message('endpoint_not_found', { id: id.slice(0, 80) }));
}

const iso = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString());

function view({ id, url, types, accounts, headerNames, state, createdAt, ...endpoint }: Endpoint) {
  return {
    id,
    url,
    types: types.length > 0 ? types : null,
    accounts: accounts.length > 0 ? accounts : null,
    headers: headerNames,
    state,
    reason: endpoint.reason ?? null,
    createdAt: new Date(createdAt).toISOString(),
    lastDeliveredAt: iso(endpoint.deliveredAt),
    failingSince: iso(endpoint.failingSince),
  };
}

function lineView({ at, ...line }: LogLine) {
  return { ...line, at: new Date(at).toISOString() };
}

export const endpointRoutes = [
  createEventEndpoint,
  listEventEndpoints,
  getEventEndpoint,
  deleteEventEndpoint,
  replayEvents,
  testEventEndpoint,
  rotateEndpointSecret,
];
