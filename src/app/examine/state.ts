/** Blocked work: held accounts with their waiting operations, and money that has been in doubt for long. */
import type { Holds } from '../../ledger/holds.ts';
import type { HoldStanding, Status } from '../../ledger/status.ts';
import { describeXof } from '../../lib/money.ts';
import { message } from '../../messages/message.ts';
import { type Finding, fault, ok } from './finding.ts';

/** Money in doubt for less time is in flight. */
const YOUNG: readonly string[] = ['<10m', '<1h'];

export async function examineState(
  status: Pick<Status, 'holds' | 'inDoubt'>,
  accounts: Pick<Holds, 'allHolds'>,
  now: number,
): Promise<readonly Finding[]> {
  const holds = await status.holds(accounts);
  const old = (await status.inDoubt(now)).filter(({ age, count }) => count > 0 && !YOUNG.includes(age));
  const faults = [...holds.map(heldFault), ...old.map(doubtFault)];
  return faults.length > 0 ? faults : [ok('state', message('nothing_held'))];
}

function heldFault({ account, area, reason, since, count, xof, unreadable }: HoldStanding): Finding {
  const held = { account, area, reason, since: new Date(since).toISOString(), count };
  const says =
    area === 'messaging'
      ? message('account_held_recipients', held)
      : message('account_held_payments', {
          ...held,
          xof: describeXof(xof),
        });
  const next = unreadable
    ? message('see_answer', {
        ...unreadable,
        reason,
      })
    : message('see_reason', { reason });
  return fault('state', says, next);
}

function doubtFault({ age, count, xof }: { readonly age: string; readonly count: number; readonly xof: number }) {
  const values = { xof: describeXof(xof), count };
  const says = age === '>=1d' ? message('doubt_for_a_day', values) : message('doubt_for_an_hour', values);
  return fault('state', says, message('see_doubt'));
}
