import { afterAll, beforeAll, expect, test } from 'vitest';
import { bookedLine, makeOrders, reportedLines } from '../support/orders.ts';
import { untrue } from '../support/untrue.ts';
import type { BookedDisbursement, DisbursementView } from '../support/views.ts';
import { announced, openWorld, type World } from '../support/world.ts';

const ORDERS = 12;
const ENDS = /^disbursement\.(succeeded|failed|rejected|cancelled)$/;

let world: World;
beforeAll(async () => {
  // Short leases, so that what the dead worker held is taken up soon.
  const settings = { UPSTREAM_TIMEOUT: '1s', UPSTREAM_CONNECT_TIMEOUT: '500ms', DISBURSEMENT_QUIET_PERIOD: '1s' };
  world = await openWorld({ workers: 1, settings });
});
afterAll(() => world?.close());

test('a worker killed with SIGKILL in the middle loses and doubles nothing', async () => {
  // A service that pays as often as it is asked: nothing but our own care stands between a crash and a double payment.
  await world.control.post('/settings', { tokenSingleUse: false, disburseIdUnique: false, settleDelayMs: 1_500 });
  // Each submit is under way for a while, so that the worker has some in its hands whenever it dies.
  await world.control.post('/faults', { fault: 'answers late', operation: 'disbursement.submit', delayMs: 600 });
  await world.control.post('/faults', { fault: 'never calls back', operation: 'disbursement.callback' });
  const orders = makeOrders(ORDERS, 'crash');
  for (const order of orders) await world.api.post('/v1/disbursements', order);
  await announced(world, (events) => events.length > 0);

  const [worker] = world.workers;
  worker?.signal('SIGKILL');
  expect(await worker?.ended).toMatchObject({ signal: 'SIGKILL' });
  const records = await world.api.all<DisbursementView>('/v1/disbursements', 100);
  const unfinished = records.filter(({ state }) => state !== 'succeeded' && state !== 'failed');
  expect(unfinished.length).toBeGreaterThan(0);

  await world.startWorker();
  await announced(world, (events) => events.filter(({ type }) => ENDS.test(type)).length >= ORDERS);
  const ended = await world.api.all<DisbursementView>('/v1/disbursements', 100);
  const booked = await world.control.get<readonly BookedDisbursement[]>('/books/disbursements');
  expect(untrue(reportedLines(orders, ended), booked.map(bookedLine))).toEqual([]);
  expect(ended.filter(({ state }) => state === 'succeeded')).toHaveLength(ORDERS - 2);
  expect(ended.filter(({ state }) => state === 'failed')).toHaveLength(2);
});
