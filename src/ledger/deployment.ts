/**
 * The deployment of this ledger: its environment, provider addresses and accounts. The first process writes them. A
 * process with the settings of another deployment does not start.
 */
import { kinds, isFinal, statesOf } from '../kinds/index.ts';
import { canonicalJson } from '../lib/ids.ts';
import type { Database, Run } from './pool.ts';

/**
 * The deployment as one process knows it. A process that never calls the provider knows no addresses and no accounts.
 */
export interface Deployment {
  readonly environment: string;
  /** Setting → digest of the address. */
  readonly addresses: Readonly<Record<string, string>>;
  /** Name of the account → its mode; absent: this process does not know the accounts. */
  readonly accounts?: Readonly<Record<string, string>>;
}

interface Accepted {
  /** ms since the epoch. */
  readonly at: number;
  readonly by: string;
  /** The settings whose address has changed. */
  readonly addresses: readonly string[];
}

export interface Stamp extends Required<Deployment> {
  /** The last times that an operator accepted other addresses, oldest first. */
  readonly accepted: readonly Accepted[];
}

export type Difference =
  | { readonly of: 'environment'; readonly stamped: string; readonly ours: string }
  | { readonly of: 'address'; readonly setting: string }
  | { readonly of: 'mode'; readonly account: string; readonly stamped: string; readonly ours: string }
  /** The account is no longer in the settings, and this operation of it is not finished. */
  | { readonly of: 'account'; readonly account: string; readonly open: string };

const ACCEPTED_KEPT = 20;

export interface DeploymentRow {
  readonly id: string;
  readonly environment: string;
  readonly mode: string;
  readonly fingerprint: string | null;
  readonly epoch: number;
  readonly recovering_at: Date | null;
  readonly recovering_why: string | null;
  readonly system_id: string | null;
  readonly operation_oid: string | null;
}

/** Parts of the deployment fingerprint without columns of their own. */
type Fingerprint = Omit<Stamp, 'environment'>;
type Store = Pick<Database, 'run' | 'transaction'>;

/**
 * Compares without writing and returns the differences that would prevent a start. Undefined: there is no fingerprint
 * yet.
 */
export async function compareStamp(
  database: Store,
  ours: Deployment,
): Promise<{ readonly stamp: Stamp; readonly differences: readonly Difference[] } | undefined> {
  const [row] = await database.run<DeploymentRow>('read_deployment');
  const stamp = row && stampOf(row);
  return stamp && { stamp, differences: await differencesFrom(database.run, stamp, ours) };
}

/**
 * Writes or completes the deployment fingerprint. Returns the differences, and writes nothing, if it belongs to
 * another deployment.
 */
export function stampAs(database: Store, ours: Deployment): Promise<readonly Difference[]> {
  return replace(database, async (run, stamp) => {
    const differences = await differencesFrom(run, stamp, ours);
    return differences.length > 0 ? { differences } : { next: merged(stamp, ours) };
  });
}

/** The provider has moved: its new addresses replace those of the fingerprint. All other parts must be equal. */
export function acceptAddresses(
  database: Store,
  ours: Deployment,
  { by, at }: { readonly by: string; readonly at: number },
): Promise<readonly Difference[]> {
  return replace(database, async (_, stamp) => {
    const differences = differencesOf(stamp, ours);
    const others = differences.filter((one) => one.of !== 'address');
    const addresses = differences.flatMap((one) => (one.of === 'address' ? one.setting : []));
    if (others.length > 0 || addresses.length === 0) return { differences: others };
    const accepted = [...stamp.accepted, { at, by, addresses }].slice(-ACCEPTED_KEPT);
    return { next: { ...stamp, addresses: { ...stamp.addresses, ...ours.addresses }, accepted } };
  });
}

type Judged = { readonly next: Stamp } | { readonly differences: readonly Difference[] };

/** Two processes that start at once compare one after the other. */
function replace(
  database: Store,
  judge: (run: Run, stamp: Stamp) => Promise<Judged>,
): Promise<readonly Difference[]> {
  return database.transaction(async (run) => {
    const [row] = await run<DeploymentRow>('lock_deployment');
    if (row === undefined) throw new Error('the ledger belongs to no deployment yet');
    const judged = await judge(run, stampOf(row));
    if ('differences' in judged) return judged.differences;
    const { addresses, accounts, accepted } = judged.next;
    const after = canonicalJson({ addresses, accounts, accepted } satisfies Fingerprint);
    if (after !== row.fingerprint) await run('stamp_deployment', [modeOf(judged.next) ?? row.mode, after]);
    return [];
  });
}

function stampOf({ environment, fingerprint }: DeploymentRow): Stamp {
  const known: Partial<Fingerprint> = fingerprint === null ? {} : (JSON.parse(fingerprint) as Fingerprint);
  return { environment, addresses: {}, accounts: {}, accepted: [], ...known };
}

/** The mode of the deployment: that of `main`, or of its first account. */
export function modeOf({ accounts = {} }: Deployment): string | undefined {
  return accounts['main'] ?? Object.values(accounts)[0];
}

function differencesOf(stamp: Stamp, ours: Deployment): readonly Difference[] {
  const differences: Difference[] = [];
  if (stamp.environment !== ours.environment) {
    differences.push({ of: 'environment', stamped: stamp.environment, ours: ours.environment });
  }
  for (const [setting, address] of Object.entries(ours.addresses)) {
    if ((stamp.addresses[setting] ?? address) !== address) differences.push({ of: 'address', setting });
  }
  for (const [account, mode] of Object.entries(ours.accounts ?? {})) {
    const stamped = stamp.accounts[account] ?? mode;
    if (stamped !== mode) differences.push({ of: 'mode', account, stamped, ours: mode });
  }
  return differences;
}

async function differencesFrom(run: Run, stamp: Stamp, ours: Deployment): Promise<readonly Difference[]> {
  return [...differencesOf(stamp, ours), ...(await openOf(run, stamp, ours))];
}

/** For each removed account, one operation that would wait for it for ever. */
async function openOf(run: Run, stamp: Stamp, { accounts }: Deployment): Promise<readonly Difference[]> {
  if (accounts === undefined) return [];
  const gone = Object.keys(stamp.accounts).filter((name) => !(name in accounts));
  if (gone.length === 0) return [];
  const open = kinds.flatMap((kind) =>
    statesOf(kind).flatMap((state) => (isFinal(kind, state) ? [] : [{ kind, state }])),
  );
  const found = await run<{ account: string; id: string }>('open_of_accounts', [
    gone,
    open.map(({ kind }) => kind),
    open.map(({ state }) => state),
  ]);
  return found.map(({ account, id }) => ({ of: 'account', account, open: id }));
}

function merged(stamp: Stamp, ours: Deployment): Stamp {
  return {
    environment: ours.environment,
    addresses: { ...stamp.addresses, ...ours.addresses },
    accounts: ours.accounts ?? stamp.accounts,
    accepted: stamp.accepted,
  };
}
