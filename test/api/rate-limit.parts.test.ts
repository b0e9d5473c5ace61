import { expect, test } from 'vitest';
import { sandboxKeys } from '../../src/app/sandbox.ts';
import { apiOn } from '../support/api-process.ts';
import { ask as askAt, KEYS, startService } from '../support/service.ts';

test('each process limits a key by itself, and names the time to retry', async () => {
  const one = await startService({ API_RATE: '5' });
  const { base: SERVICE_BASE_URL, crm: SERVICE_CRM_URL } = one.sandbox;
  const other = await apiOn(one, {
    API_RATE: '5',
    API_KEYS: KEYS,
    ...sandboxKeys,
    SERVICE_BASE_URL,
    SERVICE_CRM_URL,
  });
  const ask = (service: typeof one, key: string) => service.call('GET', '/v1/accounts', { key });
  const startedAt = performance.now();
  const answers = await Promise.all(Array.from({ length: 40 }, () => ask(one, 'maker-secret')));
  const seconds = (performance.now() - startedAt) / 1_000;
  const refused = answers.filter(({ status }) => status === 429);
  expect(answers.length - refused.length).toBeGreaterThanOrEqual(5);
  expect(answers.length - refused.length).toBeLessThanOrEqual(5 + 5 * seconds + 1);
  expect(refused[0]?.headers['retry-after']).toBe('1');
  expect(refused[0]?.headers['ratelimit-policy']).toBe('"key";q=5;w=1');
  expect(refused[0]?.body.type).toMatch(/too-many-requests$/);
  expect((await askAt(`${other.url}/v1/accounts`, 'GET', { key: 'maker-secret' })).status).toBe(200);
  expect((await ask(one, 'reader-secret')).status).toBe(200);
  await other.stop();
  await one.stop();
});
