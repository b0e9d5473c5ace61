/** Records that somebody met and could not read: nobody acts on them until a person has looked. */
import type { Redis } from 'ioredis';
import { namedUnreadable } from '../../operations/unreadable.ts';
import { type Finding, fault, ok } from './finding.ts';

const NAMED_MOST = 20;

export async function examineRecords(redis: Redis): Promise<readonly Finding[]> {
  const unreadable = await namedUnreadable(redis);
  if (unreadable.length === 0) return [ok('records', 'none was met that cannot be read')];
  const more = unreadable.length > NAMED_MOST ? [`and ${unreadable.length - NAMED_MOST} more`] : [];
  const told = [...unreadable.slice(0, NAMED_MOST).map(({ message }) => message), ...more];
  return [
    fault('records', told.join('; '), 'Run the version that wrote it, or restore the field from a copy of Redis.'),
  ];
}
