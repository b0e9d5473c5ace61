import { Agent, request } from 'undici';
import type { Clock } from '../../lib/clock.ts';
import { checkEndpointUrl, type EndpointProblem, type EndpointRules } from './endpoint.ts';
import { guardedLookup, NOT_PUBLIC, type ResolveAll } from './lookup.ts';

const TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** Enough to let a polite endpoint finish its sentence and keep the connection; nobody reads it. */
const ANSWER_BYTES = 4_096;

interface Post {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** For all of it, from the lookup to the last byte. Ten seconds unless told. */
  readonly timeoutMs?: number;
}

type PostFailure = EndpointProblem | 'name_not_found' | 'tls_failed' | 'timed_out' | 'connection_failed';

/**
 * `status`: it answered, and 2xx alone means it took the event; a redirect is an answer like another, never followed.
 */
export type PostResult = { readonly status: number } | { readonly failed: PostFailure };

export interface OutgoingOptions extends EndpointRules {
  readonly clock: Clock;
  /** Stands in for the system's resolver in tests. */
  readonly resolveAll?: ResolveAll;
}

export interface Outgoing {
  /** Posts once. Never throws: whatever happens out there is a result, and the event stays ours until a 2xx. */
  postSigned(post: Post): Promise<PostResult>;
  close(): Promise<void>;
}

/** The only door through which callers' URLs are reached. */
export function openOutgoing(options: OutgoingOptions): Outgoing {
  const { allowLoopback, resolveAll } = options;
  const lookup = guardedLookup(resolveAll ? { allowLoopback, resolveAll } : { allowLoopback });
  const agent = new Agent({
    connect: { lookup, timeout: CONNECT_TIMEOUT_MS },
    // A slow endpoint must not make those of others wait behind it, nor take all our sockets.
    connections: 8,
    pipelining: 1,
  });
  return {
    postSigned: async (post) => {
      const problem = checkEndpointUrl(post.url, options);
      return problem ? { failed: problem } : send(agent, options.clock, post);
    },
    close: () => agent.destroy(),
  };
}

async function send(agent: Agent, clock: Clock, post: Post): Promise<PostResult> {
  const deadline = new AbortController();
  const disarm = clock.after(post.timeoutMs ?? TIMEOUT_MS, () => deadline.abort());
  try {
    const { statusCode, body } = await request(post.url, {
      dispatcher: agent,
      method: 'POST',
      headers: post.headers,
      body: post.body,
      signal: deadline.signal,
    });
    // The status decides; an answer that breaks off after it changes nothing.
    await body.dump({ limit: ANSWER_BYTES, signal: deadline.signal }).catch(() => body.destroy());
    return { status: statusCode };
  } catch (error) {
    return { failed: deadline.signal.aborted ? 'timed_out' : failureOf(error) };
  } finally {
    disarm();
  }
}

function failureOf(error: unknown): PostFailure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === NOT_PUBLIC) return 'address_not_public';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'name_not_found';
  if (/TIMEOUT|TIMEDOUT/.test(code)) return 'timed_out';
  const untrusted = /^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code);
  return untrusted ? 'tls_failed' : 'connection_failed';
}
