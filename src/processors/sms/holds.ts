/** Starts scheduled campaigns and ends holds whose cause has cleared. */
import { quietNow } from '../../kinds/campaign-hours.ts';
import { BUDGET } from '../../kinds/hold.ts';
import type { CampaignSwitch } from '../../kinds/campaign-switches.ts';
import type { SwitchDetails } from '../../ledger/campaigns.ts';
import type { CampaignRecord } from '../../operations/record.ts';
import type { SmsContext } from './context.ts';
import { judgeOutcome } from './decide.ts';

const AT_ONCE = 50;
/** Default percentage of failures that stops a campaign. */
const USUAL_LIMIT = 50;

/** Returns how many campaigns started or resumed. */
export async function tendCampaigns(context: SmsContext): Promise<number> {
  let started = 0;
  for (const id of await context.campaigns.due(AT_ONCE)) {
    const campaign = await context.campaigns.read(id);
    if (campaign !== undefined && (await tend(campaign, context))) started += 1;
  }
  return started;
}

async function tend(campaign: CampaignRecord, context: SmsContext): Promise<boolean> {
  const { policy, campaigns, clock } = context;
  const at = clock.now();
  const putOff = async (dueAt: number | undefined): Promise<false> => {
    await campaigns.putOff(campaign, dueAt);
    return false;
  };
  if (campaign.state === 'scheduled') return change('begin');
  const { reason } = campaign;
  if (campaign.state !== 'held') return putOff(undefined);
  if (reason === 'quiet_hours') {
    const until = quietNow({ campaign, at }, policy);
    return until === undefined ? change('release', { only: reason }) : putOff(until);
  }
  if (reason === 'in_doubt') {
    const stays = judgeOutcome(countsOf(campaign), campaign.pauseOnFailure ?? USUAL_LIMIT).stop !== undefined;
    return stays ? putOff(at + policy.holdRecheckMs) : change('release', { only: reason });
  }
  if (reason !== 'funds' && reason !== BUDGET) return putOff(undefined);
  const stays = await isHeldFor(campaign.account, reason, context);
  return stays ? putOff(at + policy.holdRecheckMs) : change('release', { only: reason });

  async function change(name: CampaignSwitch, details: SwitchDetails = {}): Promise<boolean> {
    const switched = await campaigns.switch(campaign.id, name, { ...details, asRead: campaign.rev });
    return switched.is === 'applied' && switched.to === 'running';
  }
}

function countsOf({ totals, judgedOver, judgedFailed, judgedUnknown }: CampaignRecord) {
  const { sent, failed, unknown } = totals;
  return { sent, failed, unknown, before: { over: judgedOver, failed: judgedFailed, unknown: judgedUnknown ?? 0 } };
}

async function isHeldFor(account: string, reason: 'funds' | typeof BUDGET, context: SmsContext): Promise<boolean> {
  const holds = await context.accounts.holdsOf(account);
  const isHeld = holds.some((hold) => hold.area === 'messaging' && hold.reason === reason);
  if (!isHeld || reason === 'funds') return isHeld;
  if (context.budgets !== undefined && !(await context.budgets.hasRoom(account, context.clock.now()))) return true;
  await context.accounts.release(account, 'messaging', BUDGET);
  return false;
}
