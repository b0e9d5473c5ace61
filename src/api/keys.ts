/** The callers' keys: `name[/person]:role+role[@account+account]:secret` or `…:sha256:<hex>`, separated by commas. */
import { hash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../lib/clock.ts';
import { comparable } from '../lib/letters.ts';
import type { MadeKey } from '../ledger/api-keys.ts';
import type { Session } from '../ledger/sessions.ts';
import { type Message, message } from '../messages/message.ts';
import { MessageError } from '../messages/texts.ts';

/**
 * `admin` creates keys and reads the audit log, and includes no other role. `enqueue` includes both narrower roles.
 */
export const roles = ['enqueue', 'enqueue-sms', 'enqueue-payments', 'read', 'approve', 'operate', 'admin'] as const;
export type Role = (typeof roles)[number];

/** The roles that include this one, widest first. */
export function rolesWith(role: Role): readonly Role[] {
  return role === 'enqueue-sms' || role === 'enqueue-payments' ? ['enqueue', role] : [role];
}

export function hasRole(key: Pick<ApiKey, 'roles'>, role: Role): boolean {
  return rolesWith(role).some((one) => key.roles.has(one));
}

const isRole = (text: string): text is Role => roles.some((role) => role === text);

export interface ApiKey {
  /** Only for a key created at run time. */
  readonly id?: string;
  readonly name: string;
  readonly roles: ReadonlySet<Role>;
  /** Absent: every account. */
  readonly accounts?: ReadonlySet<string>;
  /** The person or program that holds it. Absent: its holder has the name of the key. */
  readonly person?: string;
  /** ms since the epoch; invalid from then on. */
  readonly expiresAt?: number;
  /** SHA-256 of the secret, which itself is not stored. During a rotation two keys may have one name. */
  readonly digest: Buffer;
  /** The console session of the request, if any. */
  readonly session?: Session;
}

/**
 * The holder of a key. A person cannot approve their own request, and this applies to people: two keys of one person count as
 * one.
 */
export function personOf({ name, person }: Pick<ApiKey, 'name' | 'person'>): string {
  return person ?? name;
}

/**
 * Throws an Error that names each invalid entry, never its secret. The length of a secret behind a hash is unknown.
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

/** With a shared secret the last listed key would be used, with wrong limits and authors. */
function sharedSecrets(keys: readonly ApiKey[]): Message[] {
  return keys.flatMap((key, at) => {
    const twin = keys.findIndex(({ digest }) => digest.equals(key.digest));
    return twin < at ? [message('same_secret', { name: key.name, other: keys[twin]?.name ?? '' })] : [];
  });
}

/** Rates, endpoints and the audit log refer to the name of a key, so a name belongs to one person. */
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

/** The rights of one group of the identity provider. */
export interface Group extends Pick<ApiKey, 'roles' | 'accounts'> {
  readonly group: string;
}

/** `group:role+role[@account+account]`, separated by commas. Throws an Error that names each invalid entry. */
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

/** Parsed roles and accounts, or the error. */
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

/** Compares with every key, so that the time reveals nothing. */
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
 * Valid keys: those of the settings, and those created at run time. The latter are read again each second, so that no
 * request waits for PostgreSQL. A cache older than two seconds is not trusted and is read again first. So a revoked
 * key ends within three seconds in every process, whatever happens to its connection.
 */

/** The prefix of every generated secret. */
export const MADE = 'rk_';
const FRESH_MS = 2_000;

interface KeyRingOptions {
  /** From the settings. */
  readonly fixed: readonly ApiKey[];
  readonly read: () => Promise<readonly MadeKey[]>;
  /** Names that belong to the same identity-provider user: the person, and one name. Absent: there are none. */
  readonly alsoCalled?: (() => Promise<readonly (readonly [person: string, address: string])[]>) | undefined;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
}

export class KeyRing {
  readonly #options: KeyRingOptions;
  #made: readonly ApiKey[] = [];
  /** Which person created a key for which holder, including revoked keys. */
  #hands: readonly (readonly [maker: string, person: string])[] = [];
  #readMono = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;
  /** The reading after the one that is under way. */
  #next: Promise<void> | undefined;
  readonly #listeners = new Set<() => void>();

  constructor(options: KeyRingOptions) {
    this.#options = options;
  }

  get fixed(): readonly ApiKey[] {
    return this.#options.fixed;
  }

  /** A promise only if the cache is too old to be trusted. */
  find(secret: string): ApiKey | undefined | Promise<ApiKey | undefined> {
    const { fixed, clock } = this.#options;
    if (!secret.startsWith(MADE)) return findKey(fixed, secret);
    if (clock.monotonic() - this.#readMono < FRESH_MS) return this.#findMade(secret);
    return this.#believable().then(() => this.#findMade(secret));
  }

  /** Every valid key. */
  async current(): Promise<readonly ApiKey[]> {
    const { fixed, clock } = this.#options;
    await this.#believable();
    const now = clock.now();
    return [...fixed, ...this.#made.filter(({ expiresAt = Infinity }) => expiresAt > now)];
  }

  /** Reads the keys. The reading begins after the call: one that is under way may lack the newest key. */
  refresh(): Promise<void> {
    if (this.#reading === undefined) return this.#begin();
    this.#next ??= this.#reading.catch(() => undefined).then(() => this.#begin());
    return this.#next;
  }

  #begin(): Promise<void> {
    this.#next = undefined;
    this.#reading = this.#read().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  /** Like `holds`, for long-running requests: reads again if the cache is too old. */
  async stillHolds(key: ApiKey): Promise<boolean> {
    if (key.id !== undefined) await this.#believable();
    return this.holds(key);
  }

  /** Whether a key that was valid at the request still is. */
  holds({ id, expiresAt }: ApiKey): boolean {
    const expired = expiresAt !== undefined && expiresAt <= this.#options.clock.now();
    return id === undefined || (!expired && this.#made.some((one) => one.id === id));
  }

  /** Called after each read, for long-running requests. The returned function ends it. */
  onRead(run: () => void): () => void {
    this.#listeners.add(run);
    return () => void this.#listeners.delete(run);
  }

  /**
   * All identities that count as this key's person: the same person, or a person who created the other's key and so
   * has known its secret, also across several keys. An identity-provider user with another person's address may be
   * that person too. In lower case, because addresses are case-insensitive. Reads again, since another process may
   * have just created a key.
   */
  async onesWith(key: ApiKey): Promise<readonly string[]> {
    await this.refresh();
    const own = comparable(personOf(key));
    const called = (await this.#options.alsoCalled?.()) ?? [];
    const same = called.map(([person, address]) => [comparable(person), comparable(address)] as const);
    const both = [...same, ...same.map(([person, address]) => [address, person] as const)];
    const made = reached(own, [...both, ...this.#hands]);
    const madeBy = reached(own, [...both, ...this.#hands.map(([maker, person]) => [person, maker] as const)]);
    return [...new Set([...made, ...madeBy])];
  }

  /** Whether requests of one count as the other's. */
  async isOne(key: ApiKey, by: string): Promise<boolean> {
    return (await this.onesWith(key)).includes(comparable(by));
  }

  /** A read that took long, for example while PostgreSQL hung, returns the state at its start. */
  async #believable(): Promise<void> {
    const askedMono = this.#options.clock.monotonic();
    while (askedMono - this.#readMono >= FRESH_MS) await (this.#reading ?? this.refresh());
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

/** The start, and everything reachable from it. */
function reached(from: string, arrows: readonly (readonly [from: string, to: string])[]): ReadonlySet<string> {
  const all = new Set([from]);
  // Items added to a set during its iteration are iterated too.
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
 * Limit of wrong keys: twenty a minute from one address, two hundred in all. Later ones must wait, and a valid key
 * among them is still accepted: guessing cannot lock out a caller behind the same proxy.
 *
 * Counted per process, since it must work while PostgreSQL is away; the total limit bounds the memory.
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

  /** Counts a wrong key. 0: answer that it is wrong. Otherwise the ms until the next one is checked. */
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
