/** Whether a failed request had left. */

/** Errors of a connection that never opened. After any other error the request may have arrived. */
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

/** From an error of undici or `fetch`: the socket's code, otherwise the message. */
export function codeOf(error: unknown): string {
  // A host with several addresses fails with one error for all; they are mostly equal.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  if (!(first instanceof Error)) return String(first);
  if ('code' in first && typeof first.code === 'string') return first.code;
  return first.cause === undefined ? first.message : codeOf(first.cause);
}

/** Problem types above 499 that relais returns before it begins any work. */
export const NOT_BEGUN: readonly string[] = ['recovering', 'provider-away', 'busy'];
