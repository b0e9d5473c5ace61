/** Do not create an operation whose caller has stopped waiting an hour ago. */
import type { Attempt } from '../attempt.ts';

const CREATE_LIMIT_MS = 3_600_000;

/** Checks that run before any request to the provider. `set`: fields to clear when it is too late. */
export async function mayBeCreated(
  a: Attempt<'invoice'> | Attempt<'payment_request'>,
  set: Readonly<Record<string, ''>>,
): Promise<void> {
  await a.notRecovering();
  const { createdAt: from } = a.record;
  await a.withinLimit(CREATE_LIMIT_MS, { from, to: 'failed', reason: 'not_created_in_time', set });
}
