/** The provider accounts of this process: `main` from the settings, others from ACCOUNTS_FILE. */
import type { Config } from './config.ts';
import { derivedHex } from './lib/ids.ts';
import type { UpstreamAccount } from './provider/account.ts';

interface Account extends UpstreamAccount {
  /** Fingerprints of the earlier keys of the same application that these replace. */
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

/**
 * Distinguishes two sets of keys without revealing them: an operation ends with the keys that it began with. Empty:
 * there are no keys.
 */
export function accountFingerprint(account: UpstreamAccount): string {
  if (account.masterKey === undefined || account.token === undefined) return '';
  return derivedHex('account', account.mode, account.masterKey.reveal(), account.token.reveal()).slice(0, 12);
}
