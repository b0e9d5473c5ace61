/**
 * An upload of recipients: checked row by row while it streams in, staged, and counted as a whole or not at all. An
 * interrupted upload leaves nothing that counts.
 */
import type { UploadRecord } from '../kinds/campaign-fields.ts';
import { STOP, sampleStopLink } from '../lib/stop-link.ts';
import type { OptOuts } from '../ledger/opt-outs.ts';
import type { UploadStage, UploadStop } from '../ledger/upload.ts';
import type { Uploads } from '../ledger/uploads.ts';
import { canonicalName, wordingOf } from '../lib/wording.ts';
import type { Act } from '../ledger/acts.ts';
import type { CampaignRecord } from '../operations/record.ts';
import type { FileFormat, ReadOptions } from '../files/rows.ts';
import { type Check, type CheckOptions, checkRecipients } from './check/check-recipients.ts';
import { NumberIndex } from './check/tally.ts';
import type { RepairableCountry } from '../lib/renumbering.ts';
import type { Prices } from '../files/prices.ts';
import type { CheckSummary } from './check/report.ts';
import { message } from '../messages/message.ts';
import { MessageError } from '../messages/texts.ts';

export interface UploadOptions extends Pick<ReadOptions, 'encoding' | 'sheet' | 'held'> {
  readonly store: Pick<Uploads, 'open' | 'numbers' | 'counted'>;
  /** The name of the key. Absent: a program with the library. */
  readonly by?: string | undefined;
  readonly format?: FileFormat | undefined;
  readonly phoneColumn?: string | undefined;
  readonly takeHidden?: boolean | undefined;
  readonly take?: CheckOptions['take'];
  /** Opt-outs. Checked again at the send, since recipients may opt out until then. */
  readonly optOuts?: Pick<OptOuts, 'among'> | undefined;
  /** The account's sender ID, if the campaign names none: an opt-out can be for a single sender ID. */
  readonly sender?: string | undefined;
  /** The value of `{{stop}}`; absent: texts must not use it. */
  readonly stop?: StopOptions | undefined;
  /** XOF per segment, by country. */
  readonly prices?: Prices | undefined;
  /** Countries whose old numbers are converted. */
  readonly repair?: readonly RepairableCountry[] | undefined;
  /** Shows this many of the first texts, and the longest and most expensive. */
  readonly preview?: number | undefined;
  readonly row?: number | undefined;
  readonly withValues?: boolean | undefined;
  /** Nothing counts unless the bytes have this hash: the checked ones. */
  readonly contentHash?: string | undefined;
  /** Checks everything like the real upload, and leaves the campaign unchanged. */
  readonly dryRun?: boolean | undefined;
  /** The entry of the audit log. */
  readonly act?: Act | undefined;
}

/** `publicUrl`: the public address of the webhooks listener. */
export type StopOptions = UploadStop;

/** The text has `{{stop}}`, and the address of the links is unknown. */
export class NoStopLinks extends MessageError {
  override readonly name = 'NoStopLinks';
}

/** A draft without a text: its value columns and its cost are unknown. */
export class NoText extends MessageError {
  override readonly name = 'NoText';
}

/** Each upload is listed in the record of its campaign, and later uploads search all of them for numbers. */
export class TooManyUploads extends MessageError {
  override readonly name = 'TooManyUploads';

  constructor() {
    super(message('too_many_uploads', { most: UPLOADS_MOST }));
  }
}

export const UPLOADS_MOST = 1_000;

export type UploadAnswer =
  | { readonly is: 'counted'; readonly summary: CheckSummary; readonly upload: UploadRecord }
  /** A dry run: the result that an upload of these bytes would have. */
  | { readonly is: 'checked'; readonly summary: CheckSummary }
  /** The same bytes were uploaded before with the same options; nothing was added. */
  | { readonly is: 'replayed'; readonly upload: UploadRecord }
  /** Another process changed the campaign or the file meanwhile; nothing of this upload counts. */
  | { readonly is: 'changed' };

/** Checks like the upload, row by row, and leaves the campaign unchanged. */
export async function checkUpload(
  campaign: CampaignRecord,
  source: AsyncIterable<Uint8Array>,
  options: UploadOptions,
): Promise<Check> {
  if (options.stop === undefined && wordingOf(campaign).variables.includes(STOP))
    throw new NoStopLinks(message('stop_links_unset'));
  return checkRecipients(source, checkOptionsOf(campaign, options, await numbersOf(campaign, options)));
}

/**
 * Throws an UnusableFile if the file as a whole cannot be used, TooManyUploads, or UploadUnderWay: nothing counts.
 * After any other error, sending the same file again shows whether it counts.
 */
export async function uploadRecipients(
  campaign: CampaignRecord,
  source: AsyncIterable<Uint8Array>,
  options: UploadOptions,
): Promise<UploadAnswer> {
  if (campaign.text === '' && !options.dryRun) throw new NoText(message('campaign_without_text'));
  const check = await checkUpload(campaign, source, options);
  if (options.dryRun) {
    for await (const row of check) void row;
    return { is: 'checked', summary: check.summary() };
  }
  const { by, act, stop } = options;
  const stage = options.store.open(campaign, { by, act, stop, variables: wordingOf(campaign).variables });
  const summary = await stageAll(check, stage);
  if (options.contentHash !== undefined && options.contentHash !== summary.contentHash) {
    await stage.discard();
    return { is: 'changed' };
  }
  const read = readingOf(options);
  const earlier = replayedBy(campaign, summary, read);
  if (earlier) {
    await stage.discard();
    return { is: 'replayed', upload: earlier };
  }
  if (campaign.uploads.length >= UPLOADS_MOST) {
    await stage.discard();
    throw new TooManyUploads();
  }
  const { recipients, skipped, segments, cost } = summary;
  const names = {
    hash: summary.contentHash,
    ...(read !== '' && { read }),
    countries: Object.fromEntries(
      Object.entries(summary.countries).map(([name, { recipients: count }]) => [name, count]),
    ),
    ...(cost && { cost: { xof: cost.xof, unpriced: cost.unpriced } }),
    ...(check.own().length > 0 && { columns: check.own() }),
  };
  // A commit whose answer was lost may have counted: from now on an error must not remove the staged rows.
  const upload = await stage.commit(names, { recipients, skipped, segments: segments?.total ?? 0 });
  if (upload !== undefined) return { is: 'counted', summary, upload };
  await stage.discard();
  // An earlier try with the same file, whose answer was lost, may have counted meanwhile.
  const counted = replayedBy({ uploads: await options.store.counted(campaign.id) }, summary, read);
  return counted === undefined ? { is: 'changed' } : { is: 'replayed', upload: counted };
}

/**
 * The last upload of the same bytes with the same options. An upload without recipients does not count if there are
 * recipients now.
 */
function replayedBy(
  { uploads }: Pick<CampaignRecord, 'uploads'>,
  { contentHash, recipients }: CheckSummary,
  read: string,
) {
  return uploads.findLast(
    (one) => one.hash === contentHash && (one.read ?? '') === read && (one.recipients > 0 || recipients === 0),
  );
}

/** The options that select recipients in a file; '' if none were given. */
function readingOf({ sheet, phoneColumn, takeHidden, take = [], repair = [] }: UploadOptions): string {
  const said = {
    ...(sheet !== undefined && { sheet: sheet.trim().toLowerCase() }),
    ...(phoneColumn !== undefined && { phoneColumn: canonicalName(phoneColumn) }),
    ...(takeHidden && { takeHidden }),
    ...(take.length > 0 && { take: [...new Set(take)].toSorted() }),
    ...(repair.length > 0 && { repair: [...new Set(repair)].toSorted() }),
  };
  return Object.keys(said).length === 0 ? '' : JSON.stringify(said);
}

function checkOptionsOf(
  { text, replaceCostly, country, account, from }: CampaignRecord,
  { format, optOuts, sender, stop, prices, repair, preview, row, withValues, ...reading }: UploadOptions,
  seen: NumberIndex,
): CheckOptions {
  const addressee = (to: string) => ({ to, sender: from ?? sender });
  return {
    text,
    replaceCostly,
    seen,
    encoding: reading.encoding,
    sheet: reading.sheet,
    held: reading.held,
    phoneColumn: reading.phoneColumn,
    takeHidden: reading.takeHidden,
    take: reading.take,
    ...(format && { format }),
    ...(country !== undefined && { country }),
    ...(optOuts && { optedOut: (numbers) => optOuts.among(account, numbers.map(addressee)) }),
    ...(stop && { stopLink: sampleStopLink(stop.publicUrl) }),
    ...(prices && { prices }),
    ...(repair && { repair }),
    ...(preview !== undefined && { preview, row, withValues }),
  };
}

async function stageAll(check: Check, stage: UploadStage): Promise<CheckSummary> {
  try {
    for await (const row of check) {
      const { own = '' } = row;
      // Most rows wait for nothing.
      const staged =
        row.is === 'recipient'
          ? stage.recipient(row)
          : stage.skipped({ row: row.row, to: row.to, reason: row.reason, own });
      if (staged !== undefined) await staged;
    }
    return check.summary();
  } catch (error) {
    await stage.discard();
    throw error;
  }
}

/** The numbers of earlier uploads: a number is never twice in a campaign. */
async function numbersOf(campaign: CampaignRecord, options: UploadOptions): Promise<NumberIndex> {
  const numbers = new NumberIndex(campaign.totals.total, options.held);
  for await (const { to, row } of options.store.numbers(campaign.id)) numbers.add(to, row);
  return numbers;
}
