/** The users that docs/redis.md tells operators to make, as they stand there. */
import { readFileSync } from 'node:fs';

const PAGE = new URL('../../docs/redis.md', import.meta.url);

/** Name → its line of an ACL file. */
export function usersOnPage(): ReadonlyMap<string, string> {
  const page = readFileSync(PAGE, 'utf8');
  return new Map([...page.matchAll(/^ *(user (\S+) .*)$/gm)].map(([, line = '', name = '']) => [name, line]));
}

/** What the line allows: `exists`, `config|get`. */
export function commandsOf(line: string): readonly string[] {
  return [...line.matchAll(/(?<= )\+(\S+)/g)].map(([, command = '']) => command);
}
