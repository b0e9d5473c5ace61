/**
 * Reads the results of a storm: our records and events over HTTP, the provider's records, the recorded wire traffic.
 */
import { searchLeaks } from './leaks.ts';
import { readAttempts } from './attempts.ts';
import { nowMs, onOurClock, waitUntil } from './clock.ts';
import { sumOf } from './grouping.ts';
import type { Acts } from './acts.ts';
import { readCredits } from './other-requests.ts';
import { mustAsk } from './http.ts';
import { looksIn, sendsIn, submitsIn } from './traffic.ts';
import { seenLimits } from './limit-changes.ts';
import type { Mode } from './options.ts';
import type { Phases } from './phases.ts';
import { LEASE_MS, LOCK_MS, QUIET_MS, UPSTREAM_TIMEOUT_MS } from './plan.ts';
import type {
  Asked,
  BookedSms,
  LedgerEntry,
  Restore,
  SeenCampaign,
  SeenCode,
  SeenEvent,
  SeenRecipient,
  SeenRecord,
  Story,
} from './story.ts';
import { isTorn, type Mailing } from './campaigns.ts';
import type { System } from './system.ts';

const PAGE_LIMIT_MS = 20_000;
/** A minute is enough for ten thousand records. */
const READ_WITHIN_MS = 600_000;

/** The storm's own observations. */
export interface Told {
  readonly mode: Mode;
  readonly asked: readonly Asked[];
  readonly mailings: readonly Mailing[];
  readonly codes: readonly SeenCode[];
  /** When each direct credit was requested. */
  readonly credits: readonly number[];
  readonly acts: Acts;
  readonly slowness: number;
}

export async function readStory(system: System, told: Told, phases: Phases): Promise<Story> {
  const { taps, images, control } = system;
  const { mode, asked, mailings, codes, acts } = told;
  const [base, crm] = [taps.base.exchanges, taps.crm.exchanges];
  const { restores } = acts;
  const books = await mustAsk<(LedgerEntry & { updatedAt: number })[]>(`${control}/books/disbursements`);
  const ledger = books.map((entry) => ({ ...entry, doneAt: onOurClock(entry.updatedAt) }));
  const read = <T>(what: string, reading: Promise<T>): Promise<T> => phases.run(what, READ_WITHIN_MS, reading);
  const records = await read('records are read', readRecords(system.api));
  return {
    rules: {
      mode,
      quietMs: QUIET_MS,
      patienceMs: UPSTREAM_TIMEOUT_MS,
      sendWithinMs: LEASE_MS / 2,
      lockMs: LOCK_MS,
      slowness: told.slowness,
    },
    asked,
    records,
    events: await readEvents(system.api),
    ledger,
    submits: submitsIn(base, images.submits),
    looks: looksIn(base),
    counted: await readCounts(system.front.urls['metrics'] ?? ''),
    reportedXof: await readReportedXof(system.api),
    campaigns: await Promise.all(mailings.map((mailing) => readCampaign(system.api, mailing, restores))),
    messages: await mustAsk<BookedSms[]>(`${control}/books/messages`),
    sends: sendsIn(crm),
    attempts: await readAttempts(system.workers, system.database.dark, LOCK_MS / 4),
    canaries: await read('secrets are looked for', searchLeaks(system, { asked, mailings })),
    restores,
    codes,
    credits: await readCredits(control, told.credits),
    limits: acts.limits && seenLimits(acts.limits, ledger, records),
  };
}

const TOGETHER = 100;

/** Each in full: a list omits the history. */
async function readRecords(api: string): Promise<SeenRecord[]> {
  const pages = await readPages<Pick<SeenRecord, 'id'>>(`${api}/v1/disbursements?limit=500`);
  const listed = pages.map(({ id }) => id);
  const all: SeenRecord[] = [];
  for (let from = 0; from < listed.length; from += TOGETHER) {
    const some = listed.slice(from, from + TOGETHER);
    all.push(...(await Promise.all(some.map((id) => mustAsk<SeenRecord>(`${api}/v1/disbursements/${id}`)))));
  }
  return all;
}

async function readPages<T>(url: string): Promise<T[]> {
  const all: T[] = [];
  let after = '';
  for (;;) {
    const page = await mustAsk<{ items: T[]; next: string | null }>(`${url}${after}`);
    all.push(...page.items);
    if (!page.next) return all;
    after = `&after=${encodeURIComponent(page.next)}`;
  }
}

async function readEvents(api: string): Promise<SeenEvent[]> {
  const all: SeenEvent[] = [];
  let after = '';
  for (;;) {
    const page = await mustAsk<{ events: SeenEvent[]; next: string }>(`${api}/v1/events?limit=1000${after}`);
    all.push(...page.events);
    if (page.events.length === 0) return all;
    after = `&after=${page.next}`;
  }
}

async function readCampaign(api: string, mailing: Mailing, restores: readonly Restore[]): Promise<SeenCampaign> {
  const { id, mark, rows, cancelledAt } = mailing;
  const cancelled = cancelledAt === undefined ? {} : { cancelledAt };
  if (isTorn(mailing, restores)) {
    // Its remains, if any, differ from its caller's request.
    return { id: '', state: 'torn', uploaded: 0, text: mark, totals: {}, recipients: [], ...cancelled };
  }
  const seen = await mustAsk<{ state: string; totals: Record<string, number> }>(`${api}/v1/campaigns/${id}`);
  return {
    id: id ?? '',
    state: seen.state,
    uploaded: rows,
    text: mark,
    totals: seen.totals,
    recipients: await readPages<SeenRecipient>(`${api}/v1/campaigns/${id}/recipients?limit=1000`),
    ...cancelled,
  };
}

interface ReportRow {
  readonly succeeded: { readonly xof: number };
  readonly reversed: { readonly xof: number };
}

/** For the first day of the storm and today. */
async function readReportedXof(api: string): Promise<number> {
  const days = new Set([Date.now() - nowMs(), Date.now()].map((at) => new Date(at).toISOString().slice(0, 10)));
  let sum = 0;
  for (const day of days) {
    const { rows } = await mustAsk<{ rows: readonly ReportRow[] }>(`${api}/v1/reports/daily?date=${day}`);
    sum += sumOf(rows, ({ succeeded, reversed }) => succeeded.xof - reversed.xof);
  }
  return sum;
}

/** Disbursements by state, from the metrics page. */
async function readCounts(url: string): Promise<Record<string, number>> {
  let lines: RegExpExecArray[] = [];
  // A page created while PostgreSQL was away omits what it could not read.
  await waitUntil(async () => {
    const page = await mustAsk<string>(`${url}/metrics`);
    lines = [...page.matchAll(/^relais_operations\{([^}]*)\} (-?\d+)/gm)];
    return lines.length > 0;
  }, PAGE_LIMIT_MS);
  return Object.fromEntries(
    lines
      .filter(([, labels]) => labels?.includes('kind="disbursement"'))
      .map(([, labels, value]) => [/state="([^"]*)"/.exec(labels ?? '')?.[1] ?? '', Number(value)]),
  );
}
