/** Recipients as they are kept, whatever carries them. */

export interface CampaignItem {
  readonly row: number;
  /** E.164, with the plus sign. */
  readonly to: string;
  /** Kept beside the items, once for all where it is the same. */
  readonly country?: string;
  readonly values: readonly string[];
}

/** Upstream takes 1 to 50 in one request (interface: Limits). */
export const RECIPIENTS_PER_REQUEST = 50;

/** What stands in the place of a number whose person was forgotten begins so. */
export const PURGED = 'purged-';

export function isPurged(to: string): boolean {
  return to.startsWith(PURGED);
}

/** The countries of the recipients: mostly one for all of them, else `SN*3,CI*47`. */
export function packCountries(countries: readonly string[]): string {
  const runs: [string, number][] = [];
  for (const country of countries) {
    const last = runs.at(-1);
    if (last?.[0] === country) last[1] += 1;
    else runs.push([country, 1]);
  }
  const [first] = runs;
  if (runs.length <= 1) return first?.[0] ?? '';
  return runs.map(([country, times]) => `${country}*${times}`).join(',');
}

export function unpackCountries(packed: string, count: number): string[] {
  if (!packed.includes('*')) return Array.from({ length: count }, () => packed);
  return packed.split(',').flatMap((run) => {
    const [country = '', times = '1'] = run.split('*');
    return Array.from({ length: Number(times) }, () => country);
  });
}
