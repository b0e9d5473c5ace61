/** Records as callers see them: camelCase, times as ISO 8601, no field that is not in the contract. */
import { campaignBins } from '../kinds/recipient.ts';
import type { CampaignPace } from '../operations/campaign-pace.ts';
import { readEvidence } from '../operations/evidence.ts';
import { type CampaignRecord, type DisbursementRecord, type Fields } from '../operations/record.ts';
import type { UnreadableRecord } from '../operations/unreadable.ts';
import type { MessageRecord } from '../operations/text-records.ts';

const iso = (ms: number): string => new Date(ms).toISOString();

/** All that is said of a record that cannot be read. */
export function unreadableView({ id }: UnreadableRecord) {
  return { id, state: 'unreadable' as const };
}

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
    ...(record.late ? { late: true as const } : {}),
    ...(record.batch === undefined ? {} : { batch: record.batch }),
    ...decisionsIn(record.fields),
    createdAt: iso(record.createdAt),
    updatedAt: iso(record.updatedAt),
    history: lines.map(({ at, ...line }) => ({ at: iso(at), ...line })),
    ...(dropped > 0 ? { historyDropped: dropped } : {}),
  };
}

/** What people decided about it, present where somebody did: the last one to resolve it, and why. */
export function decisionsIn({ approvedBy, resolvedBy, note }: Fields) {
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
    lane: record.lane === 'otp' ? ('otp' as const) : ('normal' as const),
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
    ...(record.resent > 0 ? { resent: record.resent } : {}),
    ...(record.retries > 0 ? { retries: record.retries } : {}),
    countries: countriesView(record),
    segments: record.segments,
    ...costView(record),
    rate,
    eta: runs ? iso(now + (waiting / rate) * 1_000) : null,
    reason: record.reason ?? null,
    ...paceView(record),
    createdAt: iso(record.createdAt),
  };
}

/** What the uploads were estimated to cost; nothing where one of them was not priced. */
function costView({ uploads }: CampaignRecord) {
  const costs = uploads.flatMap(({ cost }) => cost ?? []);
  if (costs.length === 0 || costs.length < uploads.length) return {};
  const unpriced = [...new Set(costs.flatMap((cost) => cost.unpriced))];
  return { cost: { estimated: true, xof: costs.reduce((sum, { xof }) => sum + xof, 0), unpriced } };
}

/** When and how fast it is sent: what was asked for, and nothing where nobody asked. */
function paceView({ sendAt, quietHours, timezone, perSecond, canary, requireSender, pauseOnFailure }: CampaignPace) {
  return {
    perSecond: perSecond ?? null,
    sendAt: sendAt === undefined ? null : iso(sendAt),
    quietHours: quietHours === undefined ? false : quietHours === 'on' ? true : quietHours,
    ...(timezone === undefined ? {} : { timezone }),
    ...(canary === undefined ? {} : { canary }),
    ...(requireSender ? { requireSender } : {}),
    ...(pauseOnFailure === undefined ? {} : { pauseOnFailure: pauseOnFailure || false }),
  };
}

/** How many recipients each country has, and what became of them so far. */
function countriesView({ uploads, fields }: CampaignRecord) {
  const countries: Record<string, { recipients: number; sent: number; failed: number; unknown: number }> = {};
  for (const [country, count] of uploads.flatMap((upload) => Object.entries(upload.countries ?? {}))) {
    const told = (state: string): number => Number(fields[`c:${country}:${state}`] ?? 0);
    const recipients = (countries[country]?.recipients ?? 0) + count;
    countries[country] = { recipients, sent: told('sent'), failed: told('failed'), unknown: told('unknown') };
  }
  return countries;
}

function endOf(record: CampaignRecord, now: number): number {
  return record.state === 'finished' || record.state === 'cancelled' ? record.since : now;
}
