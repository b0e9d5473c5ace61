/**
 * What stands open in a Redis that was put back from a copy: how much of it there is, where to find it, and the one
 * change that no other part makes. Reads a page at a time, however much there is.
 */
import type { Redis } from 'ioredis';
import { campaignBins } from '../kinds/recipient.ts';
import { type CountedKind, countedKinds, isFinal, statesOf, statesRestored, type Kind } from '../kinds/index.ts';
import { dueQueues } from '../kinds/due-queues.ts';
import { answersOf, ignored, list, maybe, text } from '../redis/scripts.ts';
import { isUnreadable, type CampaignRecord } from './record.ts';
import { sliceAt } from './campaigns.ts';
import type { Act } from './audit.ts';
import { acceptMissing, type Missing, missingInHistory } from './history.ts';
import { keys } from './keys.ts';
import { numbersLost } from './transition.ts';
import { Queries } from './queries.ts';
import { restoreCampaign } from './scripts/generated/scripts.ts';

/** Why something that stood in the copy waits for a person. */
export const RESTORED = 'restored';

/** Campaigns in one of these may send, or be started, or may have sent since. A draft has nobody to send to. */
const openCampaignStates = statesRestored('campaign', 'hold');

const openSliceStates = statesOf('slice').filter((state) => !isFinal('slice', state));

/** How many of a kind stand in a state, and for how many XOF. `recipient`: of the campaigns that are not over. */
export interface Standing {
  readonly kind: CountedKind | 'recipient';
  readonly state: string;
  readonly count: number;
  readonly xof?: number;
}

export interface Before {
  /** Those that were open then. */
  readonly campaigns: readonly string[];
  readonly standings: readonly Standing[];
}

const PAGE = 500;
/** All but looks. */
const ACTING_QUEUES = dueQueues.filter((queue) => queue !== 'status-poll');
/** Field of a campaign. */
const DONE_IN = 'restoredIn';

export class Restored {
  readonly #redis: Redis;
  readonly #queries: Queries;

  constructor(redis: Redis) {
    this.#redis = redis;
    this.#queries = new Queries(redis);
  }

  /** Of every kind and state that there is anything of, final or not. */
  async counts(): Promise<Standing[]> {
    const rows = await Promise.all(
      countedKinds.map(async (kind) => {
        const { count, xof } = await this.#queries.counts(kind);
        return statesOf(kind).flatMap((state): Standing[] => {
          const number = count[state] ?? 0;
          if (number <= 0) return [];
          return [{ kind, state, count: number, ...(xof[state] === undefined ? {} : { xof: xof[state] }) }];
        });
      }),
    );
    return rows.flat();
  }

  /**
   * Ids in a state, a page at a time, the last to enter it first: an id that leaves the state meanwhile moves none that
   * was not read yet out of the way.
   */
  async *ids(kind: Kind, state: string): AsyncGenerator<string[], void, undefined> {
    const set = keys.state(kind, state);
    for (let end = await this.#redis.zcard(set); end > 0; end -= PAGE) {
      const page = await this.#redis.zrange(set, String(Math.max(0, end - PAGE)), String(end - 1));
      if (page.length > 0) yield page;
    }
  }

  /** Every campaign that is neither a draft nor over. */
  async *campaigns(): AsyncGenerator<CampaignRecord, void, undefined> {
    for (const state of openCampaignStates) {
      for await (const page of this.ids('campaign', state)) yield* this.#readCampaigns(page);
    }
  }

  /** The recipients of these campaigns, by the bin that they are in. */
  async recipients(campaigns: readonly string[]): Promise<Standing[]> {
    const sums = new Map<string, number>();
    for (const id of campaigns) {
      const campaign = await this.#readable(id);
      for (const bin of campaignBins) {
        if (campaign && bin !== 'total') sums.set(bin, (sums.get(bin) ?? 0) + campaign.totals[bin]);
      }
    }
    return [...sums].flatMap(([state, count]) => (count > 0 ? [{ kind: 'recipient', state, count } as const] : []));
  }

  /** What was open when the recovery that began `since` was first applied, however often it is asked for. */
  async before(since: number): Promise<Before> {
    const known = await this.#redis.hget(keys.recoveryBefore, String(since));
    if (known !== null) return JSON.parse(known) as Before;
    const campaigns: string[] = [];
    for await (const { id } of this.campaigns()) campaigns.push(id);
    const before = { campaigns, standings: await this.standings(campaigns) };
    // Of two processes that begin at once, the first has counted before anything was led on.
    const isFirst = await this.#redis.hsetnx(keys.recoveryBefore, String(since), JSON.stringify(before));
    if (isFirst === 0) return this.before(since);
    const others = (await this.#redis.hkeys(keys.recoveryBefore)).filter((one) => !one.startsWith(String(since)));
    if (others.length > 0) await this.#redis.hdel(keys.recoveryBefore, ...others);
    await this.#redis.del(keys.recoverySkipped, keys.recoveryLost);
    return before;
  }

  /** Everything by kind and state, with the recipients of these campaigns. */
  async standings(campaigns: readonly string[]): Promise<Standing[]> {
    return [...(await this.counts()), ...(await this.recipients(campaigns))];
  }

  async *#readCampaigns(ids: readonly string[]): AsyncGenerator<CampaignRecord, void, undefined> {
    for (const id of ids) {
      const campaign = await this.#readable(id);
      if (campaign) yield campaign;
    }
  }

  async #readable(id: string): Promise<CampaignRecord | undefined> {
    try {
      return await this.#queries.read('campaign', id);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      await this.skip(id);
      return undefined;
    }
  }

  /** What cannot be read is left as it is, and nothing of it is due until somebody sees to it. */
  async skip(id: string): Promise<void> {
    const pipeline = this.#redis.pipeline().sadd(keys.recoverySkipped, id);
    for (const queue of ACTING_QUEUES) pipeline.zrem(keys.due(queue), id);
    await answersOf(pipeline, ignored);
  }

  async skipped(): Promise<string[]> {
    return (await this.#redis.smembers(keys.recoverySkipped)).toSorted();
  }

  async keepReport(report: object): Promise<void> {
    await this.#redis.set(keys.recoveryReport, JSON.stringify(report));
  }

  /** What left Redis, and the history that is connected does not have. */
  missing(): Promise<Missing | undefined> {
    return missingInHistory(this.#redis);
  }

  goOnWithout(by: string, act?: Act): Promise<boolean> {
    return acceptMissing(this.#redis, by, act);
  }

  /** As it was kept; undefined: there was none. */
  async lastReport(): Promise<unknown> {
    const kept = await this.#redis.get(keys.recoveryReport);
    return kept === null ? undefined : (JSON.parse(kept) as unknown);
  }

  /** Slices of the campaign that are not over and were not put in doubt yet, wherever they wait. */
  async *slicesOf(campaign: CampaignRecord): AsyncGenerator<string[], void, undefined> {
    for (let from = 0; from < campaign.slices; from += PAGE) {
      const places = Array.from({ length: Math.min(PAGE, campaign.slices - from) }, (_, offset) => from + offset);
      const open = await this.#toDoubt(places.flatMap((place) => sliceAt(campaign, place) ?? []));
      if (open.length > 0) yield open;
    }
  }

  /** Slices that stand in the sets of their states: those of single messages, and those of campaigns that are out. */
  async *looseSlices(): AsyncGenerator<string[], void, undefined> {
    for (const state of openSliceStates) {
      for await (const page of this.ids('slice', state)) {
        const open = await this.#toDoubt(page);
        if (open.length > 0) yield open;
      }
    }
  }

  /** Slices that were handed out, and whose campaign cannot be read to name them. */
  async *slicesDue(): AsyncGenerator<string[], void, undefined> {
    for (const queue of ['sms-batch', 'sms-otp'] as const) {
      for (let end = await this.#redis.zcard(keys.due(queue)); end > 0; end -= PAGE) {
        yield await this.#redis.zrange(keys.due(queue), String(Math.max(0, end - PAGE)), String(end - 1));
      }
    }
  }

  /** True: it was held by this. */
  async holdCampaign({ id }: CampaignRecord, mayHaveBeenSent: boolean, since: number): Promise<boolean> {
    return restoreCampaign(this.#redis, {
      campaign: keys.record(id),
      events: keys.events,
      counts: keys.counts('campaign'),
      due: keys.due('campaign'),
      parked: keys.parked(id),
      held: keys.state('campaign', 'held'),
      heartbeat: keys.heartbeat,
      history: keys.historyWaiting,
      left: openCampaignStates.map((state) => keys.state('campaign', state)),
      id,
      from: openCampaignStates,
      reason: RESTORED,
      mayHaveBeenSent,
      since,
      ...numbersLost(since),
    });
  }

  /** A campaign that was led on in the recovery that began `since` is not asked about again in its next turn. */
  async doneWith({ id }: CampaignRecord, since: number): Promise<void> {
    await this.#redis.hset(keys.record(id), DONE_IN, since);
  }

  isDoneWith({ fields }: CampaignRecord, since: number): boolean {
    return fields[DONE_IN] === String(since);
  }

  async #toDoubt(ids: readonly string[]): Promise<string[]> {
    const pipeline = this.#redis.pipeline();
    for (const id of ids) pipeline.hmget(keys.record(id), 'state', 'restored');
    const answers = await answersOf(pipeline, list(maybe(text)));
    return ids.filter((_, index) => {
      const [state, restored] = answers[index] ?? [];
      return state && !isFinal('slice', state) && (!restored || state !== 'unknown');
    });
  }
}
