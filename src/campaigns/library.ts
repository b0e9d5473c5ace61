/**
 * `relais/campaigns`: for services that check recipients, and add them to a campaign that was created with
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
  /** PEM of the authority that signs PostgreSQL's certificate. */
  readonly ca?: string;
}

/** Directly in PostgreSQL, with the values from the workers' settings. */
export interface DatabaseRecipients {
  /** `postgres://…`, or that as `url`. */
  readonly database: string | DatabaseTarget;
  /** The workers' DEFAULT_COUNTRY: the country of local numbers if the campaign names none. */
  readonly country?: string;
  /** XOF per segment, by country; see `readPrices`. */
  readonly prices?: Prices;
  /** The workers' SMS_SENDER: recipients may have opted out of only this sender ID. */
  readonly sender?: string;
  /** For the text's `{{stop}}`: the workers' PUBLIC_URL and CALLBACK_SECRET. */
  readonly stop?: { readonly publicUrl: string; readonly callbackSecret: string };
  /** Receives errors of idle connections, for a log. Connections are reopened automatically. */
  readonly onError?: (error: unknown) => void;
}

/** Over the HTTP API, which knows the settings. */
export interface HttpRecipients {
  /** The address of the API: `http://127.0.0.1:3000`. */
  readonly url: string;
  /** An API key with the role `enqueue`. */
  readonly key: string;
}

export type RecipientsOptions = DatabaseRecipients | HttpRecipients;

export interface AddOptions extends Pick<ReadOptions, 'encoding' | 'sheet'> {
  /** CSV or JSON lines, if the first character, `{`, is ambiguous; a workbook identifies itself. */
  readonly format?: FileFormat;
  /** The column of the numbers, if its name is not a known one. */
  readonly phoneColumn?: string;
  /** Rows hidden by a spreadsheet are included. */
  readonly takeHidden?: boolean;
  /** Values that look damaged or empty are sent unchanged. */
  readonly take?: readonly Takable[];
  readonly repair?: readonly RepairableCountry[];
  readonly preview?: number;
  /** Checks everything and leaves the campaign unchanged. */
  readonly dryRun?: boolean;
}

export type UploadAnswer =
  | { readonly is: 'counted'; readonly summary: CheckSummary }
  /** A dry run: the result that an upload of these bytes would have. */
  | { readonly is: 'checked'; readonly summary: CheckSummary }
  /** The same bytes were uploaded before with the same options; nothing was added. */
  | { readonly is: 'replayed'; readonly upload: { readonly recipients: number; readonly skipped: number } }
  /** Another process changed the campaign meanwhile, or is adding a file; nothing of this upload counts. */
  | { readonly is: 'changed' };

export interface Recipients extends AsyncDisposable {
  /**
   * Adds all recipients of a file or, if it throws, none. Uploading the same bytes with the same options again is a
   * replay. Throws an `UnusableFile`, or a `NoSuchCampaign` if it does not exist or was started already.
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
