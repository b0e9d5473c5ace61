import type { FailureCode } from './failures.ts';

/** Codes that can only come from looking up or opening a connection. */
const BEFORE_CONNECTING = new Set(['ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_CLOSED']);

/** The same codes may also come from a connection in use; only the syscall tells. */
const WHILE_CONNECTING = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'EPIPE',
]);

const NOT_WRITABLE = new Set(['UND_ERR_INVALID_ARG', 'ERR_INVALID_URL', 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH']);

const TLS = /^(ERR_SSL_|ERR_TLS_|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH)/;

export const DEADLINE_CODE = 'RELAIS_SEND_DEADLINE';

/**
 * Why a request provably never left, or undefined when it may have. An allow-list: an error nobody has thought of
 * counts as sent. `whileConnecting` is set when the connector itself failed, so that no socket ever existed: it
 * settles the errors (TLS, a reset in the handshake) that look the same on a connection in use.
 */
export function neverSent(error: unknown, whileConnecting: boolean): FailureCode | undefined {
  const { code, syscall } = errorFacts(error);
  if (code === DEADLINE_CODE) return 'send_deadline';
  if (NOT_WRITABLE.has(code)) return 'request_invalid';
  if (BEFORE_CONNECTING.has(code)) return code === 'UND_ERR_CLOSED' ? 'closing' : 'unreachable';
  if (syscall === 'connect' && WHILE_CONNECTING.has(code)) return 'unreachable';
  if (!whileConnecting) return undefined;
  return TLS.test(code) ? 'tls_refused' : 'unreachable';
}

/** The two facts of a system error that are safe to show: neither holds a value of the request. */
export function errorFacts(error: unknown): { readonly code: string; readonly syscall: string } {
  if (typeof error !== 'object' || error === null) return { code: '', syscall: '' };
  const { code, syscall, name } = error as { code?: unknown; syscall?: unknown; name?: unknown };
  return {
    code: typeof code === 'string' ? code : typeof name === 'string' ? name : '',
    syscall: typeof syscall === 'string' ? syscall : '',
  };
}
