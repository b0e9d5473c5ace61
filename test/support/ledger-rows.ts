/** Operations as rows of the ledger, without the usual steps. */

export interface OperationAsRow {
  readonly id: string;
  readonly kind?: string;
  readonly account?: string;
  readonly reference?: string;
  readonly state?: string;
  readonly amount?: number;
  readonly beneficiary?: string;
  readonly batch?: string;
  readonly token?: string;
  readonly transaction_id?: string;
  readonly provider_ref?: string;
  readonly provider_id?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly facts?: object;
  readonly request?: object;
  readonly queue?: string;
  readonly due_at?: string;
  readonly created_at?: string;
  readonly since?: string;
  readonly finished_at?: string;
}

const BASE = {
  kind: 'disbursement',
  account: 'main',
  state: 'queued',
  amount: 500,
  provider_id: 'd',
  request: { accountAlias: '771234567', withdrawMode: 'wallet-a-senegal' },
  facts: {},
};

interface Asks {
  query<Row extends object>(sql: string): Promise<readonly Row[]>;
}

/** Unnamed columns get their usual value. */
export async function insertOperations(ledger: Asks, rows: readonly OperationAsRow[]): Promise<void> {
  const all = rows.map((row) => {
    const at = row.created_at ?? new Date().toISOString();
    return { ...BASE, created_at: at, updated_at: at, since: at, ...row };
  });
  const columns = [...new Set(all.flatMap((row) => Object.keys(row)))].join(', ');
  await ledger.query(
    `insert into relais.operation (${columns}, fingerprint, created_by, schema_version, op)
     select ${columns}, '', 'shop', 1, gen_random_uuid()
     from jsonb_populate_recordset(null::relais.operation, '${JSON.stringify(all).replaceAll("'", "''")}')`,
  );
}
