import { messagingKeys, type MessagingKeys } from '../account.ts';
import { type Exchange, type Question, unasked } from '../exchange.ts';
import type { CallOptions, UpstreamAccount } from '../options.ts';
import type { UpstreamOperation, Verdict } from '../verdict.ts';
import { isTokenRefusal } from './envelope.ts';
import { ACCEPT } from './login.ts';
import type { Tokens } from './token.ts';

export interface MessagingContext {
  readonly exchange: Exchange;
  readonly tokens: Tokens;
  readonly crmUrl: string;
  readonly numberFormat: 'plus' | 'digits' | '00';
}

/** A call that needs the bearer, and the application key in its body. */
export interface MessagingQuestion<T> {
  readonly operation: UpstreamOperation;
  readonly kind: 'read' | 'effect';
  readonly path: string;
  readonly body: (keys: MessagingKeys) => Readonly<Record<string, unknown>>;
  readonly read: Question<T>['read'];
}

/**
 * Asks with the shared bearer. A refused bearer was refused before any work, so the same request goes once more with
 * a new one; a second refusal is the caller's to wait out.
 */
export async function askMessaging<T>(
  context: MessagingContext,
  account: UpstreamAccount,
  question: MessagingQuestion<T>,
  call: CallOptions,
): Promise<Verdict<T>> {
  const keys = messagingKeys(account);
  if (typeof keys === 'string') return unasked(account, question.operation, keys);
  const bearer = await context.tokens.bearer(account, keys);
  if (bearer.is !== 'ok') return bearer;
  const verdict = await context.exchange.ask(account, write(context, question, keys, bearer.value.token), call);
  if (verdict.is === 'ok' || !isTokenRefusal(verdict.code)) return verdict;

  const waitMs = await context.tokens.refused(account, keys, bearer.value.generation);
  if (waitMs > 0) return { ...verdict, retryAfterMs: waitMs } as Verdict<T>;
  const renewed = await context.tokens.bearer(account, keys);
  if (renewed.is !== 'ok') return renewed;
  const second = await context.exchange.ask(account, write(context, question, keys, renewed.value.token), call);
  if (second.is === 'ok' || !isTokenRefusal(second.code)) return second;
  const retryAfterMs = await context.tokens.refused(account, keys, renewed.value.generation);
  return { ...second, retryAfterMs } as Verdict<T>;
}

function write<T>(
  context: MessagingContext,
  question: MessagingQuestion<T>,
  keys: MessagingKeys,
  token: string,
): Question<T> {
  return {
    operation: question.operation,
    kind: question.kind,
    area: 'messaging',
    read: question.read,
    letter: {
      method: 'POST',
      url: `${context.crmUrl}${question.path}`,
      headers: { Authorization: `Bearer ${token}`, Accept: ACCEPT, 'Content-Type': 'application/json' },
      body: JSON.stringify(question.body(keys)),
      fresh: false,
      abortable: question.kind === 'read',
    },
  };
}
