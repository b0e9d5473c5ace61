/**
 * `relais recover --new-stamp`: the provider has moved, and the ledger continues with its new addresses. A process
 * with these addresses cannot start before, so there is no API to call: the command uses the settings of that
 * process, its PostgreSQL, and one of its API keys.
 */
import { readAccounts } from '../accounts.ts';
import { findKey } from '../api/keys.ts';
import { WrongSettings, apiKeysOf, loadConfig, missingFor, settingProblem } from '../config.ts';
import { acceptAddresses, compareStamp } from '../ledger/deployment.ts';
import { Database } from '../ledger/pool.ts';
import type { Clock } from '../lib/clock.ts';
import { deploymentOf, problemsOf } from './deployment.ts';
import { databaseOf } from './stores.ts';
import { type Message, message } from '../messages/message.ts';

export interface NewStampTools {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Called with the settings whose address differs; false: change nothing. */
  readonly confirmed: (settings: readonly string[]) => Promise<boolean>;
  /** Printed when no address differs. */
  readonly nothingDiffers: string;
  readonly print: (line: string) => void;
}

const NEEDED = ['approve', 'operate'] as const;

/** Throws `WrongSettings` if more than the addresses differs, or if the key is not allowed to do this. */
export async function newStamp({ env, clock, confirmed, nothingDiffers, print }: NewStampTools): Promise<0 | 1> {
  const config = loadConfig(env, (given) => missingFor(given, ['api']));
  const by = authorOf(env, apiKeysOf(config));
  const ours = deploymentOf(config, readAccounts(config));
  const database = new Database({ ...databaseOf(config), size: 1, onError: () => undefined });
  try {
    const { differences = [] } = (await compareStamp(database, ours)) ?? {};
    const addresses = differences.flatMap((one) => (one.of === 'address' ? one.setting : []));
    const others = differences.filter(({ of }) => of !== 'address');
    if (others.length > 0) throw new WrongSettings(problemsOf(others, config));
    if (addresses.length === 0) {
      print(nothingDiffers);
      return 0;
    }
    if (!(await confirmed(addresses))) return 1;
    const since = await acceptAddresses(database, ours, { by, at: clock.now() });
    if (since.length > 0) throw new WrongSettings(problemsOf(since, config));
    print(JSON.stringify({ accepted: addresses, by, schema: config.DATABASE_SCHEMA }));
    return 0;
  } finally {
    await database.close();
  }
}

/** A single key rarely has both roles by accident; its name is logged. */
function authorOf(env: NewStampTools['env'], keys: ReturnType<typeof apiKeysOf>): string {
  const key = findKey(keys, env['RELAIS_API_KEY']?.trim() || 'dev');
  if (key === undefined) throw wrongKey(message('key_not_among'));
  const lacks = NEEDED.filter((role) => !key.roles.has(role));
  if (lacks.length === 0 && key.accounts === undefined) return key.name;
  throw wrongKey(
    lacks.length > 0
      ? message('author_lacks_role', { key: key.name, roles: lacks.join(', ') })
      : message('author_of_some_accounts', { key: key.name }),
  );
}

const wrongKey = (problem: Message): WrongSettings => new WrongSettings([settingProblem('RELAIS_API_KEY', problem)]);
