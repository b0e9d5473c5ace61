/** Whether a request that failed had left. */

/** Errors of a connection that never opened. Anything else may have reached the other end. */
const NEVER_CONNECTED = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'CONNECT_TIMEOUT',
  'UND_ERR_CONNECT_TIMEOUT',
];

export const wasNeverSent = (code: string): boolean => NEVER_CONNECTED.includes(code);

/** Of what undici or `fetch` throws: the code of the socket, else what it says. */
export function codeOf(error: unknown): string {
  // A host with several addresses fails with one error for all; they agree in most cases.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  if (!(first instanceof Error)) return String(first);
  if ('code' in first && typeof first.code === 'string') return first.code;
  return first.cause === undefined ? first.message : codeOf(first.cause);
}

/** The last words of the `type` of refusals that relais gives before it begins anything, of those above 499. */
export const NOT_BEGUN: readonly string[] = ['recovering', 'provider-away', 'busy'];
