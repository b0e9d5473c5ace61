/** Data that tests count and set in the tables of a service, where the API does not show or allow it. */
import { asDeclared, type Kind } from '../../src/kinds/index.ts';
import { derivedId } from '../../src/lib/ids.ts';
import type { Service } from './service.ts';

type Has = Pick<Service, 'ledger'>;

/** The number of records of a kind, in all accounts and states. */
export async function storedIn({ ledger }: Has, kind: Kind): Promise<number> {
  const from = kind === 'batch' || kind === 'campaign' ? kind : `operation where kind = '${kind}'`;
  const [row] = await ledger.query<{ count: number }>(`select count(*)::int as count from relais.${from}`);
  return row?.count ?? 0;
}

/** Ids of all operations, of every kind. */
export async function operationIds({ ledger }: Has): Promise<string[]> {
  return (await ledger.query<{ id: string }>('select id from relais.operation order by id')).map(({ id }) => id);
}

/** As after checks without a final status. */
export async function leaveForReview({ ledger }: Has, id: string, reason = 'poll_exhausted'): Promise<void> {
  await ledger.query(`update relais.operation set state = 'needs_review', reason = '${reason}', queue = null,
    due_at = null, lease = null, lease_until = null, version = version + 1 where id = '${id}'`);
}

/** The audit lines of users' acts on it, oldest first. */
export async function actsOn({ ledger }: Has, target: string): Promise<string[]> {
  const lines = await ledger.query<{ act: string }>(
    `select act from relais.audit_line where target = '${target}' order by at, sequence`,
  );
  return lines.map(({ act }) => act);
}

/** The id of an operation that retention removed. */
export async function removed({ ledger }: Has, kind: Kind): Promise<string> {
  const id = derivedId(asDeclared(kind).prefix, 'removed');
  await ledger.query(`insert into relais.tombstone (id, kind, account, fingerprint, state, amount, finished_at, pending)
    values ('${id}', '${kind}', 'main', '', 'succeeded', 5000, now(), false) on conflict do nothing`);
  return id;
}

/** XOF counted towards an account's daily limits, by day. */
export async function spentOn({ ledger }: Has, account = 'main'): Promise<Record<string, number>> {
  const rows = await ledger.query<{ day: string; xof: number }>(
    `select day::text, xof::int from relais.spent where account = '${account}' and beneficiary = ''`,
  );
  return Object.fromEntries(rows.map(({ day, xof }) => [day, xof]));
}

/** As two people would set it within a day. Undefined: no limit. */
export async function setLimit({ ledger }: Has, name: string, value: number | undefined): Promise<void> {
  await ledger.query(`delete from relais.limit_value where name = '${name}'`);
  if (value === undefined) return;
  await ledger.query(`insert into relais.limit_value (name, value, set_by, op, had_value)
    values ('${name}', ${value}, 'test', 'test', false)`);
}

/** When it is due, ms since the epoch. Undefined: not due. */
export async function dueAt({ ledger }: Has, id: string): Promise<number | undefined> {
  const [row] = await ledger.query<{ due_at: Date | null }>(`select due_at from relais.operation where id = '${id}'`);
  return row?.due_at?.getTime();
}
