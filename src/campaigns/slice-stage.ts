/** Recipients of an upload in slices, which nobody hands out until the upload is committed in one step. */
import type { UploadRecord } from '../kinds/campaign-fields.ts';
import type { Public } from '../lib/public.ts';
import type { Random } from '../lib/random.ts';
import { STOP, stopLink } from '../lib/stop-link.ts';
import { wordingOf } from '../lib/wording.ts';
import type {
  SkippedRow,
  UploadedRecipient,
  UploadNames,
  UploadStage,
  UploadStop,
  UploadTotals,
} from '../ledger/upload.ts';
import type { Act } from '../ledger/acts.ts';
import { type Campaigns, sliceAt, sliceId } from '../operations/campaigns.ts';
import type { CampaignRecord } from '../operations/record.ts';
import {
  type CampaignItem,
  LAST_RECIPIENTS,
  RECIPIENTS_PER_REQUEST,
  sizeOfSlice,
  unpackItems,
} from '../operations/slice-form.ts';
import type { Slices } from '../operations/slices.ts';

interface SliceStageOptions {
  readonly campaigns: Public<Campaigns>;
  readonly slices: Public<Slices>;
  readonly random: Random;
  readonly by?: string | undefined;
  readonly act?: Act | undefined;
  readonly stop?: UploadStop | undefined;
}

/** How many slices, or skipped rows, go to Redis at a time. */
const SLICES_AT_ONCE = 4;
const SKIPPED_AT_ONCE = 500;
/** So many that two uploads that are under way at once, and know nothing of each other, are never called alike. */
const TAG_BYTES = 8;

export async function* numbersInSlices(
  campaign: CampaignRecord,
  slices: Public<Slices>,
): AsyncGenerator<Pick<CampaignItem, 'to' | 'row'>, void, undefined> {
  for (let index = 0; index < campaign.slices; index += 1) {
    const slice = await slices.read(sliceAt(campaign, index) ?? '');
    if (slice) yield* unpackItems(slice);
  }
}

interface StagedItem extends CampaignItem {
  /** Packed. */
  readonly own: string;
}

type Recipient = UploadedRecipient & { readonly country?: string };

/** Of two uploads that are called alike the second would write over what the first has staged, or take it away. */
function tagFor({ uploads }: CampaignRecord, random: Random): string {
  let tag = random.hex(TAG_BYTES);
  while (uploads.some((one) => one.tag === tag)) tag = random.hex(TAG_BYTES);
  return tag;
}

export class SliceStage implements UploadStage {
  readonly tag: string;
  readonly #options: SliceStageOptions;
  readonly #campaign: CampaignRecord;
  readonly #campaigns: Public<Campaigns>;
  readonly #slices: Public<Slices>;
  readonly #variables: readonly string[];
  /** Absent where the text has no link. */
  readonly #stop: UploadStop | undefined;
  /** How the links call this upload, once there is one. */
  #linked: string | undefined;
  /** Of no slice yet. */
  #recipients: Recipient[] = [];
  #full: StagedItem[][] = [];
  #rows: SkippedRow[] = [];
  #written = 0;

  private constructor(campaign: CampaignRecord, options: SliceStageOptions) {
    const { campaigns, slices, random, stop } = options;
    this.#options = options;
    this.#campaign = campaign;
    this.#campaigns = campaigns;
    this.#slices = slices;
    this.#variables = wordingOf(campaign).variables;
    this.#stop = this.#variables.includes(STOP) ? stop : undefined;
    this.tag = tagFor(campaign, random);
  }

  static async open(campaign: CampaignRecord, options: SliceStageOptions): Promise<SliceStage> {
    const stage = new SliceStage(campaign, options);
    await options.campaigns.beginUpload(campaign.id, stage.tag);
    return stage;
  }

  async recipient(recipient: Recipient): Promise<void> {
    this.#recipients.push(recipient);
    if (this.#recipients.length === this.#size(false) + LAST_RECIPIENTS) await this.#closeSlice(false);
  }

  async skipped(row: SkippedRow): Promise<void> {
    this.#rows.push(row);
    if (this.#rows.length === SKIPPED_AT_ONCE) await this.#writeSkipped();
  }

  async #flush(): Promise<void> {
    while (this.#recipients.length > 0) await this.#closeSlice(true);
    await this.#writeSlices();
    await this.#writeSkipped();
  }

  async commit(names: UploadNames, totals: UploadTotals): Promise<UploadRecord | undefined> {
    try {
      await this.#flush();
    } catch (error) {
      await this.discard();
      throw error;
    }
    const slices = this.#written;
    const { by, act } = this.#options;
    const named = { ...names, tag: this.tag };
    const counted = await this.#campaigns.commit(this.#campaign, named, { ...totals, slices, by, act });
    return counted ? { ...named, slices, recipients: totals.recipients, skipped: totals.skipped } : undefined;
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
  async #link({ links, publicUrl, secrets }: UploadStop): Promise<(index: number) => string> {
    const upload = (this.#linked ??= await links.open(`${this.#campaign.id}.${this.tag}`));
    const slice = this.#place;
    return (index) => stopLink(publicUrl, secrets, { upload, slice, index });
  }

  #itemOf({ row, to, country, vars, own = '' }: Recipient, link: string | undefined): StagedItem {
    const valueOf = (name: string): string => (name === STOP && link !== undefined ? link : vars[name]) ?? '';
    return { row, to, ...(country !== undefined && { country }), values: this.#variables.map(valueOf), own };
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
