/** Where accepted requests are recorded, as acceptance sees it. */
import type { Kind, RequestOf } from '../kinds/index.ts';
import type { AcceptedAt, NewOperation } from '../operations/accepting.ts';
import type { Act } from '../operations/audit.ts';
import type { AskedFields } from '../operations/differing.ts';
import type { MessageAccepted } from '../operations/messages.ts';
import { Operations, type OperationsOptions } from '../operations/operations.ts';
import { MessageFiller, type FillerOptions } from './message-filler.ts';

export interface MessageIdentity {
  readonly id: string;
  readonly fingerprint: string;
  readonly reference?: string | undefined;
  readonly idOfReference?: string | undefined;
  readonly act?: Act | undefined;
}

export interface AcceptanceStore {
  accept<K extends Kind>(operation: NewOperation<K>): Promise<AcceptedAt>;
  message(request: RequestOf<'message'>, identity: MessageIdentity): Promise<MessageAccepted>;
  /** Fields of a request that differ from the operation with its identity, as JSON pointers. */
  differs(id: string, asked: AskedFields): Promise<readonly string[]>;
  /** The same rules, and nothing is recorded. */
  dryRun(): Pick<AcceptanceStore, 'accept'>;
  /** Rejects when the replicas do not confirm in time what was recorded. */
  awaitReplicated(id: string, expected: Readonly<Record<string, string>>): Promise<void>;
  /** Sends on what is being collected, for a process that stops. */
  flush(): void;
}

export type RedisAcceptanceOptions = OperationsOptions & FillerOptions;

export function acceptanceOnRedis(options: RedisAcceptanceOptions): AcceptanceStore {
  const operations = new Operations(options);
  const filler = new MessageFiller(options);
  return {
    accept: (operation) => operations.accept(operation),
    message: (request, identity) => filler.accept(request, identity),
    differs: (id, asked) => operations.differs(id, asked),
    dryRun: () => new Operations({ ...options, dryRun: true }),
    awaitReplicated: (id, expected) => operations.awaitReplicated(id, expected),
    flush: () => filler.flush(),
  };
}
