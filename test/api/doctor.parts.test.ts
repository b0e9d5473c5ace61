/** The doctor's findings through the API: rights, language, and the interval of examinations. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({
    API_KEYS: 'root:operate+enqueue+read:root-secret,reader:read:reader-secret,some:operate@main:some-secret',
  });
});
afterAll(() => service?.stop());

const asked = (language: string, key = 'root-secret') =>
  service.call('GET', '/v1/doctor', { key, headers: { 'accept-language': language } });

test('each check reports its finding in the requested language; concurrent requests share one examination', async () => {
  const [english, french] = await Promise.all([asked('en'), asked('fr-SN')]);
  expect(english.status).toBe(200);
  expect(english.body.at).toBe(french.body.at);
  const of = ({ body }: typeof english, check: string) =>
    body.findings.find((one: { readonly check: string }) => one.check === check);
  expect(of(english, 'redis')).toMatchObject({
    name: 'redis',
    is: 'ok',
    says: expect.stringMatching(/^answers in /),
  });
  expect(of(french, 'storage')).toMatchObject({ name: 'stockage', fix: null });
  expect(english.body.faults).toBe(
    english.body.findings.filter(({ is }: { readonly is: string }) => is === 'fault').length,
  );
  for (const { is, fix } of english.body.findings) expect(fix !== null).toBe(is === 'fault');
  expect(JSON.stringify([english.body, french.body])).not.toMatch(/root-secret|only-for/);
});

test('it is not for a key that only reads, nor for one of some accounts', async () => {
  expect((await asked('en', 'reader-secret')).body.rule).toBe('role');
  expect((await asked('en', 'some-secret')).body.rule).toBe('all-accounts');
});
