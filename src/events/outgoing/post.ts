import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Agent, type Dispatcher, request } from 'undici';
import type { Clock } from '../../lib/clock.ts';
import { type EndpointProblem, type EndpointRules, type Reach, isReachable, reachOf } from './endpoint.ts';

const TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** Enough for an endpoint to finish a short answer and keep the connection; the bytes are discarded. */
const ANSWER_BYTES = 4_096;

interface Post {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** For the whole request, from the lookup to the last byte. Default: ten seconds. */
  readonly timeoutMs?: number;
  /** Return this many bytes of the answer. Absent: the answer is not read. */
  readonly answerBytes?: number;
}

/** Failures of a connection, as sentences for the owner of the endpoint. */
/** Why there is no answer: `endpoint_…` of the catalogue. */
export type PostFailure = EndpointProblem | 'name_not_found' | 'tls_failed' | 'timed_out' | 'connection_failed';

/** `status`: it answered. Only 2xx means that it accepted the event; redirects are never followed. */
export type PostResult = { readonly status: number; readonly text?: string } | { readonly failed: PostFailure };

interface OutgoingOptions extends EndpointRules {
  readonly clock: Clock;
  /** Replaces the system's resolver in tests. */
  readonly resolveAll?: ResolveAll;
}

export interface Outgoing {
  /** Sends one request. Never throws: every failure is a result, and the event stays pending until a 2xx. */
  postSigned(post: Post): Promise<PostResult>;
  close(): Promise<void>;
}

/** Every request to a caller's URL uses this function. */
export function openOutgoing(options: OutgoingOptions): Outgoing {
  const { clock, resolveAll } = options;
  // A lookup has no port, so one name can be allowed at one port and public at another: each reach has its own
  // sockets.
  const agents: Readonly<Record<Reach, Agent>> = {
    public: agentFor('public', resolveAll),
    loopback: agentFor('loopback', resolveAll),
    listed: agentFor('listed', resolveAll),
  };
  return {
    postSigned: async (post) => {
      const judged = reachOf(post.url, options);
      return 'problem' in judged ? { failed: judged.problem } : send(agents[judged.reach], clock, post);
    },
    close: async () => {
      await Promise.all(Object.values(agents).map((agent) => agent.destroy()));
    },
  };
}

function agentFor(reach: Reach, resolveAll?: ResolveAll): Agent {
  return new Agent({
    connect: { lookup: guardedLookup(reach, resolveAll), timeout: CONNECT_TIMEOUT_MS },
    // Many endpoints may share one host: a slow one must not delay the others. The callers bound the number of
    // sockets: an endpoint has a maximum of open requests, and a worker a maximum of endpoints.
    pipelining: 1,
  });
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
    // The status decides; an answer that breaks off later changes nothing.
    if (post.answerBytes !== undefined)
      return { status: statusCode, text: await beginningOf(body, post.answerBytes) };
    await body.dump({ limit: ANSWER_BYTES, signal: deadline.signal }).catch(() => body.destroy());
    return { status: statusCode };
  } catch (error) {
    return { failed: deadline.signal.aborted ? 'timed_out' : failureOf(error) };
  } finally {
    disarm();
  }
}

/** The request's deadline applies here too: the result is the bytes received before it. */
async function beginningOf(body: Dispatcher.ResponseData['body'], most: number): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const part of body as AsyncIterable<Buffer>) {
      parts.push(part);
      length += part.length;
      if (length >= most) break;
    }
  } catch {
    body.destroy();
  }
  return new TextDecoder().decode(Buffer.concat(parts).subarray(0, most));
}

function failureOf(error: unknown): PostFailure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === NOT_PUBLIC) return 'address_not_public';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'name_not_found';
  if (/TIMEOUT|TIMEDOUT/.test(code)) return 'timed_out';
  const untrusted = /^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code);
  return untrusted ? 'tls_failed' : 'connection_failed';
}

/**
 * The second check. A name that was public at registration may resolve to an internal address later, or in every
 * second answer. So the addresses are checked when connecting, and the socket uses exactly these.
 */

const NOT_PUBLIC = 'ENOTPUBLIC';

type Answer = (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void;

/** Resolves every address of a name. The system's resolver, unless a test replaces it. */
export type ResolveAll = (name: string, options: LookupOptions, answer: Answer) => void;

/** A `lookup` for sockets that succeeds only if every address of the name, of both families, is allowed. */
export function guardedLookup(reach: Reach, resolveAll: ResolveAll = systemResolveAll): LookupFunction {
  return (name, options, callback) => {
    // Both families are resolved, whichever the socket needs: a single internal address is enough to refuse the name.
    resolveAll(name, { all: true, family: 0 }, (error, addresses) => {
      const problem = error ?? problemOf(addresses, reach);
      if (problem) callback(problem, '', 0);
      else answer(options, addresses, callback);
    });
  };
}

function problemOf(addresses: readonly LookupAddress[], reach: Reach): Error | undefined {
  if (addresses.length > 0 && addresses.every(({ address }) => isReachable(address, reach))) return undefined;
  // The message names no address, which would reveal the internal network.
  return Object.assign(new Error('the name has an address that is not allowed'), { code: NOT_PUBLIC });
}

function answer(
  { all, family }: LookupOptions,
  addresses: readonly LookupAddress[],
  callback: Parameters<LookupFunction>[2],
): void {
  const wanted = addresses.filter(
    (one) => family === undefined || family === 0 || familyNumber(family) === one.family,
  );
  const [first] = wanted;
  if (first === undefined) {
    callback(Object.assign(new Error('the name has no address of this family'), { code: 'ENOTFOUND' }), '', 0);
  } else if (all) callback(null, [...wanted]);
  else callback(null, first.address, first.family);
}

function familyNumber(family: number | 'IPv4' | 'IPv6'): number {
  if (typeof family === 'number') return family;
  return family === 'IPv4' ? 4 : 6;
}

function systemResolveAll(name: string, options: LookupOptions, answerWith: Answer): void {
  systemLookup(name, { ...options, all: true }, (error, addresses) => answerWith(error, addresses ?? []));
}
