/**
 * PostgreSQL is restored from a backup. A few payments with a later time are cancelled in between, so that the
 * restored ledger shows them as still to be paid.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '../../src/lib/random.ts';
import { type Wish, untilAcknowledged, wishAt } from './caller.ts';
import type { Child } from './child.ts';
import { nowMs, wait, waitUntil } from './clock.ts';
import { ask } from './http.ts';
import type { Operator } from './operator.ts';
import type { Restore } from './story.ts';
import type { System } from './system.ts';

const WITHDRAWN = 6;
/** Due a while after the restore. */
const DUE_IN_MS = 9_000;
const BETWEEN_MS = 2_500;
/** Hundreds are settled one by one, by a process that is sometimes killed. */
const PATIENCE_MS = 180_000;
/** A request in flight during the backup may belong to either side of it. */
const ASKED_AROUND_MS = 1_500;

export interface RestoreDrill {
  readonly system: System;
  readonly seed: number;
  readonly operator: Operator;
  /** All requests of callers, including the ones cancelled here. */
  readonly wishes: Wish[];
  readonly restores: Restore[];
}

/** One whole restore; `nth` names its requests. */
export async function restoreOnce(
  drill: RestoreDrill,
  { how, nth }: { readonly how: Restore['how']; readonly nth: number },
  hands: Hands,
): Promise<void> {
  const { system, seed, operator, wishes, restores } = drill;
  const random = seededRandom(seed * 100 + nth);
  const copy = join(system.dir, `copy-${nth}`);
  const withdrawn = await askForLater(drill, nth);
  const copiedAt = nowMs();
  await system.database.copy(copy);
  await Promise.all(withdrawn.map((wish) => withdraw(system.api, wish)));
  await wait(BETWEEN_MS * (0.5 + random.fraction()));
  // Running processes get faults meanwhile; stopped ones do not.
  operator.expecting = true;
  const everyone = how === 'stopped' ? await hands.take([system.front, ...system.workers]) : [];
  await Promise.all(everyone.map((child) => child.kill()));
  const { goneAt: restoredAt, backAt } = await system.database.restore(copy, 50 + random.fraction() * 300);
  system.damage.forgetSince(copiedAt);
  await Promise.all(everyone.map((child) => child.start()));
  hands.release(everyone);
  rmSync(copy, { recursive: true });
  const recovery = await operator.recover(PATIENCE_MS);
  operator.expecting = false;
  restores.push({ how, copiedAt, restoredAt, backAt, ...recovery });
  // Callers with a 202 after the backup repeat their request with the same reference: relais may have lost it.
  const lost = wishes.filter(({ acknowledgedAt = 0 }) => acknowledgedAt > copiedAt - ASKED_AROUND_MS);
  await Promise.all(lost.map((wish) => askAgain(system.api, wish, restoredAt)));
}

/** Processes get no faults during another act. */
export interface Hands {
  readonly take: (children: readonly Child[]) => Promise<readonly Child[]>;
  readonly release: (children: readonly Child[]) => void;
}

async function askForLater({ system, seed, wishes }: RestoreDrill, nth: number): Promise<Wish[]> {
  const notBefore = new Date(Date.now() + DUE_IN_MS).toISOString();
  const until = nowMs() + PATIENCE_MS;
  const withdrawn = Array.from({ length: WITHDRAWN }, (_, index) => ({
    ...wishAt(`storm-${seed}-withdrawn-${nth}-${index}`, 500_000 + index),
    notBefore,
  }));
  wishes.push(...withdrawn);
  await Promise.all(withdrawn.map((wish) => untilAcknowledged(wish, { api: system.api, until })));
  return withdrawn;
}

async function withdraw(api: string, wish: Wish): Promise<void> {
  const cancelled = await waitUntil(
    async () => {
      const reply = await ask(`${api}/v1/disbursements/${wish.id}/cancel`, { method: 'POST', body: '{}' });
      return reply?.status === 200;
    },
    DUE_IN_MS / 2,
    200,
  );
  if (cancelled) wish.cancelledAt = nowMs();
}

async function askAgain(api: string, wish: Wish, restoredAt: number): Promise<void> {
  // A cancellation that was lost in the restore is still valid for its caller.
  if (wish.cancelledAt !== undefined) return;
  wish.askedAgainAt = [...(wish.askedAgainAt ?? []), restoredAt];
  await untilAcknowledged(wish, { api, until: nowMs() + PATIENCE_MS });
}
