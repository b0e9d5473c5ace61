/** The period in which the statistics are searched for an SMS. */
const HOUR_MS = 3_600_000;
/** Clock difference of two machines. */
const SKEW_MS = 600_000;
/**
 * The time zone of the dates is not documented (interface: Resources, SMS records). Zones span 12 hours west to 14
 * east.
 */
const BEHIND_MS = 12 * HOUR_MS + SKEW_MS;
const AHEAD_MS = 14 * HOUR_MS + SKEW_MS;

/** Contains every SMS that left after `sentAt` (ms) and before `at`, in any time zone. */
export function periodOf(sentAt: number, at: number): { readonly startDate: string; readonly endDate: string } {
  return { startDate: serviceDate(sentAt - BEHIND_MS), endDate: serviceDate(at + AHEAD_MS) };
}

/** `YYYY-MM-DD HH:MM:SS` (interface: Resources, SMS records). */
export function serviceDate(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}
