/** One plain connection, without the time-outs and checks of ordinary ones: for migrations, roles and diagnostics. */
import { Client } from 'pg';
import type { DatabaseOptions } from './database.ts';
import { DatabaseAway } from './errors.ts';
import { addressOf } from './server.ts';

const CONNECT_TIMEOUT_MS = 5_000;

/** Throws `DatabaseAway` if PostgreSQL cannot be reached. */
export async function withClient<Answer>(
  { url, ca, connectTimeout = CONNECT_TIMEOUT_MS }: Pick<DatabaseOptions, 'url' | 'ca' | 'connectTimeout'>,
  name: string,
  work: (client: Client) => Promise<Answer>,
): Promise<Answer> {
  const client = new Client({
    ...addressOf(url, ca),
    connectionTimeoutMillis: connectTimeout,
    application_name: `relais ${name}`,
  });
  client.on('error', () => undefined);
  await client.connect().catch((cause: unknown) => {
    throw new DatabaseAway('PostgreSQL cannot be reached', { cause });
  });
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
