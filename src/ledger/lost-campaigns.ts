/**
 * Campaigns that sent something in the data-loss window, which a restored ledger shows as not started, as different,
 * or not at all.
 */
import type { Database } from './pool.ts';
import type { Lost } from './replay.ts';

interface LostCampaign {
  readonly number: string;
  readonly id: string;
  readonly name: string;
  /** Number of existing requests. */
  readonly requests: number;
  readonly state: string;
  /** Requests that may have been split and sent in parts. */
  readonly refused: readonly string[];
}

interface Held {
  readonly held: readonly Pick<LostCampaign, 'id' | 'name'>[];
  /** Requests in doubt, besides those that the journal names. */
  readonly requests: readonly string[];
}

/**
 * Holds these campaigns. A campaign that had not started gets its requests, so that the ones in the journal can be
 * put in doubt. Idempotent.
 */
export async function holdLostCampaigns(
  database: Database,
  { requests, campaigns }: Pick<Lost, 'requests' | 'campaigns'>,
): Promise<Held> {
  if (requests.length === 0) return { held: [], requests: [] };
  return database.transaction(async (run) => {
    const lost = await run<LostCampaign>('lost_campaigns', [requests]);
    const held = await run<{ number: string }>('hold_lost_campaigns', [lost.map(({ number }) => number), null]);
    for (const { number, requests: made, state } of lost) {
      if (made === 0 && WAITING.includes(state)) await run('make_requests', [number, 0]);
    }
    const kinds = campaigns.map(() => 'campaign');
    const states = campaigns.map(() => 'cancelled');
    const [ids, accounts] = [campaigns.map(({ id }) => id), campaigns.map(({ account }) => account)];
    await run('bury_lost', [ids, kinds, accounts, states, null]);
    const numbers = new Set(held.map(({ number }) => number));
    return {
      held: lost.filter(({ number, state }) => numbers.has(number) && WAITING.includes(state)),
      requests: lost.flatMap(({ refused }) => refused),
    };
  });
}

const WAITING = ['ready', 'awaiting_approval', 'scheduled', 'running', 'paused', 'held'];
