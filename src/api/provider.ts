/**
 * Sign-in with an identity provider (OpenID Connect) instead of a key. The first group of `OIDC_GROUPS` that the
 * provider names decides the rights; the session is like any other.
 *
 * The state of the sign-in returns in a cookie that only relais can read or create: unknown clients use no memory
 * here, and any process can continue.
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

/** Values that must return unchanged, or belong to them. */
const sent = z.object({ state: z.string(), nonce: z.string(), verifier: z.string() });
export type Sent = z.output<typeof sent>;

/** The identity provider's claims, after all checks. */
export interface Identity {
  readonly sub: string;
  /** Only an address verified by the provider. */
  readonly email: string | undefined;
  readonly groups: readonly string[];
  /** When the user last authenticated there (ms since the epoch); undefined: not stated. */
  readonly authAt: number | undefined;
}

export interface IdentityProvider {
  /** Displayed name of the provider. */
  readonly host: string;
  /** The redirect address. `again`: forces a new authentication. Rejects with `NotSignedIn`. */
  begin(wish: {
    readonly back: string;
    readonly again: boolean;
  }): Promise<{ readonly url: string; readonly sent: Sent }>;
  /** `came`: the address with which the browser returned. Rejects with `NotSignedIn`. */
  finish(came: URL, wish: { readonly sent: Sent; readonly again: boolean }): Promise<Identity>;
}

/** Keys of the console's texts. */
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
  /** The address to which the browser returns. */
  back: z.string(),
  /** The next page of the console. */
  at: z.string(),
  again: z.boolean(),
  /** The session that the new one replaces: its cookie is not sent from another site. */
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
  /** The provider's id of the user. */
  readonly subject: string;
  readonly at: string;
  readonly before: { readonly place: string } | undefined;
  readonly confirmedAt: number;
  readonly isSecure: boolean;
}

interface ProviderDoorOptions {
  readonly provider: IdentityProvider;
  readonly issuer: string;
  /** The client secret: only its holders can create values bound to it. */
  readonly secret: Secret;
  readonly groups: readonly Group[];
  readonly persons: Pick<Persons, 'bind'>;
  readonly clock: Clock;
  /** Must be the system's generator. */
  readonly random: Random;
  readonly onRefused: (why: WhyNot, detail: string) => void;
}

const CALLBACK = '/v1/session/callback';
const BEGUN_MS = 10 * 60_000;
/** An address has at most 254 characters, and a `sub` 255. */
const PERSON_MOST = 255;

/**
 * The rate of requests to the provider for returning browsers. An invented code looks like a real one, and any client
 * can begin a sign-in, so the rate is limited in all: relais must not flood the provider.
 */
const ASKED = { burst: 40, perSecond: 2 };

export class ProviderDoor {
  readonly #options: ProviderDoorOptions;
  readonly #asking: TokenBucket;
  /** Limits failed returns like wrong keys. */
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

  /** Rejects with `NotSignedIn`, and reports why. */
  async finish(request: Request): Promise<SignedIn> {
    try {
      return await this.#finish(request);
    } catch (error) {
      if (!(error instanceof NotSignedIn) || error.why === 'too-many') throw error;
      const wait = error.why === 'away' ? 0 : this.#wrong.refused(clientAddressOf(request));
      // Returns can be forged: refusals by the rate limit are not logged.
      if (wait > 0) throw new NotSignedIn('too-many', 'too many came back with something wrong');
      this.#options.onRefused(error.why, error.message);
      throw error;
    }
  }

  /** Undefined: it began with a key, or its group has no rights any more. */
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
    // Checked before any request: an attacker may have made this user return with another user's answer.
    if (came.searchParams.get('state') !== kept.sent.state) {
      throw new NotSignedIn('not-begun', 'the state that came back is not the one that was sent');
    }
    if (!this.#asking.take()) throw new NotSignedIn('too-many', 'the provider would be asked too often');
    const identity = await provider.finish(came, kept);
    // A successful sign-in costs no token.
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
      // Without a statement, the authentication was not recent.
      confirmedAt: Math.min(identity.authAt ?? 0, clock.now()),
      isSecure: cookie.isSecure,
    };
  }

  /** Key names contain no colon, so this name never collides with one. */
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

/** Group names are only logged: operators need to know what the provider sends. */
function noGroup({ sub, groups }: Identity): string {
  const told =
    groups.length === 0 ? 'the provider names no group' : `the provider names ${groups.slice(0, 20).join(', ')}`;
  return `none of the groups of ${sub.slice(0, 80)} is in OIDC_GROUPS: ${told}`;
}
