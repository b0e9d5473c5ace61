import { createHash } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import type { Random } from '../../lib/random.ts';
import { type SealPlace, sealText, unsealText } from '../../lib/secret.ts';
import type { MessagingKeys, LoginEncoding, UpstreamAccount } from '../account.ts';
import { unasked } from '../exchange.ts';
import { type FailureCode, failures, type NotOk, type Verdict } from '../verdict.ts';
import { ALL_ENCODINGS, answerWithin, type LoggedIn, type LoginContext, logIn } from './login.ts';
import type { Pause, Refusal, StoredToken, TokenStore, TokenStores } from './token-store.ts';

/** A bearer is not used in the last part of its lifetime: 5 minutes or a tenth, but at most half. */
const MARGIN_MS = 300_000;
const MARGIN_PART = 0.1;
/** Renewed between 80 % and 90 % of its usable time, so that processes do not collide. */
const REFRESH_FROM = 0.8;
const REFRESH_SPREAD = 0.1;
const SHORTEST_MS = 1_000;
/** At most the time of one answer: an attempt has no more time, and occupies a slot meanwhile. */
const LONGEST_WAIT_MS = 20_000;
const AHEAD_RETRY_MS = 30_000;

/** Wrong keys: the provider locks accounts after repeated bad logins. All other failures are temporary. */
const PAUSE_CONFIG = { firstMs: 300_000, mostMs: 900_000 } as const;
const PAUSE_TRANSIENT = { firstMs: 1_000, mostMs: 60_000 } as const;

interface Bearer {
  readonly token: string;
  readonly generation: number;
  readonly usableForMs: number;
}

/** This process's copy, valid until its own monotonic deadline, with or without PostgreSQL. */
interface Copy {
  readonly token: string;
  readonly generation: number;
  readonly until: number;
  refreshAt: number;
}

interface TokenContext extends LoginContext {
  readonly tokenStores: TokenStores;
  readonly clock: Clock;
  readonly random: Random;
  readonly loginEncoding: 'auto' | LoginEncoding;
}

type Got = { readonly copy: Copy } | { readonly failure: NotOk };

interface Job {
  readonly account: UpstreamAccount;
  readonly keys: MessagingKeys;
  readonly place: string;
  readonly store: TokenStore;
}

export interface Tokens {
  bearer(account: UpstreamAccount, keys: MessagingKeys): Promise<Verdict<Bearer>>;
  /** The bearer of this generation was refused. */
  refused(account: UpstreamAccount, keys: MessagingKeys, generation: number): Promise<Refusal>;
}

/** One bearer per account for all processes: one login per lifetime, for any number of callers. */
export function createTokens(context: TokenContext): Tokens {
  return new SharedTokens(context);
}

class SharedTokens implements Tokens {
  readonly #context: TokenContext;
  readonly #copies = new Map<string, Copy>();
  readonly #underWay = new Map<string, Promise<Got>>();
  /** Hashing the account's identity for each SMS would cost more than the cache lookup. */
  readonly #jobs = new WeakMap<UpstreamAccount, Job>();

  constructor(context: TokenContext) {
    this.#context = context;
  }

  async bearer(account: UpstreamAccount, keys: MessagingKeys): Promise<Verdict<Bearer>> {
    const got = await this.#get(this.#jobFor(account, keys));
    if ('failure' in got) return got.failure;
    const { token, generation, until } = got.copy;
    const usableForMs = until - this.#context.clock.monotonic();
    const exchange = {
      operation: 'sms_login',
      account: account.name,
      code: 'ok',
      sent: 'never',
      durationMs: 0,
    } as const;
    return { is: 'ok', value: { token, generation, usableForMs }, exchange };
  }

  async refused(account: UpstreamAccount, keys: MessagingKeys, generation: number): Promise<Refusal> {
    const job = this.#jobFor(account, keys);
    if (this.#copies.get(job.place)?.generation === generation) this.#copies.delete(job.place);
    return job.store.invalidate(generation);
  }

  #jobFor(account: UpstreamAccount, keys: MessagingKeys): Job {
    const known = this.#jobs.get(account);
    if (known) return known;
    const credentials = digestOf(keys);
    const place = `sms:${account.name}:${credentials}:token`;
    const job = { account, keys, place, store: this.#context.tokenStores(account.name, credentials) };
    this.#jobs.set(account, job);
    return job;
  }

  async #get(job: Job): Promise<Got> {
    const now = this.#context.clock.monotonic();
    const copy = this.#copies.get(job.place);
    if (!copy || copy.until <= now) return this.#once(job, () => this.#obtain(job));
    if (copy.refreshAt > now || this.#underWay.has(job.place)) return { copy };
    return this.#once(job, () => this.#renewAhead(job, copy).catch((error: unknown) => goOnWithout(error, copy)));
  }

  /** All callers of this process share one run. */
  #once(job: Job, run: () => Promise<Got>): Promise<Got> {
    const running = this.#underWay.get(job.place) ?? run().finally(() => this.#underWay.delete(job.place));
    this.#underWay.set(job.place, running);
    return running;
  }

  /** Reads the bearer, otherwise logs in, otherwise waits for the process that is logging in. */
  async #obtain(job: Job): Promise<Got> {
    const { clock, random } = this.#context;
    const until = clock.monotonic() + Math.min(LONGEST_WAIT_MS, this.#context.timeoutMs);
    const owner = random.hex(16);
    while (clock.monotonic() < until) {
      const { token, pause } = await job.store.look();
      const copy = this.#adopt(job, token);
      if (copy) return { copy };
      if (pause) return { failure: paused(job.account, pause) };
      const got = (await job.store.lock(owner, lockedFor(this.#context)))
        ? await this.#logInUnlessNewer(job, owner)
        : undefined;
      if (got) return got;
      await clock.sleep(20 + random.fraction() * 30);
    }
    return { failure: unasked(job.account, 'sms_login', 'login_awaited') };
  }

  /** The copy is valid: one process renews it, and all others continue with it. */
  async #renewAhead(job: Job, copy: Copy): Promise<Got> {
    copy.refreshAt = this.#context.clock.monotonic() + AHEAD_RETRY_MS;
    const { token, pause } = await job.store.look();
    const newer = token && token.generation !== copy.generation ? this.#adopt(job, token) : undefined;
    if (newer) return { copy: newer };
    const owner = this.#context.random.hex(16);
    if (pause || !(await job.store.lock(owner, lockedFor(this.#context)))) return { copy };
    const got = await this.#logInUnlessNewer(job, owner, copy.generation);
    return got && 'copy' in got ? got : { copy };
  }

  /**
   * This process has the lock. The previous holder may have stored a bearer or a refusal since the first read: use
   * its bearer, or wait. Without this second read, eight processes that met one expiry logged in twice.
   */
  async #logInUnlessNewer(job: Job, owner: string, than?: number): Promise<Got | undefined> {
    const { token, pause } = await job.store.look();
    const newer = token && token.generation !== than ? this.#adopt(job, token) : undefined;
    if (!newer && !pause) return this.#logInAndStore(job, owner);
    await job.store.unlock(owner);
    return newer ? { copy: newer } : pause && { failure: paused(job.account, pause) };
  }

  /** This process has the lock: log in, store, release. undefined if the lock was lost meanwhile. */
  async #logInAndStore(job: Job, owner: string): Promise<Got | undefined> {
    const { clock, random, loginEncoding } = this.#context;
    const started = clock.monotonic();
    const { verdict, encoding } = await logIn(this.#context, job.account, job.keys, await this.#encodings(job.store));
    if (verdict.is !== 'ok') return { failure: await afterFailure(job, owner, verdict) };
    if (encoding && loginEncoding === 'auto') await job.store.rememberEncoding(encoding);
    // Counted from before the request: the bearer was created during it.
    const remainingMs = Math.max(usableFor(verdict.value) - (clock.monotonic() - started), SHORTEST_MS);
    const sealed = sealText(verdict.value.token, job.keys.secretKey, bearerAt(job.place), random);
    const generation = await job.store.store(owner, sealed, Math.round(remainingMs));
    if (generation === 0) return undefined;
    return { copy: this.#keep(job, verdict.value.token, generation, { remainingMs, usableMs: remainingMs }) };
  }

  async #encodings(store: TokenStore): Promise<readonly LoginEncoding[]> {
    const { loginEncoding } = this.#context;
    if (loginEncoding !== 'auto') return [loginEncoding];
    const winner = await store.encoding();
    return ALL_ENCODINGS.toSorted((a, b) => Number(b === winner) - Number(a === winner));
  }

  #adopt(job: Job, stored: StoredToken | undefined): Copy | undefined {
    const token = stored && unsealText(stored.sealed, [job.keys.secretKey], bearerAt(job.place));
    return stored && token !== undefined ? this.#keep(job, token, stored.generation, stored) : undefined;
  }

  #keep(job: Job, token: string, generation: number, life: Pick<StoredToken, 'remainingMs' | 'usableMs'>): Copy {
    const now = this.#context.clock.monotonic();
    const spent = life.usableMs - life.remainingMs;
    const part = REFRESH_FROM + this.#context.random.fraction() * REFRESH_SPREAD;
    const copy = { token, generation, until: now + life.remainingMs, refreshAt: now + life.usableMs * part - spent };
    this.#copies.set(job.place, copy);
    return copy;
  }
}

async function afterFailure(job: Job, owner: string, failure: NotOk): Promise<NotOk> {
  const { firstMs, mostMs } = failure.is === 'config' ? PAUSE_CONFIG : PAUSE_TRANSIENT;
  const retryAfterMs = await job.store.pause(owner, failure, firstMs, mostMs);
  return failure.is === 'held' ? failure : { ...failure, retryAfterMs };
}

function usableFor({ lifeMs }: LoggedIn): number {
  const margin = Math.min(Math.max(MARGIN_MS, lifeMs * MARGIN_PART), lifeMs / 2);
  return Math.max(Math.round(lifeMs - margin), SHORTEST_MS);
}

/** PostgreSQL is away: the copy is valid until its own deadline, and unshared logins would overload the provider. */
function goOnWithout(error: unknown, copy: Copy): Got {
  if (error instanceof Error) return { copy };
  throw error;
}

/** The pause that another process recorded after a refusal. */
function paused(account: UpstreamAccount, { is, code, remainingMs }: Pause): NotOk {
  const known: FailureCode = Object.hasOwn(failures, code) ? (code as FailureCode) : 'login_awaited';
  const told = unasked(account, 'sms_login', known);
  if (told.is === 'held') return told;
  return { ...told, is: is === 'config' ? 'config' : 'transient', code: known, retryAfterMs: remainingMs };
}

/** Encrypted with the account's secret key: a reader with that key could log in anyway. */
function bearerAt(place: string): SealPlace {
  return { purpose: 'sms bearer', place };
}

/** How long one process may take to log in before another may try: it tries each encoding, and stores. */
const LONGEST_LOCK_MS = 15_000;
const STORED_IN_MS = 1_000;
const lockedFor = (context: Pick<LoginContext, 'timeoutMs'>): number =>
  Math.min(LONGEST_LOCK_MS, ALL_ENCODINGS.length * answerWithin(context) + STORED_IN_MS);

function digestOf({ userKey, secretKey }: MessagingKeys): string {
  return createHash('sha256').update(`${userKey.reveal()}\n${secretKey.reveal()}`).digest('hex').slice(0, 12);
}
