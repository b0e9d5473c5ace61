/** One recipient of a campaign. The status is one letter in its request, and a count of the campaign. */
import type { Restoring } from './kind.ts';

interface Declared {
  /** Absent: no recipient stands so by itself, only with its whole campaign. */
  readonly letter?: string;
  /** What an applied recovery does with it. */
  readonly restored?: Restoring;
}

const states = {
  queued: { letter: 'q', restored: 'doubt' },
  held: { restored: 'doubt' },
  sending: { letter: 'g', restored: 'doubt' },
  sent: { letter: 's' },
  failed: { letter: 'f' },
  unknown: { letter: 'u', restored: 'look' },
  skipped: { letter: 'x' },
  expired: { letter: 'e' },
  cancelled: { letter: 'c' },
} as const satisfies Readonly<Record<string, Declared>>;

/** The bins that a row of a campaign may stand in. */
export type RecipientBin = keyof typeof states;
export const recipientBins = Object.keys(states) as RecipientBin[];

export type CampaignBin = 'total' | RecipientBin;

/** The bins of a campaign. Every data row is in exactly one, and they sum to `total`. */
export const campaignBins: readonly CampaignBin[] = ['total', ...recipientBins];

export function recipientRestored(bin: string): Restoring | undefined {
  const declared: Readonly<Record<string, Declared>> = states;
  return declared[bin]?.restored;
}

/** What becomes of a recipient by itself. */
export type RecipientState = {
  [S in RecipientBin]: (typeof states)[S] extends { letter: string } ? S : never;
}[RecipientBin];

/** Status of one recipient, as one letter of the request's `outcome`. */
export const outcomeLetters = Object.fromEntries(
  Object.entries(states).flatMap(([state, of]) => ('letter' in of ? [[state, of.letter]] : [])),
) as { readonly [S in RecipientState]: (typeof states)[S]['letter'] };

/** Recipients of a campaign: every row of its files that is not left out. */
export function recipientsOf({ total, skipped }: Readonly<Record<'total' | 'skipped', number>>): number {
  return total - skipped;
}
