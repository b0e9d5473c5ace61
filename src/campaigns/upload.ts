/**
 * An upload of recipients: checked row by row while it streams in, cut into chunks, and counted whole or not at all.
 *
 * Chunks are written as they fill up, so that memory stays flat, but nobody hands them out until the upload is
 * committed in one step. An upload that breaks off leaves nothing that counts.
 */
import type { UploadRecord } from '../kinds/campaign-fields.ts';
import type { Random } from '../lib/random.ts';
import { wordingOf } from '../lib/wording.ts';
import { type CampaignItem, RECIPIENTS_PER_REQUEST, unpackCampaignItems } from '../operations/chunk-items.ts';
import { type Campaigns, type SkippedRow, chunkAt } from '../operations/campaigns.ts';
import { SLICED, type Slices, isSlice, sizeOfSlice } from '../operations/slices.ts';
import { unpackItems } from '../operations/slice-form.ts';
import type { OptOuts } from '../operations/opt-outs.ts';
import type { Queries } from '../operations/queries.ts';
import type { CampaignRecord } from '../operations/record.ts';
import type { FileFormat, ReadOptions } from '../files/rows.ts';
import { type Check, type CheckOptions, checkRecipients } from './check/check-recipients.ts';
import { NumberIndex } from './check/tally.ts';
import type { RepairableCountry } from './check/phone.ts';
import type { Prices } from '../files/prices.ts';
import type { CheckSummary } from './check/report.ts';

export interface UploadOptions extends Pick<ReadOptions, 'encoding' | 'sheet'> {
  readonly campaigns: Campaigns;
  readonly queries: Queries;
  /** Where they are given, the recipients are kept in slices. Absent: in chunks. */
  readonly slices?: Slices | undefined;
  readonly random: Random;
  readonly format?: FileFormat | undefined;
  readonly phoneColumn?: string | undefined;
  readonly takeHidden?: boolean | undefined;
  /** Who wants no texts. Asked again when a chunk is sent: somebody may opt out until then. */
  readonly optOuts?: OptOuts | undefined;
  /** The sender of the account, where the campaign names none: one may be opted out of a single sender. */
  readonly sender?: string | undefined;
  /** XOF per segment, by country. */
  readonly prices?: Prices | undefined;
  /** Countries whose old numbers are renewed. */
  readonly repair?: readonly RepairableCountry[] | undefined;
  /** Shows so many of the first texts, the longest and the dearest. */
  readonly preview?: number | undefined;
  /** Judges everything, as the real upload would, and leaves the campaign as it was. */
  readonly dryRun?: boolean | undefined;
}

export type UploadAnswer =
  | { readonly is: 'counted'; readonly summary: CheckSummary; readonly upload: UploadRecord }
  /** A dry run: what an upload of these bytes would say. */
  | { readonly is: 'checked'; readonly summary: CheckSummary }
  /** The same bytes were uploaded before; nothing was added. */
  | { readonly is: 'replayed'; readonly upload: UploadRecord }
  /** Somebody else changed the campaign meanwhile; nothing of this upload counts. */
  | { readonly is: 'changed' };

/** How many chunks, or skipped rows, go to Redis at a time. */
const CHUNKS_AT_ONCE = 50;
const SLICES_AT_ONCE = 4;
const SKIPPED_AT_ONCE = 500;

/** Throws an UnusableFile when the file as a whole cannot be used; whatever it throws, nothing counts. */
export async function uploadRecipients(
  campaign: CampaignRecord,
  source: AsyncIterable<Uint8Array>,
  options: UploadOptions,
): Promise<UploadAnswer> {
  const { campaigns, random } = options;
  const check = checkRecipients(source, checkOptionsOf(campaign, options, await numbersOf(campaign, options)));
  if (options.dryRun) {
    for await (const row of check) void row;
    return { is: 'checked', summary: check.summary() };
  }
  const stage = new Stage(campaign, options, (options.slices ? SLICED : '') + random.hex(3));
  const summary = await stageAll(check, stage);
  const earlier = campaign.uploads.find(({ hash }) => hash === summary.contentHash);
  if (earlier) {
    await stage.discard();
    return { is: 'replayed', upload: earlier };
  }
  const { recipients, skipped, segments, cost } = summary;
  const totals = { recipients, skipped, chunks: stage.chunks, segments: segments?.total ?? 0 };
  const names = {
    tag: stage.tag,
    hash: summary.contentHash,
    countries: Object.fromEntries(
      Object.entries(summary.countries).map(([name, { recipients: count }]) => [name, count]),
    ),
    ...(cost && { cost: { xof: cost.xof, unpriced: cost.unpriced } }),
  };
  // A commit whose answer was lost may have counted: from here on an error must not take away what was staged.
  if (!(await campaigns.commit(campaign, names, totals))) {
    await stage.discard();
    return { is: 'changed' };
  }
  const upload = { ...names, chunks: stage.chunks, recipients, skipped };
  return { is: 'counted', summary, upload };
}

function checkOptionsOf(
  { text, replaceCostly, country, account, from }: CampaignRecord,
  { format, optOuts, sender, prices, repair, preview, ...reading }: UploadOptions,
  seen: NumberIndex,
): CheckOptions {
  const addressee = (to: string) => ({ to, sender: from ?? sender });
  return {
    text,
    replaceCostly,
    seen,
    encoding: reading.encoding,
    sheet: reading.sheet,
    phoneColumn: reading.phoneColumn,
    takeHidden: reading.takeHidden,
    ...(format && { format }),
    ...(country !== undefined && { country }),
    ...(optOuts && { optedOut: (numbers) => optOuts.among(account, numbers.map(addressee)) }),
    ...(prices && { prices }),
    ...(repair && { repair }),
    ...(preview !== undefined && { preview }),
  };
}

async function stageAll(check: Check, stage: Stage): Promise<CheckSummary> {
  try {
    for await (const row of check) {
      if (row.is === 'recipient') await stage.recipient(row);
      else await stage.skipped({ row: row.row, to: row.to, reason: row.reason });
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
  { queries, slices }: Pick<UploadOptions, 'queries' | 'slices'>,
): Promise<NumberIndex> {
  const numbers = new NumberIndex(campaign.totals.total);
  for (let index = 0; index < campaign.chunks; index += 1) {
    const id = chunkAt(campaign, index) ?? '';
    const slice = slices && isSlice(id) ? await slices.read(id) : undefined;
    const chunk = slice ? undefined : await queries.read('chunk', id);
    const items = slice ? unpackItems(slice) : chunk ? unpackCampaignItems(chunk.items) : [];
    for (const { to, row } of items) numbers.add(to, row);
  }
  return numbers;
}

class Stage {
  readonly tag: string;
  readonly #campaign: CampaignRecord;
  readonly #campaigns: Campaigns;
  readonly #slices: Slices | undefined;
  readonly #variables: readonly string[];
  #items: CampaignItem[] = [];
  #full: CampaignItem[][] = [];
  #rows: SkippedRow[] = [];
  #written = 0;

  constructor(campaign: CampaignRecord, { campaigns, slices }: UploadOptions, tag: string) {
    this.#campaign = campaign;
    this.#campaigns = campaigns;
    this.#slices = slices;
    this.#variables = wordingOf(campaign).variables;
    this.tag = tag;
  }

  get chunks(): number {
    return this.#written;
  }

  async recipient({
    row,
    to,
    country,
    vars,
  }: {
    row: number;
    to: string;
    country: string;
    vars: Readonly<Record<string, string>>;
  }): Promise<void> {
    this.#items.push({ row, to, country, values: this.#variables.map((name) => vars[name] ?? '') });
    if (this.#items.length === this.#size()) this.#closeChunk();
    if (this.#full.length === (this.#slices ? SLICES_AT_ONCE : CHUNKS_AT_ONCE)) await this.#writeChunks();
  }

  async skipped(row: SkippedRow): Promise<void> {
    this.#rows.push(row);
    if (this.#rows.length === SKIPPED_AT_ONCE) await this.#writeSkipped();
  }

  async flush(): Promise<void> {
    this.#closeChunk();
    await this.#writeChunks();
    await this.#writeSkipped();
  }

  async discard(): Promise<void> {
    await this.#campaigns.discard(this.#campaign.id, this.tag, this.#written);
  }

  #size(): number {
    if (!this.#slices) return RECIPIENTS_PER_REQUEST;
    const isFirst = this.#campaign.chunks === 0;
    return sizeOfSlice(
      this.#written + this.#full.length,
      isFirst ? (this.#campaign.canary ?? RECIPIENTS_PER_REQUEST) : 0,
    );
  }

  #closeChunk(): void {
    if (this.#items.length > 0) this.#full.push(this.#items);
    this.#items = [];
  }

  async #writeChunks(): Promise<void> {
    const chunks = this.#full;
    this.#full = [];
    if (chunks.length === 0) return;
    if (this.#slices) {
      const slices = chunks.map((items, offset) => ({
        id: `${this.#campaign.id}.${this.tag}-${this.#written + offset}`,
        items,
      }));
      await this.#slices.stage(this.#campaign, slices);
    } else await this.#campaigns.stageChunks(this.#campaign, this.tag, this.#written, chunks);
    this.#written += chunks.length;
  }

  async #writeSkipped(): Promise<void> {
    const rows = this.#rows;
    this.#rows = [];
    await this.#campaigns.stageSkipped(this.#campaign.id, this.tag, rows);
  }
}
