/**
 * `relais/campaigns`: what another service imports to check recipients, and to add them to a campaign that it made with
 * `createProducer().campaign(…)`. Checking needs no Redis.
 */
import { systemClock } from '../lib/clock.ts';
import { systemRandom } from '../lib/random.ts';
import { secretsOf } from '../lib/secret.ts';
import { stopSecrets } from '../lib/stop-link.ts';
import { Campaigns } from '../operations/campaigns.ts';
import { OptOuts } from '../operations/opt-outs.ts';
import { StopLinks } from '../operations/stop-links.ts';
import { Queries } from '../operations/queries.ts';
import { Slices } from '../operations/slices.ts';
import { DurabilityGuard, type RedisPlace, targetOf } from '../producer/connection.ts';
import { closeConnection, openCommands, waitUntilReady } from '../redis/connections.ts';
import type { Takable } from './check/doubtful-values.ts';
import type { FileFormat, ReadOptions } from '../files/rows.ts';
import type { RepairableCountry } from '../lib/renumbering.ts';
import type { Prices } from '../files/prices.ts';
import { type UploadAnswer, uploadRecipients } from './upload.ts';

export { checkRecipients } from './check/check-recipients.ts';
export type { Check, CheckOptions } from './check/check-recipients.ts';
export { readPrices, UnusablePrices } from '../files/prices.ts';
export type { Prices } from '../files/prices.ts';
export { fileProblems, UnusableFile } from '../files/problems.ts';
export type { FileProblem } from '../files/problems.ts';
export { skipReasons } from './check/report.ts';
export type { SkipReason } from './check/report.ts';
export { renderProblems, renderReport, reportCsv } from './check/report.ts';
export type { CheckedRow, CheckSummary, PreviewedText, SkippedRow } from './check/report.ts';
export { NoStopLinks, NoText, TooManyUploads } from './upload.ts';
export type { UploadAnswer } from './upload.ts';
export { NotDurableError } from '../producer/errors.ts';

export interface RecipientsOptions {
  /** The Redis that the workers use, and, where it is not `{relais}`, their REDIS_PREFIX: `{ url, prefix }`. */
  readonly redis: RedisPlace;
  /** The workers' DEFAULT_COUNTRY: where local numbers belong when the campaign names no country. */
  readonly country?: string;
  /** XOF per segment, by country; see `readPrices`. */
  readonly prices?: Prices;
  /** The workers' SMS_SENDER: people may have opted out of this sender alone. */
  readonly sender?: string;
  /** What the text's `{{stop}}` becomes: the workers' PUBLIC_URL and CALLBACK_SECRET. */
  readonly stop?: { readonly publicUrl: string; readonly callbackSecret: string };
  /** `asserted`: this Redis hides its configuration, and you vouch that it keeps what it answers. */
  readonly durability?: 'checked' | 'asserted';
  /** Told of connection errors. The connection is made again by itself, so this is for a log. */
  readonly onError?: (error: unknown) => void;
}

export interface AddOptions extends Pick<ReadOptions, 'encoding' | 'sheet'> {
  /** Tells CSV from JSON lines where the first character, `{`, would not; a workbook shows itself. */
  readonly format?: FileFormat;
  /** The column of the numbers, where it is called by no name that is known. */
  readonly phoneColumn?: string;
  /** Rows that a spreadsheet hides are taken like any other. */
  readonly takeHidden?: boolean;
  /** Values that look damaged, or stand for nothing, are sent as they are. */
  readonly take?: readonly Takable[];
  readonly repair?: readonly RepairableCountry[];
  readonly preview?: number;
  /** Judges everything and leaves the campaign as it was. */
  readonly dryRun?: boolean;
}

export interface Recipients extends AsyncDisposable {
  /**
   * Adds the recipients in a file, all of them or, when anything is thrown, none; the same bytes again, read in the
   * same way, are a replay.
   * Throws an `UnusableFile`, a `NotDurableError`, or a `NoSuchCampaign` when it is not there or was started already.
   */
  add(campaign: string, source: AsyncIterable<Uint8Array>, options?: AddOptions): Promise<UploadAnswer>;
  close(): Promise<void>;
}

export class NoSuchCampaign extends Error {
  override readonly name = 'NoSuchCampaign';
}

/** A Redis that is away longer is an error; a source of recipients is not to be begun and then left waiting. */
const READY_WAIT_MS = 10_000;

export function openRecipients(options: RecipientsOptions): Recipients {
  const { durability, onError = () => undefined, country, prices, sender, stop } = options;
  const redis = openCommands(targetOf(options.redis), { name: 'relais-recipients', onError });
  const keeping = new DurabilityGuard({
    redis,
    clock: systemClock,
    asserted: durability === 'asserted',
    replicas: 0,
  });
  const queries = new Queries(redis);
  const random = systemRandom;
  const slices = new Slices({ redis, random });
  const tools = { campaigns: new Campaigns(redis), slices, optOuts: new OptOuts(redis), random };
  const links = stop && {
    links: new StopLinks({ redis, random }),
    publicUrl: stop.publicUrl.replace(/\/+$/, ''),
    secrets: stopSecrets(secretsOf(stop.callbackSecret)),
  };
  const close = (): Promise<void> => closeConnection(redis);
  return {
    add: async (id, source, wishes = {}) => {
      await waitUntilReady(redis, READY_WAIT_MS);
      await keeping.require();
      const campaign = await queries.read('campaign', id);
      if (!campaign) throw new NoSuchCampaign(`there is no campaign ${id}`);
      if (campaign.state !== 'draft' && campaign.state !== 'ready')
        throw new NoSuchCampaign(`${id} is ${campaign.state}: recipients are added before the start`);
      const within = country === undefined ? campaign : { country, ...campaign };
      return uploadRecipients(within, source, { ...tools, prices, sender, stop: links, ...wishes });
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
