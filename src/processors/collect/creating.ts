/** What nobody was shown within an hour is not made behind the back of a caller that has long given up waiting. */
import type { Attempt } from '../attempt.ts';

const CREATE_LIMIT_MS = 3_600_000;

/** Before anything is asked of the service. `set`: what is of no use any more where it is too late. */
export async function mayBeCreated(
  a: Attempt<'invoice'> | Attempt<'payment_request'>,
  set: Readonly<Record<string, ''>>,
): Promise<void> {
  await a.notRecovering();
  const { createdAt: from } = a.record;
  await a.withinLimit(CREATE_LIMIT_MS, { from, to: 'failed', reason: 'not_created_in_time', set });
}
