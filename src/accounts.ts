/** The accounts of the service that this process may use: `main` from the settings, others from ACCOUNTS_FILE. */
import { z } from 'zod';
import type { Config } from './config.ts';
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
  for (const [name, account] of Object.entries(config.ACCOUNTS_FILE?.holds ?? {})) {
    book.set(name, {
      ...account,
      name,
      mode: account.mode ?? config.SERVICE_MODE,
      headerPrefix: config.SERVICE_HEADER_PREFIX,
    });
  }
  return book;
}

/** The file holds keys, and a parser's message may quote them: only the place is told, and what belongs there. */
export function readAccountsText(text: string): z.output<typeof accountFile> {
  let written: unknown;
  try {
    written = JSON.parse(text);
  } catch {
    throw new TypeError('is not JSON');
  }
  const { data, error } = accountFile.safeParse(written);
  if (data !== undefined) return data;
  throw new TypeError(error.issues.map(wordsOf).join('; '));
}

function wordsOf(issue: z.core.$ZodIssue): string {
  const told = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message;
  return [issue.path.join('.'), told].filter((part) => part !== '').join(': ');
}

/**
 * Tells two sets of keys apart without telling anything about them: an operation begun with one is not ended with
 * another. Empty: there are no keys to tell apart.
 */
export function accountFingerprint(account: UpstreamAccount): string {
  if (account.masterKey === undefined || account.token === undefined) return '';
  return derivedHex('account', account.mode, account.masterKey.reveal(), account.token.reveal()).slice(0, 12);
}
