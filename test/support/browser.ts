/** Requests of a console page with the headers of a browser: cookies and origin. */
import { type Answer, ask, type Call } from './service.ts';

export interface Browser {
  /** The current cookie, undefined before a sign-in. */
  cookie: string | undefined;
  fetch(method: string, path: string, call?: Call): Promise<Answer>;
  signIn(key: string): Promise<Answer>;
}

/** Directly at the address, without https: on this machine. */
export function browserAt(url: string, how: Readonly<Record<string, string>> = {}): Browser {
  const browser: Browser = {
    cookie: undefined,
    fetch: async (method, path, { headers, key = null, ...call } = {}) => {
      const answer = await ask(`${url}${path}`, method, {
        ...call,
        key,
        headers: {
          'sec-fetch-site': 'same-origin',
          'x-relais-console': '1',
          ...(method === 'GET' ? {} : { origin: url }),
          ...(browser.cookie === undefined ? {} : { cookie: browser.cookie }),
          ...how,
          ...headers,
        },
      });
      const [given] = [answer.headers['set-cookie'] ?? []].flat();
      if (given !== undefined) browser.cookie = /Max-Age=0/.test(given) ? undefined : given.split(';')[0];
      return answer;
    },
    signIn: (key) => browser.fetch('POST', '/v1/session', { body: { key } }),
  };
  return browser;
}
