import type { OpenLedger } from '../support/fresh-ledger.ts';
import type { Upstream, UpstreamAccount } from '../../src/provider/client.ts';

/** As after a login half an hour ago: refused fresh bearers would mean a contested login. */
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
