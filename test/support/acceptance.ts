/** Acceptance over a Redis of the test. */
import { type AcceptanceOptions, Acceptance } from '../../src/producer/acceptance.ts';
import { CollectAcceptance, type CollectOptions } from '../../src/producer/acceptance-collect.ts';
import { type RedisAcceptanceOptions, acceptanceOnRedis } from '../../src/producer/acceptance-store.ts';

type On<Options> = Omit<Options, 'store' | 'act' | 'dryRun'> &
  Omit<RedisAcceptanceOptions, 'batchWindowMs' | 'after'> &
  Partial<Pick<RedisAcceptanceOptions, 'batchWindowMs' | 'after'>>;

const storeOf = (options: On<object>) =>
  acceptanceOnRedis({ batchWindowMs: 0, after: () => () => undefined, ...options });

export const acceptanceOver = (options: On<AcceptanceOptions>): Acceptance =>
  new Acceptance({ ...options, store: storeOf(options) });

export const collectOver = (options: On<CollectOptions>): CollectAcceptance =>
  new CollectAcceptance({ ...options, store: storeOf(options) });
