/** A delivery as its receiver verifies it. */
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { NotFromRelais, verifyWebhook } from '../../src/client/library.ts';
import { signedHeaders } from '../../src/events/outgoing/webhook-sender.ts';
import { Secret } from '../../src/lib/secret.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const other = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
const timestampS = 1_763_712_000;
const clock = { now: () => timestampS * 1_000 };
const body = '{"id":"dsb_1.1","type":"disbursement.succeeded","data":{"reference":"café"}}';
const headers = signedHeaders([new Secret(secret)], { id: 'dsb_1.1', timestampS, body });

test('one of ours is the event', () => {
  expect(verifyWebhook({ secret, headers, body }, clock)).toMatchObject({
    id: 'dsb_1.1',
    data: { reference: 'café' },
  });
});

test('headers of Node, of Request, and bytes do as well', () => {
  const node = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]));
  const bytes = new TextEncoder().encode(body);
  for (const given of [node, new Headers(headers)]) {
    expect(verifyWebhook({ secret, headers: given, body: bytes }, clock).id).toBe('dsb_1.1');
  }
});

test('a signature of another library in the same format is valid', () => {
  const signature = new Webhook(secret).sign('dsb_1.1', new Date(timestampS * 1_000), body);
  const theirs = { ...headers, 'webhook-signature': signature };
  expect(verifyWebhook({ secret, headers: theirs, body }, clock).id).toBe('dsb_1.1');
});

test('while one secret replaces another, either does', () => {
  expect(verifyWebhook({ secret: [other, secret], headers, body }, clock).id).toBe('dsb_1.1');
  const both = signedHeaders([new Secret(other), new Secret(secret)], { id: 'dsb_1.1', timestampS, body });
  expect(verifyWebhook({ secret, headers: both, body }, clock).id).toBe('dsb_1.1');
});

describe('it is refused', () => {
  const { 'webhook-signature': _signature, ...unsigned } = headers;
  test.each([
    ['with another secret', { secret: other }],
    ['with other bytes', { body: body.replace('1.1', '1.2') }],
    ['with another id', { headers: { ...headers, 'webhook-id': 'dsb_1.2' } }],
    ['without a signature', { headers: unsigned }],
    ['with a signature that is none', { headers: { ...headers, 'webhook-signature': 'v1,' } }],
    ['with a time that is none', { headers: { ...headers, 'webhook-timestamp': 'now' } }],
    ['with no secret at all', { secret: [] }],
  ])('%s', (_how, changed) => {
    expect(() => verifyWebhook({ secret, headers, body, ...changed }, clock)).toThrow(NotFromRelais);
  });

  test.each([-301, 301])('%i s after it was posted', (seconds) => {
    const later = { now: () => (timestampS + seconds) * 1_000 };
    expect(() => verifyWebhook({ secret, headers, body }, later)).toThrow('too long ago');
    expect(verifyWebhook({ secret, headers, body, tolerance: '10m' }, later).id).toBe('dsb_1.1');
  });
});

test.each(['', 'whsec_', 'whsec_c2hvcnQ='])('an invalid secret (%j) verifies nothing', (none) => {
  const theirs = signedHeaders([new Secret(none)], { id: 'dsb_1.1', timestampS, body });
  expect(() => verifyWebhook({ secret: none, headers: theirs, body }, clock)).toThrow(TypeError);
  expect(() => verifyWebhook({ secret: [secret, none], headers, body }, clock)).toThrow('is not set');
});
