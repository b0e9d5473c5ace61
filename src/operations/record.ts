import type { Kind, StateOf } from '../kinds/index.ts';
import { type CampaignBin, campaignBins } from '../kinds/recipient.ts';
import type { BatchRecord, BatchTotals, Findings } from './batch-record.ts';
import { type CampaignPace, readPace } from './campaign-pace.ts';
import { FieldReader } from './field-reader.ts';
import type { DirectCreditRecord, InvoiceRecord, PaymentRequestRecord } from './payment-records.ts';
import type { ChunkRecord, MessageRecord } from './text-records.ts';

/** The version of the record's form. A worker leaves a record of another version alone and says so. */
export const RECORD_VERSION = '1';

/** A record as Redis keeps it: every value is text. */
export type Fields = Readonly<Record<string, string>>;

export interface RecordBase<K extends Kind = Kind> {
  readonly kind: K;
  readonly id: string;
  readonly state: StateOf<K>;
  readonly account: string;
  readonly reference?: string;
  /** ms since the epoch, by the clock of Redis. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** When the record entered its state. */
  readonly since: number;
  readonly rev: number;
  /** Attempts made in this state. */
  readonly tries: number;
  /** Everything, as stored: evidence is read from here. */
  readonly fields: Fields;
}

export interface DisbursementRecord extends RecordBase<'disbursement'> {
  /** Whole XOF. */
  readonly amount: number;
  readonly accountAlias: string;
  readonly withdrawMode: string;
  readonly debitAccountNumber?: string;
  /** Our unique reference upstream: the same for every submit of this disbursement, for ever. */
  readonly disburseId: string;
  readonly token?: string;
  readonly transactionId?: string;
  readonly providerRef?: string;
  readonly disburseTxId?: string;
  /** Machine-readable cause of `held`, `rejected`, `failed` and `needs_review`. */
  readonly reason?: string;
  /** A submit was answered with the word that our disburse_id is used already. */
  readonly idUsed: boolean;
  /** How many submits may have left us. */
  readonly sends: number;
  readonly sentAt?: number;
  /** No `created` counts as an answer about the last submit before this time. */
  readonly quietUntil?: number;
  /** When a look after the quiet period first said `created`. */
  readonly createdSeenAt?: number;
  /** When a look first said that it failed, or that the money came back. Once is not enough. */
  readonly failedSeenAt?: number;
  /** When a callback was last a reason to look, by the clock of Redis; taken away when an end is told. */
  readonly hintedAt?: number;
  /** When a look first said a final word without naming the payment, and how many have since. */
  readonly unnamedSeenAt?: number;
  readonly unnamedLooks: number;
  /** When a look after its end first said something else than its end, and nothing that counts. */
  readonly contrarySeenAt?: number;
  /** Its end was told after we had given up on it, or after another end. */
  readonly late: boolean;
  readonly tokenAt?: number;
  /** Nothing is sent before this time. */
  readonly notBefore?: number;
  /** When another key approved it; the time limit counts from then. */
  readonly approvedAt?: number;
  /** The batch that it is a row of. */
  readonly batch?: string;
}

export interface CampaignRecord extends RecordBase<'campaign'>, CampaignPace {
  readonly name: string;
  readonly text: string;
  readonly from?: string;
  readonly country?: string;
  /** Characters that make a text dear are replaced by look-alikes in every text of the campaign. */
  readonly replaceCostly: boolean;
  readonly uploads: readonly UploadRecord[];
  readonly totals: Readonly<Record<CampaignBin, number>>;
  /** Chunks in all, handed out so far, and settled so far. */
  readonly chunks: number;
  readonly fed: number;
  readonly settled: number;
  readonly segments: number;
  /** Requests beyond one for each chunk, made for chunks that were refused as a whole. */
  readonly extra: number;
  /** How often a recipient in doubt was sent to again. */
  readonly resent: number;
  /** How often it went out again for those who failed, and where that stands: the next chunk to be looked through. */
  readonly retries: number;
  readonly walk?: number;
  readonly walkUnknown: boolean;
  /** What becomes of recipients whom two looks did not find; absent: as the settings say. */
  readonly onUnknown?: 'hold' | 'resend';
  readonly startedAt?: number;
  readonly reason?: string;
}

export interface UploadRecord {
  /** Part of the names of its chunks. */
  readonly tag: string;
  /** SHA-256 of the bytes: the same bytes again are a replay. */
  readonly hash: string;
  readonly chunks: number;
  readonly recipients: number;
  readonly skipped: number;
  /** How many recipients each country has. */
  readonly countries?: Readonly<Record<string, number>>;
  /** XOF, estimated when it was uploaded; absent where no prices were known. */
  readonly cost?: UploadCost;
}

interface UploadCost {
  readonly xof: number;
  /** Countries without a price; what they cost is not in `xof`. */
  readonly unpriced: readonly string[];
}

export interface RecordOf {
  readonly disbursement: DisbursementRecord;
  readonly message: MessageRecord;
  readonly chunk: ChunkRecord;
  readonly campaign: CampaignRecord;
  readonly batch: BatchRecord;
  readonly invoice: InvoiceRecord;
  readonly payment_request: PaymentRequestRecord;
  readonly direct_credit: DirectCreditRecord;
}

/** A record of a kind that only the caller knows: what the compiler cannot see by itself is that it has its base. */
export type RecordAt<K extends Kind> = RecordOf[K] & RecordBase<K>;

/**
 * Turns the stored text into the typed record. Absent fields are absent; a field that must be there and is not
 * throws.
 */
export function readRecord<K extends Kind>(kind: K, fields: Fields): RecordAt<K> {
  if (fields['kind'] !== kind) throw new Error(`record ${fields['id']} is a ${fields['kind']}, not a ${kind}`);
  return readers[kind](new Reader(fields));
}

export function fieldsOf(flat: readonly unknown[]): Fields {
  const fields: Record<string, string> = {};
  for (let index = 0; index + 1 < flat.length; index += 2) fields[String(flat[index])] = String(flat[index + 1]);
  return fields;
}

class Reader extends FieldReader {
  base<K extends Kind>(kind: K): RecordBase<K> {
    return {
      kind,
      id: this.text('id'),
      state: this.text('state') as StateOf<K>,
      account: this.text('account'),
      ...this.texts('reference'),
      createdAt: this.number('createdAt'),
      updatedAt: this.number('updatedAt'),
      since: this.number('since'),
      rev: this.number('rev'),
      tries: this.number('tries'),
      fields: this.fields,
    };
  }
}

function onUnknownOf(stored: string | undefined): Pick<CampaignRecord, 'onUnknown'> {
  return stored === 'hold' || stored === 'resend' ? { onUnknown: stored } : {};
}

const readers: { readonly [K in Kind]: (reader: Reader) => RecordAt<K> } = {
  disbursement: (r: Reader): DisbursementRecord => ({
    ...r.base('disbursement'),
    amount: r.amount('amount'),
    accountAlias: r.text('accountAlias'),
    withdrawMode: r.text('withdrawMode'),
    disburseId: r.text('disburseId'),
    sends: r.number('sends'),
    idUsed: r.number('idUsed') > 0,
    unnamedLooks: r.number('unnamedLooks'),
    late: r.number('late') > 0,
    ...r.texts('debitAccountNumber', 'token', 'transactionId', 'providerRef', 'disburseTxId', 'reason', 'batch'),
    ...r.numbers(
      'sentAt',
      'quietUntil',
      'createdSeenAt',
      'failedSeenAt',
      'unnamedSeenAt',
      'contrarySeenAt',
      'hintedAt',
    ),
    ...r.numbers('tokenAt', 'notBefore', 'approvedAt'),
  }),
  message: (r: Reader): MessageRecord => ({
    ...r.base('message'),
    to: r.text('to'),
    text: r.text('text'),
    lane: r.text('lane'),
    chunk: r.text('chunk'),
    ...r.texts('from', 'code', 'reason'),
    ...r.numbers('sentAt', 'expiresAt'),
  }),
  chunk: (r: Reader): ChunkRecord => ({
    ...r.base('chunk'),
    campaign: r.fields['campaign'] ?? '',
    lane: r.text('lane'),
    count: r.number('count'),
    items: r.text('items'),
    outcome: r.fields['outcome'] ?? '',
    codes: r.fields['codes'] ?? '',
    looks: r.number('looks'),
    plan: r.fields['plan'] ?? '',
    resends: r.number('resends'),
    again: r.fields['again'] ?? '',
    retry: r.number('retry'),
    restored: r.number('restored') === 1,
    countries: r.fields['countries'] ?? '',
    ...r.texts('refusedAs'),
    ...r.numbers('sentAt', 'firstSentAt'),
  }),
  campaign: (r: Reader): CampaignRecord => ({
    ...r.base('campaign'),
    ...readPace(r.fields),
    name: r.text('name'),
    text: r.text('text'),
    replaceCostly: r.fields['replaceCostly'] === '1',
    uploads: JSON.parse(r.fields['uploads'] ?? '[]') as UploadRecord[],
    totals: Object.fromEntries(campaignBins.map((bin) => [bin, r.number(`t:${bin}`)])) as Record<CampaignBin, number>,
    chunks: r.number('chunks'),
    fed: r.number('fed'),
    settled: r.number('settled'),
    segments: r.number('segments'),
    extra: r.number('extra'),
    resent: r.number('resent'),
    retries: r.number('retries'),
    walkUnknown: r.number('walkUnknown') === 1,
    ...r.numbers('walk'),
    ...onUnknownOf(r.fields['onUnknown']),
    ...r.texts('from', 'country', 'reason'),
    ...r.numbers('startedAt'),
  }),
  batch: (r: Reader): BatchRecord => ({
    ...r.base('batch'),
    contentHash: r.text('contentHash'),
    by: r.text('by'),
    totals: JSON.parse(r.text('totals')) as BatchTotals,
    problems: JSON.parse(r.text('problems')) as Findings,
    warnings: JSON.parse(r.text('warnings')) as Findings,
    fed: r.number('fed'),
    mark: r.number('mark'),
    ...r.texts('approvedBy', 'reason'),
    ...r.numbers('approvedAt'),
  }),
  invoice: (r: Reader): InvoiceRecord => ({
    ...r.base('invoice'),
    totalAmount: r.amount('totalAmount'),
    ...r.texts('request', 'token', 'url', 'receiptUrl', 'failure', 'reason'),
    ...r.numbers('publishedAt', 'amountPaid'),
  }),
  payment_request: (r: Reader): PaymentRequestRecord => ({
    ...r.base('payment_request'),
    askedAmount: r.amount('askedAmount'),
    feesPaidBy: r.text('feesPaidBy') === 'merchant' ? 'merchant' : 'customer',
    notify: r.number('notify') === 1,
    ...r.texts('email', 'phone', 'referenceNumber', 'url', 'failure', 'reason'),
    ...r.numbers('intendedAt', 'publishedAt'),
  }),
  direct_credit: (r: Reader): DirectCreditRecord => ({
    ...r.base('direct_credit'),
    amount: r.amount('amount'),
    accountAlias: r.text('accountAlias'),
    ...r.texts('transactionId', 'failure', 'reason'),
    ...r.numbers('sentAt'),
  }),
};
