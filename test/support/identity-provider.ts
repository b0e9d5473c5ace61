/** An identity provider like that of an organisation: OpenID Connect by `oidc-provider`, and a sign-in form. */
import { type RequestListener, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import type { Browser } from './browser.ts';

export interface Account {
  readonly email?: string;
  readonly verified?: boolean;
  readonly groups?: readonly string[];
}

export interface IdentityProviderHere {
  readonly issuer: string;
  /** The settings of relais for it. */
  readonly settings: Readonly<Record<string, string>>;
  /** Registers the address to which browsers return. */
  open(api: string): void;
  /** Changes the return address of the next browser. */
  meddle(change: (came: URL) => void): void;
  /** Refuses connections from now on; `false`: accepts them again. */
  setAway(isAway: boolean): Promise<void>;
  close(): Promise<void>;
}

const CLIENT = { client_id: 'relais', client_secret: 'a-secret-of-the-client-of-32-chars' };

/** By the name typed into its form. */
export async function startIdentityProvider(
  accounts: Readonly<Record<string, Account>>,
): Promise<IdentityProviderHere> {
  let answer: RequestListener = (_, response) => void response.writeHead(503).end();
  let changes: ((came: URL) => void) | undefined;
  const meddled = (address: string): string => {
    const came = new URL(address);
    changes?.(came);
    changes = undefined;
    return came.href;
  };
  const server = createServer((request, response) => answer(request, response));
  const listen = (port: number): Promise<void> =>
    new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
  const stop = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const issuer = `http://127.0.0.1:${port}`;
  return {
    issuer,
    settings: {
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: CLIENT.client_id,
      OIDC_CLIENT_SECRET: CLIENT.client_secret,
      OIDC_SCOPE: 'openid email groups',
    },
    open: (api) => {
      const back = `${api}/v1/session/callback`;
      const real = providerOf(issuer, back, accounts).callback();
      answer = (request, response) => {
        const setHeader = response.setHeader.bind(response);
        response.setHeader = (name, value) => {
          const isBack = name.toLowerCase() === 'location' && String(value).startsWith(back);
          return setHeader(name, isBack ? meddled(String(value)) : value);
        };
        real(request, response);
      };
    },
    meddle: (change) => {
      changes = change;
    },
    setAway: (isAway) => (isAway ? stop() : listen(port)),
    close: stop,
  };
}

/** A user's steps to sign in with it, from page to page without a browser. */
export async function signInAt(browser: Browser, api: string, login: string): Promise<void> {
  const begun = await browser.fetch('POST', '/v1/session/provider', { body: {} });
  const cookies = new Map<string, string>();
  let place = String(begun.body.url);
  let form: URLSearchParams | undefined;
  for (let page = 0; page < 12; page += 1) {
    const answer = await fetch(place, {
      redirect: 'manual',
      ...(form ? { method: 'POST', body: form } : {}),
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    for (const given of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(given) ?? [];
      cookies.set(name, value);
    }
    form = undefined;
    const next = answer.headers.get('location');
    if (next === null) {
      const prompt = /name="prompt" value="(\w+)"/.exec(await answer.text())?.[1] ?? '';
      form = new URLSearchParams({ prompt, login, password: 'any' });
    } else place = new URL(next, place).href;
    if (!place.startsWith(`${api}/`)) continue;
    await browser.fetch('GET', place.slice(api.length));
    return;
  }
  throw new Error(`${login} did not come back from the provider`);
}

function providerOf(issuer: string, back: string, accounts: Readonly<Record<string, Account>>): Provider {
  return new Provider(issuer, {
    clients: [{ ...CLIENT, redirect_uris: [back] }],
    claims: { openid: ['sub', 'auth_time'], email: ['email', 'email_verified'], groups: ['groups'] },
    cookies: { keys: ['only for tests'] },
    findAccount: (_: unknown, accountId: string) => ({
      accountId,
      claims: () => {
        const { email, verified = true, groups = [] } = accounts[accountId] ?? {};
        return { sub: accountId, groups, ...(email === undefined ? {} : { email, email_verified: verified }) };
      },
    }),
  });
}
