/** Enqueues a request in the open transaction of a caller's connection. Needs no package but the caller's client. */
import { inSchema } from './statements.ts';

/** A `Client` or `PoolClient` of `pg`, or a compatible client. */
export interface SqlClient {
  query(text: string, values: readonly unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

export interface EnqueueRequest {
  readonly kind: string;
  readonly request: unknown;
  readonly idempotencyKey?: string | undefined;
}

/** PostgreSQL refused the request: the caller's transaction has failed and cannot commit. */
export class EnqueueRefused extends Error {
  override readonly name = 'EnqueueRefused';
  readonly problems: readonly { readonly pointer: string; readonly message: string }[];

  constructor(problems: EnqueueRefused['problems']) {
    super('nothing was enqueued');
    this.problems = problems;
  }
}

/** SQLSTATE of a refusal; DETAIL contains its problems. */
const REFUSED = '22023';

/** Returns the id of the future operation. Throws `EnqueueRefused`, or the client's own error. */
export async function enqueue(
  client: SqlClient,
  schema: string,
  { kind, request, idempotencyKey }: EnqueueRequest,
): Promise<string> {
  const text = inSchema('select relais.enqueue($1, $2::jsonb, $3) as id', schema);
  const values = [kind, JSON.stringify(request), idempotencyKey ?? null];
  const { rows } = await client.query(text, values).catch((error: unknown) => {
    throw refusalIn(error) ?? error;
  });
  const [row] = rows;
  if (typeof row === 'object' && row !== null && 'id' in row && typeof row.id === 'string') return row.id;
  throw new TypeError('the client returned no row with an id: give it a client of pg, or one that answers alike');
}

function refusalIn(error: unknown): EnqueueRefused | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error) || error.code !== REFUSED) return undefined;
  if (!('detail' in error) || typeof error.detail !== 'string' || !error.detail.startsWith('[')) return undefined;
  // Written by the function.
  return new EnqueueRefused(JSON.parse(error.detail) as EnqueueRefused['problems']);
}
