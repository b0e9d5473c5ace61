/** The accounts of the service that this process may use: `main` from the settings, others from ACCOUNTS_FILE. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type Config, WrongSettings } from './config.ts';
import { derivedHex } from './lib/ids.ts';
import { Secret } from './lib/secret.ts';
import type { UpstreamAccount } from './upstream/options.ts';

const key = z
  .string()
  .min(1)
  .transform((value) => new Secret(value))
  .optional();

const accountFile = z.record(
  z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/, 'an account is named in lower-case letters, digits, - and _'),
  z.strictObject({
    mode: z.enum(['live', 'test']).optional(),
    masterKey: key,
    privateKey: key,
    token: key,
    smsUserKey: key,
    smsSecretKey: key,
    smsAppKey: key,
    smsSender: z.string().optional(),
    keysBefore: z.array(z.string()).default([]),
  }),
);

interface Account extends UpstreamAccount {
  /** Fingerprints of the keys that these have taken the place of, in the same application. */
  readonly keysBefore: readonly string[];
}

export type AccountBook = ReadonlyMap<string, Account>;

export function readAccounts(config: Config): AccountBook {
  const main: Account = {
    name: 'main',
    mode: config.SERVICE_MODE,
    headerPrefix: config.SERVICE_HEADER_PREFIX,
    masterKey: config.SERVICE_MASTER_KEY,
    privateKey: config.SERVICE_PRIVATE_KEY,
    token: config.SERVICE_TOKEN,
    smsUserKey: config.SMS_USER_KEY,
    smsSecretKey: config.SMS_SECRET_KEY,
    smsAppKey: config.SMS_APP_KEY,
    smsSender: config.SMS_SENDER,
    keysBefore: config.SERVICE_KEYS_BEFORE,
  };
  const book = new Map([['main', main]]);
  if (config.ACCOUNTS_FILE === undefined) return book;
  for (const [name, account] of Object.entries(readAccountsFile(config.ACCOUNTS_FILE))) {
    book.set(name, {
      ...account,
      name,
      mode: account.mode ?? config.SERVICE_MODE,
      headerPrefix: config.SERVICE_HEADER_PREFIX,
    });
  }
  return book;
}

function readAccountsFile(path: string): z.output<typeof accountFile> {
  try {
    return accountFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : error instanceof Error ? error.message : '';
    // The file holds keys: a parser's message may quote them, so only the place is told.
    throw new WrongSettings([`ACCOUNTS_FILE: ${error instanceof SyntaxError ? 'is not JSON' : why}`]);
  }
}

/**
 * Tells two sets of keys apart without telling anything about them: an operation begun with one is not ended with
 * another. Empty: there are no keys to tell apart.
 */
export function accountFingerprint(account: UpstreamAccount): string {
  if (account.masterKey === undefined || account.token === undefined) return '';
  return derivedHex('account', account.mode, account.masterKey.reveal(), account.token.reveal()).slice(0, 12);
}
