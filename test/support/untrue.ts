/** Compares requests and the reports of relais with the sandbox's records: only the records are proof. */

/** An SMS to a recipient, or an amount to a beneficiary. Each is requested once. */
interface Asked {
  readonly who: string;
  readonly what: string;
  /** The current report of relais. */
  readonly state: string;
}

interface Booked {
  readonly who: string;
  readonly what: string;
  /** How often it took effect. */
  readonly times: number;
}

/** How often a request in this state took effect. Unlisted states are not final. */
const TIMES: Readonly<Record<string, 0 | 1>> = {
  sent: 1,
  succeeded: 1,
  unknown: 1,
  needs_review: 1,
  failed: 0,
  rejected: 0,
  cancelled: 0,
  expired: 0,
};

const keyOf = ({ who, what }: { readonly who: string; readonly what: string }): string => `${who}: ${what}`;

/** Every false report, as a sentence. Empty: nothing took effect twice, and every report is true. */
export function untrue(asked: readonly Asked[], books: readonly Booked[]): readonly string[] {
  const times = new Map<string, number>();
  for (const line of books) times.set(keyOf(line), (times.get(keyOf(line)) ?? 0) + line.times);
  const reports = new Map(asked.map((line) => [keyOf(line), line.state]));
  const strange = [...times].filter(([key, count]) => count > 0 && !reports.has(key));
  return [
    ...(reports.size === asked.length ? [] : ['something was asked for twice']),
    ...[...reports].flatMap(([key, state]) => {
      const count = times.get(key) ?? 0;
      return TIMES[state] === count ? [] : [`${key} took effect ${count} times, and is reported as ${state}`];
    }),
    ...strange.map(([key]) => `${key} took effect, and nobody asked for it`),
  ];
}
