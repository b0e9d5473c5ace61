/**
 * A warning for a key that is about to approve a batch above the balance. Never a refusal: the figures are
 * approximate, and a disbursement without funds is held, not lost. Without an answer in time there is no warning.
 */
import type { Finding } from '../kinds/batch.ts';
import type { Clock } from '../lib/clock.ts';
import type { Queries } from '../ledger/queries.ts';
import type { BatchRecord } from '../operations/record.ts';
import type { MoneyContext } from '../processors/context.ts';
import { describeXof } from '../lib/money.ts';
import { adviseOn } from './balance-advice.ts';
import type { Public } from '../lib/public.ts';
import { message } from '../messages/message.ts';

type Balances = Readonly<Record<string, number | null>>;

interface Known {
  readonly balances: Balances | undefined;
  readonly atMono: number;
}

/** A page that is reloaded often does not query the provider more often than this. */
const KNOWN_FOR_MS = 30_000;
const PATIENCE_MS = 2_000;

interface AdvisorOptions {
  readonly processing: Pick<MoneyContext, 'account' | 'upstream'>;
  readonly queries: Public<Queries>;
  readonly clock: Clock;
}

export class BatchAdvisor {
  readonly #context: AdvisorOptions;
  readonly #known = new Map<string, Known>();

  constructor(context: AdvisorOptions) {
    this.#context = context;
  }

  /** Only for a batch that can still be decided. */
  async adviceOn({ state, account, totals }: BatchRecord): Promise<Finding[]> {
    if (state !== 'awaiting_approval') return [];
    const balances = await this.#balancesOf(account);
    if (balances === undefined) return [];
    const { afterInFlight } = adviseOn(balances, await this.#context.queries.inFlight(account));
    return Object.entries(totals.countries).flatMap(([country, { xof }]) => {
      const left = afterInFlight[country] ?? null;
      if (left === null || xof <= left) return [];
      const after = left < 0 ? `less than nothing (${describeXof(left)})` : `about ${describeXof(left)}`;
      const reason = message('short_of_funds', { country, xof: describeXof(xof), left: after });
      return [{ row: null, column: null, reason }];
    });
  }

  async #balancesOf(account: string): Promise<Balances | undefined> {
    const { clock } = this.#context;
    const known = this.#known.get(account);
    if (known && clock.monotonic() - known.atMono < KNOWN_FOR_MS) return known.balances;
    const balances = await this.#ask(account);
    this.#known.set(account, { balances, atMono: clock.monotonic() });
    return balances;
  }

  async #ask(account: string): Promise<Balances | undefined> {
    const { processing, clock } = this.#context;
    const keys = processing.account(account)?.upstream;
    if (keys === undefined) return undefined;
    const admission = await processing.upstream.admit(keys, 'payments', 'look');
    if (!admission.admitted) return undefined;
    const tooLong = new AbortController();
    const cancel = clock.after(PATIENCE_MS, () => tooLong.abort());
    const verdict = await processing.upstream.payments.balances(keys, { signal: tooLong.signal });
    cancel();
    return verdict.is === 'ok' ? verdict.value.balances : undefined;
  }
}
