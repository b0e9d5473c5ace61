/**
 * The balance after everything in flight has left. Advice, never a check: the provider calls its own figures
 * approximate, and they may already include payments in flight.
 */
import { sumByCountry } from '../provider/capabilities.ts';

export interface BalanceAdvice {
  /** XOF that are queued or in flight, by country. */
  readonly inFlight: Readonly<Record<string, number>>;
  /** XOF; null if the balance was unreadable. */
  readonly afterInFlight: Readonly<Record<string, number | null>>;
}

/**
 * `byMode`: in flight by withdraw mode. Transfers between accounts of the provider have no country and are omitted.
 */
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
