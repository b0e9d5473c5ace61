/** Campaigns in a separate ledger, with uploaded recipients. */
import { createHash } from 'node:crypto';
import type { CampaignFields } from '../../src/ledger/campaign-record.ts';
import { Campaigns } from '../../src/ledger/campaigns.ts';
import type { Database } from '../../src/ledger/pool.ts';
import type { Limits } from '../../src/kinds/limits.ts';
import type { FreshLedger } from './fresh-ledger.ts';

/** 1 January 2026, midnight in Dakar. */
export const MIDNIGHT = Date.UTC(2026, 0, 1);

export interface CampaignBench {
  readonly campaigns: Campaigns;
  now(): number;
  advance(ms: number): void;
  drafted(fields?: CampaignFields, account?: string): Promise<string>;
  /** Recipients are +221770000000 and following. */
  fill(id: string, recipients: number): Promise<void>;
  ready(recipients: number, fields?: CampaignFields, account?: string): Promise<string>;
  started(recipients: number, fields?: CampaignFields, account?: string): Promise<string>;
  /** State, and reason. */
  standing(id: string): Promise<string>;
  /** The number of recipients, and the sum over their statuses. */
  sum(id: string): Promise<readonly [number, number]>;
  events(id: string): Promise<readonly { readonly type: string; readonly data: Readonly<Record<string, unknown>> }[]>;
}

export const phoneAt = (at: number): string => `+${221_770_000_000 + at}`;

export function campaignBench(
  ledger: FreshLedger,
  database: Database,
  { limits = {}, from = MIDNIGHT + 12 * 3_600_000 }: { readonly limits?: Limits; readonly from?: number } = {},
): CampaignBench {
  let time = from;
  const campaigns = new Campaigns({ database, now: () => time, limits: async () => limits });
  let made = 0;
  const read = async (id: string) => {
    const record = await campaigns.read(id);
    if (record === undefined) throw new Error(`there is no campaign ${id}`);
    return record;
  };
  const bench: CampaignBench = {
    campaigns,
    now: () => time,
    advance: (ms) => {
      time += ms;
    },
    drafted: async (fields = {}, account = 'main') => {
      made += 1;
      const id = `cmp_${made}`;
      await campaigns.accept({
        id,
        account,
        reference: `ref-${made}`,
        fingerprint: createHash('sha256').update(id).digest(),
        fields: { name: id, text: `hello from ${id}`, ...fields },
        createdBy: 'maker',
      });
      return id;
    },
    fill: async (id, recipients) => {
      const file = { tag: 'ab', hash: id, slices: 0, recipients, skipped: 0 };
      await ledger.query(
        `insert into relais.recipient (campaign, n, row, phone, variables)
         select c.number, c.recipients + i, i + 2, 221770000000 + c.recipients + i, 'name ' || i
         from relais.campaign c cross join generate_series(0, ${recipients - 1}) as i where c.id = '${id}'`,
      );
      await ledger.query(
        `update relais.campaign set recipients = recipients + ${recipients}, state = 'ready', version = version + 1,
           uploads = uploads || '${JSON.stringify([file])}'::jsonb where id = '${id}'`,
      );
    },
    ready: async (recipients, fields, account) => {
      const id = await bench.drafted(fields, account);
      await bench.fill(id, recipients);
      return id;
    },
    started: async (recipients, fields, account) => {
      const id = await bench.ready(recipients, fields, account);
      await campaigns.switch(id, 'start', { by: 'maker' });
      return id;
    },
    standing: async (id) => {
      const { state, reason } = await read(id);
      return reason === undefined ? state : `${state}: ${reason}`;
    },
    sum: async (id) => {
      const { total, ...rest } = (await read(id)).totals;
      return [total, Object.values(rest).reduce((sum, count) => sum + count, 0)];
    },
    events: (id) =>
      ledger.query(
        `select type, data from relais.outbox where subject = '${id}' and type is not null order by sequence`,
      ),
  };
  return bench;
}
