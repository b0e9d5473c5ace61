/**
 * What stands where, for a person who looks: read from counters, and from the ends of sorted sets. What it costs
 * depends on our declarations, on the holds and on the campaigns that run, never on how many operations there are.
 */
import type { Redis } from 'ioredis';
import {
  type Kind,
  asDeclared,
  kinds,
  type CountedKind,
  countedKinds,
  standsAs,
  statesOf,
  statesThatAre,
} from '../kinds/index.ts';
import { answersOf, list, maybe, number, text } from '../redis/scripts.ts';
import type { AccountHold } from '../kinds/hold.ts';
import type { Accounts } from './accounts.ts';
import { DOUBT_FIELD, DOUBT_SLOT_MS, keys, UNSENT_FIELD, UNSENT_XOF_FIELD } from './keys.ts';
import { Queries } from './queries.ts';
import { type CampaignRecord, UnreadableRecord } from './record.ts';

/** How many, and for how many XOF. */
interface Sum {
  readonly count: number;
  readonly xof: number;
}

/** Money that may have been paid and is not known to be, by how long it has stood so. */
export const doubtAges = ['<10m', '<1h', '<1d', '>=1d'] as const;
type DoubtAge = (typeof doubtAges)[number];
const YOUNGER_THAN_MS: Readonly<Record<Exclude<DoubtAge, '>=1d'>, number>> = {
  '<10m': 600_000,
  '<1h': 3_600_000,
  '<1d': 86_400_000,
};

/** A person is to do something about what stands in one of these. */
const FOR_A_PERSON: readonly string[] = ['awaiting_approval', 'needs_review'];

/** Of what has no sum among the counters, so many are read for it. */
const READ_AT_MOST = 100;
/** So many are shown; the counters say how many there are. */
const CAMPAIGNS_SHOWN = 10;
const SHOWN_FIRST = ['running', 'held', 'paused', 'scheduled'] as const;

const kindsInDoubt = countedKinds.filter((kind) => statesThatAre(kind, 'in doubt').length > 0);

export interface Waiting extends Sum {
  readonly kind: CountedKind;
  readonly state: string;
}

export interface HoldStanding extends AccountHold, Sum {}

export class Status {
  readonly #redis: Redis;
  readonly #queries: Queries;

  constructor(redis: Redis) {
    this.#redis = redis;
    this.#queries = new Queries(redis);
  }

  /** How many operations of each kind stand in each state that anything stands in. */
  async operations(): Promise<Record<string, Record<string, number>>> {
    const all = await Promise.all(
      countedKinds.map(async (kind) => [kind, await this.#queries.counts(kind)] as const),
    );
    return Object.fromEntries(
      all.map(([kind, { count }]) => [
        kind,
        Object.fromEntries(Object.entries(count).filter(([, many]) => many > 0)),
      ]),
    );
  }

  /** No younger than it is said to be: an age is counted in spans of five minutes. */
  async inDoubt(now: number): Promise<(Sum & { readonly age: DoubtAge })[]> {
    const counted = await Promise.all(kindsInDoubt.map((kind) => this.#doubtOf(kind, now)));
    return doubtAges.map((age, at) => {
      const sums = counted.map((ofKind) => ofKind[at]);
      return {
        age,
        xof: sums.reduce((all, sum) => all + (sum?.xof ?? 0), 0),
        count: sums.reduce((all, sum) => all + (sum?.count ?? 0), 0),
      };
    });
  }

  async #doubtOf(kind: Kind, now: number): Promise<readonly Sum[]> {
    const slots = await this.#redis.hgetall(keys.counts(kind));
    const doubts = Object.entries(slots).flatMap(([name, xof]) =>
      name.startsWith(DOUBT_FIELD) ? [{ slot: Number(name.slice(DOUBT_FIELD.length)), xof: Number(xof) }] : [],
    );
    // Of each age the first span of time that is younger; below the last age there is none.
    const firsts = doubtAges.map((age) =>
      age === '>=1d' ? 0 : Math.floor((now - YOUNGER_THAN_MS[age]) / DOUBT_SLOT_MS) + 1,
    );
    const states = statesThatAre(kind, 'in doubt');
    const pipeline = this.#redis.pipeline();
    for (const first of firsts)
      for (const state of states) pipeline.zcount(keys.state(kind, state), first * DOUBT_SLOT_MS, '+inf');
    const counts = await answersOf(pipeline, number);
    const youngerThan = (at: number): Sum => ({
      count: counts.slice(at * states.length, (at + 1) * states.length).reduce((all, one) => all + one, 0),
      xof: doubts.filter(({ slot }) => slot >= (firsts[at] ?? 0)).reduce((all, { xof }) => all + xof, 0),
    });
    return doubtAges.map((_, at) => {
      const [own, younger] = [youngerThan(at), at === 0 ? { count: 0, xof: 0 } : youngerThan(at - 1)];
      return { count: own.count - younger.count, xof: own.xof - younger.xof };
    });
  }

  /** What waits for a person. */
  async waiting(): Promise<Waiting[]> {
    const all = await Promise.all(
      countedKinds.map(async (kind) => {
        const states = statesOf(kind).filter((state) => FOR_A_PERSON.includes(state));
        if (states.length === 0) return [];
        const { count, xof } = await this.#queries.counts(kind);
        const found = states.map((state) => ({ kind, state, count: count[state] ?? 0, xof: xof[state] ?? 0 }));
        return found.filter(({ count: many }) => many > 0);
      }),
    );
    return Promise.all(
      all.flat().map(async (one) => (one.kind === 'batch' ? { ...one, xof: await this.#xofOfBatches(one) } : one)),
    );
  }

  async #xofOfBatches({ state }: Waiting): Promise<number> {
    const { items } = await this.#queries.page('batch', { states: [state], limit: READ_AT_MOST });
    return items.reduce((all, one) => all + (one instanceof UnreadableRecord ? 0 : (one.totals.xof ?? 0)), 0);
  }

  /** What holds which account since when, the longest first, with what waits behind it. */
  async holds(accounts: Pick<Accounts, 'allHolds'>): Promise<HoldStanding[]> {
    const holds = (await accounts.allHolds()).toSorted((a, b) => a.since - b.since);
    // Once for all of them: there may be as many holds as accounts.
    const texts = holds.some(({ area }) => area === 'messaging') ? await this.#openCampaigns(READ_AT_MOST) : [];
    const behind = (hold: AccountHold): Sum | Promise<Sum> =>
      hold.area === 'messaging' ? recipientsWaiting(hold, texts) : this.#behind(hold);
    return Promise.all(holds.map(async (hold) => ({ ...hold, ...(await behind(hold)) })));
  }

  async #behind({ account, area }: AccountHold): Promise<Sum> {
    const held = kinds.filter((kind) => asDeclared(kind).area === area && mayWait(kind));
    const pipeline = this.#redis.pipeline();
    for (const kind of held) pipeline.hmget(keys.counts(kind), UNSENT_FIELD + account, UNSENT_XOF_FIELD + account);
    const sums = await answersOf(pipeline, list(maybe(text)));
    const total = (at: number): number => sums.reduce((all, sum) => all + Number(sum[at] ?? 0), 0);
    return { count: total(0), xof: total(1) };
  }

  /** Those that are under way, those that run first. */
  async campaigns(): Promise<CampaignRecord[]> {
    return this.#openCampaigns(CAMPAIGNS_SHOWN);
  }

  async #openCampaigns(limit: number): Promise<CampaignRecord[]> {
    const pages = await Promise.all(
      SHOWN_FIRST.map((state) => this.#queries.page('campaign', { states: [state], limit })),
    );
    const open = pages.flatMap(({ items }) => items.flatMap((one) => (one instanceof UnreadableRecord ? [] : [one])));
    return open.slice(0, limit);
  }
}

function recipientsWaiting({ account }: AccountHold, campaigns: readonly CampaignRecord[]): Sum {
  const own = campaigns.filter((campaign) => campaign.account === account);
  return { count: own.reduce((all, { totals: { queued, held } }) => all + queued + held, 0), xof: 0 };
}

const mayWait = (kind: Kind): boolean => statesOf(kind).some((state) => standsAs(kind, state) === 'unsent');
