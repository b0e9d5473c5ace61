/** What stands still: held accounts with what waits behind them, and money that has been in doubt for long. */
import type { Redis } from 'ioredis';
import { Accounts } from '../../operations/accounts.ts';
import { type HoldStanding, Status } from '../../operations/status.ts';
import { describeXof } from '../../lib/money.ts';
import { MISPLACED_QUEUE, misplacedJobs } from '../../queues/misplaced.ts';
import { type Finding, fault, ok } from './finding.ts';
import { said } from '../../words/said.ts';

/** Money that is in doubt for less is on its way. */
const YOUNG: readonly string[] = ['<10m', '<1h'];

export async function examineState(redis: Redis, now: number): Promise<readonly Finding[]> {
  const status = new Status(redis);
  const holds = await status.holds(new Accounts(redis));
  const old = (await status.inDoubt(now)).filter(({ age, count }) => count > 0 && !YOUNG.includes(age));
  const faults = [...holds.map(heldFault), ...old.map(doubtFault)];
  return faults.length > 0 ? faults : [ok('state', 'no account is held, and no money has been in doubt for an hour')];
}

/** Whether requests wait where nobody takes them. `unprefixed` is a connection that puts nothing before its keys. */
export async function examineIntake(unprefixed: Redis, prefix: string): Promise<readonly Finding[]> {
  const waiting = await misplacedJobs(unprefixed);
  if (waiting === 0) return [ok('intake', 'no request waits outside of our keys')];
  const says = said('{waiting} jobs wait in {queue}, where nobody takes them', { waiting, queue: MISPLACED_QUEUE });
  const code = `new Queue('intake', { prefix: '${prefix}' })`;
  return [fault('intake', says, said('Add them with the prefix {prefix}: {code}.', { prefix, code }))];
}

function heldFault({ account, area, reason, since, count, xof, unreadable }: HoldStanding): Finding {
  const held = { account, area, reason, since: new Date(since).toISOString(), count };
  const says =
    area === 'messaging'
      ? said('the account {account} is held ({area}: {reason}) since {since}; {count} recipients wait', held)
      : said('the account {account} is held ({area}: {reason}) since {since}; {count} payments, {xof}, wait', {
          ...held,
          xof: describeXof(xof),
        });
  const next = unreadable
    ? said('Instead of an answer to {operation} came: {came}. See: relais explain {reason}.', {
        ...unreadable,
        reason,
      })
    : said('What it means and what ends it: relais explain {reason}.', { reason });
  return fault('state', says, next);
}

function doubtFault({ age, count, xof }: { readonly age: string; readonly count: number; readonly xof: number }) {
  const values = { xof: describeXof(xof), count };
  const says =
    age === '>=1d'
      ? said('{xof} ({count}) have been in doubt for more than a day', values)
      : said('{xof} ({count}) have been in doubt for more than an hour', values);
  return fault('state', says, 'See which: relais review list, relais status.');
}
