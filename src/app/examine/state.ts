/** What stands still: held accounts with what waits behind them, and money that has been in doubt for long. */
import type { Holds } from '../../ledger/holds.ts';
import type { HoldStanding, Status } from '../../ledger/status.ts';
import { describeXof } from '../../lib/money.ts';
import { said } from '../../messages/said.ts';
import { type Finding, fault, ok } from './finding.ts';

/** Money that is in doubt for less is on its way. */
const YOUNG: readonly string[] = ['<10m', '<1h'];

export async function examineState(
  status: Pick<Status, 'holds' | 'inDoubt'>,
  accounts: Pick<Holds, 'allHolds'>,
  now: number,
): Promise<readonly Finding[]> {
  const holds = await status.holds(accounts);
  const old = (await status.inDoubt(now)).filter(({ age, count }) => count > 0 && !YOUNG.includes(age));
  const faults = [...holds.map(heldFault), ...old.map(doubtFault)];
  return faults.length > 0 ? faults : [ok('state', 'no account is held, and no money has been in doubt for an hour')];
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
    : said('See its meaning, and what ends it: relais explain {reason}.', { reason });
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
