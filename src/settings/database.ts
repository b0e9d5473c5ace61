/** Settings of PostgreSQL, which stores the ledger. */
import { z } from 'zod';
import { count, duration, durationOrOff, fileWith, onOff, orIssue, postgresUrl, readCertificates } from './types.ts';
import { message } from '../messages/message.ts';
import { says } from '../messages/schemas.ts';
import { MessageError } from '../messages/texts.ts';
import { englishSettings } from '../messages/english-settings.ts';

/**
 * 14 are outside the pool, including two lanes for each kind of statement, so that one locked row blocks no other
 * work.
 */
const CONNECTIONS_LEAST = 16;
const CONNECTIONS_MOST = 200;
const RETENTION_LEAST_MS = 30 * 86_400_000;

const retention = () =>
  durationOrOff('off').refine((ms) => ms === 0 || ms >= RETENTION_LEAST_MS, says('days_30_or_off'));

function readSchema(text: string): string {
  if (/^[a-z_][a-z0-9_]{0,53}$/.test(text) && !text.startsWith('pg_')) return text;
  throw new MessageError(message('schema_name'));
}

export const database = {
  DATABASE_URL: [postgresUrl(), englishSettings.DATABASE_URL, 'secret'],
  DATABASE_CA_FILE: [
    fileWith(readCertificates).optional(),
    'PEM file of the authority that signs the certificate of PostgreSQL. With it, every connection is encrypted and verified. Unset: `sslmode` of `DATABASE_URL` decides.',
  ],
  DATABASE_POOL: [
    count(20, { min: CONNECTIONS_LEAST, max: CONNECTIONS_MOST }),
    `Maximum number of PostgreSQL connections of one process, ${CONNECTIONS_LEAST} to ${CONNECTIONS_MOST}. All processes together must stay below \`max_connections\`.`,
  ],
  DATABASE_SCHEMA: [
    z.string().default('relais').transform(orIssue(readSchema)),
    'Schema of the ledger in PostgreSQL. Two deployments share a database with two schemas.',
  ],
  DATABASE_PREPARED: [
    onOff.unwrap().default('on'),
    '`on`: use prepared statements. `off`: use none, for pgbouncer before version 1.21 in transaction mode.',
  ],
  DATABASE_PATIENCE: [
    duration('60s'),
    'Maximum wait for PostgreSQL at start, as a duration; then the process ends with status 1.',
  ],
  MIGRATE: [
    onOff.unwrap().default('on'),
    '`on`: migrate the schema at start. `off`: refuse to start on an older schema, and leave it to `relais migrate`.',
  ],
  WITNESS: [
    z.enum(['required', 'none']).default('required'),
    '`required`: without a witness at start, risky operations wait for `relais recover`. `none`: they continue, and you guarantee that PostgreSQL is not an earlier copy.',
  ],
  RETENTION_PAYMENTS: [
    retention(),
    'Age, as a duration such as `400d`, after which finished payments and payment batches are deleted. `off`: they stay.',
  ],
  RETENTION_SMS: [
    retention(),
    'Age, as a duration such as `90d`, after which finished campaigns and messages are deleted. `off`: they stay.',
  ],
  IDEMPOTENCY_KEEP: [
    duration('400d').refine((ms) => ms >= RETENTION_LEAST_MS, says('days_30')),
    'Time, as a duration of at least 30d, during which the reference and the idempotency key of a deleted operation stay in use. relais answers a repeated request and never carries it out again.',
  ],
} as const;
