/**
 * The keys of callers: `name[/person]:role+role[@account+account]:secret` or `…:sha256:<hex>`, several separated by
 * commas.
 */
import { hash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../lib/clock.ts';
import { comparable } from '../lib/letters.ts';
import type { MadeKey } from '../ledger/api-keys.ts';
import type { Session } from '../ledger/sessions.ts';
import { type Message, message } from '../messages/message.ts';
import { MessageError } from '../messages/texts.ts';

/** `admin` makes keys and reads the audit, and implies none of the others. `enqueue` means both narrower roles. */
export const roles = ['enqueue', 'enqueue-sms', 'enqueue-payments', 'read', 'approve', 'operate', 'admin'] as const;
export type Role = (typeof roles)[number];

/** The roles of which each gives this right, the widest first. */
export function rolesWith(role: Role): readonly Role[] {
  return role === 'enqueue-sms' || role === 'enqueue-payments' ? ['enqueue', role] : [role];
}

export function hasRole(key: Pick<ApiKey, 'roles'>, role: Role): boolean {
  return rolesWith(role).some((one) => key.roles.has(one));
}

const isRole = (text: string): text is Role => roles.some((role) => role === text);

export interface ApiKey {
  /** Of one that was made while relais runs. */
  readonly id?: string;
  readonly name: string;
  readonly roles: ReadonlySet<Role>;
  /** Absent: every account. */
  readonly accounts?: ReadonlySet<string>;
  /** Whose it is, a person or a service. Absent: that of somebody who is called as the key is. */
  readonly person?: string;
  /** ms since the epoch; from then on it is none. */
  readonly expiresAt?: number;
  /** SHA-256 of the secret: the secret itself is not kept. Two keys may have one name, while it is rotated. */
  readonly digest: Buffer;
  /** The session of the console through which it asks, if so. */
  readonly session?: Session;
}

/** Whose key it is. Nobody approves what they asked for themselves, and that is about people: two keys of one are one. */
export function personOf({ name, person }: Pick<ApiKey, 'name' | 'person'>): string {
  return person ?? name;
}

/**
 * Throws an Error that names each entry that cannot be read, never its secret. How long the secret behind a hash is
 * cannot be seen.
 */
export function readApiKeys(text: string, shortest = 1): ApiKey[] {
  const problems: Message[] = [];
  const keys = text.split(',').flatMap((entry, index) => {
    const key = readKey(entry.trim(), shortest);
    if (!('code' in key)) return [key];
    problems.push(message('entry', { number: index + 1, problem: key }));
    return [];
  });
  problems.push(...sharedSecrets(keys), ...sharedNames(keys));
  if (problems.length > 0) {
    throw new MessageError(message('api_keys', { problems }));
  }
  return keys;
}

/** A secret that two keys share would be the key that is listed last: neither limits nor authors would be right. */
function sharedSecrets(keys: readonly ApiKey[]): Message[] {
  return keys.flatMap((key, at) => {
    const twin = keys.findIndex(({ digest }) => digest.equals(key.digest));
    return twin < at ? [message('same_secret', { name: key.name, other: keys[twin]?.name ?? '' })] : [];
  });
}

/** Rates, endpoints and the audit go by the name of a key: it is of one person. */
function sharedNames(keys: readonly ApiKey[]): Message[] {
  return keys.flatMap((key, at) => {
    const other = keys.slice(0, at).find(({ name }) => name === key.name);
    if (!other || personOf(other) === personOf(key)) return [];
    const taken = message('name_taken', { name: key.name, person: personOf(other) });
    return [message('entry', { number: at + 1, problem: taken })];
  });
}

function readKey(entry: string, shortest: number): ApiKey | Message {
  const [, name, person, roleList = '', accountList, secret = ''] =
    /^([\w.-]{1,64})(?:\/([\w.@+-]{1,64}))?:([a-z+-]+)(?:@([\w+-]+))?:(.+)$/.exec(entry) ?? [];
  if (name === undefined) return message('not_that_form');
  const rights = readRights(roleList, accountList);
  if ('code' in rights) return rights;
  const [, hex] = /^sha256:([0-9a-f]{64})$/i.exec(secret) ?? [];
  if (hex === undefined && secret.startsWith('sha256:')) return message('sha256_form');
  if (hex === undefined && secret.length < shortest) {
    return message('key_secret_short', { name, length: secret.length, least: shortest });
  }
  return {
    name,
    ...(person ? { person } : {}),
    ...rights,
    digest: hex === undefined ? digestOf(secret) : Buffer.from(hex, 'hex'),
  };
}

/** What people of one group of the provider of identities may. */
export interface Group extends Pick<ApiKey, 'roles' | 'accounts'> {
  readonly group: string;
}

/** `group:role+role[@account+account]`, several separated by commas. Throws an Error that names each that cannot be read. */
export function readGroups(text: string): Group[] {
  const problems: Message[] = [];
  const groups = text.split(',').flatMap((entry, index) => {
    const group = readGroup(entry.trim());
    if (!('code' in group)) return [group];
    problems.push(message('entry', { number: index + 1, problem: group }));
    return [];
  });
  const twice = groups.filter(({ group }, at) => groups.findIndex((one) => one.group === group) < at);
  problems.push(...twice.map(({ group }) => message('group_twice', { group })));
  if (problems.length === 0) return groups;
  throw new MessageError(message('groups', { problems }));
}

function readGroup(entry: string): Group | Message {
  const [, group, roleList = '', accountList] = /^([^:]{1,128}):([a-z+-]+)(?:@([\w+-]+))?$/.exec(entry) ?? [];
  if (group === undefined) return message('not_that_form');
  const rights = readRights(roleList, accountList);
  return 'code' in rights ? rights : { group, ...rights };
}

/** Roles and accounts as they are written, or why they cannot be read. */
function readRights(roleList: string, accountList = ''): Pick<ApiKey, 'roles' | 'accounts'> | Message {
  const given = roleList.split('+');
  const known = given.filter(isRole);
  const unknown = given.filter((role) => !isRole(role));
  if (unknown.length > 0) return message('not_a_role', { names: unknown.join(', '), roles: roles.join(', ') });
  return { roles: new Set(known), ...(accountList ? { accounts: new Set(accountList.split('+')) } : {}) };
}

export function digestOf(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/** Looks at every key, whichever fits, so that the time taken tells nothing. */
export function findKey(keys: readonly ApiKey[], secret: string): ApiKey | undefined {
  const digest = digestOf(secret);
  let found: ApiKey | undefined;
  for (const key of keys) if (timingSafeEqual(key.digest, digest)) found = key;
  return found;
}

export function mayUseAccount(key: ApiKey, account: string): boolean {
  return key.accounts === undefined || key.accounts.has(account);
}

/**
 * The keys that may ask: those of the settings, and those that were made while relais runs. The latter are read again
 * each second, so that no request waits for PostgreSQL; what was read longer ago than two seconds counts for nothing,
 * and is read anew before it is believed. So a key that is revoked ends within three seconds in every process, whatever
 * became of its connection.
 */

/** What every secret that is made here begins with. */
export const MADE = 'rk_';
const FRESH_MS = 2_000;

interface KeyRingOptions {
  /** Of the settings. */
  readonly fixed: readonly ApiKey[];
  readonly read: () => Promise<readonly MadeKey[]>;
  /** Of a person that came by a provider of identities under several names: the person, and one of them. Absent: nobody does. */
  readonly alsoCalled?: (() => Promise<readonly (readonly [person: string, address: string])[]>) | undefined;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
}

export class KeyRing {
  readonly #options: KeyRingOptions;
  #made: readonly ApiKey[] = [];
  /** Which person made a key for which holder, those that are revoked too. */
  #hands: readonly (readonly [maker: string, person: string])[] = [];
  #readMono = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;
  readonly #listeners = new Set<() => void>();

  constructor(options: KeyRingOptions) {
    this.#options = options;
  }

  get fixed(): readonly ApiKey[] {
    return this.#options.fixed;
  }

  /** A promise only where what is known is too old to be believed. */
  find(secret: string): ApiKey | undefined | Promise<ApiKey | undefined> {
    const { fixed, clock } = this.#options;
    if (!secret.startsWith(MADE)) return findKey(fixed, secret);
    if (clock.monotonic() - this.#readMono < FRESH_MS) return this.#findMade(secret);
    return this.#believable().then(() => this.#findMade(secret));
  }

  /** Every key that is one now. */
  async current(): Promise<readonly ApiKey[]> {
    const { fixed, clock } = this.#options;
    await this.#believable();
    const now = clock.now();
    return [...fixed, ...this.#made.filter(({ expiresAt = Infinity }) => expiresAt > now)];
  }

  /** Reads them again; asked for while that is under way, it is the same reading. */
  refresh(): Promise<void> {
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  /** The same, of what goes on by itself: where that is known too badly, it is read anew. */
  async stillHolds(key: ApiKey): Promise<boolean> {
    if (key.id !== undefined) await this.#believable();
    return this.holds(key);
  }

  /** Whether a key that was right when it asked still is. */
  holds({ id, expiresAt }: ApiKey): boolean {
    const expired = expiresAt !== undefined && expiresAt <= this.#options.clock.now();
    return id === undefined || (!expired && this.#made.some((one) => one.id === id));
  }

  /** Told after each reading, for what goes on for long. The function that is returned ends it. */
  onRead(run: () => void): () => void {
    this.#listeners.add(run);
    return () => void this.#listeners.delete(run);
  }

  /**
   * Everybody whose doing counts as that of this key: of one person, or of one who made the other's key and so has known
   * its secret, also over keys between them. A person that came by a provider of identities with another person's address may be that
   * one too. In small letters: an address is the same however it is written, one in a setting, one by a provider.
   * Read anew, since the key may have been made a moment ago, and by another process.
   */
  async onesWith(key: ApiKey): Promise<readonly string[]> {
    // One that is under way may have begun before that; what becomes of it is told where it was begun.
    await this.#reading?.catch(() => undefined);
    await this.refresh();
    const own = comparable(personOf(key));
    const called = (await this.#options.alsoCalled?.()) ?? [];
    const same = called.map(([person, address]) => [comparable(person), comparable(address)] as const);
    const both = [...same, ...same.map(([person, address]) => [address, person] as const)];
    const made = reached(own, [...both, ...this.#hands]);
    const madeBy = reached(own, [...both, ...this.#hands.map(([maker, person]) => [person, maker] as const)]);
    return [...new Set([...made, ...madeBy])];
  }

  /** Whether what one asked for is the other's too. */
  async isOne(key: ApiKey, by: string): Promise<boolean> {
    return (await this.onesWith(key)).includes(comparable(by));
  }

  /** A reading that was under way for long, while PostgreSQL hung say, ends with what was true when it began. */
  async #believable(): Promise<void> {
    const askedMono = this.#options.clock.monotonic();
    while (askedMono - this.#readMono >= FRESH_MS) await this.refresh();
  }

  async #read(): Promise<void> {
    const { clock, read } = this.#options;
    const startedMono = clock.monotonic();
    const all = await read();
    this.#made = all.flatMap(asKey);
    this.#hands = all.map((key) => [comparable(key.madeBy), comparable(personOf(ownerOf(key)))] as const);
    this.#readMono = startedMono;
    for (const run of this.#listeners) run();
  }

  #findMade(secret: string): ApiKey | undefined {
    const key = findKey(this.#made, secret);
    return key?.expiresAt !== undefined && key.expiresAt <= this.#options.clock.now() ? undefined : key;
  }
}

/** It, and all that are reached from it. */
function reached(from: string, arrows: readonly (readonly [from: string, to: string])[]): ReadonlySet<string> {
  const all = new Set([from]);
  // What is put into a set while it is walked is walked too.
  for (const one of all) for (const [begin, end] of arrows) if (begin === one) all.add(end);
  return all;
}

const ownerOf = ({ name, person, service }: MadeKey) => ({ name, person: person ?? service ?? name });

function asKey(key: MadeKey): ApiKey[] {
  const { id, accounts, digest, expiresAt, revokedAt } = key;
  if (digest === undefined || revokedAt !== undefined) return [];
  return [
    {
      ...ownerOf(key),
      id,
      roles: new Set(key.roles.filter(isRole)),
      ...(accounts ? { accounts: new Set(accounts) } : {}),
      ...(expiresAt === undefined ? {} : { expiresAt }),
      digest: Buffer.from(digest, 'hex'),
    },
  ];
}

/**
 * How often wrong keys are heard out: twenty a minute from one address, two hundred in all. After that they are told to
 * wait, and a right key among them still gets in: nobody can lock a caller out by guessing beside it, from behind the
 * same proxy say.
 *
 * Counted by each process for itself, since it has to hold while PostgreSQL is away; what is kept is bounded by the
 * limit in all.
 */

const WINDOW_MS = 60_000;
const MOST_OF_ADDRESS = 20;
const MOST_IN_ALL = 200;

export class WrongKeys {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #endsMono = 0;
  #all = 0;
  readonly #byAddress = new Map<string, number>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Counts a wrong key. 0: say that it is wrong. Otherwise the ms until another one is heard out. */
  refused(address: string): number {
    const now = this.#clock.monotonic();
    if (now >= this.#endsMono) {
      this.#endsMono = now + WINDOW_MS;
      this.#all = 0;
      this.#byAddress.clear();
    }
    const ofAddress = this.#byAddress.get(address) ?? 0;
    if (this.#all >= MOST_IN_ALL || ofAddress >= MOST_OF_ADDRESS) return this.#endsMono - now;
    this.#all += 1;
    this.#byAddress.set(address, ofAddress + 1);
    return 0;
  }
}
