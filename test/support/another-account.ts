import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultCredentials } from '../../src/sandbox/sandbox.ts';

/** A file of accounts (`ACCOUNTS_FILE`) with one named `other`, in addition to that of the settings. */
export function anotherAccountIn(folder: string): string {
  const { masterKey, privateKey, token } = defaultCredentials;
  const accounts = join(folder, 'accounts.json');
  writeFileSync(accounts, JSON.stringify({ other: { mode: 'live', masterKey, privateKey, token } }));
  return accounts;
}
