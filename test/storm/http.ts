/** Requests to relais and the sandbox over HTTP, like any caller. */
import { API_SECRET } from './plan.ts';

export interface Reply {
  readonly status: number;
  readonly body: unknown;
}

interface Ask {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The time-out (ms). */
  readonly withinMs?: number;
}

const PATIENCE_MS = 15_000;

/** The answer of a server that was frozen during the request. It has read nothing, so nothing was decided. */
const GAVE_UP_READING = 408;

/** Undefined: no answer. The caller knows nothing, and retries. */
export async function ask(
  url: string,
  { method = 'GET', body, headers, withinMs = PATIENCE_MS }: Ask = {},
): Promise<Reply | undefined> {
  const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
  try {
    const answer = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${API_SECRET}`, 'content-type': 'application/json', ...headers },
      signal: AbortSignal.timeout(withinMs),
      ...(text === undefined ? {} : { body: text }),
    });
    const said = await answer.text();
    if (answer.status === GAVE_UP_READING) return undefined;
    return { status: answer.status, body: said.startsWith('{') || said.startsWith('[') ? JSON.parse(said) : said };
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}

/** For requests after the storm: a missing answer is an error of the storm itself. */
export async function mustAsk<T>(url: string, how: Ask = {}): Promise<T> {
  const reply = await ask(url, { withinMs: 60_000, ...how });
  if (reply && reply.status < 300) return reply.body as T;
  throw new Error(
    `${how.method ?? 'GET'} ${url} answered ${reply ? `${reply.status} ${JSON.stringify(reply.body)}` : 'nothing'}`,
  );
}
