/** Processes over one Redis that can be put back to what it was. The clock is turned by hand. */
import { beforeEach } from 'vitest';
import { seededRandom } from '../../src/lib/random.ts';
import { Heartbeat, Recovery } from '../../src/operations/heartbeat.ts';
import type { Beat } from '../../src/operations/witness-word.ts';
import type { NewOperation } from '../../src/operations/accepting.ts';
import { Operations } from '../../src/operations/operations.ts';
import { copyOf, storeOfThisFile } from '../support/fresh-redis.ts';

const SILENCE_MS = 900_000;
/** Later than the clock of the Redis that gives the ids. */
export const FAR = Date.parse('2099-11-21T08:00:00Z');
export const START = Date.parse('2026-11-21T08:00:00Z');

export interface Process {
  readonly heartbeat: Heartbeat;
  readonly operations: Operations;
  begin(witness?: Beat): Promise<string | undefined>;
  beat(): Promise<string | undefined>;
}

/** Of a file of tests: Redis is empty, and it is `START`, when each of them begins. */
export function processesOfThisFile() {
  const store = storeOfThisFile();
  /** Turned by hand. */
  const time = { now: START };
  const now = () => time.now;
  let seed = 1;
  beforeEach(() => {
    time.now = START;
  });

  return {
    store,
    time,
    aProcess: (fence?: () => Promise<boolean>): Process => {
      const { redis } = store;
      seed += 1;
      const random = seededRandom(seed);
      const heartbeat = new Heartbeat({ redis, random, now, silenceMs: SILENCE_MS, fence });
      const because = () => heartbeat.recovering()?.because;
      return {
        heartbeat,
        operations: new Operations({ redis, random, now, heartbeat }),
        begin: async (witness) => {
          await heartbeat.begin(witness);
          return because();
        },
        beat: async () => {
          await heartbeat.beat();
          return because();
        },
      };
    },
    recovery: () => new Recovery({ redis: store.redis, random: seededRandom(99), now }),
    /** All that Redis holds, to be put back later. */
    copy: () => copyOf(store.redis),
  };
}

export const asked = (name: string): NewOperation<'direct_credit'> => ({
  kind: 'direct_credit',
  id: `dcr_${name}`,
  account: 'main',
  state: 'queued',
  fingerprint: name,
  reference: name,
  xof: 500,
  dueInMs: 0,
  fields: { kind: 'direct_credit', accountAlias: '771234567', amount: 500 },
});

export async function intended({ operations, heartbeat }: Process, name: string): Promise<string> {
  const acquired = await operations.acquire('direct_credit', `dcr_${name}`, 'direct-credit', 10_000);
  if (acquired.is !== 'acquired') throw new Error(acquired.is);
  const { record, lease } = acquired;
  const settled = await operations.transition(record, lease, {
    to: 'sending',
    hasEffect: true,
    dueInMs: 1,
    keepMs: 1,
  });
  if ('counter' in settled && settled.counter) heartbeat.remember(settled.counter);
  return settled.is;
}
