/** Requests of campaigns as the statements take and return them. */
import type { Posts } from '../kinds/day-totals.ts';
import { unpackValues } from '../lib/packed-values.ts';
import type { CampaignFields } from './campaign-record.ts';

/** Letters of the recipients of a request; `-`: a newer request has this one. */
export type Letter = 's' | 'f' | 'u' | 'x' | 'e' | 'c' | '-';

interface RequestKey {
  /** Number of the campaign. */
  readonly campaign: string;
  readonly n: number;
  readonly lease: string;
}

interface RequestRecipient {
  /** Its number in the campaign. */
  readonly n: number;
  /** E.164; absent: its data was erased. */
  readonly to: string | undefined;
  readonly values: readonly string[];
}

/** A request whose intent is committed. */
export interface TakenRequest extends RequestKey {
  readonly recipients: readonly RequestRecipient[];
  /** What its recipients were before: `u` may have got the SMS already. */
  readonly before: 'f' | 'u' | undefined;
  /** Made by a split. */
  readonly part: boolean;
  /** This send included. */
  readonly sends: number;
}

/** A request whose recipients are to be looked up in the statistics. */
export interface RequestToCheck extends TakenRequest {
  readonly state: 'refused' | 'unknown';
  /** A letter for each recipient; undefined: it was refused. */
  readonly letters: string | undefined;
  readonly codes: readonly string[];
  readonly checks: number;
  /** Its letters are in the totals: those of a request whose worker was gone are not. */
  readonly isCounted: boolean;
  readonly sentAt: Date;
  readonly at: Date;
}

/** A new request for some recipients of another. */
export interface ChildRequest {
  /** Numbers of its recipients, ascending. */
  readonly members: readonly number[];
  /** `u`: they are sent to again after a doubt. Absent: as their parent has it. */
  readonly before?: 'u' | undefined;
  /** Made by a split. */
  readonly part: boolean;
}

/** What is known of a request from here on. */
export interface RequestResult extends RequestKey {
  /** `queued`: provably nothing of it left. `refused`: whom it was refused for is looked up. */
  readonly state: 'queued' | 'refused' | 'unknown' | 'settled';
  readonly size: number;
  /** A letter for each recipient; absent: as it is. */
  readonly letters?: string | undefined;
  /** Of the provider: one for all, or one for each. */
  readonly codes?: readonly string[] | undefined;
  /** ISO codes: one for all, or one for each. */
  readonly countries?: readonly string[] | undefined;
  /** Its next status check, ms from now. */
  readonly dueMs?: number | undefined;
  readonly checks?: number | undefined;
  /** Its campaign is not judged by it. */
  readonly blameless?: boolean | undefined;
  /** The sender that the provider used instead of the one asked for. */
  readonly otherSender?: string | undefined;
  readonly children?: readonly ChildRequest[] | undefined;
  /** What it adds to the totals of the day. */
  readonly totals?: Posts | undefined;
}

/** A running campaign whose turn it is, in a step. */
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
  /** Of the canary: requests that are not settled, and the letters and codes so far. */
  readonly canary_open: string | null;
  readonly canary_letters: string | null;
  readonly canary_codes: string | null;
  readonly other_sender: string | null;
  /** Its account has opt-outs. */
  readonly opted_out: boolean;
  readonly at: Date;
}

/** What a campaign says, and how. */
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
/** Stands for a recipient without a code. */
const NO_CODE = '-';
/** Spaces separate codes, and PostgreSQL stores no NUL. */
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

/** One word where all have the same; null where nobody has any. */
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

/** In the order of the parameters of `settle_requests`, after its own first. */
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

/** In the order in which rows are locked. */
export function inLockOrder(results: readonly RequestResult[]): readonly RequestResult[] {
  return results.toSorted((a, b) => Number(a.campaign) - Number(b.campaign) || a.n - b.n);
}
