/**
 * The identity provider, by OpenID Connect: authorization code with PKCE, `state` and `nonce`. Only this file loads
 * the library, at the first sign-in. The library checks every answer: issuer, audience, time, signature, and after
 * `again` that the user was authenticated just now.
 */
import type * as Library from 'openid-client';
import type { ClientAuth, Configuration } from 'openid-client';
import { z } from 'zod';
import { readGroups } from '../api/keys.ts';
import { type Identity, type IdentityProvider, NotSignedIn, ProviderDoor, type Sent } from '../api/provider.ts';
import type { Config } from '../config.ts';
import type { Clock } from '../lib/clock.ts';
import { maskPhone } from '../lib/phone.ts';
import type { Secret } from '../lib/secret.ts';
import type { Container } from './container.ts';

interface ProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly secret: Secret;
  readonly scope: string;
  /** The claim with the groups. */
  readonly claim: string;
}

/** Allowed difference between its clock and ours. */
const CLOCK_S = 60;
/** For one request to it: a user waits. */
const ANSWER_S = 5;
/** Its metadata is read again for each sign-in; otherwise a user could be sent to an address that is down. */
const JUST_NOW_MS = 2_000;
const KNOWN_MS = 3_600_000;
/** A failed discovery is not repeated for this time: any client can trigger it. */
const LEFT_ALONE_MS = 1_000;

interface Known {
  readonly library: typeof Library;
  readonly configuration: Configuration;
  readonly sinceMono: number;
}

function openProvider(settings: ProviderSettings, clock: Pick<Clock, 'monotonic'>): IdentityProvider {
  let known: Known | undefined;
  let asking: Promise<Known> | undefined;
  let failed: { readonly error: unknown; readonly untilMono: number } | undefined;
  const discover = async (): Promise<Known> => {
    const sinceMono = clock.monotonic();
    if (failed && sinceMono < failed.untilMono) throw failed.error;
    try {
      known = { ...(await discovered(settings)), sinceMono };
    } catch (error) {
      failed = { error, untilMono: clock.monotonic() + LEFT_ALONE_MS };
      throw error;
    }
    return known;
  };
  const know = async (withinMs: number): Promise<Known> => {
    if (known && clock.monotonic() - known.sinceMono < withinMs) return known;
    // Concurrent sign-ins share one discovery.
    return (asking ??= discover().finally(() => (asking = undefined)));
  };
  return {
    host: new URL(settings.issuer).host,
    begin: ({ back, again }) => told(async () => beginAt(await know(JUST_NOW_MS), settings, { back, again })),
    finish: (came, { sent, again }) =>
      told(async () => identityOf(await claimsOf(await know(KNOWN_MS), settings, { came, sent, again }), settings)),
  };
}

async function discovered({ issuer, clientId, secret }: ProviderSettings): Promise<Omit<Known, 'sinceMono'>> {
  const library = await import('openid-client');
  const configuration = await library.discovery(
    new URL(issuer),
    clientId,
    { client_secret: secret.reveal(), [library.clockTolerance]: CLOCK_S },
    authentication(library, secret),
    {
      // The signature is checked even on data received directly from the identity provider over TLS.
      execute: [
        library.enableNonRepudiationChecks,
        ...(issuer.startsWith('http:') ? [library.allowInsecureRequests] : []),
      ],
      timeout: ANSWER_S,
    },
  );
  return { library, configuration };
}

/** The standard's default if nothing is declared; some providers accept only the other method. */
function authentication(library: typeof Library, secret: Secret): ClientAuth {
  return (server, client, body, headers) => {
    const takes = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const how = takes.includes('client_secret_basic') ? library.ClientSecretBasic : library.ClientSecretPost;
    return how(secret.reveal())(server, client, body, headers);
  };
}

async function beginAt(
  { library, configuration }: Known,
  { scope }: ProviderSettings,
  { back, again }: { readonly back: string; readonly again: boolean },
): Promise<{ readonly url: string; readonly sent: Sent }> {
  const sent = {
    state: library.randomState(),
    nonce: library.randomNonce(),
    verifier: library.randomPKCECodeVerifier(),
  };
  const url = library.buildAuthorizationUrl(configuration, {
    redirect_uri: back,
    scope,
    state: sent.state,
    nonce: sent.nonce,
    code_challenge: await library.calculatePKCECodeChallenge(sent.verifier),
    code_challenge_method: 'S256',
    ...(again ? { prompt: 'login', max_age: '0' } : {}),
  });
  return { url: url.href, sent };
}

const claims = z.looseObject({
  sub: z.string().min(1),
  email: z.string().optional(),
  email_verified: z.boolean().optional(),
  auth_time: z.number().optional(),
});
type Claims = z.output<typeof claims>;

async function claimsOf(
  { library, configuration }: Known,
  { claim }: ProviderSettings,
  { came, sent, again }: { readonly came: URL; readonly sent: Sent; readonly again: boolean },
): Promise<Claims> {
  const tokens = await library.authorizationCodeGrant(configuration, came, {
    pkceCodeVerifier: sent.verifier,
    expectedState: sent.state,
    expectedNonce: sent.nonce,
    idTokenExpected: true,
    ...(again ? { maxAge: 0 } : {}),
  });
  const said = claims.parse(tokens.claims());
  const isWhole = said.email !== undefined && said[claim] !== undefined;
  if (isWhole || configuration.serverMetadata().userinfo_endpoint === undefined) return said;
  const more = await library.fetchUserInfo(configuration, tokens.access_token, said.sub);
  return claims.parse({ ...more, ...said });
}

const groupNames = z.union([z.array(z.string()), z.string().transform((one) => [one])]).catch([]);

function identityOf(said: Claims, { claim }: ProviderSettings): Identity {
  const { sub, email, email_verified: isVerified, auth_time: authS } = said;
  return {
    sub,
    email: isVerified === true ? email : undefined,
    groups: groupNames.parse(said[claim]),
    authAt: authS === undefined ? undefined : authS * 1_000,
  };
}

/** Translates the library's errors. */
async function told<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw new NotSignedIn(whyOf(error), reasonOf(error), { cause: error });
  }
}

const AWAY_CODES = ['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON'];

function whyOf(error: unknown): NotSignedIn['why'] {
  if (!(error instanceof Error)) return 'failed';
  // No answer: `fetch failed`, with the reason as its cause.
  if (error instanceof TypeError && error.cause !== undefined) return 'away';
  const code = 'code' in error ? String(error.code) : '';
  if (AWAY_CODES.includes(code)) return 'away';
  if (code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR') return 'refused';
  if (/"auth_time"|End-User authentication/.test(reasonOf(error))) return 'not-again';
  return 'failed';
}

/** None of these contains a code or a token. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const said = 'error' in error && typeof error.error === 'string' ? ` (${error.error})` : '';
  return `${error.message}${said}${error.cause instanceof Error ? `: ${reasonOf(error.cause)}` : ''}`;
}

/** Undefined: users sign in only with keys. A user without a role gets an error, and the log has the reason. */
export function providerOf({ config, clock, random, persons, logger }: Container): ProviderDoor | undefined {
  const settings = settingsIn(config);
  return (
    settings &&
    new ProviderDoor({
      ...settings,
      provider: openProvider(settings, clock),
      groups: readGroups(config.OIDC_GROUPS ?? ''),
      persons,
      clock,
      random,
      // A provider may use phone numbers as user names.
      onRefused: (why, detail) =>
        logger.warn({ why, detail: maskPhone(detail) }, 'nobody was signed in by the provider of identities'),
    })
  );
}

function settingsIn(config: Config): ProviderSettings | undefined {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: secret } = config;
  if (issuer === undefined || clientId === undefined || secret === undefined) return undefined;
  return { issuer, clientId, secret, scope: config.OIDC_SCOPE, claim: config.OIDC_GROUPS_CLAIM };
}
