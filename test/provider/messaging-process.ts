/**
 * One of several processes that share a bearer. For each line of its input it queries the statistics that many times
 * at once, and prints the number of successes.
 */
import { createInterface } from 'node:readline';
import { Database } from '../../src/ledger/pool.ts';
import { liveAccount, openUpstream } from './listener.ts';
import { Secret } from '../../src/lib/secret.ts';

const [url = '', crm = ''] = process.argv.slice(2);
const database = new Database({ url, schema: 'relais', patience: 20_000 });
const { upstream } = openUpstream(crm, { database });
const account = liveAccount({
  smsUserKey: new Secret('sandbox-user'),
  smsSecretKey: new Secret('sandbox-secret'),
  smsAppKey: new Secret('sandbox-app'),
});

for await (const line of createInterface({ input: process.stdin })) {
  const calls = Array.from({ length: Number(line) }, () =>
    upstream.messaging.statistics(account, { numbers: ['+221771234567'] }),
  );
  const verdicts = await Promise.all(calls);
  process.stdout.write(`${verdicts.filter(({ is }) => is === 'ok').length}\n`);
}
await upstream.close();
await database.close();
