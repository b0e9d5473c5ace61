import { seededRandom } from '../../src/lib/random.ts';
import { keys } from '../../src/operations/keys.ts';
import { MemoryOperations } from '../support/memory-operations.ts';
import { MemoryStore } from '../support/memory-store.ts';
import { type OperationsUnderTest, START } from './under-test.ts';

export async function memoryUnderTest(seed = 1): Promise<OperationsUnderTest> {
  const store = new MemoryStore();
  const clock = { now: START };
  let repeat = false;
  const send = async <T>(command: () => T): Promise<T> => {
    if (repeat) command();
    repeat = false;
    return command();
  };
  return {
    operations: new MemoryOperations({ store, random: seededRandom(seed), now: () => clock.now, send }),
    clock,
    fields: async (key) => Object.fromEntries(store.hash(key)),
    score: async (key, member) => store.score(key, member),
    events: async () => store.events,
    everything: async () => store.everything(),
    hold: async (account, reason) => store.setFields(keys.account(account), { [`held:${reason}`]: START }),
    pause: async (queue) => store.setFields(keys.queue(queue), { paused: 1 }),
    repeatNext: () => {
      repeat = true;
    },
  };
}
