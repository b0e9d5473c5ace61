/**
 * Signing in by a provider of identities (OpenID Connect) instead of a key. What a person may follows from the first
 * group of `OIDC_GROUPS` that the provider says they are in; the session that begins is of the same kind as any other.
 *
 * What was sent along to the provider comes back in a cookie that only relais can read or make: strangers fill no
 * memory here, and whichever process is asked can go on.
 */
import { createHmac } from 'node:crypto';
import type { Request } from 'express';
import { z } from 'zod';
import { clientAddressOf } from '../lib/bounded-server.ts';
import type { Clock } from '../lib/clock.ts';
import type { Random } from '../lib/random.ts';
import { type Secret, sealText, unsealText } from '../lib/secret.ts';
import { TokenBucket } from '../lib/token-bucket.ts';
import type { Persons } from '../ledger/persons.ts';
import type { Session } from '../ledger/sessions.ts';
import { type ApiKey, type Group, WrongKeys } from './keys.ts';
import { begunCookieIn } from './session-cookie.ts';

/** What must come back as it was sent, or belongs to what was. */
const sent = z.object({ state: z.string(), nonce: z.string(), verifier: z.string() });
export type Sent = z.output<typeof sent>;

/** What the provider says, once all that it says was checked. */
export interface Identity {
  readonly sub: string;
  /** Only one that the provider has verified. */
  readonly email: string | undefined;
  readonly groups: readonly string[];
  /** When the person last showed there who they are (ms since the epoch); undefined: it does not say. */
  readonly authAt: number | undefined;
}

export interface IdentityProvider {
  /** What people see of it. */
  readonly host: string;
  /** Where a browser goes. `again`: the provider asks, however lately it did. Rejects with `NotSignedIn`. */
  begin(wish: {
    readonly back: string;
    readonly again: boolean;
  }): Promise<{ readonly url: string; readonly sent: Sent }>;
  /** `came`: the address with which the browser came back. Rejects with `NotSignedIn`. */
  finish(came: URL, wish: { readonly sent: Sent; readonly again: boolean }): Promise<Identity>;
}

/** As the console has words for it. */
export type WhyNot = 'away' | 'no-group' | 'not-begun' | 'refused' | 'not-again' | 'too-many' | 'failed';

export class NotSignedIn extends Error {
  override readonly name = 'NotSignedIn';
  readonly why: WhyNot;

  constructor(why: WhyNot, detail: string, options?: ErrorOptions) {
    super(detail, options);
    this.why = why;
  }
}

const begun = z.object({
  sent,
  /** The address where the browser comes back. */
  back: z.string(),
  /** The page of the console where it goes on. */
  at: z.string(),
  again: z.boolean(),
  /** The session that ends where the new one begins: its cookie does not come along from another site. */
  before: z.string().optional(),
  until: z.number(),
});

interface Beginning {
  readonly origin: string;
  readonly at: string;
  readonly again: boolean;
  readonly before: Session | undefined;
}

interface SignedIn {
  readonly key: ApiKey;
  readonly group: string;
  /** What the provider calls them. */
  readonly subject: string;
  readonly at: string;
  readonly before: { readonly place: string } | undefined;
  readonly confirmedAt: number;
  readonly isSecure: boolean;
}

interface ProviderDoorOptions {
  readonly provider: IdentityProvider;
  readonly issuer: string;
  /** That of the client at the provider: what is bound to it nobody else can make. */
  readonly secret: Secret;
  readonly groups: readonly Group[];
  readonly persons: Pick<Persons, 'bind'>;
  readonly clock: Clock;
  /** Must be the system's. */
  readonly random: Random;
  readonly onRefused: (why: WhyNot, detail: string) => void;
}

const CALLBACK = '/v1/session/callback';
const BEGUN_MS = 10 * 60_000;
/** An address has at most 254 characters, and a `sub` 255. */
const PERSON_MOST = 255;

/**
 * How often the provider is asked about what browsers come back with. A code that somebody made up looks like any
 * other, and anybody may begin to sign in, so it is bounded for all together: the provider is not ours to flood.
 */
const ASKED = { burst: 40, perSecond: 2 };

export class ProviderDoor {
  readonly #options: ProviderDoorOptions;
  readonly #asking: TokenBucket;
  /** A browser that comes back with something wrong is heard as seldom as one that shows wrong keys. */
  readonly #wrong: WrongKeys;
  readonly callback = CALLBACK;

  constructor(options: ProviderDoorOptions) {
    this.#options = options;
    this.#wrong = new WrongKeys(options.clock);
    this.#asking = new TokenBucket(options.clock, ASKED);
  }

  get host(): string {
    return this.#options.provider.host;
  }

  async begin({ origin, at, again, before }: Beginning): Promise<{ readonly url: string; readonly cookie: string }> {
    const { provider, clock } = this.#options;
    const back = `${origin}${CALLBACK}`;
    const { url, sent: kept } = await provider.begin({ back, again });
    const place = before && { before: before.place };
    return { url, cookie: this.#seal({ sent: kept, back, at, again, until: clock.now() + BEGUN_MS, ...place }) };
  }

  /** Rejects with `NotSignedIn`, and tells why. */
  async finish(request: Request): Promise<SignedIn> {
    try {
      return await this.#finish(request);
    } catch (error) {
      if (!(error instanceof NotSignedIn) || error.why === 'too-many') throw error;
      const wait = error.why === 'away' ? 0 : this.#wrong.refused(clientAddressOf(request));
      // Anybody may come back with anything: what is not heard out is not written down either.
      if (wait > 0) throw new NotSignedIn('too-many', 'too many came back with something wrong');
      this.#options.onRefused(error.why, error.message);
      throw error;
    }
  }

  /** Undefined: it was begun with a key, or its group may nothing here any more. */
  keyOf(session: Session): ApiKey | undefined {
    const { provider: by } = session;
    const group = by && this.#options.groups.find((one) => one.group === by.group);
    const key = by?.subject !== undefined && group && this.#keyFor({ ...by, subject: by.subject }, group);
    return key && session.isOf(key) ? key : undefined;
  }

  async #finish(request: Request): Promise<SignedIn> {
    const { provider, clock, persons, issuer } = this.#options;
    const cookie = begunCookieIn(request.headers);
    const kept = cookie && this.#unseal(cookie.id);
    if (!cookie || !kept)
      throw new NotSignedIn('not-begun', 'nobody began to sign in with this browser, or too long ago');
    const came = new URL(kept.back);
    came.search = new URLSearchParams(new URL(request.url, kept.back).search).toString();
    // Before anybody is asked: somebody may have been made to come back with another person's word.
    if (came.searchParams.get('state') !== kept.sent.state) {
      throw new NotSignedIn('not-begun', 'the state that came back is not the one that was sent');
    }
    if (!this.#asking.take()) throw new NotSignedIn('too-many', 'the provider would be asked too often');
    const identity = await provider.finish(came, kept);
    // What came to something costs nobody a token.
    this.#asking.giveBack();
    const { sub: subject } = identity;
    const address = identity.email?.toLowerCase();
    const group = this.#options.groups.find((one) => identity.groups.includes(one.group));
    if (!group || subject.length > PERSON_MOST || (address ?? '').length > PERSON_MOST)
      throw new NotSignedIn('no-group', noGroup(identity));
    const person = await persons.bind({ issuer, sub: subject, address });
    return {
      key: this.#keyFor({ person, subject }, group),
      group: group.group,
      subject,
      at: kept.at,
      before: kept.before === undefined ? undefined : { place: kept.before },
      // What it does not say was not now.
      confirmedAt: Math.min(identity.authAt ?? 0, clock.now()),
      isSecure: cookie.isSecure,
    };
  }

  /** No name of a key has a colon: what goes by names is never shared with one. */
  #keyFor(
    { person, subject }: { readonly person: string; readonly subject: string },
    { group, roles, accounts }: Group,
  ): ApiKey {
    const { secret, issuer } = this.#options;
    const digest = createHmac('sha256', `relais session ${secret.reveal()}`)
      .update(JSON.stringify([issuer, subject, person, group]))
      .digest();
    return { name: `oidc:${person}`, person, roles, ...(accounts ? { accounts } : {}), digest };
  }

  #seal(what: z.output<typeof begun>): string {
    const { secret, random, issuer } = this.#options;
    const sealed = sealText(JSON.stringify(what), secret, { purpose: 'sign-in', place: issuer }, random);
    return Buffer.from(sealed, 'base64').toString('base64url');
  }

  #unseal(cookie: string): z.output<typeof begun> | undefined {
    const { secret, issuer, clock } = this.#options;
    const sealed = Buffer.from(cookie, 'base64url').toString('base64');
    const text = unsealText(sealed, [secret], { purpose: 'sign-in', place: issuer });
    const kept = text === undefined ? undefined : begun.parse(JSON.parse(text));
    return kept && kept.until > clock.now() ? kept : undefined;
  }
}

/** Group names are told to the log alone: operators have to know what the provider sends. */
function noGroup({ sub, groups }: Identity): string {
  const told =
    groups.length === 0 ? 'the provider names no group' : `the provider names ${groups.slice(0, 20).join(', ')}`;
  return `none of the groups of ${sub.slice(0, 80)} is in OIDC_GROUPS: ${told}`;
}
