/** The desk of a recovery: what a restored Redis may have lost, read from itself and from history. */
import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Config } from '../config.ts';
import { payeesWith } from '../history/payees.ts';
import type { Heartbeat } from '../operations/heartbeat.ts';
import { LaterTexts } from '../operations/later-texts.ts';
import { LaterWords } from '../operations/later-words.ts';
import { LostIdentities } from '../operations/lost-identities.ts';
import { LostRetries } from '../operations/lost-retries.ts';
import type { Past } from '../operations/past.ts';
import { PutBack } from '../operations/put-back.ts';
import { Restored } from '../operations/restored.ts';
import { type ProcessorContext, waitAt } from '../processors/context.ts';
import { RecoveryDesk } from '../processors/recovery/desk.ts';
import { idOfReference } from '../producer/acceptance.ts';
import type { AnyQueueName } from '../queues/index.ts';
import { IntakeJobs } from '../queues/intake-jobs.ts';
import type { Stores } from './stores.ts';

interface Needs extends Pick<Stores, 'recovery'> {
  readonly config: Config;
  readonly redis: Redis;
  readonly heartbeat: Heartbeat;
  readonly bullQueues: Readonly<Record<AnyQueueName, Queue>>;
  readonly past: Past | undefined;
}

export function recoveryDeskOf(
  { config, redis, recovery, heartbeat, bullQueues, past }: Needs,
  context: ProcessorContext,
): RecoveryDesk {
  return new RecoveryDesk({
    restored: new Restored(redis),
    putBack: new PutBack({
      redis,
      past,
      keepMs: config.IDENTITY_KEEP,
      payeeOf: payeesWith(config.EXTRA_WITHDRAW_MODES),
      idOfReference: (...named) => idOfReference(config.ENVIRONMENT, ...named),
    }),
    laterWords: new LaterWords({
      redis,
      past,
      operations: context.operations,
      lookInMs: waitAt(context.policy.pollMs, 0),
    }),
    laterTexts: new LaterTexts({ redis, past }),
    lostIdentities: new LostIdentities({ redis, past, campaigns: context.campaigns, keepMs: config.IDENTITY_KEEP }),
    lostRetries: new LostRetries({ redis, past, retries: context.retries }),
    context,
    recovery: {
      state: () => recovery.state(),
      server: () => recovery.server(),
      // A caller that was told that it is over finds these doors open.
      leave: async (how) => {
        const left = await recovery.leave(how);
        await heartbeat.beat();
        return left;
      },
    },
    intakeJobs: new IntakeJobs(bullQueues.intake),
  });
}
