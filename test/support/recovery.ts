/** Begins a recovery of a running service, like a process that detects a loss. */
import { Database } from '../../src/ledger/pool.ts';
import { enterRecovery } from '../../src/ledger/recovering.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { keysLike } from './fresh-redis.ts';
import { type Service, ask } from './service.ts';

const WAIT_MS = 120_000;
const ASK_EVERY_MS = 25;

/** Resolves when the service's processes know of it. */
export async function recovers(service: Service, because: 'copy' | 'rolled_back'): Promise<void> {
  const { databaseUrl: url, ledger } = service;
  const database = new Database({ url, schema: ledger.schema, size: 1 });
  await database.transaction((run) => enterRecovery(run, because));
  await database.close();
  await hears(service, true);
}

/** Resolves when the service's processes know that it has ended, or started. */
export async function hears(service: Service, isRecovering = false): Promise<void> {
  const giveUp = AbortSignal.timeout(WAIT_MS);
  for (;;) {
    const { body } = await ask(`${service.metrics}/readyz`, 'GET', { key: null });
    if (JSON.stringify(body).includes('recovering') === isRecovering) return;
    if (giveUp.aborted) throw new Error(`the processes report ${JSON.stringify(body)}`);
    await systemClock.sleep(ASK_EVERY_MS);
  }
}

/** Removes the proof that other requests never left: the witness starts without data. */
export async function withoutWitness({ redis }: Service): Promise<void> {
  await redis.del(...(await keysLike(redis, 'witness:*')));
}

/** Resolves when a witness has confirmed the ledger: a younger one does not know everything since its beginning. */
export async function confirmed({ ledger }: Service): Promise<void> {
  const giveUp = AbortSignal.timeout(WAIT_MS);
  for (;;) {
    const [one] = await ledger.query<{ witnessed_at: Date | null }>('select witnessed_at from relais.deployment');
    if (one?.witnessed_at) return;
    if (giveUp.aborted) throw new Error('no witness has confirmed the ledger');
    await systemClock.sleep(ASK_EVERY_MS);
  }
}

/** Resolves when every lane has reported its sent requests up to the recovery to the witness. */
export async function witnessed({ redis, ledger }: Service): Promise<void> {
  const [begun] = await ledger.query<{ since: Date }>('select since from relais.recovery where ended_at is null');
  const since = begun?.since.getTime() ?? 0;
  const giveUp = AbortSignal.timeout(WAIT_MS);
  for (;;) {
    const [key = ''] = await keysLike(redis, 'witness:*');
    const told = Object.values(await redis.hgetall(key)).flatMap((value) => value.match(/"at":(\d+)/)?.[1] ?? []);
    if (told.length > 0 && told.every((at) => Number(at) >= since)) return;
    if (giveUp.aborted) throw new Error(`the witness was told ${told.join(', ')}`);
    await systemClock.sleep(ASK_EVERY_MS);
  }
}
