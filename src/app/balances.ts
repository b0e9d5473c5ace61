/** One worker for all checks the balances of the accounts regularly. */
import type { Logger } from 'pino';
import type { AccountBook } from '../accounts.ts';
import type { Config } from '../config.ts';
import type { Clock } from '../lib/clock.ts';
import { sumByCountry } from '../provider/capabilities.ts';
import type { Balances } from '../ledger/balances.ts';
import type { Queries } from '../ledger/queries.ts';
import type { ProcessorContext } from '../processors/context.ts';
import { repeatUntil } from '../processors/sweeper.ts';
import { paymentKeys } from '../provider/account.ts';
import type { Part } from './parts.ts';
import type { Public } from '../lib/public.ts';

/** The worker that took the turn may have ended: another one takes over shortly after the interval. */
const ASK_AT_LEAST_EVERY_MS = 30_000;

interface Needs {
  readonly config: Config;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly quietly: (message: string, error: unknown) => void;
  readonly book: AccountBook;
  readonly balances: Public<Balances>;
}

export function balancePart(needs: Needs, { upstream }: Pick<ProcessorContext, 'upstream'>): Part {
  const { config, clock, quietly, balances } = needs;
  return {
    name: 'the watch over the balances',
    start: async () => {
      const everyMs = config.BALANCE_INTERVAL;
      if (everyMs === 0) return async () => undefined;
      const stop = new AbortController();
      const onError = (error: unknown): void => quietly('the watch over the balances', error);
      const interval = { clock, intervalMs: Math.min(everyMs, ASK_AT_LEAST_EVERY_MS), onError };
      const watched = repeatUntil(stop.signal, interval, async () => {
        if (await balances.isMyTurn(everyMs)) await look(needs, upstream);
      });
      return async () => {
        stop.abort();
        await watched;
      };
    },
  };
}

async function look({ config, clock, logger, book, balances }: Needs, upstream: ProcessorContext['upstream']) {
  if (config.SERVICE_BASE_URL === undefined) return;
  for (const account of book.values()) {
    if (typeof paymentKeys(account) === 'string') continue;
    // Payments come first: if the rate is used up, the next check suffices.
    if (!(await upstream.admit(account, 'payments', 'look')).admitted) continue;
    const verdict = await upstream.payments.balances(account);
    if (verdict.is === 'ok') await balances.note(account.name, { at: clock.now(), balances: verdict.value.balances });
    else if (verdict.code !== 'live_only')
      logger.warn({ account: account.name, because: verdict.code }, 'the balances could not be looked at');
  }
}

/** An account's balance in a country, and the amount that is still to leave. */
export interface BalanceRow {
  readonly account: string;
  readonly country: string;
  /** null: unreadable. */
  readonly xof: number | null;
  readonly inFlight: number;
  /** When it was read, ms since the epoch. */
  readonly at: number;
}

/** The number of missed checks after which a balance counts as unknown. */
const LOOKS_MISSED = 3;
/** For any interval: the clocks of two machines differ. */
const KNOWN_AT_LEAST_MS = 60_000;

/** An old balance could be mistaken for the current one, so it is shown as unreadable. */
export function knownRows(
  rows: () => Promise<BalanceRow[]>,
  { everyMs, clock }: { readonly everyMs: number; readonly clock: Pick<Clock, 'now'> },
): () => Promise<BalanceRow[]> {
  const knownMs = Math.max(LOOKS_MISSED * everyMs, KNOWN_AT_LEAST_MS);
  return async () => {
    const all = await rows();
    const now = clock.now();
    return all.map((row) => (now - row.at > knownMs ? { ...row, xof: null } : row));
  };
}

export async function balanceRows(
  balances: Public<Balances>,
  queries: Pick<Queries, 'inFlight'>,
  accounts: readonly string[],
): Promise<BalanceRow[]> {
  const seen = await balances.latest(accounts);
  const rows = seen.map(async ({ account, seen: { at, balances: left } }) => {
    const inFlight = sumByCountry(await queries.inFlight(account));
    return Object.entries(left).map(([country, xof]) => {
      return { account, country, xof, inFlight: inFlight.get(country) ?? 0, at };
    });
  });
  return (await Promise.all(rows)).flat();
}
