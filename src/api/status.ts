/** The status of a deployment on one screen. */
import { triedAgainAt } from '../kinds/hold.ts';
import { recipientsOf } from '../kinds/recipient.ts';
import type { HoldStanding } from '../ledger/status.ts';
import type { CampaignRecord } from '../operations/record.ts';
import { status } from './openapi/answers-operating.ts';
import { answer, route } from './route.ts';
import { paceOf } from './views.ts';

const iso = (ms: number): string => new Date(ms).toISOString();

const getStatus = route(
  {
    method: 'get',
    path: '/v1/status',
    id: 'getStatus',
    cli: 'status',
    tag: 'Operating',
    summary: 'Get the deployment status',
    description: 'The cost depends on the number of pending operations, not of finished ones.',
    role: 'read',
    scope: 'all',
    answers: { 200: answer('As it is now.', status) },
  },
  async ({ context }) => {
    const { status: standing, clock, queues } = context;
    const now = clock.now();
    const [operations, inDoubt, waiting, holds, campaigns] = await Promise.all([
      standing.operations(),
      standing.inDoubt(now),
      standing.waiting(),
      standing.holds(context.accounts),
      standing.campaigns(),
    ]);
    const [backlog, workers, balances] = await Promise.all([
      queues.backlog(),
      context.workersHere(),
      context.balanceRows(),
    ]);
    return {
      operations,
      inDoubt,
      waiting,
      holds: holds.map((hold) => holdLine(hold, context.processing.policy.holdRecheckMs)),
      campaigns: campaigns.map((campaign) => campaignLine(campaign, now)),
      queues: backlog.map(({ name, waiting: many, oldestAt }) => ({
        name,
        waiting: many,
        oldestMs: oldestAt === undefined ? 0 : Math.max(0, Math.round(now - oldestAt)),
      })),
      workers: workers.length,
      workersHere: workers.slice(0, MOST_WORKERS),
      balances: balances.map(({ at, ...row }) => ({ ...row, at: iso(at) })),
      trialNumbers: context.trialNumbers?.length ?? null,
    };
  },
);

/** Maximum number of named workers. */
const MOST_WORKERS = 100;

function holdLine(hold: HoldStanding, recheckMs: number) {
  const { account, area, reason, since, count, xof, unreadable } = hold;
  const until = triedAgainAt(hold, recheckMs);
  const line = {
    account,
    area,
    reason,
    since: iso(since),
    until: until === undefined ? null : iso(until),
    count,
    xof,
  };
  return unreadable ? { ...line, came: unreadable.came } : line;
}

function campaignLine(campaign: CampaignRecord, now: number) {
  const { id, name, account, state, reason, totals } = campaign;
  const { queued, held, sending } = totals;
  const waiting = queued + held + sending;
  const total = recipientsOf(totals);
  return { id, name, account, state, reason: reason ?? null, total, waiting, ...paceOf(campaign, now) };
}

export const statusRoutes = [getStatus];
