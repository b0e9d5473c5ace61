import type { Redis } from 'ioredis';
import type { EventType } from '../../src/kinds/index.ts';
import { packEventData } from '../../src/operations/transition.ts';
import { keys } from '../../src/operations/keys.ts';

/** Puts an event into the stream as the scripts do. Answers its place. */
export async function emit(redis: Redis, op: string, type: EventType, data: object = {}, account = 'main') {
  const place = await redis.xadd(
    keys.events,
    '*',
    'op',
    op,
    'seq',
    '1',
    'at',
    '1700000000000',
    'account',
    account,
    'type',
    type,
    'data',
    packEventData(op, { type, data: { id: op, state: type.split('.')[1], ...data } }),
  );
  return String(place);
}
