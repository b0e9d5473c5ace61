import { expect, test } from 'vitest';
import {
  createWebhookSender,
  headersProblem,
  openEndpointHeaders,
  sealEndpointHeaders,
  sealEndpointSecret,
} from '../../../src/events/outgoing/webhook-sender.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { systemRandom } from '../../../src/lib/random.ts';
import { Secret } from '../../../src/lib/secret.ts';
import { reworded } from '../../support/reworded.ts';

const key = new Secret('a sealing secret');

test('headers of an endpoint open with the key and for the endpoint that they were encrypted for', () => {
  const sealed = sealEndpointHeaders({ 'X-Gateway': 'let me in' }, key, 'ep_1', systemRandom);
  expect(sealed).not.toContain('let me in');
  expect(openEndpointHeaders(sealed, [new Secret('another'), key], 'ep_1')).toEqual({ 'x-gateway': 'let me in' });
  expect(openEndpointHeaders(sealed, [key], 'ep_2')).toBeUndefined();
});

test.for([
  [{ 'X-Gateway': 'a', Authorization: 'Bearer b' }, undefined],
  [{ 'webhook-signature': 'a' }, 'cannot set webhook-signature'],
  [{ Host: 'a' }, 'cannot set Host'],
  [{ 'Content-Length': '1' }, 'cannot set Content-Length'],
  [{ 'a b': '1' }, 'valid names'],
  [{ a: 'x\r\ny: z' }, 'printable ASCII'],
  [{ a: 'x', A: 'y' }, 'at most once'],
  [Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`x-${n}`, ''])), 'at most 10'],
] as const)('%j: %s', ([headers, problem]) => {
  const found = reworded(headersProblem(headers));
  if (problem === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(problem);
});

test('a delivery carries the headers of its endpoint, and none goes out without them', async () => {
  const sent: Readonly<Record<string, string>>[] = [];
  const outgoing = {
    postSigned: async ({ headers }: { readonly headers: Readonly<Record<string, string>> }) => {
      sent.push(headers);
      return { status: 204 };
    },
  };
  const post = createWebhookSender({ outgoing, clock: systemClock, secrets: [key] });
  const secrets = [sealEndpointSecret(new Secret('whsec_AAAA'), key, 'ep_1', systemRandom)];
  const headers = sealEndpointHeaders({ 'X-Gateway': 'let me in' }, key, 'ep_1', systemRandom);
  const letter = { id: 'msg_1.1', body: '{}' };
  expect(await post({ id: 'ep_1', url: 'https://shop.example', secrets, headers }, letter)).toMatchObject({
    taken: true,
  });
  const known = await post({ id: 'ep_1', url: 'https://shop.example', secrets, headers }, letter);
  expect(known.headers).toMatchObject({ 'x-gateway': '[secret]', 'webhook-id': 'msg_1.1' });
  expect(sent.splice(1)).toHaveLength(1);
  expect(sent).toEqual([expect.objectContaining({ 'x-gateway': 'let me in', 'webhook-id': 'msg_1.1' })]);
  const broken = await post({ id: 'ep_1', url: 'https://shop.example', secrets, headers: 'damaged' }, letter);
  expect(broken).toEqual({ taken: false, answer: 'headers_unreadable' });
  expect(sent).toHaveLength(1);
});
