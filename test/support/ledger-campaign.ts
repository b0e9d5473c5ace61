/** Campaigns in a ledger, for tests of related data. */
import type { UploadRecord } from '../../src/kinds/campaign-fields.ts';
import type { CampaignRecord } from '../../src/operations/record.ts';
import type { FreshLedger } from './fresh-ledger.ts';

interface Made {
  readonly account?: string;
  readonly text?: string;
  readonly state?: string;
  readonly from?: string;
  readonly createdAt?: string;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** A draft by default. */
export async function madeCampaign(ledger: FreshLedger, id: string, made: Made = {}): Promise<CampaignRecord> {
  const { account = 'main', text = 'Bonjour {{prenom}}', state = 'draft', from, createdAt } = made;
  const options = JSON.stringify({ country: 'SN', ...(from === undefined ? {} : { from }) });
  const times = createdAt === undefined ? 'now()' : quoted(createdAt);
  await ledger.query(
    `insert into relais.campaign (id, account, fingerprint, name, body, options, state, created_by, created_at, since)
     values (${quoted(id)}, ${quoted(account)}, '\\x00', 'n', ${quoted(text)}, ${quoted(options)}, ${quoted(state)},
       'maker', ${times}, ${times})`,
  );
  return readCampaign(ledger, id);
}

interface Row {
  readonly number: string;
  readonly account: string;
  readonly body: string;
  readonly options: Readonly<Record<string, string | number>>;
  readonly uploads: readonly UploadRecord[];
  readonly state: string;
  readonly version: number;
  readonly recipients: number;
  readonly left_out: number;
  readonly segments: string;
  readonly created_at: Date;
}

/** The record's data for uploads and reports. */
export async function readCampaign(ledger: FreshLedger, id: string): Promise<CampaignRecord> {
  const [row] = await ledger.query<Row>(`select * from relais.campaign where id = ${quoted(id)}`);
  if (row === undefined) throw new Error(`there is no campaign ${id}`);
  const { account, body, options, uploads, state, version, recipients, left_out: leftOut } = row;
  const record = {
    ...options,
    kind: 'campaign',
    id,
    account,
    state,
    uploads,
    text: body,
    replaceCostly: false,
    rev: version,
    segments: Number(row.segments),
    createdAt: row.created_at.getTime(),
    totals: { total: recipients + leftOut, queued: recipients, skipped: leftOut },
    slices: Math.ceil(recipients / 50),
  };
  return record as unknown as CampaignRecord;
}
