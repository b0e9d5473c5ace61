/** A signer of our own, and what it has signed. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Of the system. */
const OPENSSL = 'openssl';
const NEW_KEY = ['-newkey', 'rsa:2048', '-nodes'];

/** In this folder `ca.crt`, and a certificate for these names (`IP:127.0.0.1`, `DNS:localhost`) with its key. */
export function makeCertificates(dir: string, names: string): void {
  const openssl = (...args: readonly string[]): unknown => execFileSync(OPENSSL, args, { cwd: dir, stdio: 'pipe' });
  writeFileSync(join(dir, 'san.ext'), `subjectAltName=${names}\n`);
  const lasts = ['-days', '2'];
  openssl('req', '-x509', ...NEW_KEY, '-keyout', 'ca.key', '-out', 'ca.crt', ...lasts, '-subj', '/CN=our signer');
  openssl('req', ...NEW_KEY, '-keyout', 'redis.key', '-out', 'redis.csr', '-subj', '/CN=redis');
  const signer = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'san.ext'];
  openssl('x509', '-req', '-in', 'redis.csr', '-out', 'redis.crt', ...signer, ...lasts);
}

/** For a Redis that listens with them, beside the port. */
export const certifiedBy = (dir: string): Readonly<Record<string, string>> => ({
  port: '0',
  'tls-cert-file': join(dir, 'redis.crt'),
  'tls-key-file': join(dir, 'redis.key'),
  'tls-ca-cert-file': join(dir, 'ca.crt'),
  'tls-auth-clients': 'no',
});
