/** Whether what is over comes to PostgreSQL: whether that can be reached, and what waits for it. */
import type { Redis } from 'ioredis';
import type { Role } from '../../cli/io.ts';
import type { Config } from '../../config.ts';
import { describeMs } from '../../lib/clock.ts';
import { missingOf, waitingForHistory } from '../../operations/history.ts';
import { setAsideFromHistory } from '../../operations/set-aside.ts';
import { kindsLeft } from '../../operations/trimming.ts';
import { said } from '../../words/said.ts';
import { type Finding, fault, ok } from './finding.ts';

/** Copied within a minute, as long as nothing stands in the way. */
const LATE_MS = 900_000;
const NAMED_MOST = 5;

const NEEDED_WHERE_ASKED = 'Set it where the roles api and webhooks are.';
const isAsked = (role: Role): boolean => role === 'api' || role === 'webhooks';

/** Without a URL nothing is said where nothing is kept, or by a process that neither keeps it nor is asked for what left. */
export async function examineHistory(
  redis: Redis,
  { HISTORY_URL: url }: Pick<Config, 'HISTORY_URL'>,
  { now, roles }: { readonly now: number; readonly roles: readonly Role[] },
): Promise<readonly Finding[]> {
  const { count, since = now, missing } = await waitingForHistory(redis);
  const values = { count, time: describeMs(Math.max(0, now - since)) };
  if (url === undefined) {
    if (count > 0 && roles.includes('history')) {
      const waits = said('no HISTORY_URL here; {count} wait for it, the first for {time}', values);
      return [fault('history', waits, 'Set it where the role history is.')];
    }
    return roles.some(isAsked) && (await kindsLeft(redis)).length > 0
      ? [fault('history', 'what left Redis cannot be read here: no HISTORY_URL', NEEDED_WHERE_ASKED)]
      : [];
  }
  const { reachHistory } = await import('../../history/store.ts');
  const why = await reachHistory(url.reveal());
  if (why !== undefined) {
    const says = said('PostgreSQL is away ({why}); {count} wait for it, the first for {time}', { ...values, why });
    return [fault('history', says, 'Nothing stops meanwhile.')];
  }
  if (missing) {
    const { from, to } = missing;
    const lacks = said(
      'PostgreSQL is an older copy: it lacks up to {many} that left Redis and changed last between {from} and {to}',
      { many: missingOf(missing), from: new Date(from).toISOString(), to: new Date(to).toISOString() },
    );
    return [
      fault('history', lacks, 'Put a newer copy in its place; if there is none: relais recover --without-missing.'),
    ];
  }
  const { count: many, some } = await setAsideFromHistory(redis, NAMED_MOST);
  if (many > 0) {
    const named = some.map((one) => `${one.id} (${one.why})`).join(', ');
    const refused = said('PostgreSQL did not take {count}, which stay in Redis: {named}', { count: many, named });
    const remedy =
      'docs/runbook.md#relaishistorysetaside says what to do; then start the process with the role history again.';
    return [fault('history', refused, remedy)];
  }
  const says = said('PostgreSQL answers; {count} wait for it, the first for {time}', values);
  if (now - since > LATE_MS) return [fault('history', says, 'Start a process with the role history; see its log.')];
  return [ok('history', count === 0 ? 'PostgreSQL answers; nothing waits for it' : says)];
}
