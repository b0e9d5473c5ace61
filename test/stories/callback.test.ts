import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BookedDisbursement, DisbursementView } from '../../script/demonstration/views.ts';
import { announced, eventsOf, openWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  // Looks so far apart that only the callback can be the reason to look in time.
  world = await openWorld({ settings: { DISBURSEMENT_POLL: '10m' } });
});
afterAll(() => world?.close());

interface CallbackPost {
  readonly token: string;
  readonly status: string;
  readonly answer: number | string;
}

test('a callback that overtakes its own answer completes the disbursement once', async () => {
  await world.control.post('/faults', { fault: 'calls back early', operation: 'disbursement.callback', count: 1 });
  await world.control.post('/faults', { fault: 'answers late', operation: 'disbursement.submit', delayMs: 800 });
  const asked = { accountAlias: '771234567', amount: 5_000, withdrawMode: 'wallet-a-senegal', reference: 'early-1' };
  const { id } = await world.api.post<DisbursementView>('/v1/disbursements', asked);

  await announced(world, (events) => events.some(({ type }) => type === 'disbursement.succeeded'));

  const posts = await world.control.get<readonly CallbackPost[]>('/books/callbacks');
  expect(posts).toMatchObject([{ status: 'success', answer: 200 }]);
  const booked = await world.control.get<readonly BookedDisbursement[]>('/books/disbursements');
  expect(booked).toMatchObject([{ submits: 1, effects: 1, amount: 5_000 }]);
  expect((await eventsOf(world)).map(({ type }) => type)).toEqual(['disbursement.succeeded']);
  expect(await world.api.get(`/v1/disbursements/${id}`)).toMatchObject({ state: 'succeeded' });
});
