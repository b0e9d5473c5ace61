/** The sign-in with the identity provider, and attacks on it. */
import type { Request } from 'express';
import { expect, test } from 'vitest';
import { NotSignedIn, ProviderDoor } from '../../src/api/provider.ts';
import { readGroups } from '../../src/api/keys.ts';
import { settingBegun } from '../../src/api/session-cookie.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { Secret } from '../../src/lib/secret.ts';
import type { Persons } from '../../src/ledger/persons.ts';
import { onlyOf } from '../support/only.ts';

const BACK = 'https://console.example';

/** A provider that knows no code, and counts its requests. */
async function doorOfStrangers() {
  let asked = 0;
  const clock = { ...systemClock, at: 0, monotonic: () => clock.at };
  const door = new ProviderDoor({
    provider: {
      host: 'id.example',
      begin: async () => ({ url: 'https://id.example', sent: { state: 'of-it', nonce: 'n', verifier: 'v' } }),
      finish: () => {
        asked += 1;
        return Promise.reject(new NotSignedIn('failed', 'there is no such code'));
      },
    },
    issuer: 'https://id.example',
    secret: new Secret('of the client'),
    groups: readGroups('pay:enqueue'),
    persons: onlyOf<Persons>({}),
    clock,
    random: systemRandom,
    onRefused: () => undefined,
  });
  const { cookie } = await door.begin({ origin: BACK, at: '/', again: false, before: undefined });
  const [, value = ''] = /relais-sign-in=([^;]+)/.exec(settingBegun({ id: cookie, isSecure: true })) ?? [];
  const from = (remoteAddress: string) =>
    onlyOf<Request>({
      headers: { cookie: `__Host-relais-sign-in=${value}`, host: 'console.example' },
      url: '/v1/session/callback?code=made-up&state=of-it',
      socket: onlyOf<Request['socket']>({ remoteAddress }),
    });
  const comeBack = (address: string): Promise<string> =>
    door.finish(from(address)).then(
      () => 'in',
      ({ why }: { why: string }) => why,
    );
  return { comeBack, asked: () => asked, pass: (ms: number) => (clock.at += ms) };
}

test('codes that are made up, from however many addresses, cost the provider a few requests a second at most', async () => {
  const { comeBack, asked, pass } = await doorOfStrangers();
  const told = await Promise.all(Array.from({ length: 300 }, (_, n) => comeBack(`192.0.2.${n % 250}`)));
  expect([told.at(0), told.at(-1)]).toEqual(['failed', 'too-many']);
  expect(asked()).toBeLessThanOrEqual(40);
  const before = asked();
  for (let second = 0; second < 10; second += 1) {
    pass(1_000);
    await Promise.all(Array.from({ length: 50 }, () => comeBack('192.0.2.1')));
  }
  expect(asked() - before).toBeLessThanOrEqual(20);
  expect(asked() - before).toBeGreaterThan(0);
});

test('repeated failed returns of an unknown client do not fill the log', async () => {
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
    persons: onlyOf<Persons>({}),
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
