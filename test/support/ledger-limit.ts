/** A limit of one account, as an operator would set it. */
import type { MoneyLimit } from '../../src/kinds/limits.ts';
import type { FreshLedger } from './fresh-ledger.ts';

export async function limitOf(
  ledger: Pick<FreshLedger, 'query'>,
  account: string,
  name: MoneyLimit,
  value: number | null,
): Promise<void> {
  await ledger.query(`insert into relais.limit_value (account, name, value, set_by, op, had_value)
    values ('${account}', '${name}', ${value ?? 'null'}, 'operator', 'test', false)
    on conflict (account, name) do update set value = excluded.value`);
}
