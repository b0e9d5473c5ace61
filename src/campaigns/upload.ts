/**
 * An upload of recipients: checked row by row while it streams in, staged, and counted whole or not at all. An upload
 * that breaks off leaves nothing that counts.
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
  /** Whose hand it is: the name of the key that asks. Absent: that of a program with the library. */
  readonly by?: string | undefined;
  readonly format?: FileFormat | undefined;
  readonly phoneColumn?: string | undefined;
  readonly takeHidden?: boolean | undefined;
  readonly take?: CheckOptions['take'];
  /** Those that want no texts. Asked again when it is sent: somebody may opt out until then. */
  readonly optOuts?: Pick<OptOuts, 'among'> | undefined;
  /** The sender of the account, where the campaign names none: one may be opted out of a single sender. */
  readonly sender?: string | undefined;
  /** What `{{stop}}` becomes; absent: no text may have it. */
  readonly stop?: StopOptions | undefined;
  /** XOF per segment, by country. */
  readonly prices?: Prices | undefined;
  /** Countries whose old numbers are renewed. */
  readonly repair?: readonly RepairableCountry[] | undefined;
  /** Shows so many of the first texts, the longest and the dearest. */
  readonly preview?: number | undefined;
  readonly row?: number | undefined;
  readonly withValues?: boolean | undefined;
  /** Nothing counts unless these are the bytes, by their hash: those that somebody has judged. */
  readonly contentHash?: string | undefined;
  /** Judges everything, as the real upload would, and leaves the campaign as it was. */
  readonly dryRun?: boolean | undefined;
  /** As it is told in the audit. */
  readonly act?: Act | undefined;
}

/** `publicUrl`: where people reach the webhooks listener. */
export type StopOptions = UploadStop;

/** The text has `{{stop}}`, and nobody said where the links lead. */
export class NoStopLinks extends MessageError {
  override readonly name = 'NoStopLinks';
}

/** It is a draft that has no text yet: which columns are its values, and how dear it is, nobody knows. */
export class NoText extends MessageError {
  override readonly name = 'NoText';
}

/** Each upload stands in the record of its campaign, and is looked through for numbers by each that comes after it. */
export class TooManyUploads extends MessageError {
  override readonly name = 'TooManyUploads';

  constructor() {
    super(message('too_many_uploads', { most: UPLOADS_MOST }));
  }
}

export const UPLOADS_MOST = 1_000;

export type UploadAnswer =
  | { readonly is: 'counted'; readonly summary: CheckSummary; readonly upload: UploadRecord }
  /** A dry run: what an upload of these bytes would say. */
  | { readonly is: 'checked'; readonly summary: CheckSummary }
  /** The same bytes were uploaded before, read in the same way; nothing was added. */
  | { readonly is: 'replayed'; readonly upload: UploadRecord }
  /** Somebody else changed the campaign meanwhile, or the file; nothing of this upload counts. */
  | { readonly is: 'changed' };

/** Judges as the upload does, row by row, and leaves the campaign as it was. */
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
 * Throws an UnusableFile when the file as a whole cannot be used, TooManyUploads, or UploadUnderWay: nothing counts.
 * After any other error the same file tells whether it counts.
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
  // A commit whose answer was lost may have counted: from here on an error must not take away what was staged.
  const upload = await stage.commit(names, { recipients, skipped, segments: segments?.total ?? 0 });
  if (upload !== undefined) return { is: 'counted', summary, upload };
  await stage.discard();
  // An earlier try of the same file, whose answer was lost, may have counted meanwhile.
  const counted = replayedBy({ uploads: await options.store.counted(campaign.id) }, summary, read);
  return counted === undefined ? { is: 'changed' } : { is: 'replayed', upload: counted };
}

/** The last upload of the same bytes, read in the same way. One that brought nobody is none where they bring people now. */
function replayedBy(
  { uploads }: Pick<CampaignRecord, 'uploads'>,
  { contentHash, recipients }: CheckSummary,
  read: string,
) {
  return uploads.findLast(
    (one) => one.hash === contentHash && (one.read ?? '') === read && (one.recipients > 0 || recipients === 0),
  );
}

/** Which people there are in a file; '' where nobody said anything of it. */
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

/** The numbers of earlier uploads: the same person is not in a campaign twice. */
async function numbersOf(campaign: CampaignRecord, options: UploadOptions): Promise<NumberIndex> {
  const numbers = new NumberIndex(campaign.totals.total, options.held);
  for await (const { to, row } of options.store.numbers(campaign.id)) numbers.add(to, row);
  return numbers;
}
