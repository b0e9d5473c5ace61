/** Webhook endpoints: headers, audit lines, scheduling. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { EndpointService } from '../../src/events/endpoint-service.ts';
import { openEndpointHeaders, openEndpointSecrets } from '../../src/events/outgoing/webhook-sender.ts';
import { dispatchUntil } from '../../src/ledger/dispatching.ts';
import { Endpoints } from '../../src/ledger/endpoints.ts';
import { enterRecovery } from '../../src/ledger/recovering.ts';
import { EventStream } from '../../src/ledger/event-stream.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { Secret } from '../../src/lib/secret.ts';
import { type EventLedger, eventLedger } from '../support/published.ts';

let world: EventLedger;
let endpoints: Endpoints;
beforeAll(async () => {
  world = await eventLedger();
  endpoints = new Endpoints({ database: world.database, random: systemRandom });
});
afterAll(() => world?.close());
beforeEach(() => world.ledger.query('truncate relais.endpoint, relais.audit_line cascade'));

const act = {
  by: 'shop',
  person: 'awa',
  role: 'read',
  source: 'api',
  requestId: 'r1',
  act: 'endpoint.create',
  target: '',
} as const;
const registration = { url: 'https://shop.example/x', types: [], accounts: [], owner: 'shop' };

const serviceWith = (...secrets: readonly Secret[]): EndpointService =>
  new EndpointService({
    endpoints,
    events: new EventStream({ database: world.database }),
    random: systemRandom,
    clock: systemClock,
    secrets,
    rules: { allowLoopback: false },
    wake: () => undefined,
    post: async () => ({ taken: true, answer: 'http_200' }),
  });

test('secret and headers of an endpoint are encrypted, and encrypted again with another key', async () => {
  const [older, newer] = [new Secret('older'), new Secret('newer')];
  const made = await serviceWith(older).register({ ...registration, headers: { 'X-Gateway': 'let me in' } }, act);
  if (!('id' in made)) throw new Error(made.rule);
  const stored = JSON.stringify(await world.ledger.query('select * from relais.endpoint'));
  expect(stored).not.toMatch(/let me in|whsec_/);
  await serviceWith(older).rotate(made.id);
  expect(await serviceWith(newer, older).reseal()).toEqual({ resealed: 1, unreadable: [] });
  await world.emit('a', 'message.sent');
  await endpoints.dispatch(10);
  const taken = await endpoints.take(made.id, 30_000, 8);
  if (typeof taken === 'string') throw new Error(taken);
  expect(openEndpointHeaders(taken.headers ?? '', [newer], made.id)).toEqual({ 'x-gateway': 'let me in' });
  const signers = openEndpointSecrets(taken.secrets, [newer], made.id).map((secret) => secret.reveal());
  expect(signers).toHaveLength(2);
  expect(signers[1]).toBe(made.secret.reveal());
});

test('each act is one line of the audit log, in the transaction of the change', async () => {
  const id = endpoints.newId();
  const of = (name: string) => ({ ...act, act: name, target: id });
  await endpoints.add(id, registration, 's1', of('endpoint.create'));
  await endpoints.add(id, registration, 's1', of('endpoint.create'));
  await endpoints.rotate(id, 's2', { bothForMs: 1, act: of('endpoint.rotate') });
  await endpoints.rotate(id, 's2', { bothForMs: 1, act: of('endpoint.rotate') });
  await endpoints.replay(id, [], of('endpoint.replay'));
  await endpoints.remove(id, of('endpoint.delete'));
  expect(await endpoints.remove(id, of('endpoint.delete'))).toBe(false);
  expect(await world.ledger.query('select act, before, facts from relais.audit_line order by sequence')).toEqual([
    { act: 'endpoint.create', before: null, facts: { state: 'enabled' } },
    { act: 'endpoint.rotate', before: null, facts: {} },
    { act: 'endpoint.replay', before: { state: 'enabled' }, facts: { state: 'enabled' } },
    { act: 'endpoint.delete', before: { state: 'enabled' }, facts: {} },
  ]);
});

test('at most a thousand endpoints are registered', async () => {
  await world.ledger.query(`insert into relais.endpoint (id, owner, url, secret, registered_at_position, position)
    select 'ep_' || n, 'shop', 'https://shop.example', 's', 0, 0 from generate_series(1, 1000) n`);
  expect(await endpoints.add('ep_1', registration, 's')).toBe(true);
  expect(await endpoints.add('ep_new', registration, 's')).toBe(false);
});

test('the dispatcher wakes the workers when endpoints got events, and endpoints that rest or are leased are not due', async () => {
  const ids = [endpoints.newId(), endpoints.newId()];
  for (const id of ids) await endpoints.add(id, { ...registration, types: ['message.sent'] }, 's');
  const stop = new AbortController();
  const woken = new Promise<void>((wake) => {
    const onError = (error: unknown): void => expect(error).toBeUndefined();
    void dispatchUntil(stop.signal, { endpoints, clock: systemClock, intervalMs: 5, wake, onError });
  });
  await world.emit('b', 'campaign.finished');
  await world.emit('a', 'message.sent');
  await woken;
  await expect.poll(async () => new Set(await endpoints.due(10))).toEqual(new Set(ids));
  stop.abort();
  await endpoints.take(ids[0] ?? '', 30_000, 8);
  expect(await endpoints.due(10)).toEqual([ids[1]]);
});

test('an endpoint gets the first event after a recovery, which has raised the positions, at once', async () => {
  const id = endpoints.newId();
  await endpoints.add(id, { ...registration, types: ['message.sent'] }, 's');
  await world.database.transaction((run) => enterRecovery(run, 'copy'));
  await world.emit('after', 'message.sent');
  const steps = [await endpoints.dispatch(500), await endpoints.dispatch(500)].flat();
  expect(steps).toMatchObject([{ id, added: 1, more: false }]);
});

test('events are dispatched a limited number at a time, and each one time', async () => {
  const id = endpoints.newId();
  await endpoints.add(id, registration, 's');
  for (const subject of ['one', 'two', 'three']) await world.emit(subject, 'message.sent');
  const steps = [await endpoints.dispatch(2), await endpoints.dispatch(2), await endpoints.dispatch(2)].flat();
  expect(steps).toMatchObject([
    { id, added: 2, more: true },
    { id, added: 1, more: false },
  ]);
});
