/** The store of accepted requests, as acceptance uses it. */
import type { RequestOf } from '../kinds/index.ts';
import type { Campaigns } from '../ledger/campaigns.ts';
import { acceptMessage, newMessage } from '../ledger/messages.ts';
import type { OperationStore } from '../ledger/operation-store.ts';
import type { Operations as LedgerOperations } from '../ledger/operations.ts';
import type { Public } from '../lib/public.ts';
import type { Traces } from '../lib/traces.ts';
import type { Accepted } from '../operations/accepting.ts';
import type { Act } from '../ledger/acts.ts';
import { payeeOf } from '../provider/capabilities.ts';
import { acceptCampaign, isCampaign, judgeCampaign } from './campaign-store.ts';

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
  /** The same rules without recording. */
  dryRun(): Operations;
}

interface Ledger {
  readonly operations: Public<OperationStore>;
  readonly judging: Public<OperationStore>;
  readonly sharedOperations: Pick<LedgerOperations, 'accept'>;
  readonly campaigns: Pick<Campaigns, 'accept' | 'judge' | 'asked'>;
  /** Absent: traces are off. */
  readonly traces?: Traces | undefined;
}

export function acceptanceInLedger(ledger: Ledger): AcceptanceStore {
  const { operations, judging, sharedOperations, campaigns, traces } = ledger;
  return {
    accept: (operation) =>
      isCampaign(operation) ? acceptCampaign(campaigns, operation, traces) : operations.accept(operation),
    differs: (id, asked) => operations.differs(id, asked),
    message: (request, identity) =>
      acceptMessage(sharedOperations, newMessage(request, identity, payeeOf(request.to, undefined))),
    dryRun: () => ({
      accept: (operation) =>
        isCampaign(operation) ? judgeCampaign(campaigns, operation) : judging.accept(operation),
    }),
  };
}
