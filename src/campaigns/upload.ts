/**
 * An upload of recipients: checked row by row while it streams in, cut into slices, and counted whole or not at all.
 *
 * Slices are written as they fill up, so that memory stays flat, but nobody hands them out until the upload is
 * committed in one step. An upload that breaks off leaves nothing that counts.
 */
import type { UploadRecord } from '../kinds/campaign-fields.ts';
import type { Random } from '../lib/random.ts';
import type { Secret } from '../lib/secret.ts';
import { STOP, sampleStopLink, stopLink } from '../lib/stop-link.ts';
import { canonicalName, wordingOf } from '../lib/wording.ts';
import {
  type CampaignItem,
  LAST_RECIPIENTS,
  RECIPIENTS_PER_REQUEST,
  sizeOfSlice,
  unpackItems,
} from '../operations/slice-form.ts';
import type { Act } from '../operations/audit.ts';
import { type Campaigns, type SkippedRow, sliceAt, sliceId } from '../operations/campaigns.ts';
import type { Slices } from '../operations/slices.ts';
import type { OptOuts } from '../operations/opt-outs.ts';
import type { StopLinks } from '../operations/stop-links.ts';
import type { CampaignRecord } from '../operations/record.ts';
import type { FileFormat, ReadOptions } from '../files/rows.ts';
import { type Check, type CheckOptions, checkRecipients } from './check/check-recipients.ts';
import { NumberIndex } from './check/tally.ts';
import type { RepairableCountry } from '../lib/renumbering.ts';
import type { Prices } from '../files/prices.ts';
import type { CheckedRow, CheckSummary } from './check/report.ts';
import type { Public } from '../lib/public.ts';

export interface UploadOptions extends Pick<ReadOptions, 'encoding' | 'sheet' | 'held'> {
  readonly campaigns: Public<Campaigns>;
  readonly slices: Public<Slices>;
  readonly random: Random;
  /** Whose hand it is: the name of the key that asks. Absent: that of a program with the library. */
  readonly by?: string | undefined;
  readonly format?: FileFormat | undefined;
  readonly phoneColumn?: string | undefined;
  readonly takeHidden?: boolean | undefined;
  readonly take?: CheckOptions['take'];
  /** Those that want no texts. Asked again when it is sent: somebody may opt out until then. */
  readonly optOuts?: Public<OptOuts> | undefined;
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

export interface StopOptions {
  readonly links: Public<StopLinks>;
  /** Where people reach the webhooks listener. */
  readonly publicUrl: string;
  /** The first signs. */
  readonly secrets: readonly Secret[];
}

/** The text has `{{stop}}`, and nobody said where the links lead. */
export class NoStopLinks extends Error {
  override readonly name = 'NoStopLinks';
}

/** It is a draft that has no text yet: which columns are its values, and how dear it is, nobody knows. */
export class NoText extends Error {
  override readonly name = 'NoText';
}

/** Each upload stands in the record of its campaign, and is looked through for numbers by each that comes after it. */
export class TooManyUploads extends Error {
  override readonly name = 'TooManyUploads';

  constructor() {
    super(`The campaign has ${UPLOADS_MOST} uploads, which is the limit. Put its recipients in fewer files`);
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

/** How many slices, or skipped rows, go to Redis at a time. */
const SLICES_AT_ONCE = 4;
const SKIPPED_AT_ONCE = 500;
/** So many that two uploads that are under way at once, and know nothing of each other, are never called alike. */
const TAG_BYTES = 8;

/** Judges as the upload does, row by row, and leaves the campaign as it was. */
export async function checkUpload(
  campaign: CampaignRecord,
  source: AsyncIterable<Uint8Array>,
  options: UploadOptions,
): Promise<Check> {
  if (options.stop === undefined && wordingOf(campaign).variables.includes(STOP))
    throw new NoStopLinks('The text has {{stop}}: PUBLIC_URL and CALLBACK_SECRET must be set.');
  return checkRecipients(source, checkOptionsOf(campaign, options, await numbersOf(campaign, options)));
}

/** Throws an UnusableFile when the file as a whole cannot be used, or TooManyUploads; whatever it throws, nothing counts. */
export async function uploadRecipients(
  campaign: CampaignRecord,
  source: AsyncIterable<Uint8Array>,
  options: UploadOptions,
): Promise<UploadAnswer> {
  const { campaigns, random } = options;
  if (campaign.text === '' && !options.dryRun)
    throw new NoText('It has no text yet, which its recipients are read for: PATCH {"text": …} first.');
  const check = await checkUpload(campaign, source, options);
  if (options.dryRun) {
    for await (const row of check) void row;
    return { is: 'checked', summary: check.summary() };
  }
  const stage = new Stage(campaign, options, tagFor(campaign, random));
  await campaigns.beginUpload(campaign.id, stage.tag);
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
  const totals = { recipients, skipped, slices: stage.slices, segments: segments?.total ?? 0, by: options.by };
  const names = {
    tag: stage.tag,
    hash: summary.contentHash,
    ...(read !== '' && { read }),
    countries: Object.fromEntries(
      Object.entries(summary.countries).map(([name, { recipients: count }]) => [name, count]),
    ),
    ...(cost && { cost: { xof: cost.xof, unpriced: cost.unpriced } }),
    ...(check.own().length > 0 && { columns: check.own() }),
  };
  // A commit whose answer was lost may have counted: from here on an error must not take away what was staged.
  if (!(await campaigns.commit(campaign, names, { ...totals, act: options.act }))) {
    await stage.discard();
    return { is: 'changed' };
  }
  const upload = { ...names, slices: stage.slices, recipients, skipped };
  return { is: 'counted', summary, upload };
}

/** Of two uploads that are called alike the second would write over what the first has staged, or take it away. */
function tagFor({ uploads }: CampaignRecord, random: Random): string {
  let tag = random.hex(TAG_BYTES);
  while (uploads.some((one) => one.tag === tag)) tag = random.hex(TAG_BYTES);
  return tag;
}

/** The last upload of the same bytes, read in the same way. One that brought nobody is none where they bring people now. */
function replayedBy({ uploads }: CampaignRecord, { contentHash, recipients }: CheckSummary, read: string) {
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

async function stageAll(check: Check, stage: Stage): Promise<CheckSummary> {
  try {
    for await (const row of check) {
      if (row.is === 'recipient') await stage.recipient(row);
      else await stage.skipped({ row: row.row, to: row.to, reason: row.reason, own: row.own ?? '' });
    }
    await stage.flush();
    return check.summary();
  } catch (error) {
    await stage.discard();
    throw error;
  }
}

/** The numbers of earlier uploads: the same person is not in a campaign twice. */
async function numbersOf(
  campaign: CampaignRecord,
  { slices, held }: Pick<UploadOptions, 'slices' | 'held'>,
): Promise<NumberIndex> {
  const numbers = new NumberIndex(campaign.totals.total, held);
  for (let index = 0; index < campaign.slices; index += 1) {
    const slice = await slices.read(sliceAt(campaign, index) ?? '');
    for (const { to, row } of slice ? unpackItems(slice) : []) numbers.add(to, row);
  }
  return numbers;
}

type Recipient = Extract<CheckedRow, { is: 'recipient' }>;

interface StagedItem extends CampaignItem {
  /** Packed. */
  readonly own: string;
}

class Stage {
  readonly tag: string;
  readonly #campaign: CampaignRecord;
  readonly #campaigns: Public<Campaigns>;
  readonly #slices: Public<Slices>;
  readonly #variables: readonly string[];
  /** Absent where the text has no link. */
  readonly #stop: StopOptions | undefined;
  /** How the links call this upload, once there is one. */
  #linked: string | undefined;
  /** Of no slice yet. */
  #recipients: Recipient[] = [];
  #full: StagedItem[][] = [];
  #rows: SkippedRow[] = [];
  #written = 0;

  constructor(campaign: CampaignRecord, { campaigns, slices, stop }: UploadOptions, tag: string) {
    this.#campaign = campaign;
    this.#campaigns = campaigns;
    this.#slices = slices;
    this.#variables = wordingOf(campaign).variables;
    this.#stop = this.#variables.includes(STOP) ? stop : undefined;
    this.tag = tag;
  }

  get slices(): number {
    return this.#written;
  }

  async recipient(recipient: Recipient): Promise<void> {
    this.#recipients.push(recipient);
    if (this.#recipients.length === this.#size(false) + LAST_RECIPIENTS) await this.#closeSlice(false);
  }

  async skipped(row: SkippedRow): Promise<void> {
    this.#rows.push(row);
    if (this.#rows.length === SKIPPED_AT_ONCE) await this.#writeSkipped();
  }

  async flush(): Promise<void> {
    while (this.#recipients.length > 0) await this.#closeSlice(true);
    await this.#writeSlices();
    await this.#writeSkipped();
  }

  async discard(): Promise<void> {
    await this.#campaigns.discard(this.#campaign.id, this.tag, this.#written);
    if (this.#linked !== undefined) await this.#stop?.links.close(this.#linked);
  }

  /** Of the slice that is cut next. */
  get #place(): number {
    return this.#written + this.#full.length;
  }

  #size(isLast: boolean): number {
    const isFirst = this.#campaign.slices === 0;
    return sizeOfSlice(this.#place, isFirst ? (this.#campaign.canary ?? RECIPIENTS_PER_REQUEST) : 0, isLast);
  }

  async #closeSlice(isLast: boolean): Promise<void> {
    const linked = this.#stop && (await this.#link(this.#stop));
    const recipients = this.#recipients.splice(0, this.#size(isLast));
    this.#full.push(recipients.map((recipient, index) => this.#itemOf(recipient, linked?.(index))));
    if (this.#full.length === SLICES_AT_ONCE) await this.#writeSlices();
  }

  /** Of those in the slice that is cut next: kept with them, so that a text is the same whenever it is asked about. */
  async #link({ links, publicUrl, secrets }: StopOptions): Promise<(index: number) => string> {
    const upload = (this.#linked ??= await links.open(`${this.#campaign.id}.${this.tag}`));
    const slice = this.#place;
    return (index) => stopLink(publicUrl, secrets, { upload, slice, index });
  }

  #itemOf({ row, to, country, vars, own = '' }: Recipient, link: string | undefined): StagedItem {
    const valueOf = (name: string): string => (name === STOP && link !== undefined ? link : vars[name]) ?? '';
    return { row, to, country, values: this.#variables.map(valueOf), own };
  }

  async #writeSlices(): Promise<void> {
    const full = this.#full;
    this.#full = [];
    if (full.length === 0) return;
    const { id } = this.#campaign;
    const slices = full.map((items, offset) => ({ id: sliceId(id, this.tag, this.#written + offset), items }));
    await this.#slices.stage(this.#campaign, slices);
    for (const { id: slice, items } of slices) {
      await this.#campaigns.stageOwn(
        slice,
        items.map(({ own }) => own),
      );
    }
    this.#written += full.length;
  }

  async #writeSkipped(): Promise<void> {
    const rows = this.#rows;
    this.#rows = [];
    await this.#campaigns.stageSkipped(this.#campaign.id, this.tag, rows);
  }
}
