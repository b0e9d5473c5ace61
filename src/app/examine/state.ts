/** What stands still: held accounts with what waits behind them, and money that has been in doubt for long. */
import type { Redis } from 'ioredis';
import { Accounts } from '../../operations/accounts.ts';
import { type HoldStanding, Status } from '../../operations/status.ts';
import { describeXof } from '../../lib/money.ts';
import { MISPLACED_QUEUE, misplacedJobs } from '../../queues/misplaced.ts';
import { type Finding, fault, ok } from './finding.ts';

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
  const says = `${waiting} jobs wait in ${MISPLACED_QUEUE}, where nobody takes them`;
  return [fault('intake', says, `Add them with the prefix ${prefix}: new Queue('intake', { prefix: '${prefix}' }).`)];
}

function heldFault({ account, area, reason, since, count, xof }: HoldStanding): Finding {
  const behind = area === 'messaging' ? `${count} recipients wait` : `${count} payments, ${describeXof(xof)}, wait`;
  return fault(
    'state',
    `the account ${account} is held (${area}: ${reason}) since ${new Date(since).toISOString()}; ${behind}`,
    `What it means and what ends it: relais explain ${reason}.`,
  );
}

function doubtFault({ age, count, xof }: { readonly age: string; readonly count: number; readonly xof: number }) {
  const span = age === '>=1d' ? 'a day' : 'an hour';
  return fault(
    'state',
    `${describeXof(xof)} (${count}) have been in doubt for more than ${span}`,
    'See which: relais review list, relais status.',
  );
}
