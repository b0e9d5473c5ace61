/** System status for operators: pending work, payments in doubt, holds and running campaigns. */
import { type Kind, asDeclared, kinds, standsAs, statesOf, statesThatAre } from '../kinds/index.ts';
import { doubtAges } from '../kinds/system.ts';
import type { AccountHold } from '../kinds/hold.ts';
import type { CampaignRecord } from '../operations/record.ts';
import { Figures, type KindState } from './figures.ts';
import type { Holds } from './holds.ts';
import type { Database } from './pool.ts';
import type { Queries } from './queries.ts';

interface StatusOptions {
  readonly database: Database;
  readonly queries: Pick<Queries, 'page' | 'counts'>;
}

/** The limits of `doubtAges`; one more age is unlimited. */
const AGE_LIMITS_MS = [600_000, 3_600_000, 86_400_000] as const;
/** An operator or an approver must act. */
const FOR_A_PERSON: readonly string[] = ['awaiting_approval', 'needs_review'];
const CAMPAIGNS_SHOWN = 10;
/** Maximum campaigns whose recipients are summed behind a hold. */
const CAMPAIGNS_READ = 100;
const SHOWN_FIRST = ['running', 'held', 'paused', 'scheduled'] as const;

const inDoubt: readonly KindState[] = kinds.flatMap((kind) =>
  statesThatAre(kind, 'in doubt').map((state) => ({ kind, state })),
);
const unsent: readonly KindState[] = kinds.flatMap((kind) =>
  statesOf(kind)
    .filter((state) => standsAs(kind, state) === 'unsent')
    .map((state) => ({ kind, state })),
);

interface Sum {
  readonly count: number;
  readonly xof: number;
}

export interface Waiting extends Sum {
  readonly kind: Kind;
  readonly state: string;
}

export interface HoldStanding extends AccountHold, Sum {}

interface DoubtSum extends Sum {
  readonly age: (typeof doubtAges)[number];
}

export class Status {
  readonly #figures: Figures;
  readonly #queries: StatusOptions['queries'];

  constructor({ database, queries }: StatusOptions) {
    this.#figures = new Figures(database);
    this.#queries = queries;
  }

  /** Number of operations of each kind by state, without zeros. */
  async operations(): Promise<Record<string, Record<string, number>>> {
    const all = await Promise.all(
      kinds.map(async (kind) => [kind, (await this.#queries.counts(kind)).count] as const),
    );
    return Object.fromEntries(all);
  }

  async inDoubt(now: number): Promise<DoubtSum[]> {
    const sums = await this.#figures.agesIn(inDoubt, AGE_LIMITS_MS, now);
    return doubtAges.map((age, at) => ({ age, count: sums[at]?.count ?? 0, xof: sums[at]?.xof ?? 0 }));
  }

  /** Operations that wait for a user. */
  async waiting(): Promise<Waiting[]> {
    const all = await Promise.all(
      kinds.map(async (kind) => {
        const states = statesOf(kind).filter((state) => FOR_A_PERSON.includes(state));
        if (states.length === 0) return [];
        const { count, xof } = await this.#queries.counts(kind);
        return states.map((state) => ({ kind, state, count: count[state] ?? 0, xof: xof[state] ?? 0 }));
      }),
    );
    return all.flat().filter(({ count }) => count > 0);
  }

  /** Holds of accounts, longest first, with the pending operations behind each. */
  async holds(accounts: Pick<Holds, 'allHolds'>): Promise<HoldStanding[]> {
    const holds = (await accounts.allHolds()).toSorted((a, b) => a.since - b.since);
    if (holds.length === 0) return [];
    const [pending, campaigns] = await Promise.all([
      this.#figures.unsent(unsent),
      this.#openCampaigns(CAMPAIGNS_READ),
    ]);
    return holds.map((hold) => {
      const behind = pending.filter(({ account, kind }) => account === hold.account && areaOf(kind) === hold.area);
      return { ...hold, count: sum(behind, 'count') + recipientsBehind(hold, campaigns), xof: sum(behind, 'xof') };
    });
  }

  /** Unfinished campaigns, running ones first. */
  campaigns(): Promise<CampaignRecord[]> {
    return this.#openCampaigns(CAMPAIGNS_SHOWN);
  }

  async #openCampaigns(limit: number): Promise<CampaignRecord[]> {
    const pages = await Promise.all(
      SHOWN_FIRST.map((state) => this.#queries.page('campaign', { states: [state], limit })),
    );
    return pages.flatMap(({ items }) => items).slice(0, limit);
  }
}

function recipientsBehind({ account, area }: AccountHold, campaigns: readonly CampaignRecord[]): number {
  if (area !== 'messaging') return 0;
  const own = campaigns.filter((campaign) => campaign.account === account);
  return own.reduce((all, { totals: { queued, held } }) => all + queued + held, 0);
}

function areaOf(name: string): string | undefined {
  const kind = kinds.find((one) => one === name);
  return kind && asDeclared(kind).area;
}

function sum(rows: readonly Readonly<Record<'count' | 'xof', number>>[], of: 'count' | 'xof'): number {
  return rows.reduce((all, row) => all + row[of], 0);
}
