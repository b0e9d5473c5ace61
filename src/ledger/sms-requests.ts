/**
 * Requests of campaigns. A step is one transaction: it writes results, adds to the counts of the campaigns, and takes
 * the next requests with their intents. A request thus costs two shared statements.
 */
import type { CampaignHold } from '../kinds/campaign-switches.ts';
import type { Clock } from '../lib/clock.ts';
import type { Random } from '../lib/random.ts';
import type { Campaigns, Locked } from './campaigns.ts';
import type { DatabaseOptions } from './database.ts';
import { AnswerLost, isHeldUp, isOfOneRow, isTransient } from './errors.ts';
import type { Journal } from './journal.ts';
import { Lane, type LaneRun, type Memory } from './lane.ts';
import { smsRequestItem } from './replay.ts';
import {
  type CampaignContent,
  type CheckRow,
  type NextCampaign,
  type RequestResult,
  type RequestToCheck,
  type TakenRequest,
  type TakenRow,
  checkOf,
  inLockOrder,
  settleValues,
  takenOf,
} from './sms-rows.ts';

/** The decision about a campaign in its turn. */
export interface Decision {
  /** The campaign is held, and takes nothing. */
  readonly hold?: { readonly reason: CampaignHold; readonly againInMs?: number | undefined } | undefined;
  /** Maximum requests that it can take. */
  readonly room: number;
  /** Only its canary. */
  readonly alone: boolean;
  readonly canaryOver?: boolean | undefined;
  /** The number of canary requests, if it has grown. */
  readonly canary?: number | undefined;
  /** The counts from which its next failure judgement starts. */
  readonly judged?: { readonly over: number; readonly failed: number; readonly unknown: number } | undefined;
}

export interface StepAsked {
  readonly results: readonly RequestResult[];
  /** Accounts whose campaigns can take requests or need a hold, with the total number of requests per account. */
  readonly accounts: ReadonlyMap<string, number>;
  readonly most: number;
  /** Called in the transaction for each campaign, in the order of their turns. */
  readonly decide: (campaign: NextCampaign, content: CampaignContent) => Decision;
}

export interface Stepped {
  readonly taken: readonly TakenRequest[];
  /** Results to be written again later: another session has locked their campaign. */
  readonly left: readonly RequestResult[];
  /** Campaigns that were held. */
  readonly held: readonly string[];
  /** Campaigns in this turn. */
  readonly campaigns: number;
}

export interface SmsRequestsOptions {
  readonly database: DatabaseOptions;
  readonly memory: Memory;
  readonly campaigns: Pick<Campaigns, 'switchIn'>;
  /** Name of this process, unique among running processes. */
  readonly process: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly leaseMs: number;
  /** No byte of a request leaves later than this after its intent. */
  readonly sendMs: number;
  /** Receives requests that are about to leave, after the commit of the intents. Absent: no journal. */
  readonly journal?: Pick<Journal, 'intended'> | undefined;
  /** Receives a result that PostgreSQL refuses; its request is rescued after its lease. */
  readonly onRefused?: ((error: unknown) => void) | undefined;
  /** For tests, instead of the time of PostgreSQL. */
  readonly now?: () => number;
}

/** Campaigns read by one step. */
const CAMPAIGNS = 16;
const OP_BYTES = 16;
/** Campaigns whose content is cached. */
const REMEMBERED = 1_000;

export class SmsRequests {
  readonly #options: SmsRequestsOptions;
  readonly #stepping: Lane;
  readonly #checking: Lane;
  readonly #contents = new Map<string, CampaignContent>();

  constructor(options: SmsRequestsOptions) {
    this.#options = options;
    const { database, memory, process, clock } = options;
    this.#stepping = new Lane({ database, memory, name: `${process}/step`, clock });
    this.#checking = new Lane({ database, memory, name: `${process}/checks`, clock });
  }

  /**
   * One at a time. Rejects with `LedgerClosed`, or with `AnswerLost` if a new connection cannot show what was
   * written.
   */
  async step(asked: StepAsked): Promise<Stepped> {
    try {
      const stepped = await this.#again(asked);
      await this.#noteIntents(stepped.taken);
      return stepped;
    } catch (error) {
      if (!isOfOneRow(error) || asked.results.length === 0) throw error;
      const left = await this.#settleApart(this.#stepping, asked.results);
      return { taken: [], left, held: [], campaigns: 0 };
    }
  }

  /** Writes results without taking requests. Returns those to be written again later. */
  async settle(results: readonly RequestResult[]): Promise<readonly RequestResult[]> {
    return results.length === 0 ? [] : this.#settleApart(this.#checking, results);
  }

  /** Whether taken requests of the campaign may still leave: it was not stopped since. */
  async mayLeave(campaign: string): Promise<boolean> {
    return (await this.#checking.read('may_leave', [campaign])).length > 0;
  }

  /** The content of a campaign when its request was taken. */
  contentOf(campaign: string): CampaignContent {
    const content = this.#contents.get(campaign);
    if (content === undefined) throw new Error(`the content of campaign ${campaign} is not known`);
    return content;
  }

  /** Accounts with a running campaign that has unsent requests. */
  async sendingAccounts(): Promise<readonly string[]> {
    const rows = await this.#checking.read<{ account: string }>('sending_accounts', [this.#time()]);
    return rows.map(({ account }) => account);
  }

  /** Marks requests of dead workers as unknown. Returns how many. Not during a step. */
  async rescue(settleMs: number, most = 500): Promise<number> {
    const rows = await this.#stepping.write<{ n: number | null; counter: string }>('rescue_requests', [
      settleMs,
      most,
      this.#time(),
    ]);
    return rows.filter(({ n }) => n !== null).length;
  }

  /** Leases requests whose recipients are due for a check in the statistics. */
  async claimChecks(accounts: readonly string[], most: number): Promise<readonly RequestToCheck[]> {
    const { leaseMs } = this.#options;
    const rows = await this.#checking.read<CheckRow>('claim_checks', [accounts, most, leaseMs, this.#time()]);
    await this.#learn(this.#checking.read.bind(this.#checking), [...new Set(rows.map(({ campaign }) => campaign))]);
    return rows.map(checkOf);
  }

  async close(): Promise<void> {
    await Promise.all([this.#stepping.close(), this.#checking.close()]);
  }

  /** PostgreSQL ends a deadlock with nothing written, and a lost answer is resolved. */
  async #again(asked: StepAsked): Promise<Stepped> {
    const op = this.#options.random.hex(OP_BYTES);
    try {
      return await this.#stepping.transaction((run) => this.#step(run, op, asked));
    } catch (error) {
      if (isTransient(error)) return this.#stepping.transaction((run) => this.#step(run, op, asked));
      if (!(error instanceof AnswerLost)) throw error;
      const rows = await this.#stepping.settle<WrittenRow>('requests_written_by', [op]);
      if (rows.every(({ campaign }) => campaign === null)) return this.#again(asked);
      const taken = rows.flatMap((row) => (row.lease === null ? [] : [takenOf({ ...row, lease: row.lease })]));
      await this.#learn(this.#stepping.read.bind(this.#stepping), [...new Set(taken.map((one) => one.campaign))]);
      return { taken, left: [], held: [], campaigns: taken.length };
    }
  }

  async #noteIntents(taken: readonly TakenRequest[]): Promise<void> {
    const { memory, journal } = this.#options;
    const { name: lane } = this.#stepping;
    if (memory.epoch === undefined) return;
    const at = { lane, epoch: memory.epoch, counter: memory.counterOf(lane) };
    await journal?.intended(
      at,
      taken.map(({ campaign, n }) => smsRequestItem(campaign, n, this.contentOf(campaign))),
    );
  }

  async #step(run: LaneRun, op: string, { results, accounts, most, decide }: StepAsked): Promise<Stepped> {
    const { leaseMs, sendMs, process } = this.#options;
    await run.write('settle_requests', [op, this.#time(), ...settleValues(inLockOrder(results))]);
    if (most <= 0 || accounts.size === 0) return { taken: [], left: [], held: [], campaigns: 0 };
    const next = await run.read<NextCampaign>('next_campaigns', [[...accounts.keys()], CAMPAIGNS, this.#time()]);
    await this.#learn(
      run.read,
      next.map(({ number }) => number),
      next,
    );
    const takes: { readonly campaign: NextCampaign; readonly decision: Decision }[] = [];
    const held: string[] = [];
    for (const campaign of next) {
      const decision = decide(campaign, this.contentOf(campaign.number));
      await this.#noteJudged(run, campaign, decision);
      if (decision.hold !== undefined) {
        await this.#hold(run, campaign, decision.hold);
        held.push(campaign.id);
      } else if (decision.room > 0) takes.push({ campaign, decision });
    }
    const campaigns = next.length;
    if (takes.length === 0) return { taken: [], left: [], held, campaigns };
    const rows = await run.read<TakenRow>('take_requests', [
      op,
      most,
      leaseMs,
      sendMs,
      this.#time(),
      takes.map(({ campaign }) => campaign.number),
      takes.map(({ decision }) => decision.room),
      takes.map(({ decision }) => decision.alone),
      process,
      takes.map(({ campaign }) => accounts.get(campaign.account) ?? 0),
    ]);
    return { taken: rows.map(takenOf), left: [], held, campaigns };
  }

  async #noteJudged(run: LaneRun, { number }: NextCampaign, { judged, canary, canaryOver }: Decision): Promise<void> {
    if (judged === undefined && canary === undefined && canaryOver !== true) return;
    const { over = null, failed = null, unknown = null } = judged ?? {};
    await run.read('note_judged', [number, over, failed, unknown, canary ?? null, canaryOver ?? false]);
  }

  async #hold(run: LaneRun, { id }: NextCampaign, hold: NonNullable<Decision['hold']>): Promise<void> {
    const [locked] = await run.read<Locked>('lock_campaign', [id, this.#time()]);
    if (locked !== undefined) await this.#options.campaigns.switchIn(run.read, locked, 'hold', hold);
  }

  /** Reads the content of campaigns that are not cached in the version of `next`. */
  async #learn(read: LaneRun['read'], numbers: readonly string[], next: readonly NextCampaign[] = []): Promise<void> {
    const versions = new Map(next.map(({ number, version }) => [number, version]));
    const unknown = numbers.filter((number) => {
      const known = this.#contents.get(number);
      return known === undefined || (versions.get(number) ?? 0) > known.version || next.length === 0;
    });
    if (unknown.length === 0) return;
    for (const content of await read<CampaignContent>('campaign_texts', [unknown])) {
      this.#contents.delete(content.number);
      this.#contents.set(content.number, content);
    }
    for (const number of this.#contents.keys()) {
      if (this.#contents.size <= REMEMBERED) break;
      this.#contents.delete(number);
    }
  }

  /** One row that PostgreSQL refuses must not fail the others: the statement is split in halves to find it. */
  async #settleApart(lane: Lane, results: readonly RequestResult[]): Promise<readonly RequestResult[]> {
    const op = this.#options.random.hex(OP_BYTES);
    const written = (): Promise<unknown> =>
      lane.write('settle_requests', [op, this.#time(), ...settleValues(inLockOrder(results))]);
    try {
      await written().catch((error: unknown) => {
        // Writing it again changes nothing: no request has the lease any more.
        if (isTransient(error) || error instanceof AnswerLost) return written();
        throw error;
      });
      return [];
    } catch (error) {
      if (results.length > 1 && isOfOneRow(error)) {
        const middle = Math.ceil(results.length / 2);
        const first = await this.#settleApart(lane, results.slice(0, middle));
        return [...first, ...(await this.#settleApart(lane, results.slice(middle)))];
      }
      if (isHeldUp(error)) return results;
      if (!isOfOneRow(error)) throw error;
      this.#options.onRefused?.(error);
      return [];
    }
  }

  #time(): Date | null {
    const { now } = this.#options;
    return now === undefined ? null : new Date(now());
  }
}

interface WrittenRow extends Omit<TakenRow, 'lease'> {
  readonly lease: string | null;
  readonly counter: string;
}
