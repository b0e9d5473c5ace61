/** The `intake` jobs of any BullMQ client, as JSON Schema: for languages that cannot import our types. */
import { intake } from '../../queues/index.ts';
import { inlineSchema, type JsonSchema } from './schemas.ts';

export function intakeSchema(): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'https://relais.invalid/schemas/intake',
    title: 'A job in the queue intake',
    description:
      'The data of a job that any BullMQ client may add (prefix: the workers’ REDIS_PREFIX, `{relais}` unless it is set). Its result is `{id, outcome}`; a job ' +
      'with a problem fails with every problem named, and nothing is recorded.',
    ...inlineSchema(intake.payload),
  };
}
