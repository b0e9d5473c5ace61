/** The door of the provider of identities, and who knocks at it. */
import type { Request } from 'express';
import { expect, test } from 'vitest';
import { ProviderDoor } from '../../src/api/provider.ts';
import { readGroups } from '../../src/api/keys.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { Secret } from '../../src/lib/secret.ts';
import { onlyOf } from '../support/only.ts';

test('a stranger who comes back with nothing, again and again, does not fill the log', async () => {
  const logged: string[] = [];
  const door = new ProviderDoor({
    provider: {
      host: 'id.example',
      begin: () => Promise.reject(new Error()),
      finish: () => Promise.reject(new Error()),
    },
    issuer: 'https://id.example',
    secret: new Secret('of the client'),
    groups: readGroups('pay:enqueue'),
    clock: systemClock,
    random: systemRandom,
    onRefused: (why) => logged.push(why),
  });
  const stranger = onlyOf<Request>({
    headers: {},
    url: '/v1/session/callback',
    socket: onlyOf<Request['socket']>({ remoteAddress: '192.0.2.1' }),
  });
  const told: unknown[] = [];
  for (let turn = 0; turn < 100; turn += 1) {
    await door.finish(stranger).catch(({ why }: { why: string }) => told.push(why));
  }
  expect([told.length, told.at(0), told.at(-1)]).toEqual([100, 'not-begun', 'too-many']);
  expect(logged.length).toBeLessThanOrEqual(20);
});
