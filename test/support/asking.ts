/** HTTP requests: to our API with its key, and to the sandbox's control API without one. */

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

const ANSWER_LIMIT_MS = 20_000;

interface Request {
  readonly method?: 'GET' | 'PATCH' | 'POST' | 'DELETE';
  /** An object is sent as JSON, a text unchanged. */
  readonly body?: object | string;
  readonly contentType?: string;
}

export class Asking {
  readonly base: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(base: string, key?: string) {
    this.base = base;
    this.#headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  }

  /** For any status. */
  async ask(path: string, { method = 'GET', body, contentType = 'application/json' }: Request = {}): Promise<Reply> {
    const response = await fetch(this.base + path, {
      method,
      headers: { ...this.#headers, ...(body === undefined ? {} : { 'content-type': contentType }) },
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
  }

  /** A page for users. */
  async page(path: string): Promise<string> {
    const response = await fetch(this.base + path, {
      headers: { ...this.#headers, accept: 'text/html' },
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    });
    if (!response.ok) throw new Error(`GET ${path} answered ${response.status}`);
    return response.text();
  }

  async get<Body>(path: string): Promise<Body> {
    return this.#good<Body>(path);
  }

  async post<Body>(path: string, body: object | string = {}, contentType?: string): Promise<Body> {
    return this.#good<Body>(path, { method: 'POST', body, ...(contentType ? { contentType } : {}) });
  }

  /** All items of a list, page by page. */
  async all<Item>(path: string, limit: number): Promise<readonly Item[]> {
    const items: Item[] = [];
    let after = '';
    do {
      const page = await this.get<{ items: readonly Item[]; next: string | null }>(
        `${path}?limit=${limit}${after && `&after=${encodeURIComponent(after)}`}`,
      );
      items.push(...page.items);
      after = page.next ?? '';
    } while (after !== '');
    return items;
  }

  async #good<Body>(path: string, request?: Request): Promise<Body> {
    const { status, body } = await this.ask(path, request);
    if (status >= 400)
      throw new Error(`${request?.method ?? 'GET'} ${path} answered ${status}: ${JSON.stringify(body)}`);
    return body as Body;
  }
}
