/**
 * Verify a delivery of relais without a package: the body comes on standard input. With the package, use
 * `verifyWebhook` of `relais/client`.
 *
 *   WEBHOOK_SECRET=whsec_… node verify.ts "$WEBHOOK_ID" "$WEBHOOK_TIMESTAMP" "$WEBHOOK_SIGNATURE" < body
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { buffer } from 'node:stream/consumers';

interface Delivery {
  readonly id: string;
  readonly timestamp: string;
  readonly signatures: string;
  readonly body: Buffer;
}

/** Returns the event. Throws if relais did not send exactly these bytes within the last five minutes. */
function verify(secret: string, { id, timestamp, signatures, body }: Delivery): { readonly type: string } {
  if (Math.abs(Date.now() / 1_000 - Number(timestamp)) > 300) {
    throw new Error('the delivery is older than five minutes');
  }
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const mac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  const expected = Buffer.from(`v1,${mac}`);
  // During a rotation of the secret there are several signatures.
  const fits = signatures
    .split(' ')
    .map((signature) => Buffer.from(signature))
    .some((signature) => signature.length === expected.length && timingSafeEqual(signature, expected));
  if (!fits) throw new Error('no signature fits');
  return JSON.parse(body.toString());
}

const [id = '', timestamp = '', signatures = ''] = process.argv.slice(2);
const delivery = { id, timestamp, signatures, body: await buffer(process.stdin) };
console.log(verify(process.env['WEBHOOK_SECRET'] ?? '', delivery).type);
