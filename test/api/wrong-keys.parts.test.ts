import { request } from 'undici';
import { afterEach, expect, test } from 'vitest';
import { startService, type Service } from '../support/service.ts';

const toClose: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  for (const close of toClose.splice(0).toReversed()) await close();
});

async function open(): Promise<Service> {
  const service = await startService();
  toClose.push(() => service.stop());
  return service;
}

const wrongly = async (service: Service, times: number, from = '127.0.0.1'): Promise<number[]> => {
  const answers: number[] = [];
  for (let n = 0; n < times; n += 1) {
    answers.push((await service.call('GET', '/v1/accounts', { key: `guess-${n}`, from })).status);
  }
  return answers;
};

test('an address with more than twenty wrong keys must wait', async () => {
  const service = await open();
  const answers = await wrongly(service, 30);
  expect(answers).toEqual([...Array.from({ length: 20 }, () => 401), ...Array.from({ length: 10 }, () => 429)]);
  const refused = await service.call('GET', '/v1/accounts', { key: 'another-guess' });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60);
  expect(refused.body).toMatchObject({ status: 429, type: expect.stringMatching(/too-many-requests$/) });
});

test('a right key is accepted from the same address all the while', async () => {
  const service = await open();
  await wrongly(service, 30);
  expect((await service.call('GET', '/v1/accounts')).status).toBe(200);
  expect((await service.call('GET', '/v1/accounts', { key: 'wrong-again' })).status).toBe(429);
});

test('after two hundred wrong keys in all, a new address must wait too', async () => {
  const service = await open();
  for (let n = 1; n <= 20; n += 1) expect(await wrongly(service, 10, `127.0.1.${n}`)).not.toContain(429);
  expect(await wrongly(service, 1, '127.0.2.1')).toEqual([429]);
});

test('wrong keys are counted, by whether they had to wait', async () => {
  const service = await open();
  await wrongly(service, 23);
  const page = await (await request(`${service.metrics}/metrics`)).body.text();
  expect(page).toContain('relais_wrong_keys_total{answer="401"} 20');
  expect(page).toContain('relais_wrong_keys_total{answer="429"} 3');
});
