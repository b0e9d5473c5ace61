/** Where accepted requests are recorded, as acceptance sees it. */
import type { RequestOf } from '../kinds/index.ts';
import type { Messages } from '../ledger/messages.ts';
import type { OperationStore } from '../ledger/operation-store.ts';
import type { Public } from '../lib/public.ts';
import type { Accepted } from '../operations/accepting.ts';
import type { Act } from '../operations/audit.ts';

export interface MessageIdentity {
  readonly id: string;
  readonly fingerprint: string;
  readonly reference?: string | undefined;
  readonly idOfReference?: string | undefined;
  readonly act?: Act | undefined;
}

type Operations = Pick<Public<OperationStore>, 'accept'>;

export interface AcceptanceStore extends Operations, Pick<Public<OperationStore>, 'differs'> {
  message(request: RequestOf<'message'>, identity: MessageIdentity): Promise<Accepted>;
  /** The same rules, and nothing is recorded. */
  dryRun(): Operations;
}

interface Ledger {
  readonly operations: Public<OperationStore>;
  readonly judging: Public<OperationStore>;
  readonly messages: Pick<Messages, 'accept'>;
}

export function acceptanceInLedger({ operations, judging, messages }: Ledger): AcceptanceStore {
  return {
    accept: (operation) => operations.accept(operation),
    differs: (id, asked) => operations.differs(id, asked),
    message: (request, identity) => messages.accept(request, identity),
    dryRun: () => judging,
  };
}
