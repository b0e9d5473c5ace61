/**
 * `relais/campaigns`: what another service imports to check recipients, and to add them to a campaign that it made with
 * `createProducer().campaign(…)` or over HTTP. Checking needs no database.
 */
import { type Client, createClient } from '../client/client.ts';
import type { FileFormat, ReadOptions } from '../files/rows.ts';
import type { Prices } from '../files/prices.ts';
import { OptOuts } from '../ledger/opt-outs.ts';
import { Partitions } from '../ledger/partitions.ts';
import { Database } from '../ledger/pool.ts';
import { Queries } from '../ledger/queries.ts';
import { StopLinks } from '../ledger/stop-links.ts';
import { UploadUnderWay } from '../ledger/upload.ts';
import { Uploads } from '../ledger/uploads.ts';
import { systemClock } from '../lib/clock.ts';
import { systemRandom } from '../lib/random.ts';
import type { RepairableCountry } from '../lib/renumbering.ts';
import { secretsOf } from '../lib/secret.ts';
import { stopSecrets } from '../lib/stop-link.ts';
import type { Takable } from './check/doubtful-values.ts';
import type { CheckSummary } from './check/report.ts';
import { NoSuchCampaign } from './no-such-campaign.ts';
import { addOverHttp } from './over-http.ts';
import { uploadRecipients } from './upload.ts';

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

/** The PostgreSQL of the workers. */
export interface DatabaseTarget {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  /** The workers' DATABASE_SCHEMA. Default: `relais`. */
  readonly schema?: string;
  /** False: no prepared statements, for an old pgbouncer. */
  readonly prepared?: boolean;
  /** PEM of the authority that signs the certificate of PostgreSQL. */
  readonly ca?: string;
}

/** In PostgreSQL itself, with what the workers have in their settings. */
export interface DatabaseRecipients {
  /** `postgres://…`, or that as `url`. */
  readonly database: string | DatabaseTarget;
  /** The workers' DEFAULT_COUNTRY: where local numbers belong when the campaign names no country. */
  readonly country?: string;
  /** XOF per segment, by country; see `readPrices`. */
  readonly prices?: Prices;
  /** The workers' SMS_SENDER: people may have opted out of this sender alone. */
  readonly sender?: string;
  /** What the text's `{{stop}}` becomes: the workers' PUBLIC_URL and CALLBACK_SECRET. */
  readonly stop?: { readonly publicUrl: string; readonly callbackSecret: string };
  /** Receives what an idle connection failed with. A connection is made again by itself, so this is for a log. */
  readonly onError?: (error: unknown) => void;
}

/** Over the HTTP API, which knows the settings. */
export interface HttpRecipients {
  /** Where the API of relais is: `http://127.0.0.1:3000`. */
  readonly url: string;
  /** An API key with the role `enqueue`. */
  readonly key: string;
}

export type RecipientsOptions = DatabaseRecipients | HttpRecipients;

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

export type UploadAnswer =
  | { readonly is: 'counted'; readonly summary: CheckSummary }
  /** A dry run: what an upload of these bytes would say. */
  | { readonly is: 'checked'; readonly summary: CheckSummary }
  /** The same bytes were uploaded before, read in the same way; nothing was added. */
  | { readonly is: 'replayed'; readonly upload: { readonly recipients: number; readonly skipped: number } }
  /** Another process changed the campaign meanwhile, or adds a file now; nothing of this upload counts. */
  | { readonly is: 'changed' };

export interface Recipients extends AsyncDisposable {
  /**
   * Adds the recipients in a file, all of them or, when anything is thrown, none; the same bytes again, read in the
   * same way, are a replay. Throws an `UnusableFile`, or a `NoSuchCampaign` when it is not there or was started already.
   */
  add(campaign: string, source: AsyncIterable<Uint8Array>, options?: AddOptions): Promise<UploadAnswer>;
  close(): Promise<void>;
}

export { NoSuchCampaign } from './no-such-campaign.ts';
export { Refused } from '../client/refusal.ts';

/** Connections: one reads opt-outs while another copies rows. */
const CONNECTIONS = 2;
const BEFORE_THE_START: readonly string[] = ['draft', 'ready'];

export function openRecipients(options: RecipientsOptions): Recipients {
  return 'database' in options ? inDatabase(options) : overHttp(createClient(options));
}

function inDatabase({ database: place, onError, country, prices, sender, stop }: DatabaseRecipients): Recipients {
  const { schema = 'relais', ...target } = typeof place === 'string' ? { url: place } : place;
  const database = new Database({ ...target, schema, size: CONNECTIONS, ...(onError && { onError }) });
  const [random, queries] = [systemRandom, new Queries({ database })];
  const links = stop && {
    links: new StopLinks({ database, random }),
    publicUrl: stop.publicUrl.replace(/\/+$/, ''),
    secrets: stopSecrets(secretsOf(stop.callbackSecret)),
  };
  const tools = {
    store: new Uploads({ database, random, clock: systemClock, partitions: new Partitions({ database }) }),
    optOuts: new OptOuts({ database }),
    prices,
    sender,
    stop: links,
  };
  const close = (): Promise<void> => database.close();
  return {
    add: async (id, source, wishes = {}) => {
      const campaign = await queries.read('campaign', id);
      if (!campaign) throw new NoSuchCampaign(`there is no campaign ${id}`);
      if (!BEFORE_THE_START.includes(campaign.state))
        throw new NoSuchCampaign(`${id} is ${campaign.state}: recipients are added before the start`);
      const within = country === undefined ? campaign : { country, ...campaign };
      return uploadRecipients(within, source, { ...tools, ...wishes }).catch((error: unknown): UploadAnswer => {
        if (error instanceof UploadUnderWay) return { is: 'changed' };
        throw error;
      });
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function overHttp(client: Client): Recipients {
  const close = async (): Promise<void> => undefined;
  return {
    add: (id, source, wishes = {}) => addOverHttp(client, id, { source, wishes }),
    close,
    [Symbol.asyncDispose]: close,
  };
}
