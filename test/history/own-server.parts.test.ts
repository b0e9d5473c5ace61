/** The PostgreSQL that `relais dev --history` and the tests have beside them. */
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { startPostgres } from '../../src/history/embedded.ts';

/** More than a pipe holds that nobody reads. */
const LINES = 2_000;

test('goes on however much it has logged', async () => {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const client = new Client({ connectionString: server.url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(`do $$ begin for line in 1..${LINES} loop raise log '%', repeat('x', 1000); end loop; end $$`);
  expect((await client.query<{ sum: number }>('select 1 + 1 as sum')).rows).toEqual([{ sum: 2 }]);
});
