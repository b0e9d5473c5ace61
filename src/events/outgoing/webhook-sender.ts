import type { Clock } from '../../lib/clock.ts';
import type { Random } from '../../lib/random.ts';
import { HIDDEN, sealText, unsealText, Secret } from '../../lib/secret.ts';
import { SECRET_PREFIX, signatureOf, type SignedMessage } from '../../lib/webhook-signature.ts';
import type { Outgoing, PostFailure, PostResult } from './post.ts';
import { type Message, message as said } from '../../messages/message.ts';

interface WebhookSenderOptions {
  readonly outgoing: Pick<Outgoing, 'postSigned'>;
  readonly clock: Clock;
  /** The callback secrets, which encrypt the secrets of endpoints. */
  readonly secrets: readonly Secret[];
}

interface Endpoint {
  readonly id: string;
  readonly url: string;
  /** Encrypted; newest first. */
  readonly secrets: readonly string[];
  /** Encrypted. */
  readonly headers?: string | undefined;
}

interface Letter {
  readonly id: string;
  readonly body: string;
  /** The trace continues in the caller's programs. */
  readonly traceparent?: string | undefined;
}

export type SentAnswer = PostFailure | 'secret_unreadable' | 'headers_unreadable' | `http_${number}`;

export interface Sent {
  /** The endpoint answered 2xx. */
  readonly taken: boolean;
  /** `http_200`, or a word for the failure. */
  readonly answer: SentAnswer;
  /** Undefined: nothing was sent. The values of the endpoint's own headers are hidden. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly reply?: { readonly status: number; readonly text: string };
}

/** Signs a delivery and sends it one time. `answerBytes`: returns the beginning of the answer. */
export function createWebhookSender({ outgoing, clock, secrets }: WebhookSenderOptions) {
  return async (
    { id, url, secrets: sealed, headers: sealedHeaders }: Endpoint,
    { id: event, body, traceparent }: Letter,
    answerBytes?: number,
  ): Promise<Sent> => {
    const signers = openEndpointSecrets(sealed, secrets, id);
    // Unsigned it would be useless to its receiver; the owner must create another secret for the endpoint.
    if (signers.length === 0) return { taken: false, answer: 'secret_unreadable' };
    const own = sealedHeaders === undefined ? {} : openEndpointHeaders(sealedHeaders, secrets, id);
    // A gateway refuses a delivery without the owner's headers.
    if (own === undefined) return { taken: false, answer: 'headers_unreadable' };
    const timestampS = Math.floor(clock.now() / 1_000);
    const signed = signedHeaders(signers, { id: event, body, timestampS });
    const headers = { ...own, ...signed, ...(traceparent === undefined ? {} : { traceparent }) };
    const result = await outgoing.postSigned({ url, body, headers, ...(answerBytes && { answerBytes }) });
    const hidden = Object.fromEntries(Object.keys(own).map((name) => [name, HIDDEN]));
    return { ...outcomeOf(result), headers: { ...hidden, ...signed } };
  };
}

function outcomeOf(result: PostResult): Pick<Sent, 'taken' | 'answer' | 'reply'> {
  if ('failed' in result) return { taken: false, answer: result.failed };
  const { status, text } = result;
  const outcome = { taken: status >= 200 && status < 300, answer: `http_${status}` } as const;
  return text === undefined ? outcome : { ...outcome, reply: { status, text } };
}

/** Why an event was not accepted. */
export function failureIn(answer: SentAnswer): Message {
  const [, status] = /^http_(\d{3})$/.exec(answer) ?? [];
  if (status?.startsWith('3')) return said('endpoint_redirects', { status });
  if (status !== undefined) return said('endpoint_answered', { status });
  return { code: `endpoint_${answer as Exclude<SentAnswer, `http_${number}`>}` };
}

/**
 * Signatures in the Standard Webhooks format: HMAC-SHA256 over `id.timestamp.body`. A receiver can verify origin,
 * time and content with a library of its language.
 */

const SECRET_BYTES = 32;

/** `whsec_` and 256 bits in base64. The owner of the endpoint sees it only at creation. */
export function newEndpointSecret(random: Random): Secret {
  return new Secret(`${SECRET_PREFIX}${Buffer.from(random.hex(SECRET_BYTES), 'hex').toString('base64')}`);
}

/** The headers of a delivery, signed with every given secret: during a rotation either verifies. */
export function signedHeaders(secrets: readonly Secret[], message: SignedMessage): Readonly<Record<string, string>> {
  return {
    'content-type': 'application/json; charset=utf-8',
    'webhook-id': message.id,
    'webhook-timestamp': String(message.timestampS),
    'webhook-signature': secrets.map((secret) => signatureOf(secret.reveal(), message)).join(' '),
  };
}

/** The stored secrets of endpoints: only a holder of the callback secret can sign as relais. */

const PURPOSE = 'event endpoint';

export function sealEndpointSecret(secret: Secret, key: Secret, endpoint: string, random: Random): string {
  return sealText(secret.reveal(), key, { purpose: PURPOSE, place: endpoint }, random);
}

/** Secrets that can be decrypted; none if the callback secret was replaced without keeping the old one. */
export function openEndpointSecrets(
  sealed: readonly string[],
  secrets: readonly Secret[],
  endpoint: string,
): Secret[] {
  return sealed
    .map((text) => unsealText(text, secrets, { purpose: PURPOSE, place: endpoint }))
    .filter((text) => text !== undefined)
    .map((text) => new Secret(text));
}

/** An endpoint's own headers. Their values are often passwords of a gateway, so they are stored encrypted. */
export type OwnHeaders = Readonly<Record<string, string>>;

const HEADERS_PURPOSE = 'event endpoint headers';
const HEADERS_MOST = 10;
const HEADER_LONGEST = 1_000;
/** Headers that a delivery sets itself, or that control the connection. */
const RESERVED =
  /^(?:content-.*|webhook-.*|host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|traceparent|tracestate)$/i;

/** The problem with such headers, as a sentence for their owner, without a value. */
export function headersProblem(headers: OwnHeaders): Message | undefined {
  const entries = Object.entries(headers);
  if (entries.length > HEADERS_MOST) return said('headers_at_most', { most: HEADERS_MOST });
  for (const [name, value] of entries) {
    if (!/^[\w!#$%&'*+.^`|~-]{1,100}$/.test(name)) return said('header_names');
    if (RESERVED.test(name)) return said('header_reserved', { name });
    if (value.length > HEADER_LONGEST || !/^[\x20-\x7e\t]*$/.test(value))
      return said('header_value', { name, most: HEADER_LONGEST });
  }
  const names = new Set(entries.map(([name]) => name.toLowerCase()));
  return names.size === entries.length ? undefined : said('headers_once');
}

export function sealEndpointHeaders(headers: OwnHeaders, key: Secret, endpoint: string, random: Random): string {
  return sealText(JSON.stringify(headers), key, { purpose: HEADERS_PURPOSE, place: endpoint }, random);
}

/** Undefined: none of the secrets decrypts them. Names in lower case. */
export function openEndpointHeaders(
  sealed: string,
  secrets: readonly Secret[],
  endpoint: string,
): OwnHeaders | undefined {
  const text = unsealText(sealed, secrets, { purpose: HEADERS_PURPOSE, place: endpoint });
  if (text === undefined) return undefined;
  // Written by `sealEndpointHeaders`.
  const headers = JSON.parse(text) as OwnHeaders;
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
