/**
 * Files of recipients. The checked rows are spooled to disk during the upload, then copied in parts, then counted in
 * one transaction. Nothing counts before that transaction: rows from `campaign.recipients` on are not read.
 *
 * One file of a campaign is copied at a time, under a lease. Rows of a dead process are removed by the next file of
 * the campaign, or by `sweep`.
 */
import type { UploadRecord } from '../kinds/campaign-fields.ts';
import type { CampaignRecord } from '../operations/record.ts';
import {
  type GivenUp,
  type UploadsOptions,
  LEASE_MS,
  TAG_BYTES,
  Upload,
  type UploadStage,
  type UploadWishes,
  giveUp,
} from './upload.ts';

const ROWS_AT_ONCE = 20_000;

export class Uploads {
  readonly #options: UploadsOptions;
  readonly #givenUp: GivenUp = new Map();

  constructor(options: UploadsOptions) {
    this.#options = options;
  }

  open(campaign: CampaignRecord, wishes: UploadWishes): UploadStage {
    return new Upload({ ...this.#options, givenUp: this.#givenUp }, campaign, wishes);
  }

  /** The files that count by now. */
  async counted(campaign: string): Promise<readonly UploadRecord[]> {
    const [row] = await this.#options.database.run<{ uploads: readonly UploadRecord[] }>('uploads_of_campaign', [
      campaign,
    ]);
    return row?.uploads ?? [];
  }

  /** The numbers (E.164) of earlier uploads, each with its row. */
  async *numbers(campaign: string): AsyncGenerator<{ readonly to: string; readonly row: number }, void, undefined> {
    for (let after = -1; ; ) {
      const values = [campaign, after, ROWS_AT_ONCE];
      const rows = await this.#options.database.run<NumberRow>('numbers_of_campaign', values);
      for (const { phone, row } of rows) if (phone !== null) yield { to: `+${phone}`, row };
      const last = rows.at(-1);
      if (last === undefined) return;
      after = last.n;
    }
  }

  /** Uploads that are being copied, or whose process died. */
  async unfinished(): Promise<number> {
    return (await this.#options.database.run('uploads_in_progress')).length;
  }

  /** Removes the copied rows of dead uploads. Returns the number of uploads. */
  async sweep(now?: Date): Promise<number> {
    const { database, random } = this.#options;
    let swept = 0;
    for (const { campaign } of await database.run<{ campaign: string }>('uploads_in_progress')) {
      const tag = random.hex(TAG_BYTES);
      const [taken] = await database.run('take_dead_upload', [campaign, tag, LEASE_MS, now ?? null]);
      if (taken === undefined) continue;
      await giveUp(database, campaign, tag);
      swept += 1;
    }
    return swept;
  }
}

interface NumberRow {
  readonly n: number;
  readonly row: number;
  readonly phone: string | null;
}
