/** Fills Redis with disbursements that wait for a later day, past the door: a million of them would take it too long. */
import { Redis } from 'ioredis';
import { derivedId } from '../../../src/lib/ids.ts';
import { systemRandom } from '../../../src/lib/random.ts';
import { Operations } from '../../../src/operations/operations.ts';
import { disbursementOf, inParallel } from '../work.ts';

const AT_ONCE = 500;
const DAY_MS = 86_400_000;

export async function fillBacklog({ port, from, to }: { port: number; from: number; to: number }): Promise<void> {
  const redis = new Redis({ host: '127.0.0.1', port });
  const operations = new Operations({ redis, random: systemRandom });
  await inParallel(to - from, AT_ONCE, async (offset) => {
    const reference = `waiting-${from + offset}`;
    const { accountAlias, amount, withdrawMode } = disbursementOf(from + offset);
    await operations.accept({
      kind: 'disbursement',
      id: derivedId('dsb', 'default', 'main', 'disbursement', reference),
      account: 'main',
      state: 'queued',
      fingerprint: reference,
      reference,
      xof: amount,
      dueInMs: DAY_MS,
      beneficiary: accountAlias,
      fields: { amount, accountAlias, withdrawMode, disburseId: reference },
    });
  });
  redis.disconnect();
}
