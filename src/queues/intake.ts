import { z } from 'zod';
import { asDeclared, kinds } from '../kinds/index.ts';
import { defineQueue } from './define.ts';

const asked = kinds.flatMap((kind) => {
  const { request } = asDeclared(kind);
  return request ? [request.extend({ kind: z.literal(kind) })] : [];
});

/** What any BullMQ client, in any language, may add. Each kind is the HTTP body of the same name, plus `kind`. */
// Callers may ask for something, so there is a first, which TypeScript does not know of a list.
const intakePayload = z.discriminatedUnion('kind', asked as [(typeof asked)[number], ...typeof asked]);

export const intake = defineQueue({
  name: 'intake',
  summary: 'Requests from any BullMQ client: accepted, recorded, and answered with `{id, outcome}`.',
  payload: intakePayload,
  share: 0.5,
  retryAfter: [],
  waits: 'never',
  givesUpAs: 'a failed job that names every problem; nothing is recorded and nothing sent',
  // The caller reads `{id, outcome}` from the finished job; a day is enough for a caller that was restarted.
  keepSeconds: 86_400,
});
