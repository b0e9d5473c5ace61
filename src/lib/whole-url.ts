/** Strict URLs: parts that would be ignored are refused, and a password is never repeated. */
import { type Message, message } from '../messages/message.ts';
export interface UrlRule {
  /** As a regular expression of the text before `:`. */
  readonly protocol: RegExp;
  readonly example: string;
  /** Supported query parameters. */
  readonly query?: readonly string[];
  /** Whether user and password are used. */
  readonly user?: boolean;
  /** The setting for each parameter that users commonly write after `?`. */
  readonly instead?: Readonly<Record<string, 'redis_database' | 'redis_tls'>>;
}

/** Undefined: valid. */
export function ignoredIn(
  text: string,
  { protocol, example, query = [], user, instead = {} }: UrlRule,
): Message | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !protocol.test(url.protocol.slice(0, -1)))
    return text.includes('@') && protocol.test(text.split(':')[0] ?? '')
      ? message('address_encoded', { example })
      : message('address', { example });
  // The rest of a password that contains a sign which ends the host.
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
