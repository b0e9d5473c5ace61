/**
 * `relais recover --new-stamp`: the service has moved, and the keys go on with its new addresses. The process that knows
 * them cannot start before, so nobody is asked over HTTP: it takes the settings of that process, its Redis, and one of
 * its API keys.
 */
import { readAccounts } from '../accounts.ts';
import { findKey } from '../api/keys.ts';
import { WrongSettings, apiKeysOf, loadConfig, missingFor } from '../config.ts';
import type { Clock } from '../lib/clock.ts';
import { acceptAddresses, compareStamp } from '../operations/stamp.ts';
import { closeConnection, openCommands, waitUntilReady } from '../redis/connections.ts';
import { deploymentOf, problemsOf } from './deployment.ts';
import { targetOf } from './container.ts';

export interface NewStampTools {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Called with the settings whose address differs; false: leave it. */
  readonly confirmed: (settings: readonly string[]) => Promise<boolean>;
  /** Said where none does. */
  readonly nothingDiffers: string;
  readonly print: (line: string) => void;
}

const READY_WAIT_MS = 5_000;
const NEEDED = ['approve', 'operate'] as const;

/** Throws `WrongSettings` when more differs than the addresses, or the key may not. */
export async function newStamp({ env, clock, confirmed, nothingDiffers, print }: NewStampTools): Promise<0 | 1> {
  const config = loadConfig(env, (given) => missingFor(given, ['api']));
  const by = authorOf(env, apiKeysOf(config));
  const ours = deploymentOf(config, readAccounts(config));
  const redis = openCommands(targetOf(config), { name: 'relais-recover', onError: () => undefined });
  try {
    await waitUntilReady(redis, READY_WAIT_MS);
    const { differences = [] } = (await compareStamp(redis, ours)) ?? {};
    const addresses = differences.flatMap((one) => (one.of === 'address' ? one.setting : []));
    const others = differences.filter(({ of }) => of !== 'address');
    if (others.length > 0) throw new WrongSettings(problemsOf(others, config));
    if (addresses.length === 0) {
      print(nothingDiffers);
      return 0;
    }
    if (!(await confirmed(addresses))) return 1;
    const since = await acceptAddresses(redis, ours, { by, at: clock.now() });
    if (since.length > 0) throw new WrongSettings(problemsOf(since, config));
    print(JSON.stringify({ accepted: addresses, by, prefix: config.REDIS_PREFIX }));
    return 0;
  } finally {
    await closeConnection(redis);
  }
}

/** Two roles that no single key of a careful deployment has by accident, and the name that is written down. */
function authorOf(env: NewStampTools['env'], keys: ReturnType<typeof apiKeysOf>): string {
  const key = findKey(keys, env['RELAIS_API_KEY']?.trim() || 'dev');
  if (key === undefined) throw new WrongSettings(['RELAIS_API_KEY: is not among API_KEYS']);
  const lacks = NEEDED.filter((role) => !key.roles.has(role));
  if (lacks.length === 0 && key.accounts === undefined) return key.name;
  const why = lacks.length > 0 ? `does not have the role ${lacks.join(' and ')}` : 'is for some accounts only';
  throw new WrongSettings([`RELAIS_API_KEY: ${key.name} ${why}; approve and operate, for all accounts, are needed`]);
}
