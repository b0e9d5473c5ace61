/** One recipient of a campaign. Its status is one letter in its request, and a count of the campaign. */
import type { Restoring } from './kind.ts';

interface Declared {
  /** Absent: a status of whole campaigns only. */
  readonly letter?: string;
  /** The action of an applied recovery. */
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

/** The possible statuses of a campaign row. */
export type RecipientBin = keyof typeof states;
export const recipientBins = Object.keys(states) as RecipientBin[];

export type CampaignBin = 'total' | RecipientBin;

/** The statuses of a campaign. Every data row has exactly one, and the counts sum to `total`. */
export const campaignBins: readonly CampaignBin[] = ['total', ...recipientBins];

export function recipientRestored(bin: string): Restoring | undefined {
  const declared: Readonly<Record<string, Declared>> = states;
  return declared[bin]?.restored;
}

/** The statuses of a single recipient. */
export type RecipientState = {
  [S in RecipientBin]: (typeof states)[S] extends { letter: string } ? S : never;
}[RecipientBin];

/** The letter of each status in the request's `outcome`. */
export const outcomeLetters = Object.fromEntries(
  Object.entries(states).flatMap(([state, of]) => ('letter' in of ? [[state, of.letter]] : [])),
) as { readonly [S in RecipientState]: (typeof states)[S]['letter'] };

/** Recipients of a campaign: every row of its files that is not skipped. */
export function recipientsOf({ total, skipped }: Readonly<Record<'total' | 'skipped', number>>): number {
  return total - skipped;
}
