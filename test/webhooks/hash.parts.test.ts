/** Verdicts on the hash of a callback, before and after a change of the account's master key. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { stampPart } from '../../src/app/deployment.ts';
import { loadConfig } from '../../src/config.ts';
import { readAccounts } from '../../src/accounts.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { Secret } from '../../src/lib/secret.ts';
import { keyDigestsOf, noteKeyDigest } from '../../src/operations/key-hashes.ts';
import { type KnownHashes, knownHashes, ownDigest, verdictOfHash } from '../../src/webhooks/hash.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';

const store = storeOfThisFile();
const hashOf = (key: string) => new Secret(createHash('sha512').update(key).digest('hex'));

interface Told {
  /** Keys that processes with them have started with, by fingerprint. */
  readonly noted?: Readonly<Record<string, string>>;
  /** Master key of the process that receives the callback. */
  readonly own?: string;
  readonly before?: readonly string[];
}

async function known({ noted = {}, own, before = [] }: Told): Promise<KnownHashes> {
  for (const [fingerprint, key] of Object.entries(noted)) {
    await noteKeyDigest(store.redis, { account: 'main', fingerprint }, new Secret(key));
  }
  const account = own === undefined ? { keysBefore: before } : { masterKey: new Secret(own), keysBefore: before };
  return knownHashes(await keyDigestsOf(store.redis, 'main'), account);
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

test('a text that is no hash is wrong, whatever is known', async () => {
  for (const told of [{}, { own: 'new' }]) {
    const hashes = await known(told);
    for (const text of ['', 'abc', '0'.repeat(127)])
      expect(verdictOfHash(new Secret(text), hashes)).toBe('hash_wrong');
  }
});

test('neither a key nor a hash that the provider posts is kept', async () => {
  await known({ noted: { f2: 'new' } });
  const kept = JSON.stringify(await store.redis.hgetall('account:main'));
  expect(kept).not.toContain('"new"');
  expect(kept).not.toContain(hashOf('new').reveal());
});

test('a process notes its master key when it starts, and a change of the key forgets none', async () => {
  for (const key of ['old', 'new']) {
    const config = loadConfig({ SERVICE_MASTER_KEY: key, SERVICE_PRIVATE_KEY: 'p', SERVICE_TOKEN: 't' });
    const part = stampPart(
      {
        config,
        book: readAccounts(config),
        redis: store.redis,
        patience: { clock: systemClock, logger: { warn: () => undefined } },
        quietly: () => undefined,
      },
      () => undefined,
    );
    const stop = await part.start();
    await stop();
  }
  const { digests } = knownHashes(await keyDigestsOf(store.redis, 'main'));
  expect(
    digests.map((digest) => verdictOfHash(hashOf('old'), { digests: [digest], areAll: true })).toSorted(),
  ).toEqual(['hash_right', 'hash_wrong']);
});
