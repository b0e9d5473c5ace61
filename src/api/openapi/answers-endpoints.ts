/** Answers about webhook endpoints. */
import { z } from 'zod';
import { accountField, count, perhaps, text, time } from './answers-shared.ts';

const endpointFields = {
  id: text('ep_0f6c8d4b2a1e4957'),
  url: text('https://shop.example/relais'),
  types: perhaps(z.array(text('disbursement.succeeded'))).meta({ description: 'null: all.' }),
  accounts: perhaps(z.array(accountField)).meta({ description: 'null: all.' }),
  headers: z.array(text('X-Gateway-Key')).meta({ description: 'Names of the headers of its own.' }),
  state: z.enum(['enabled', 'disabled']),
  reason: perhaps(text('http_500')),
  createdAt: time,
  lastDeliveredAt: perhaps(time),
  failingSince: perhaps(time),
};

export const endpoint = z.looseObject(endpointFields).meta({ id: 'EventEndpoint' });
export const endpoints = z
  .looseObject({ items: z.array(endpoint), next: z.null() })
  .meta({ id: 'EventEndpointList' });

export const endpointWithSecret = z
  .looseObject({
    ...endpointFields,
    secret: text('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw').meta({
      description: 'For checking the signatures. Shown this once.',
    }),
  })
  .meta({ id: 'EventEndpointWithSecret' });

export const endpointDetail = z
  .looseObject({
    ...endpointFields,
    waiting: count.meta({ description: 'Events that are still to be posted.' }),
    undelivered: count.meta({ description: 'Events that were given up on: replay them.' }),
    deliveries: z
      .array(
        z.looseObject({
          at: perhaps(time),
          event: z.string(),
          outcome: z.string(),
          answer: z.string(),
          tries: z.int(),
        }),
      )
      .meta({ description: 'The last ones, with what the endpoint answered.' }),
  })
  .meta({ id: 'EventEndpointDetail' });

export const endpointTested = z
  .looseObject({
    taken: z.boolean().meta({ example: true, description: 'It answered 2xx.' }),
    answer: text('http_200').meta({ description: 'The status of the answer, or a word for the failure.' }),
    error: perhaps(text('The endpoint answered 500. Only 2xx accepts an event.')).meta({
      description: 'The failure as a sentence. null: the endpoint accepted the event.',
    }),
    ms: z.int().meta({ example: 42, description: 'Milliseconds from the request to the end of the answer.' }),
    request: perhaps(
      z.looseObject({
        url: text('https://shop.example/relais'),
        headers: z.record(z.string(), z.string()).meta({
          example: { 'webhook-id': 'ep_0f6c8d4b2a1e4957-test-1f.1', 'x-gateway-key': '[secret]' },
          description: 'Headers of the endpoint’s own have hidden values.',
        }),
        body: text('{"type":"endpoint.tested"}'),
      }),
    ).meta({ description: 'null: relais could not make the request.' }),
    response: perhaps(
      z.looseObject({
        status: z.int().meta({ example: 200 }),
        body: text('ok').meta({ description: 'The first 1,000 bytes.' }),
      }),
    ).meta({ description: 'null: the endpoint did not answer.' }),
  })
  .meta({ id: 'EndpointTested' });

export const replayed = z
  .looseObject({
    replayed: count,
    complete: z.boolean().meta({ example: true, description: 'false: there are more; ask again from a later time.' }),
  })
  .meta({ id: 'Replayed' });
