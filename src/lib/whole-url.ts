/** An address of which every part is read: what would be ignored is refused, and a password is never repeated. */
import { type Message, message } from '../messages/message.ts';
export interface UrlRule {
  /** As regular expression of what stands before `:`. */
  readonly protocol: RegExp;
  readonly example: string;
  /** Keys after `?` that are read. */
  readonly query?: readonly string[];
  /** Whether user and password are read. */
  readonly user?: boolean;
  /** Where to write what some people write after `?`. */
  readonly instead?: Readonly<Record<string, 'redis_database' | 'redis_tls'>>;
}

/** Undefined: nothing is wrong. */
export function ignoredIn(
  text: string,
  { protocol, example, query = [], user, instead = {} }: UrlRule,
): Message | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !protocol.test(url.protocol.slice(0, -1)))
    return text.includes('@') && protocol.test(text.split(':')[0] ?? '')
      ? message('address_encoded', { example })
      : message('address', { example });
  // The end of a password that began before a sign which ends the host.
  if (/@/.test(url.pathname + url.search + url.hash)) return message('encode_password');
  if (text.includes('#')) return message('no_hash');
  if (!user && url.username + url.password !== '') return message('no_user_in_address');
  const unread = [...new Set(url.searchParams.keys())].filter((key) => !query.includes(key));
  const [key] = unread;
  if (key !== undefined) return ofUnread(unread.map((name) => `?${name}`).join(' and '), instead[key], query);
  return query.length === 0 && text.includes('?') ? message('no_question_mark') : undefined;
}

function ofUnread(
  names: string,
  instead: 'redis_database' | 'redis_tls' | undefined,
  query: readonly string[],
): Message {
  if (instead !== undefined) return message(instead, { names });
  if (query.length === 0) return message('parameter_unread', { names });
  return message('parameter_unread_known', { names, known: query.join(', ') });
}
