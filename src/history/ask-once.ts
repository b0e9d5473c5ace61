/** One question to history, over a connection of its own: for what is asked seldom, by processes that write nothing else. */
import type { Client } from 'pg';

/** As PostgreSQL says that there is no such schema or table. */
const NOTHING_THERE = new Set(['3F000', '42P01']);

interface Waits {
  readonly connectMs: number;
  readonly statementMs: number;
}

/** Undefined: nothing was ever written there. Rejects as the connection or the statement does. */
export async function askOnce<T>(
  url: string,
  { connectMs, statementMs }: Waits,
  ask: (client: Client) => Promise<T>,
): Promise<T | undefined> {
  const { Client: Connected } = await import('pg');
  const client = new Connected({
    connectionString: url,
    application_name: 'relais',
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
    query_timeout: statementMs,
  });
  // What breaks later breaks the question too.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await ask(client);
  } catch (error) {
    if (error instanceof Error && 'code' in error && NOTHING_THERE.has(String(error.code))) return undefined;
    throw error;
  } finally {
    // The answer stands, or the error is told, whether or not the connection ends in order.
    await client.end().catch(() => undefined);
  }
}
