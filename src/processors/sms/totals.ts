/** What results of requests add to the daily totals. */
import { type Posts, addText } from '../../kinds/day-totals.ts';
import { countSegments } from '../../lib/segments.ts';
import type { Letter } from '../../ledger/sms-rows.ts';

const STATES = {
  s: 'sent',
  f: 'failed',
  u: 'unknown',
  x: 'skipped',
  e: 'expired',
  c: 'cancelled',
  '-': 'queued',
} as const;

interface Sms {
  /** ISO code; '' if unknown. */
  readonly country: string;
  readonly text: string;
}

export class Totals {
  readonly #account: string;
  readonly #prices: Readonly<Record<string, number>> | undefined;
  readonly #posts: Record<string, number> = {};

  /** XOF per segment, by country. */
  constructor(account: string, prices: Readonly<Record<string, number>> | undefined) {
    this.#account = account;
    this.#prices = prices;
  }

  /** A recipient who is sent to again (`-`) keeps its earlier count until that request ends. */
  add({ country, text }: Sms, was: Letter, becomes: Letter): void {
    if (was === becomes || becomes === '-') return;
    const { segments } = countSegments(text);
    const price = this.#prices?.[country];
    const cost = price === undefined ? undefined : segments * Math.round(price * 100);
    const moves = { from: STATES[was], to: STATES[becomes], times: 1 };
    addText(this.#posts, { account: this.#account, country, segments, cost }, moves);
  }

  get posts(): Posts {
    return this.#posts;
  }
}

/** How the totals count a recipient whose request has no letters yet: a retried failure counts again. */
export function countedBefore({ before }: { readonly before: 'f' | 'u' | undefined }, becomes: Letter): Letter {
  if (before === 'u') return 'u';
  return before === becomes ? becomes : '-';
}
