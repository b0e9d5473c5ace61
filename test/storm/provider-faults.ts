/** The provider's faults during a storm, by the sandbox's names. */
import type { FaultOrder } from '../../src/sandbox/faults.ts';
import type { SettingPatch } from '../../src/sandbox/settings.ts';
import { ask, mustAsk } from './http.ts';
import type { Mode } from './options.ts';
import { LATE_MS, SETTLE_MS } from './plan.ts';
import type { System } from './system.ts';

type Row = readonly [FaultOrder['fault'], string, number, Partial<FaultOrder>?];

/** About one in five submits is affected before, during or after its effect. */
const rows: readonly Row[] = [
  ['resets the connection before doing the work', 'disbursement.submit', 0.03],
  ['resets the connection after doing the work', 'disbursement.submit', 0.03],
  ['hangs before doing the work', 'disbursement.submit', 0.01],
  ['hangs after doing the work', 'disbursement.submit', 0.02],
  ['does the work late', 'disbursement.submit', 0.02, { delayMs: LATE_MS }],
  ['answers 5000 before doing the work', 'disbursement.submit', 0.02],
  ['answers 5000 after doing the work', 'disbursement.submit', 0.03],
  ['answers 5xx before doing the work', 'disbursement.submit', 0.01],
  ['answers 5xx after doing the work', 'disbursement.submit', 0.02],
  ['says it is under maintenance', 'disbursement.submit', 0.01],
  ['cuts its JSON', 'disbursement.submit', 0.02],
  ['breaks off in the middle of its answer', 'disbursement.submit', 0.01],
  ['fails the disbursement', 'disbursement.submit', 0.05],

  ['resets the connection after doing the work', 'disbursement.create', 0.02],
  ['hangs after doing the work', 'disbursement.create', 0.01],
  ['answers 5xx before doing the work', 'disbursement.create', 0.02],
  ['answers 5000 after doing the work', 'disbursement.create', 0.02],
  ['answers 429 with Retry-After', 'disbursement.create', 0.003],
  ['says the callback URL is not reachable', 'disbursement.create', 0.002],

  ['resets the connection before doing the work', 'disbursement.status', 0.03],
  ['hangs before doing the work', 'disbursement.status', 0.01],
  ['answers 5xx before doing the work', 'disbursement.status', 0.04],
  ['answers HTML', 'disbursement.status', 0.02],
  ['cuts its JSON', 'disbursement.status', 0.02],
  ['reports an old status', 'disbursement.status', 0.02],
  ['reports an unknown status', 'disbursement.status', 0.02],

  ['calls back early', 'disbursement.callback', 0.05],
  ['calls back twice', 'disbursement.callback', 0.15],
  ['calls back late', 'disbursement.callback', 0.1, { delayMs: 3_000 }],
  ['never calls back', 'disbursement.callback', 0.2],
  ['calls back mutilated', 'disbursement.callback', 0.05],
  ['calls back with fields missing', 'disbursement.callback', 0.05],

  ['resets the connection before doing the work', 'sms.send', 0.03],
  ['resets the connection after doing the work', 'sms.send', 0.05],
  ['hangs after doing the work', 'sms.send', 0.04],
  ['does the work late', 'sms.send', 0.03, { delayMs: LATE_MS }],
  ['answers 5xx after doing the work', 'sms.send', 0.04],
  ['cuts its JSON', 'sms.send', 0.04],
  ['accepts only part of an SMS chunk', 'sms.send', 0.05],
  // A second refusal within a minute would correctly make all requests wait for a minute, which would end the storm's
  // load.
  ['says the token expired', 'sms.send', 0.1, { count: 1 }],
  ['answers 429 with Retry-After', 'sms.send', 0.01],
  ['answers 5xx before doing the work', 'sms.stats', 0.1],
  ['cuts its JSON', 'sms.stats', 0.05],
  ['answers 5xx before doing the work', 'sms.login', 0.1],
];

export function faultOrders(seed: number): FaultOrder[] {
  return rows.map(([fault, operation, probability, more], index) => ({
    fault,
    operation,
    probability,
    seed: seed * 1_000 + index,
    ...more,
  }));
}

/** Only the provider protects a permanently lost record: if it guarantees nothing, nothing may be lost. */
export const promisesAnything = (mode: Mode, seed: number): boolean => mode === 'resubmit' || seed % 2 === 0;

/**
 * The provider's guarantees about a repeated submit. With every other seed `strict` gets a provider that guarantees
 * nothing and pays each submit; `resubmit` needs one of two guarantees, and gets both with every other seed.
 */
export function promisesOf(mode: Mode, seed: number): SettingPatch {
  const settings = { settleDelayMs: SETTLE_MS, callbackOnFailure: seed % 2 === 0 } as const;
  if (mode === 'strict')
    return { ...settings, tokenSingleUse: false, disburseIdUnique: promisesAnything(mode, seed) };
  return {
    ...settings,
    disburseIdUnique: true,
    tokenSingleUse: seed % 2 === 1,
    repeatedSubmit: seed % 4 === 3 ? 'repeats' : 'refuses',
  };
}

/** Returns how often each operation was affected; from here on the provider has no faults. */
export async function faultsOff({ control }: Pick<System, 'control'>): Promise<Record<string, number>> {
  const { faults } = await mustAsk<{ faults: { operation: string; strikes: number }[] }>(`${control}/faults`);
  await ask(`${control}/faults`, { method: 'DELETE' });
  const struck: Record<string, number> = {};
  for (const { operation, strikes } of faults) struck[operation] = (struck[operation] ?? 0) + strikes;
  return struck;
}
