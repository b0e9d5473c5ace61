/** A witness is heard while an apply is under way, and knows that more was lost. */
import { expect, test } from 'vitest';
import { keys } from '../../src/operations/keys.ts';
import { Restored } from '../../src/operations/restored.ts';
import type { ProcessorContext } from '../../src/processors/context.ts';
import { RecoveryDesk } from '../../src/processors/recovery/desk.ts';
import { onlyOf } from '../support/only.ts';
import { processorWorld } from '../support/processor-world.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';

const store = storeOfThisFile();

test.for([
  ['is not over, and goes on with all of it', { since: 2 }, 'under way'],
  ['was ended by another apply meanwhile, and that is all', undefined, 'none'],
] as const)('an apply of a recovery that %s', async ([, afterwards, is]) => {
  const { context } = processorWorld(store.redis);
  const circumstances = async () => ({ at: context.clock.now(), running: 1 });
  const campaigns = onlyOf<ProcessorContext['campaigns']>({ circumstances });
  const found = { because: 'rolled_back', lastBeat: 0, epoch: 'e', counter: 1, knownEpochs: [] } as const;
  let asked = 0;
  const state = async () => {
    asked += 1;
    return asked === 1 ? { ...found, since: 1 } : afterwards && { ...found, ...afterwards };
  };
  await store.redis.hset(keys.heartbeat, 'recovering', 'rolled_back');
  const desk = new RecoveryDesk(
    onlyOf<ConstructorParameters<typeof RecoveryDesk>[0]>({
      restored: new Restored(store.redis),
      context: { ...context, campaigns },
      recovery: onlyOf<ConstructorParameters<typeof RecoveryDesk>[0]['recovery']>({ state, server: async () => 's' }),
    }),
  );
  expect(await desk.apply({ by: 'awa', withoutHistory: true })).toMatchObject({ is });
});
