import type { OpenLedger } from '../support/fresh-ledger.ts';
import type { Upstream, UpstreamAccount } from '../../src/provider/client.ts';

/** As if it had logged in half an hour ago: fresh bearers that are refused say something else, that the login is contested. */
export async function logInLongAgo(
  upstream: Upstream,
  ledger: Pick<OpenLedger, 'query'>,
  account: UpstreamAccount,
): Promise<void> {
  await upstream.messaging.prepare(account);
  const renewed = await ledger.query(
    `update relais.sms_token set usable_until = clock_timestamp() + interval '30 min' where account = '${account.name}' returning account`,
  );
  if (renewed.length === 0) throw new Error(`${account.name} has no bearer`);
}
