/**
 * What would be left of a balance when everything in flight has left. Advice, never a gate: upstream calls its own
 * figures rough, and what is in flight may be in them already.
 */
import { sumByCountry } from '../provider/capabilities.ts';

export interface BalanceAdvice {
  /** XOF that have still to leave or are on their way, by country. */
  readonly inFlight: Readonly<Record<string, number>>;
  /** XOF; null where the balance could not be read. */
  readonly afterInFlight: Readonly<Record<string, number | null>>;
}

/** `byMode` is in flight by withdraw mode; transfers between accounts of the service have no country, and no part. */
export function adviseOn(
  balances: Readonly<Record<string, number | null>>,
  byMode: Readonly<Record<string, number>>,
): BalanceAdvice {
  const byCountry = sumByCountry(byMode);
  const countries = Object.entries(balances);
  return {
    inFlight: Object.fromEntries(countries.map(([country]) => [country, byCountry.get(country) ?? 0])),
    afterInFlight: Object.fromEntries(
      countries.map(([country, balance]) => [
        country,
        balance === null ? null : balance - (byCountry.get(country) ?? 0),
      ]),
    ),
  };
}
