/**
 * Whose the keys of a prefix are: the environment, where its service is, and its accounts. The first process writes it;
 * one with another deployment's settings would pay and text through a service that was never asked, so it does not start.
 */
import type { Redis } from 'ioredis';
import { kinds, isFinal, statesOf } from '../kinds/index.ts';
import { canonicalJson } from '../lib/ids.ts';
import { answersOf, maybe, text } from '../redis/scripts.ts';
import { keys } from './keys.ts';
import { replaceStamp } from './scripts/generated/scripts.ts';

/** What one process knows of its deployment. One that never asks the service knows no addresses and no accounts. */
export interface Deployment {
  readonly environment: string;
  /** Setting → digest of the address. */
  readonly addresses: Readonly<Record<string, string>>;
  /** Name of the account → its mode; absent: this process has no say in it. */
  readonly accounts?: Readonly<Record<string, string>>;
}

interface Accepted {
  /** ms since the epoch. */
  readonly at: number;
  readonly by: string;
  /** The settings whose address is another since. */
  readonly addresses: readonly string[];
}

export interface Stamp extends Required<Deployment> {
  /** The last times that somebody accepted other addresses, oldest first. */
  readonly accepted: readonly Accepted[];
}

export type Difference =
  | { readonly of: 'environment'; readonly stamped: string; readonly ours: string }
  | { readonly of: 'address'; readonly setting: string }
  | { readonly of: 'mode'; readonly account: string; readonly stamped: string; readonly ours: string }
  /** The account is ours no more, and this operation of it has not ended. */
  | { readonly of: 'account'; readonly account: string; readonly open: string };

const ACCEPTED_KEPT = 20;
const READ_AT_ONCE = 500;

/** As scripts take it that must write nothing where the keys are of another deployment. */
export const wordOfDeployment = (ours: Deployment | undefined): string | undefined => ours && canonicalJson(ours);

/** These keys are of another deployment; nothing was written. Which, and what to do: `stampAs`. */
export class KeysOfAnother extends Error {
  override readonly name = 'KeysOfAnother';

  constructor() {
    super('these keys are of another deployment, so nothing was written');
  }
}

export async function readStamp(redis: Redis): Promise<Stamp | undefined> {
  const kept = await redis.get(keys.stamp);
  return kept === null ? undefined : (JSON.parse(kept) as Stamp);
}

/** What would keep a process of this deployment from starting; nothing is written. Undefined: there is no stamp yet. */
export async function compareStamp(
  redis: Redis,
  ours: Deployment,
): Promise<{ readonly stamp: Stamp; readonly differences: readonly Difference[] } | undefined> {
  const stamp = await readStamp(redis);
  return stamp && { stamp, differences: await differencesFrom(redis, stamp, ours) };
}

async function differencesFrom(redis: Redis, stamp: Stamp, ours: Deployment): Promise<readonly Difference[]> {
  return [...differencesOf(stamp, ours), ...(await openOf(redis, stamp, ours))];
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

/** Writes the stamp, or adds to it what it did not know. The differences, when it is another's: nothing is written. */
export function stampAs(redis: Redis, ours: Deployment): Promise<readonly Difference[]> {
  return replace(redis, async (stamp) => {
    const differences = stamp ? await differencesFrom(redis, stamp, ours) : [];
    return differences.length > 0 ? { differences } : { next: merged(stamp, ours) };
  });
}

/** The service has moved: its new addresses are those of the stamp from now on. Nothing else may differ. */
export function acceptAddresses(
  redis: Redis,
  ours: Deployment,
  { by, at }: Pick<Accepted, 'by' | 'at'>,
): Promise<readonly Difference[]> {
  return replace(redis, async (stamp) => {
    if (stamp === undefined) return { differences: [] };
    const differences = differencesOf(stamp, ours);
    const others = differences.filter((one) => one.of !== 'address');
    const addresses = differences.flatMap((one) => (one.of === 'address' ? one.setting : []));
    if (others.length > 0 || addresses.length === 0) return { differences: others };
    const accepted = [...stamp.accepted, { at, by, addresses }].slice(-ACCEPTED_KEPT);
    return { next: { ...stamp, addresses: { ...stamp.addresses, ...ours.addresses }, accepted } };
  });
}

/** What became of a stamp: another one, or the reasons to leave it. */
type Judged = { readonly next: Stamp } | { readonly differences: readonly Difference[] };

/** Reads, judges and writes, again whenever another process has written in between. */
async function replace(
  redis: Redis,
  judge: (stamp: Stamp | undefined) => Promise<Judged>,
): Promise<readonly Difference[]> {
  for (;;) {
    const before = (await redis.get(keys.stamp)) ?? undefined;
    const judged = await judge(before === undefined ? undefined : (JSON.parse(before) as Stamp));
    if ('differences' in judged) return judged.differences;
    const after = canonicalJson(judged.next);
    if (after === before || (await replaceStamp(redis, { stamp: keys.stamp, before, after }))) return [];
  }
}

function merged(stamp: Stamp | undefined, ours: Deployment): Stamp {
  return {
    environment: ours.environment,
    addresses: { ...stamp?.addresses, ...ours.addresses },
    accounts: ours.accounts ?? stamp?.accounts ?? {},
    accepted: stamp?.accepted ?? [],
  };
}

/** Of each account that was taken away, one operation that would wait for it for ever. */
async function openOf(redis: Redis, stamp: Stamp, { accounts }: Deployment): Promise<readonly Difference[]> {
  if (accounts === undefined) return [];
  const gone = new Set(Object.keys(stamp.accounts).filter((name) => !(name in accounts)));
  const found: Difference[] = [];
  if (gone.size === 0) return found;
  for await (const [id, account] of openOperations(redis)) {
    if (gone.delete(account)) found.push({ of: 'account', account, open: id });
    if (gone.size === 0) break;
  }
  return found;
}

/** Every operation that has not ended, and its account. All are walked only where an account was taken away. */
async function* openOperations(redis: Redis): AsyncGenerator<readonly [id: string, account: string]> {
  const sets = kinds.flatMap((kind) =>
    statesOf(kind).flatMap((state) => (isFinal(kind, state) ? [] : keys.state(kind, state))),
  );
  for (const set of sets) {
    for (let from = 0, more = true; more; from += READ_AT_ONCE) {
      const ids = await redis.zrange(set, String(from), String(from + READ_AT_ONCE - 1));
      yield* await accountsOf(redis, ids);
      more = ids.length === READ_AT_ONCE;
    }
  }
}

async function accountsOf(redis: Redis, ids: readonly string[]): Promise<readonly (readonly [string, string])[]> {
  if (ids.length === 0) return [];
  const pipeline = redis.pipeline();
  for (const id of ids) pipeline.hget(keys.record(id), 'account');
  const answers = await answersOf(pipeline, maybe(text));
  return answers.map((account = '', index) => [ids[index] ?? '', account] as const);
}
