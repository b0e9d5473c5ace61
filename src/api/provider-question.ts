/** Reads from the provider while the caller waits, without an effect. */
import type { Area, UpstreamAccount } from '../provider/account.ts';
import type { Verdict } from '../provider/verdict.ts';
import { mayUseAccount } from './keys.ts';
import type { AnyAsked } from './route.ts';
import { ApiProblem } from './problem.ts';
import { upstreamProblem } from './upstream-problem.ts';
import { message } from '../messages/message.ts';

interface Question<T> {
  /** Name of the account, as the caller gave it. */
  readonly account: string;
  readonly area: Area;
  readonly ask: (account: UpstreamAccount) => Promise<Verdict<T>>;
}

/** The answer of the provider; anything else is a problem. */
export async function askProvider<T>(
  { context, key, response }: Pick<AnyAsked, 'context' | 'key' | 'response'>,
  { account: name, area, ask }: Question<T>,
): Promise<T> {
  const account = mayUseAccount(key, name) ? context.processing.account(name)?.upstream : undefined;
  if (!account) throw new ApiProblem('not-found', message('account_not_found', { name: name.slice(0, 40) }));
  const admission = await context.processing.upstream.admit(account, area, 'look');
  if (!admission.admitted) {
    response.set('Retry-After', String(Math.ceil(admission.retryAfterMs / 1_000)));
    throw new ApiProblem('too-many-requests', message('provider_rate_used'));
  }
  const verdict = await ask(account);
  if (verdict.is === 'ok') return verdict.value;
  throw upstreamProblem(verdict, { retryable: verdict.is === 'transient' });
}
