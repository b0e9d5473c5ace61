/** Which deployment the settings of this process are of, and whether the keys it would use are of the same. */
import type { AccountBook } from '../accounts.ts';
import type { Config } from '../config.ts';
import { derivedHex } from '../lib/ids.ts';
import type { Deployment, Difference } from '../operations/stamp.ts';

const ADDRESSES = ['SERVICE_BASE_URL', 'SERVICE_CRM_URL'] as const;
const DIGEST_CHARACTERS = 12;

/** A process that was given no address asks the service for nothing: its accounts and their modes mean nothing. */
export function deploymentOf(config: Config, book: AccountBook): Deployment {
  const addresses = ADDRESSES.flatMap((setting) => {
    const address = config[setting];
    return address === undefined ? [] : [[setting, digestOf(address)] as const];
  });
  return {
    environment: config.ENVIRONMENT,
    addresses: Object.fromEntries(addresses),
    ...(addresses.length === 0
      ? {}
      : { accounts: Object.fromEntries([...book].map(([name, { mode }]) => [name, mode])) }),
  };
}

/** Written alike for https://Host and https://host:443. */
function digestOf(address: string): string {
  return derivedHex('address', new URL(address).href).slice(0, DIGEST_CHARACTERS);
}

/** What differs, each with what to do about it. */
export function problemsOf(differences: readonly Difference[], config: Config): readonly string[] {
  const { REDIS_PREFIX: prefix, ENVIRONMENT: environment } = config;
  const keysOf = `the keys ${prefix}:* of this Redis`;
  const apart =
    `Give this deployment a REDIS_PREFIX of its own, such as {relais-${environment.toLowerCase()}}, or another ` +
    'database in REDIS_URL.';
  return differences.map((one) => {
    if (one.of === 'environment') return `ENVIRONMENT: is ${one.ours}, and ${keysOf} are of ${one.stamped}. ${apart}`;
    if (one.of === 'mode') {
      const setting = one.account === 'main' ? 'SERVICE_MODE' : 'ACCOUNTS_FILE';
      return `${setting}: ${one.account} is in ${one.ours} mode, and in ${keysOf} in ${one.stamped} mode. ${apart}`;
    }
    if (one.of === 'address') {
      return (
        `${one.setting}: is another service than that of ${keysOf}. ${apart} ` +
        'Where it is the same service that has moved: relais recover --new-stamp.'
      );
    }
    return (
      `ACCOUNTS_FILE: ${one.account} is not in it any more, and has open operations (${one.open}) in ${keysOf}. ` +
      `Put it back until they have ended. ${apart}`
    );
  });
}
