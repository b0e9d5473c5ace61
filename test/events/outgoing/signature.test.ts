import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { seededRandom, systemRandom } from '../../../src/lib/random.ts';
import { Secret } from '../../../src/lib/secret.ts';
import { newEndpointSecret, signedHeaders } from '../../../src/events/outgoing/webhook-sender.ts';
import { signatureOf } from '../../../src/lib/webhook-signature.ts';

const secret = new Secret('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestampS: 1_614_265_330, body: '{"test": 2432232314}' };

test('the example that every Standard Webhooks library is tested with has its published signature', () => {
  expect(signatureOf(secret.reveal(), message)).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

test('a body is signed as its UTF-8 bytes', () => {
  const key = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
  const bytes = Buffer.from('msg.1.{"a":"é"}', 'utf8');
  const expected = createHmac('sha256', key).update(bytes).digest('base64');
  expect(signatureOf(secret.reveal(), { id: 'msg', timestampS: 1, body: '{"a":"é"}' })).toBe(`v1,${expected}`);
});

test('an id, a time or a body that differs has another signature', () => {
  const signature = signatureOf(secret.reveal(), message);
  expect(signatureOf(secret.reveal(), { ...message, id: 'msg_other' })).not.toBe(signature);
  expect(signatureOf(secret.reveal(), { ...message, timestampS: 1 })).not.toBe(signature);
  expect(signatureOf(secret.reveal(), { ...message, body: '{}' })).not.toBe(signature);
});

test('a new secret is whsec_ and 256 bits, shows itself only when asked, and is never the same twice', () => {
  const made = newEndpointSecret(systemRandom);
  expect(made.reveal()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(String(made)).toBe('[secret]');
  expect(newEndpointSecret(systemRandom).reveal()).not.toBe(made.reveal());
  expect(newEndpointSecret(seededRandom(1)).reveal()).toBe(newEndpointSecret(seededRandom(1)).reveal());
});

test('while one secret replaces another, a delivery carries a signature of each', () => {
  const next = newEndpointSecret(seededRandom(7));
  expect(signedHeaders([next, secret], message)).toEqual({
    'content-type': 'application/json; charset=utf-8',
    'webhook-id': message.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': `${signatureOf(next.reveal(), message)} ${signatureOf(secret.reveal(), message)}`,
  });
});
