/** Two deployments on one Redis, each with a prefix of its own: neither has a key, a text or a payment of the other. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Redis } from 'ioredis';
import { openRecipients } from '../../src/campaigns/library.ts';
import { onEvent } from '../../src/events/library.ts';
import { createProducer } from '../../src/producer/producer.ts';
import { type FreshRedis, freshRedis } from '../support/fresh-redis.ts';
import { type Service, startService } from '../support/service.ts';
import { payingThrough } from './paid.ts';

const PAYMENTS = 10;
const prefixes = { live: '{relais}', staging: '{relais-staging}' } as const;
const AWA = '+221771234567';
type Name = keyof typeof prefixes;

let shared: FreshRedis;
let outside: Redis;
const ids: Partial<Record<Name, string>> = {};
let services: Readonly<Record<Name, Service>>;

beforeAll(async () => {
  shared = await freshRedis();
  outside = new Redis(shared.url);
  const start = (name: Name) =>
    startService({ REDIS_URL: shared.url, REDIS_PREFIX: prefixes[name], ENVIRONMENT: name, UPSTREAM_RATE: '500' });
  services = { live: await start('live'), staging: await start('staging') };
});

afterAll(async () => {
  await Promise.all(Object.values(services).map((service) => service.stop()));
  outside.disconnect();
  await shared.close();
});

const names = Object.keys(prefixes) as Name[];
const placeOf = (name: Name) => ({ url: shared.url, prefix: prefixes[name] });

async function texts(name: Name): Promise<void> {
  const producer = createProducer({ redis: placeOf(name), environment: name });
  const [message] = await producer.sendMessages([{ to: AWA, text: `message of ${name}`, reference: `${name}-text` }]);
  ids[name] = message?.id ?? '';
  const campaign = await producer.campaign({ name, text: `campaign of ${name}`, reference: `${name}-campaign` });
  await producer.close();
  const recipients = openRecipients({ redis: placeOf(name), country: 'SN' });
  await recipients.add(
    campaign.id,
    (async function* () {
      yield Buffer.from('phone\n+221770000001\nno number\n');
    })(),
  );
  await recipients.close();
  await services[name].call('POST', `/v1/campaigns/${campaign.id}/start`);
}

/** The types of event, and how often each was heard, of whoever listens under this prefix. */
async function heardOf(name: Name, wanted: Readonly<Record<string, number>>): Promise<void> {
  const heard: Record<string, number> = {};
  const stop = new AbortController();
  const handler = ({ type }: { type: string }) => void (heard[type] = (heard[type] ?? 0) + 1);
  const listening = onEvent({ redis: placeOf(name), group: 'ours', handler, signal: stop.signal });
  await vi.waitFor(() => expect(heard).toMatchObject(wanted), { timeout: 20_000 });
  stop.abort();
  await listening;
}

test('each pays and texts through its own service alone, and every key begins with one of the two prefixes', async () => {
  const pays = names.map(async (name) => {
    const paid = payingThrough(services[name]);
    await paid.once(await paid.accepted(name, PAYMENTS));
  });
  await Promise.all([...pays, ...names.map(texts)]);
  for (const name of names) {
    await heardOf(name, { 'disbursement.succeeded': PAYMENTS, 'message.sent': 1, 'campaign.finished': 1 });
    expect(await services[name].books('disbursements')).toHaveLength(PAYMENTS);
    const sent = (await services[name].books('messages')) as readonly { readonly text: string }[];
    expect(sent.map(({ text }) => text).toSorted()).toEqual([`campaign of ${name}`, `message of ${name}`]);
  }
  const all = await outside.keys('*');
  const counted = Object.values(prefixes).map((prefix) => all.filter((key) => key.startsWith(`${prefix}:`)).length);
  expect(sum(counted)).toBe(all.length);
  expect(Math.min(...counted)).toBeGreaterThan(PAYMENTS);
});

test('who is forgotten in one is still known in the other', async () => {
  const known = (): Promise<boolean[]> =>
    Promise.all(names.map(async (name) => (await outside.hget(`${prefixes[name]}:op:${ids[name]}`, 'to')) === AWA));
  expect(await known()).toEqual([true, true]);
  const forgotten = await services.staging.call('POST', '/v1/purge', { body: { phone: AWA } });
  expect([forgotten.status, forgotten.body.open]).toEqual([200, 0]);
  expect(await known()).toEqual([true, false]);
});

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
