/** The secrets of a process, from its settings. */
import { hkdfSync } from 'node:crypto';
import type { Config } from '../config.ts';
import { Secret, secretsOf } from '../lib/secret.ts';

export function callbackSecrets(config: Config): Secret[] {
  return secretsOf(config.CALLBACK_SECRET);
}

/**
 * Secrets stored in PostgreSQL are encrypted with the first of these and decrypted with any. If the provider is on
 * this machine, none is required: they follow from the callback secrets.
 */
export function sealingSecrets(config: Config): Secret[] {
  const own = secretsOf(config.SEALING_SECRET);
  return own.length > 0 ? own : callbackSecrets(config).map(sealingFrom);
}

/**
 * A process that only receives callbacks has no encryption secret: its line MACs use keys derived from those that it
 * has.
 */
export function markSecrets(config: Config): Secret[] {
  return [...secretsOf(config.SEALING_SECRET), ...callbackSecrets(config).map(sealingFrom)];
}

function sealingFrom(secret: Secret): Secret {
  return new Secret(Buffer.from(hkdfSync('sha256', secret.reveal(), '', 'relais sealing', 32)).toString('hex'));
}
