import type { Redis } from 'ioredis';
import type { Clock } from '../lib/clock.ts';
import { readStamp } from '../operations/stamp.ts';
import { OtherDeployment } from './errors.ts';

interface Asker {
  readonly redis: Redis;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly environment: string;
}

/** Between two looks while no process of the workers has said yet whose these keys are. */
const AGAIN_MS = 1_000;

/**
 * Asks once, and after each reconnect, whose these keys are; throws `OtherDeployment` where they are not of this
 * environment. A producer writes no stamp of its own: it knows neither the service nor its accounts.
 */
export function sameDeployment({ redis, clock, environment }: Asker): () => Promise<void> {
  let ours = false;
  let askAgainMono = 0;
  // What answers after a reconnect may be another server.
  redis.on('ready', () => {
    ours = false;
    askAgainMono = 0;
  });
  return async () => {
    if (ours || clock.monotonic() < askAgainMono) return;
    const stamp = await readStamp(redis);
    if (stamp === undefined) askAgainMono = clock.monotonic() + AGAIN_MS;
    else if (stamp.environment === environment) ours = true;
    else throw new OtherDeployment({ ours: environment, theirs: stamp.environment });
  };
}
