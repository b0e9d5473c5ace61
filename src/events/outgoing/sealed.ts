/** The secrets of endpoints, as they are kept: only a holder of the callback secret can sign in our name. */
import type { Random } from '../../lib/random.ts';
import { sealText, unsealText } from '../../lib/seal.ts';
import { Secret } from '../../lib/secret.ts';

const PURPOSE = 'event endpoint';

export function sealEndpointSecret(secret: Secret, key: Secret, endpoint: string, random: Random): string {
  return sealText(secret.reveal(), key, { purpose: PURPOSE, place: endpoint }, random);
}

/** Those that open; none, when the callback secret was changed without keeping the old one. */
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
