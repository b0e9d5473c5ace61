/** Which deployment the settings of this process are of, and whether its ledger belongs to the same. */
import type { AccountBook } from '../accounts.ts';
import type { Config } from '../config.ts';
import { derivedHex } from '../lib/ids.ts';
import type { Deployment, Difference } from '../ledger/deployment.ts';

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
  const { DATABASE_SCHEMA: schema, ENVIRONMENT: environment } = config;
  const ledger = `the ledger ${schema} of this PostgreSQL`;
  const apart =
    `Give this deployment a DATABASE_SCHEMA of its own, such as relais_${environment.toLowerCase().replace(/\W/g, '_')}, or ` +
    'another database in DATABASE_URL.';
  return differences.map((one) => {
    if (one.of === 'environment')
      return `ENVIRONMENT: is ${one.ours}, and ${ledger} belongs to ${one.stamped}. ${apart}`;
    if (one.of === 'mode') {
      const setting = one.account === 'main' ? 'SERVICE_MODE' : 'ACCOUNTS_FILE';
      return `${setting}: ${one.account} is in ${one.ours} mode, and in ${ledger} in ${one.stamped} mode. ${apart}`;
    }
    if (one.of === 'address') {
      return (
        `${one.setting}: is another provider than that of ${ledger}. ${apart} ` +
        'If the same provider has moved: relais recover --new-stamp.'
      );
    }
    return (
      `ACCOUNTS_FILE: ${one.account} is missing from it, and has pending operations (${one.open}) in ${ledger}. ` +
      `Add it again until they have finished. ${apart}`
    );
  });
}
