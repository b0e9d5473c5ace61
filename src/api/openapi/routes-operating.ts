import { z } from 'zod';
import { eventTypes } from '../../kinds/event-types.ts';
import { cursorPattern } from '../../events/stream.ts';
import { limitWish } from '../limits.ts';
import { registration, replayOrder } from '../event-endpoints.ts';
import { purgeRequest } from '../purge.ts';
import { ASK_MOST, recoveryWord } from '../recovery.ts';
import { reviewKinds } from '../../operations/review.ts';
import {
  account,
  accounts,
  anyJson,
  callback,
  endpointDetail,
  endpoints,
  endpointWithSecret,
  eventPage,
  explanation,
  limitList,
  limitStanding,
  queueList,
  purged,
  recovery,
  replayed,
  resealed,
  reviewList,
} from './answers-operating.ts';
import { after, answer, json, limit } from './pieces.ts';
import { defineRoutes, type RouteDeclaration } from '../route.ts';

const ONLY_OWN = 'An endpoint belongs to the key that registered it; another key’s is as good as none.';

export const eventRoutes = defineRoutes([
  {
    method: 'get',
    path: '/v1/events',
    id: 'readEvents',
    tag: 'Events',
    summary: 'Read how things ended.',
    description:
      'Keep `next` and give it as `after`. Each event comes at least once; its `id` is the same each time. A cursor ' +
      'older than EVENTS_KEEP is answered with 410 and the oldest that is kept.',
    role: 'read',
    scope: 'list',
    query: {
      after: z.string().regex(cursorPattern).optional().meta({ description: '`next` of the page before.' }),
      limit: limit(100, 1_000),
      types: z
        .string()
        .optional()
        .meta({ description: `Separated by commas, of ${eventTypes.join(', ')}.`, example: eventTypes[0] }),
    },
    answers: { 200: answer('The next ones, the oldest first.', eventPage) },
    problems: ['gone', 'ahead-of-the-stream'],
  },
  {
    method: 'post',
    path: '/v1/event-endpoints',
    id: 'createEventEndpoint',
    tag: 'Events',
    summary: 'Have events posted to an address of yours.',
    description: 'Signed as Standard Webhooks say; the secret is answered this once.',
    role: 'read',
    scope: 'none',
    body: json(registration.meta({ id: 'EndpointRegistration' })),
    answers: { 201: answer('Registered: keep the secret.', endpointWithSecret) },
    problems: ['wrong-state'],
  },
  {
    method: 'get',
    path: '/v1/event-endpoints',
    id: 'listEventEndpoints',
    tag: 'Events',
    summary: 'List the endpoints of this key.',
    role: 'read',
    scope: 'list',
    answers: { 200: answer('All of them.', endpoints) },
  },
  {
    method: 'get',
    path: '/v1/event-endpoints/{id}',
    id: 'getEventEndpoint',
    tag: 'Events',
    summary: 'How its deliveries go.',
    description: ONLY_OWN,
    role: 'read',
    scope: 'record',
    answers: { 200: answer('With the last deliveries.', endpointDetail) },
  },
  {
    method: 'delete',
    path: '/v1/event-endpoints/{id}',
    id: 'deleteEventEndpoint',
    tag: 'Events',
    summary: 'Post nothing more to it.',
    description: ONLY_OWN,
    role: 'read',
    scope: 'record',
    answers: { 204: { says: 'It is gone.' } },
  },
  {
    method: 'post',
    path: '/v1/event-endpoints/{id}/replay',
    id: 'replayEvents',
    tag: 'Events',
    summary: 'Post what it wants of the events since then, again.',
    description: ONLY_OWN,
    role: 'read',
    scope: 'record',
    body: json(replayOrder.meta({ id: 'ReplayOrder' })),
    answers: { 202: answer('They are on their way.', replayed) },
  },
  {
    method: 'post',
    path: '/v1/event-endpoints/{id}/rotate-secret',
    id: 'rotateEndpointSecret',
    tag: 'Events',
    summary: 'Make another secret. For a day deliveries are signed with both.',
    description: ONLY_OWN,
    role: 'read',
    scope: 'record',
    answers: { 200: answer('Keep the new secret.', endpointWithSecret) },
    problems: ['wrong-state'],
  },
]);

const queueSwitches = (['pause', 'resume'] as const).map(
  (name): RouteDeclaration => ({
    method: 'post',
    path: `/v1/queues/{name}/${name}`,
    id: `${name}Queue`,
    tag: 'Operating',
    summary: name === 'pause' ? 'Let no worker take from a queue.' : 'Let workers take from it again.',
    role: 'operate',
    scope: 'none',
    answers: { 200: answer('All queues.', queueList) },
  }),
);

const accountSwitches = (['stop', 'release'] as const).map(
  (name): RouteDeclaration => ({
    method: 'post',
    path: `/v1/accounts/{name}/${name}`,
    id: `${name}Account`,
    tag: 'Operating',
    summary: name === 'stop' ? 'Hold all disbursements of an account.' : 'Take back every hold of an account.',
    role: 'operate',
    scope: 'record',
    answers: { 200: answer('What holds it now.', account) },
    ...(name === 'release' ? { problems: ['recovering'] as const } : {}),
  }),
);

export const operatingRoutes = defineRoutes([
  {
    method: 'get',
    path: '/v1/review',
    id: 'listReview',
    tag: 'Operating',
    summary: 'What needs a person.',
    role: 'read',
    scope: 'list',
    query: {
      after,
      limit: limit(50, 500),
      kind: z.enum(reviewKinds).optional().meta({ description: 'Only these.', example: 'disbursement' }),
    },
    answers: { 200: answer('A page of them, the oldest first, with their `kind`.', reviewList) },
  },
  {
    method: 'get',
    path: '/v1/explain/{id}',
    id: 'explain',
    tag: 'Operating',
    summary: 'The story of any operation, or what a reason means, in plain words.',
    role: 'read',
    scope: 'record',
    answers: { 200: answer('What happened, and what to do.', explanation) },
  },
  {
    method: 'get',
    path: '/v1/callbacks/{id}',
    id: 'getCallback',
    tag: 'Operating',
    summary: 'What the service posted to us about an operation, last.',
    description:
      'A body is kept for 30 days, and only where it says something else than the operation: one that agrees with a ' +
      'success is forgotten when that is known, so 404 is what most answer. That they were called back is in the ' +
      'story (`/v1/explain/{id}`).',
    role: 'operate',
    scope: 'record',
    answers: { 200: answer('The body, with secrets out.', callback) },
  },
  {
    method: 'get',
    path: '/v1/queues',
    id: 'listQueues',
    tag: 'Operating',
    summary: 'What stands where.',
    role: 'read',
    scope: 'none',
    answers: { 200: answer('All queues.', queueList) },
  },
  ...queueSwitches,
  {
    method: 'get',
    path: '/v1/accounts',
    id: 'listAccounts',
    tag: 'Operating',
    summary: 'Which accounts there are, and what holds them.',
    role: 'read',
    scope: 'list',
    answers: { 200: answer('Those that the key may use.', accounts) },
  },
  ...accountSwitches,
  {
    method: 'get',
    path: '/v1/limits',
    id: 'listLimits',
    tag: 'Operating',
    summary: 'The limits of money that hold, by whom, and what waits for another key.',
    role: 'read',
    scope: 'none',
    answers: { 200: answer('All of them.', limitList) },
  },
  {
    method: 'post',
    path: '/v1/limits/{name}',
    id: 'setLimit',
    tag: 'Operating',
    summary: 'Set a limit of money: a stricter one at once, a looser one with another key.',
    description:
      'Stricter than what holds: it holds from now on, for every process. Looser: it waits (202) until another key asks ' +
      'for the same within a day. What holds already: what was asked for is taken back. A process whose own settings are ' +
      'stricter keeps to those.',
    role: 'approve',
    scope: 'none',
    body: json(limitWish),
    answers: { 200: answer('It holds.', limitStanding), 202: answer('It waits for another key.', limitStanding) },
  },
  {
    method: 'post',
    path: '/v1/secrets/rotate',
    id: 'rotateSecrets',
    tag: 'Operating',
    summary: 'Seal what is kept sealed with the newest secret.',
    description: 'Once it has said so, the older secrets can be taken out of SEALING_SECRET.',
    role: 'operate',
    scope: 'none',
    answers: { 200: answer('What was sealed anew.', resealed) },
    problems: ['forbidden', 'wrong-state'],
  },
  {
    method: 'get',
    path: '/v1/recovery',
    id: 'getRecovery',
    tag: 'Operating',
    summary: 'Whether Redis may have lost something, what is open, and what would be done with it.',
    description:
      'Says for each kind and state how many there are and what an apply would do: `review` (a person), `ask` (the ' +
      'service is asked, then a person), `hold`, `doubt` (looked up in the statistics), `look` and `nothing` (as it ' +
      'is). A key for some accounts sees the state only.',
    role: 'read',
    scope: 'none',
    query: {
      ask: limit(ASK_MOST, ASK_MOST).meta({
        description: 'Ask the service about so many of each kind; it takes as long as that. Absent: it is not asked.',
      }),
    },
    answers: { 200: answer('What is known.', recovery) },
  },
  {
    method: 'post',
    path: '/v1/recovery',
    id: 'recover',
    tag: 'Operating',
    summary: 'Lead on what is open after a loss, or say that nothing was lost.',
    description:
      '`apply` works for a few seconds a request: ask again until `over`. Nothing that the copy shows as not yet sent ' +
      'is sent; see docs/redis.md. `nothingWasLost` confirms a silence, and is refused (409) where it is known better.',
    role: 'operate',
    alsoRole: 'approve',
    scope: 'none',
    body: json(recoveryWord),
    answers: { 200: answer('How far it is.', recovery) },
    problems: ['forbidden', 'wrong-state'],
  },
  {
    method: 'post',
    path: '/v1/purge',
    id: 'purgePerson',
    tag: 'Operating',
    summary: 'Forget a person: their number and texts, everywhere but in the books of money.',
    description: 'A bounded walk a request: ask again with `next` as `after` until it is null.',
    role: 'operate',
    scope: 'none',
    body: json(purgeRequest),
    answers: { 200: answer('What this walk found.', purged) },
    problems: ['forbidden'],
  },
]);

export const documentationRoutes = defineRoutes([
  {
    method: 'get',
    path: '/openapi.json',
    id: 'getOpenApi',
    tag: 'Documentation',
    summary: 'This document, for programs (OpenAPI 3.1).',
    scope: 'none',
    answers: { 200: answer('The document.', anyJson) },
  },
  {
    method: 'get',
    path: '/docs',
    id: 'getDocs',
    tag: 'Documentation',
    summary: 'This document, for people. Works without internet.',
    scope: 'none',
    answers: { 200: { says: 'A page.', files: { 'text/html': { says: 'A page.', example: '<!doctype html>' } } } },
  },
  {
    method: 'get',
    path: '/v1/schemas/intake',
    id: 'getIntakeSchema',
    tag: 'Documentation',
    summary: 'What the BullMQ queue `intake` takes (JSON Schema 2020-12).',
    scope: 'none',
    answers: { 200: answer('The schema.', anyJson) },
  },
]);
