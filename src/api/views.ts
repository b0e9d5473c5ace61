/** Records as callers see them: camelCase, times as ISO 8601, no field that is not in the contract. */
import { readEvidence } from '../operations/evidence.ts';
import {
  type CampaignRecord,
  type DisbursementRecord,
  type Fields,
  type MessageRecord,
  campaignBins,
} from '../operations/record.ts';

const iso = (ms: number): string => new Date(ms).toISOString();

export function disbursementView(record: DisbursementRecord) {
  const { lines, dropped } = readEvidence(record.fields);
  return {
    id: record.id,
    state: record.state,
    amount: record.amount,
    accountAlias: record.accountAlias,
    withdrawMode: record.withdrawMode,
    reference: record.reference ?? null,
    account: record.account,
    disburseId: record.disburseId,
    token: record.token ?? null,
    transactionId: record.transactionId ?? null,
    providerRef: record.providerRef ?? null,
    reason: record.reason ?? null,
    ...(record.batch === undefined ? {} : { batch: record.batch }),
    ...decisionsIn(record.fields),
    createdAt: iso(record.createdAt),
    updatedAt: iso(record.updatedAt),
    history: lines.map(({ at, ...line }) => ({ at: iso(at), ...line })),
    ...(dropped > 0 ? { historyDropped: dropped } : {}),
  };
}

/** What people decided about it, present where somebody did: the last one to resolve it, and why. */
function decisionsIn({ approvedBy, resolvedBy, note }: Fields) {
  return {
    ...(approvedBy === undefined ? {} : { approvedBy }),
    ...(resolvedBy === undefined ? {} : { resolvedBy }),
    ...(note === undefined ? {} : { note }),
  };
}

export function messageView(record: MessageRecord) {
  return {
    id: record.id,
    state: record.state,
    to: record.to,
    lane: record.lane,
    account: record.account,
    reference: record.reference ?? null,
    code: record.code ?? null,
    sentAt: record.sentAt ? iso(record.sentAt) : null,
    createdAt: iso(record.createdAt),
    updatedAt: iso(record.updatedAt),
  };
}

/** `rate` is recipients per second since the start, `eta` when the rest would be done at that rate. */
export function campaignView(record: CampaignRecord, now: number) {
  const totals = Object.fromEntries(campaignBins.map((bin) => [bin, record.totals[bin]]));
  const { total, queued, held, sending, skipped } = record.totals;
  const waiting = queued + held + sending;
  const seconds = record.startedAt ? Math.max(1, (endOf(record, now) - record.startedAt) / 1_000) : 0;
  const rate = seconds > 0 ? Math.round(((total - skipped - waiting) / seconds) * 10) / 10 : 0;
  const runs = record.state === 'running' && rate > 0 && waiting > 0;
  return {
    id: record.id,
    name: record.name,
    state: record.state,
    account: record.account,
    reference: record.reference ?? null,
    totals,
    segments: record.segments,
    rate,
    eta: runs ? iso(now + (waiting / rate) * 1_000) : null,
    reason: record.reason ?? null,
    createdAt: iso(record.createdAt),
  };
}

function endOf(record: CampaignRecord, now: number): number {
  return record.state === 'finished' || record.state === 'cancelled' ? record.since : now;
}
