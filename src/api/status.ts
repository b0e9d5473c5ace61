/** One screen that says what stands where: for the first look, and for the operator who was woken. */
import { triedAgainAt } from '../kinds/hold.ts';
import { recipientsOf } from '../kinds/recipient.ts';
import { type HistoryStanding, historyStanding, missingOf } from '../operations/history.ts';
import type { HoldStanding } from '../operations/status.ts';
import { daysUntilFull } from '../operations/balances.ts';
import { MEMORY_SHARE_MAX } from '../redis/durability.ts';
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
    description: 'Read from counters: the cost does not depend on the number of operations.',
    role: 'read',
    scope: { all: 'these are the figures of all accounts: GET /v1/accounts shows yours' },
    answers: { 200: answer('As it is now.', status) },
  },
  async ({ context }) => {
    const { status: standing, clock, queues, redis, seenBalances } = context;
    const now = clock.now();
    const [operations, inDoubt, waiting, holds, campaigns] = await Promise.all([
      standing.operations(),
      standing.inDoubt(now),
      standing.waiting(),
      standing.holds(context.accounts),
      standing.campaigns(),
    ]);
    const [backlog, workers, balances, memory, history] = await Promise.all([
      queues.backlog(),
      context.workersHere(),
      context.balanceRows(),
      seenBalances.memory(),
      historyStanding(redis),
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
      history: history ? historyLine(history, now) : null,
      redis: { daysUntilFull: daysUntilFull(memory, MEMORY_SHARE_MAX) },
    };
  },
);

/** So many are named. */
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

function historyLine({ count: waiting, since, setAside, left, missing }: HistoryStanding, now: number) {
  const oldestMs = since === undefined ? 0 : Math.max(0, Math.round(now - since));
  return { waiting, oldestMs, setAside, left, missing: missingOf(missing) };
}

function campaignLine(campaign: CampaignRecord, now: number) {
  const { id, name, account, state, reason, totals } = campaign;
  const { queued, held, sending } = totals;
  const waiting = queued + held + sending;
  const total = recipientsOf(totals);
  return { id, name, account, state, reason: reason ?? null, total, waiting, ...paceOf(campaign, now) };
}

export const statusRoutes = [getStatus];
