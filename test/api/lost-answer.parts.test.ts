/** PostgreSQL has committed a request, and its answer is lost: relais never claims that nothing was accepted. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Link } from '../support/link.ts';
import { apiOn, freshStores, type Running } from '../support/api-process.ts';
import { ask } from '../support/service.ts';

let stores: Awaited<ReturnType<typeof freshStores>>;
let link: Link;
let api: Running;
beforeAll(async () => {
  stores = await freshStores();
  const database = new URL(stores.databaseUrl);
  link = await Link.to(Number(database.port));
  database.port = String(link.port);
  api = await apiOn({ ...stores, databaseUrl: database.href }, { API_KEYS: 'maker:enqueue+read:maker-secret' });
});
afterAll(async () => {
  await api?.stop();
  await link?.close();
  await stores?.close();
});

const send = (to: string, text: string) => ask(`${api.url}/v1/messages`, 'POST', { body: { to, text } });

test('no answer claims that an SMS was not accepted', async () => {
  expect((await send('+221771000000', 'heard of')).status).toBe(202);
  const text = 'its answer is lost';
  link.loseReplyTo((asked) => asked.includes(text));
  const { status, body } = await send('+221771000001', text);
  if (status !== 202) {
    expect([status, body.type.split('/').at(-1)]).toEqual([503, 'unavailable']);
    expect(body.detail).toContain('may have been done');
  }
  const stored = await stores.query('select from relais.operation');
  expect(stored).toHaveLength(2);
});

test('a read that PostgreSQL cannot answer does not claim a possible change', async () => {
  link.refuse();
  const { status, body } = await ask(`${api.url}/v1/messages`, 'GET', {});
  link.heal();
  expect([status, body.type.split('/').at(-1)]).toEqual([503, 'unavailable']);
  expect(body.detail).toBe('PostgreSQL could not be read. Retry.');
});
