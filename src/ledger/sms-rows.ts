/** Requests of campaigns as parameters and results of the statements. */
import type { Posts } from '../kinds/day-totals.ts';
import { unpackValues } from '../lib/packed-values.ts';
import type { CampaignFields } from './campaign-record.ts';

/** Letters of the recipients of a request; `-`: a newer request has the recipient. */
export type Letter = 's' | 'f' | 'u' | 'x' | 'e' | 'c' | '-';

interface RequestKey {
  /** Number of the campaign. */
  readonly campaign: string;
  readonly n: number;
  readonly lease: string;
}

interface RequestRecipient {
  /** Number of the request in the campaign. */
  readonly n: number;
  /** E.164; absent: its data was erased. */
  readonly to: string | undefined;
  readonly values: readonly string[];
}

/** A request whose intent is committed. */
export interface TakenRequest extends RequestKey {
  readonly recipients: readonly RequestRecipient[];
  /** The earlier status of its recipients: `u` may have received the SMS already. */
  readonly before: 'f' | 'u' | undefined;
  /** Made by a split. */
  readonly part: boolean;
  /** Including this send. */
  readonly sends: number;
}

/** A request whose recipients are due for a check in the statistics. */
export interface RequestToCheck extends TakenRequest {
  readonly state: 'refused' | 'unknown';
  /** A letter for each recipient; undefined: the request was refused. */
  readonly letters: string | undefined;
  readonly codes: readonly string[];
  readonly checks: number;
  /** Its letters are in the totals; those of a dead worker's request are not. */
  readonly isCounted: boolean;
  readonly sentAt: Date;
  readonly at: Date;
}

/** A new request for some recipients of another. */
export interface ChildRequest {
  /** Numbers of its recipients, ascending. */
  readonly members: readonly number[];
  /** `u`: resent after a doubt. Absent: as in the parent. */
  readonly before?: 'u' | undefined;
  /** Made by a split. */
  readonly part: boolean;
}

/** The new state of a request. */
export interface RequestResult extends RequestKey {
  /** `queued`: nothing of it left. `refused`: the statistics are checked for the cause. */
  readonly state: 'queued' | 'refused' | 'unknown' | 'settled';
  readonly size: number;
  /** A letter for each recipient; absent: unchanged. */
  readonly letters?: string | undefined;
  /** Provider codes: one for all, or one for each. */
  readonly codes?: readonly string[] | undefined;
  /** ISO codes: one for all, or one for each. */
  readonly countries?: readonly string[] | undefined;
  /** Its next status check, ms from now. */
  readonly dueMs?: number | undefined;
  readonly checks?: number | undefined;
  /** Not counted in the failure judgement of its campaign. */
  readonly blameless?: boolean | undefined;
  /** The sender ID that the provider used instead of the requested one. */
  readonly otherSender?: string | undefined;
  readonly children?: readonly ChildRequest[] | undefined;
  /** Added to the daily totals. */
  readonly totals?: Posts | undefined;
}

/** A running campaign in its turn. */
export interface NextCampaign {
  readonly number: string;
  readonly id: string;
  readonly account: string;
  readonly version: number;
  readonly recipients: number;
  readonly extra: number;
  readonly sent: number;
  readonly failed: number;
  readonly unknown: number;
  readonly judged_over: number;
  readonly judged_failed: number;
  readonly judged_unknown: number;
  readonly canary: number;
  readonly canary_over: boolean;
  /** The canary: unsettled requests, and the letters and codes so far. */
  readonly canary_open: string | null;
  readonly canary_letters: string | null;
  readonly canary_codes: string | null;
  readonly other_sender: string | null;
  /** Its account has opt-outs. */
  readonly opted_out: boolean;
  readonly at: Date;
}

/** The text and options of a campaign. */
export interface CampaignContent {
  readonly number: string;
  readonly id: string;
  readonly account: string;
  readonly version: number;
  readonly body: string;
  readonly options: CampaignFields;
  readonly state: string;
  readonly trace: string | null;
}

export interface TakenRow {
  readonly campaign: string;
  readonly n: number;
  readonly members: readonly number[] | null;
  readonly before: 'f' | 'u' | null;
  readonly part: boolean;
  readonly sends: number;
  readonly lease: string;
  readonly recipients: string;
}

export interface CheckRow extends TakenRow {
  readonly state: 'refused' | 'unknown';
  readonly outcome: string | null;
  readonly codes: string | null;
  readonly countries: string | null;
  readonly checks: number;
  readonly sent_at: Date;
  readonly at: Date;
}

const PER_REQUEST = 50;
/** Placeholder for a recipient without a code. */
const NO_CODE = '-';
/** Spaces separate codes, and PostgreSQL cannot store NUL. */
const UNFIT = /[\s\p{Cc}\p{Cs}]+/gu;
const CODE_LONGEST = 100;

export function takenOf({ campaign, n, members, before, part, sends, lease, recipients }: TakenRow): TakenRequest {
  return {
    campaign,
    n,
    lease,
    before: before ?? undefined,
    part,
    sends,
    recipients: recipients.split('\n').map((line, at) => {
      const end = line.indexOf('\t');
      const phone = line.slice(0, end);
      return {
        n: members?.[at] ?? PER_REQUEST * n + at,
        to: phone === '' ? undefined : `+${phone}`,
        values: unpackValues(line.slice(end + 1)),
      };
    }),
  };
}

export function checkOf(row: CheckRow): RequestToCheck {
  const taken = takenOf(row);
  const { state, outcome, codes, checks, sent_at: sentAt, at } = row;
  const isCounted = row.countries !== null;
  const read = unpackCodes(codes, taken.recipients.length);
  return { ...taken, state, letters: outcome ?? undefined, codes: read, checks, isCounted, sentAt, at };
}

/** One word if all have the same code; null if none has a code. */
function packCodes(codes: readonly string[] | undefined): string | null {
  const words = (codes ?? []).map((code) => code.replaceAll(UNFIT, '_').slice(0, CODE_LONGEST) || NO_CODE);
  const [first = NO_CODE] = words;
  if (words.some((word) => word !== first)) return words.join(' ');
  return first === NO_CODE ? null : first;
}

function unpackCodes(packed: string | null, size: number): string[] {
  const words = packed === null ? [''] : packed.split(' ').map((word) => (word === NO_CODE ? '' : word));
  return words.length === 1 ? Array.from<string>({ length: size }).fill(words[0] ?? '') : words;
}

/** Ordered as the parameters of `settle_requests`, after the lane's own. */
export function settleValues(results: readonly RequestResult[]): readonly unknown[] {
  const column = (read: (one: RequestResult) => unknown): readonly unknown[] =>
    results.map((one) => read(one) ?? null);
  const children = results.flatMap(({ campaign, n, children: born = [] }) =>
    born.map((child) => ({ campaign, n, ...child })),
  );
  return [
    column(({ campaign }) => campaign),
    column(({ n }) => n),
    column(({ lease }) => lease),
    column(({ state }) => state),
    column(({ letters }) => letters),
    column(({ codes }) => packCodes(codes)),
    column(({ countries }) => packCodes(countries)),
    column(({ dueMs }) => dueMs),
    column(({ checks }) => checks),
    column(({ blameless }) => blameless ?? false),
    column(({ otherSender }) => otherSender?.replaceAll(UNFIT, ' ').slice(0, CODE_LONGEST)),
    children.map(({ campaign }) => campaign),
    children.map(({ n }) => n),
    children.map(({ members }) => `{${members.join(',')}}`),
    children.map(({ before }) => before ?? null),
    children.map(({ part }) => part),
    column(({ totals }) =>
      totals === undefined || Object.keys(totals).length === 0 ? null : JSON.stringify(totals),
    ),
  ];
}

/** The order in which rows are locked. */
export function inLockOrder(results: readonly RequestResult[]): readonly RequestResult[] {
  return results.toSorted((a, b) => Number(a.campaign) - Number(b.campaign) || a.n - b.n);
}
