/** The deployment that the settings describe, and whether the ledger belongs to it. */
import type { AccountBook } from '../accounts.ts';
import { type Config, settingProblem } from '../config.ts';
import { type Message, message } from '../messages/message.ts';
import { derivedHex } from '../lib/ids.ts';
import type { Deployment, Difference } from '../ledger/deployment.ts';

const ADDRESSES = ['SERVICE_BASE_URL', 'SERVICE_CRM_URL'] as const;
const DIGEST_CHARACTERS = 12;

/** A process without an address sends nothing to the provider: its accounts and their modes are irrelevant. */
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

/** Equal for https://Host and https://host:443. */
function digestOf(address: string): string {
  return derivedHex('address', new URL(address).href).slice(0, DIGEST_CHARACTERS);
}

interface Differing {
  readonly says: Message;
  readonly fix: Message;
}

/** The differences, each with the next step. */
export function differingIn(differences: readonly Difference[], config: Config): readonly Differing[] {
  const { DATABASE_SCHEMA: schema, ENVIRONMENT: environment } = config;
  const apart = message('apart', { schema: `relais_${environment.toLowerCase().replace(/\W/g, '_')}` });
  return differences.map((one) => {
    if (one.of === 'environment') {
      const { ours, stamped } = one;
      return {
        says: settingProblem('ENVIRONMENT', message('other_environment', { ours, stamped, schema })),
        fix: apart,
      };
    }
    if (one.of === 'mode') {
      const { account, ours, stamped } = one;
      const setting = account === 'main' ? 'SERVICE_MODE' : 'ACCOUNTS_FILE';
      return { says: settingProblem(setting, message('other_mode', { account, ours, stamped, schema })), fix: apart };
    }
    if (one.of === 'address') {
      const says = settingProblem(one.setting, message('other_provider', { schema }));
      return { says, fix: message('apart_or_moved', { apart }) };
    }
    const { account, open } = one;
    const says = settingProblem('ACCOUNTS_FILE', message('account_missing', { account, open, schema }));
    return { says, fix: message('add_account_again', { apart }) };
  });
}

/** The differences as problems of the settings. */
export function problemsOf(differences: readonly Difference[], config: Config): readonly Message[] {
  return differingIn(differences, config).map((one) => message('says_and_fix', { ...one }));
}
