/** Events as webhooks: the deliveries to a registered endpoint, one entry for each type. */
import type { z } from 'zod';
import { catalogue, type EventType, eventTypes } from '../../kinds/index.ts';
import { anEvent, schemaOf } from '../../events/catalogue.ts';
import { componentRef, type JsonSchema } from './schemas.ts';

/** `disbursement.needs_review` → `DisbursementNeedsReviewEvent` */
function eventComponent(type: EventType): string {
  const words = type.split(/[._]/).map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`);
  return `${words.join('')}Event`;
}

export function eventSchemas(): z.ZodType[] {
  return eventTypes.map((type) =>
    schemaOf(type).meta({ id: eventComponent(type), description: catalogue[type].says }),
  );
}

const STANDARD_HEADERS = {
  'webhook-id': 'The id of the event: the same each time it is posted. Skip what you have seen.',
  'webhook-timestamp': 'When it was posted, in seconds since the epoch.',
  'webhook-signature': '`v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64; several, while a secret rotates.',
} as const;

export function webhooks(): Record<string, JsonSchema> {
  return Object.fromEntries(
    eventTypes.map((type) => [
      type,
      { post: delivery(type, componentRef(eventComponent(type)), catalogue[type].says) },
    ]),
  );
}

/** The delivery for an endpoint with several types. */
export function deliveryCallback(): JsonSchema {
  const post = delivery('disbursement.succeeded', componentRef('Event'), 'An event that the endpoint asked for.');
  return { '{$request.body#/url}': { post: { ...post, operationId: 'takeEvent' } } };
}

function delivery(type: EventType, schema: JsonSchema, says: string): JsonSchema {
  return {
    operationId: `on${eventComponent(type).replace(/Event$/, '')}`,
    tags: ['Events'],
    summary: says,
    description: 'Posted until it is taken, or given up on after three days. In no particular order: see `sequence`.',
    security: [],
    parameters: Object.entries(STANDARD_HEADERS).map(([name, description]) => ({
      name,
      in: 'header',
      required: true,
      description,
      schema: { type: 'string' },
    })),
    requestBody: {
      required: true,
      content: { 'application/json': { schema, examples: { [type]: { value: anEvent(type) } } } },
    },
    responses: {
      '2XX': { description: 'Taken: it is not posted again.' },
      '4XX': { description: 'Not taken: it is posted again later.' },
      '5XX': { description: 'Not taken: it is posted again later.' },
    },
  };
}
