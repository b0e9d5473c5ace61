/** Campaigns as acceptance records them: drafts, with the request as the fields of their record. */
import { HAND } from '../kinds/campaign-switches.ts';
import { fingerprintBytes } from '../ledger/batch-record.ts';
import type { Campaigns, NewCampaign } from '../ledger/campaigns.ts';
import type { Traces } from '../lib/traces.ts';
import type { AcceptedAt, NewOperation } from '../operations/accepting.ts';
import { differing } from '../operations/differing.ts';

type Store = Pick<Campaigns, 'accept' | 'judge' | 'asked'>;
type Asked = NewOperation<'campaign'>;

export const isCampaign = (operation: { readonly kind: string }): operation is Asked => operation.kind === 'campaign';

export async function acceptCampaign(campaigns: Store, asked: Asked, traces?: Traces): Promise<AcceptedAt> {
  return answerOf(campaigns, asked, await campaigns.accept(draftOf(asked, traces?.mark())));
}

/** The answer without recording. */
export async function judgeCampaign(campaigns: Store, asked: Asked): Promise<AcceptedAt> {
  return answerOf(campaigns, asked, await campaigns.judge(draftOf(asked)));
}

async function answerOf(
  campaigns: Store,
  { kind, state, fields, reference, metadata }: Asked,
  recorded: Awaited<ReturnType<Store['accept']>>,
): Promise<AcceptedAt> {
  const { outcome, id } = recorded;
  if (outcome === 'accepted') return { outcome, id, state, at: recorded.at };
  if (outcome === 'duplicate') return { outcome, id, state: recorded.state };
  const stands = await campaigns.asked(id);
  return { outcome, id, differs: stands ? differing({ kind, fields, reference, metadata }, stands) : [] };
}

function draftOf({ id, account, reference, fingerprint, act, fields, metadata }: Asked, trace?: string): NewCampaign {
  const hand = Object.keys(fields).find((name) => name.startsWith(HAND)) ?? HAND;
  const own = Object.entries(fields).filter(([name]) => name !== hand);
  return {
    id,
    account,
    reference,
    fingerprint: fingerprintBytes(fingerprint),
    fields: Object.fromEntries(own),
    metadata,
    createdBy: hand.slice(HAND.length),
    trace,
    act,
  };
}
