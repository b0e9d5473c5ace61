import type { Clock } from '../../lib/clock.ts';
import type { Secret } from '../../lib/secret.ts';
import type { Outgoing } from './post.ts';
import { openEndpointSecrets } from './sealed.ts';
import { signedHeaders } from './signature.ts';

export interface WebhookSenderOptions {
  readonly outgoing: Pick<Outgoing, 'postSigned'>;
  readonly clock: Clock;
  /** The callback secrets, with which those of the endpoints are sealed. */
  readonly secrets: readonly Secret[];
}

export interface Endpoint {
  readonly id: string;
  readonly url: string;
  /** Sealed; the newest first. */
  readonly secrets: readonly string[];
}

/** Signs a letter for its addressee and posts it once. `taken`: the endpoint answered 2xx. */
export function createWebhookSender({ outgoing, clock, secrets }: WebhookSenderOptions) {
  return async (
    { id, url, secrets: sealed }: Endpoint,
    letter: { readonly id: string; readonly body: string },
  ): Promise<{ taken: boolean; answer: string }> => {
    const signers = openEndpointSecrets(sealed, secrets, id);
    // Unsigned it would be worth nothing to its receiver; the owner gives the endpoint another secret.
    if (signers.length === 0) return { taken: false, answer: 'secret_unreadable' };
    const timestampS = Math.floor(clock.now() / 1_000);
    const headers = signedHeaders(signers, { ...letter, timestampS });
    const result = await outgoing.postSigned({ url, body: letter.body, headers });
    if ('failed' in result) return { taken: false, answer: result.failed };
    return { taken: result.status >= 200 && result.status < 300, answer: `http_${result.status}` };
  };
}
