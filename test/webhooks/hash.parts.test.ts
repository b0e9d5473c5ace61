/** Verdicts on the hash of a callback, before and after a change of the account's master key. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { Secret } from '../../src/lib/secret.ts';
import { KeyHashes } from '../../src/ledger/key-hashes.ts';
import { Database } from '../../src/ledger/pool.ts';
import { type KnownHashes, knownHashes, ownDigest, verdictOfHash } from '../../src/webhooks/hash.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';
import { startService } from '../support/service.ts';
import { defaultCredentials } from '../../src/sandbox/sandbox.ts';

let ledger: FreshLedger;
let database: Database;
beforeAll(async () => {
  ledger = await freshLedger();
  database = new Database({ url: ledger.url, schema: ledger.schema });
});
afterAll(async () => {
  await database?.close();
  await ledger?.close();
});
beforeEach(() => ledger.query('truncate relais.provider_key_hash'));

const hashesIn = (one: Database): KeyHashes => new KeyHashes({ database: one, clock: systemClock });
const hashOf = (key: string) => new Secret(createHash('sha512').update(key).digest('hex'));

interface Told {
  /** Noted keys of started processes, by fingerprint. */
  readonly noted?: Readonly<Record<string, string>>;
  /** Master key of the process that receives the callback. */
  readonly own?: string;
  readonly before?: readonly string[];
}

async function known({ noted = {}, own, before = [] }: Told): Promise<KnownHashes> {
  for (const [fingerprint, key] of Object.entries(noted)) {
    await hashesIn(database).note({ account: 'main', fingerprint }, new Secret(key));
  }
  const account = own === undefined ? { keysBefore: before } : { masterKey: new Secret(own), keysBefore: before };
  return knownHashes(await hashesIn(database).of('main'), account);
}

test.for<[string, Told, string, string]>([
  ['of the key of today', { noted: { f2: 'new' }, own: 'new' }, 'new', 'hash_right'],
  ['of the key of today, which was not noted', { own: 'new' }, 'new', 'hash_right'],
  ['of a key of before', { noted: { f1: 'old', f2: 'new' }, own: 'new', before: ['f1'] }, 'old', 'hash_right'],
  ['of a key of before that no setting names', { noted: { f1: 'old', f2: 'new' }, own: 'new' }, 'old', 'hash_right'],
  ['heard by a process without keys', { noted: { f1: 'old', f2: 'new' } }, 'old', 'hash_right'],
  ['of no key', { noted: { f1: 'old', f2: 'new' }, own: 'new', before: ['f1'] }, 'forged', 'hash_wrong'],
  ['of no key, heard by a process without keys', { noted: { f2: 'new' } }, 'forged', 'hash_wrong'],
  ['where no key is known', {}, 'new', 'hash_unverified'],
  [
    'where a key of before is not known',
    { noted: { f2: 'new' }, own: 'new', before: ['f1'] },
    'old',
    'hash_unverified',
  ],
])('a hash %s', async ([, told, key, verdict]) => {
  const hashes = await known(told);
  expect(verdictOfHash(hashOf(key), hashes)).toBe(verdict);
  const capitals = new Secret(` ${hashOf(key).reveal().toUpperCase()} `);
  expect(verdictOfHash(capitals, hashes)).toBe(verdict);
});

test('the digest of the own key recognises its hash and no other', () => {
  const digest = ownDigest({ masterKey: new Secret('new'), keysBefore: [] }) ?? '';
  const verdict = (key: string) => verdictOfHash(hashOf(key), { digests: [digest], areAll: false });
  expect(verdict('new')).toBe('hash_right');
  expect(verdict('old')).toBe('hash_unverified');
  expect(ownDigest({ keysBefore: [] })).toBeUndefined();
});

test('an invalid hash is wrong, with any known keys', async () => {
  for (const told of [{}, { own: 'new' }]) {
    const hashes = await known(told);
    for (const text of ['', 'abc', '0'.repeat(127)])
      expect(verdictOfHash(new Secret(text), hashes)).toBe('hash_wrong');
  }
});

test('neither a key nor a hash of the provider is stored', async () => {
  await known({ noted: { f2: 'new' } });
  const stored = JSON.stringify(
    await ledger.query('select encode(hash, $$escape$$), * from relais.provider_key_hash'),
  );
  expect(stored).not.toContain('"new"');
  expect(stored).not.toContain(hashOf('new').reveal());
});

test('a process notes its master key when it starts, and a change of the key removes none', async () => {
  const service = await startService({}, { roles: ['webhooks'] });
  onTestFinished(() => service.stop());
  const pool = new Database({ url: service.ledger.url, schema: service.ledger.schema });
  onTestFinished(() => pool.close());
  await hashesIn(pool).note({ account: 'main', fingerprint: 'of the new keys' }, new Secret('new'));
  const { digests } = knownHashes(await hashesIn(pool).of('main'));
  const verdict = (key: string) => verdictOfHash(hashOf(key), { digests, areAll: true });
  expect([defaultCredentials.masterKey, 'new', 'forged'].map(verdict)).toEqual([
    'hash_right',
    'hash_right',
    'hash_wrong',
  ]);
});
