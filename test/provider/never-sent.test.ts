import { expect, test } from 'vitest';
import { neverSent } from '../../src/provider/transport.ts';

type Row = readonly [what: string, error: object, whileConnecting: boolean, reason: string | undefined];

const cases: readonly Row[] = [
  ['refused', { code: 'ECONNREFUSED', syscall: 'connect' }, false, 'unreachable'],
  ['no such name', { code: 'ENOTFOUND', syscall: 'getaddrinfo' }, false, 'unreachable'],
  ['no name server', { code: 'EAI_AGAIN', syscall: 'getaddrinfo' }, false, 'unreachable'],
  ['a connect time-out', { code: 'UND_ERR_CONNECT_TIMEOUT' }, false, 'unreachable'],
  ['a reset while connecting', { code: 'ECONNRESET', syscall: 'connect' }, false, 'unreachable'],
  ['a time-out while connecting', { code: 'ETIMEDOUT', syscall: 'connect' }, false, 'unreachable'],
  ['a TLS fault before a socket existed', { code: 'CERT_HAS_EXPIRED' }, true, 'tls_refused'],
  ['a header that cannot be written', { code: 'UND_ERR_INVALID_ARG' }, false, 'request_invalid'],
  ['a closed agent', { code: 'UND_ERR_CLOSED' }, false, 'closing'],
  ['a reset while reading', { code: 'ECONNRESET', syscall: 'read' }, false, undefined],
  ['a time-out while reading', { code: 'ETIMEDOUT', syscall: 'read' }, false, undefined],
  ['a broken pipe', { code: 'EPIPE', syscall: 'write' }, false, undefined],
  ['the other side closed', { code: 'UND_ERR_SOCKET' }, false, undefined],
  ['a TLS fault on a connection in use', { code: 'ERR_SSL_BAD_RECORD_MAC' }, false, undefined],
  ['no headers in time', { code: 'UND_ERR_HEADERS_TIMEOUT' }, false, undefined],
  ['a destroyed client', { code: 'UND_ERR_DESTROYED' }, false, undefined],
  ['an abort', { name: 'AbortError', code: 20 }, false, undefined],
  ['an error nobody has thought of', { code: 'EWHATEVER', syscall: 'connect' }, false, undefined],
  ['no code at all', {}, false, undefined],
];

test.for(cases)('%s', ([, error, whileConnecting, reason]) => {
  expect(neverSent(error, whileConnecting)).toBe(reason);
});
