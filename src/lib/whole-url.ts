/** An address of which every part is read: what would be ignored is refused, and a password is never repeated. */
export interface UrlRule {
  /** As regular expression of what stands before `:`. */
  readonly protocol: RegExp;
  readonly example: string;
  /** Keys after `?` that are read. */
  readonly query?: readonly string[];
  /** Whether user and password are read. */
  readonly user?: boolean;
  /** Where to write what some people write after `?`. */
  readonly instead?: Readonly<Record<string, string>>;
}

const ENCODED = 'in a user or password write / as %2F, # as %23, ? as %3F and @ as %40';

/** Undefined: nothing is wrong. */
export function ignoredIn(
  text: string,
  { protocol, example, query = [], user, instead = {} }: UrlRule,
): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !protocol.test(url.protocol.slice(0, -1)))
    return text.includes('@') && protocol.test(text.split(':')[0] ?? '')
      ? `must be an address such as ${example}; ${ENCODED}`
      : `must be an address such as ${example}`;
  // The end of a password that began before a sign which ends the host.
  if (/@/.test(url.pathname + url.search + url.hash)) return ENCODED;
  if (text.includes('#')) return 'must not contain # (in a password write %23)';
  if (!user && url.username + url.password !== '') return 'must not contain a user or a password: neither is read';
  const unread = [...new Set(url.searchParams.keys())].filter((key) => !query.includes(key));
  const [key] = unread;
  if (key !== undefined)
    return `${unread.map((name) => `?${name}`).join(' and ')} is not read${hint(instead[key], query)}`;
  return query.length === 0 && text.includes('?') ? 'must not contain ?' : undefined;
}

function hint(instead: string | undefined, query: readonly string[]): string {
  if (instead !== undefined) return `: ${instead}`;
  return query.length === 0 ? ': remove it' : `: remove it (read are ${query.join(', ')})`;
}
