/**
 * The chain of the audit log. Each signed line has a dense number and a MAC over the digest of all lines up to it.
 * Anyone with the secret can detect a changed, deleted, inserted or reordered line. The secret is not in PostgreSQL.
 */
import { createHmac, hash } from 'node:crypto';
import { type Secret, sameSecret } from '../lib/secret.ts';

/** The exact text of a line as PostgreSQL writes it; the MAC covers it. */
export interface ChainLine {
  readonly sequence: string;
  readonly at: string;
  readonly by: string;
  readonly person: string | null;
  readonly role: string | null;
  readonly source: string;
  readonly act: string;
  readonly target: string | null;
  readonly request_id: string | null;
  readonly before: string | null;
  readonly facts: string;
}

export interface SignedLine extends ChainLine {
  readonly number: string;
  readonly mac: Buffer;
}

/** The first invalid line, and why. */
export interface AuditFault {
  readonly id: string;
  readonly why: string;
}

/** The lines up to a number. */
export interface Reached {
  readonly number: number;
  readonly digest: Buffer;
}

export interface Checkpoint extends Reached {
  readonly name: 'first' | 'last';
  readonly at: Date;
  readonly mac: Buffer;
}

export const NO_LINES: Reached = { number: 0, digest: Buffer.alloc(0) };

export function reachedWith(before: Reached, line: ChainLine): Reached {
  const { sequence, at, by, person, role, source, act, target, request_id: requestId } = line;
  const number = before.number + 1;
  const words = [by, person, role, source, act, target, requestId, line.before, line.facts];
  const text = JSON.stringify([before.digest.toString('hex'), number, sequence, at, ...words]);
  return { number, digest: hash('sha256', text, 'buffer') };
}

export const lineMac = ({ number, digest }: Reached, secret: Secret): Buffer =>
  macOf(['line', number, digest.toString('hex')], secret);

export const checkpointMac = ({ name, number, digest, at }: Omit<Checkpoint, 'mac'>, secret: Secret): Buffer =>
  macOf([name, number, digest.toString('hex'), at.toISOString()], secret);

/** Whether the MAC was made with one of the secrets. `macWith`: computes the MAC for a secret. */
export function isMadeWith(mac: Buffer, secrets: readonly Secret[], macWith: (secret: Secret) => Buffer): boolean {
  return secrets.some((secret) => sameSecret(macWith(secret).toString('hex'), mac.toString('hex')));
}

function macOf(words: readonly unknown[], secret: Secret): Buffer {
  return createHmac('sha256', `relais audit ${secret.reveal()}`).update(JSON.stringify(words)).digest();
}
