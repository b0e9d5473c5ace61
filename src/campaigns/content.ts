/** The approved content of a campaign, and the people involved. */
import { hash } from 'node:crypto';
import { HAND } from '../kinds/campaign-switches.ts';
import { canonicalJson } from '../lib/ids.ts';
import type { CampaignRecord } from '../operations/record.ts';

/** The people who created, filled, changed or started it: none of them can approve it. */
export function handsIn({ fields }: Pick<CampaignRecord, 'fields'>): string[] {
  return Object.keys(fields).flatMap((name) => (name.startsWith(HAND) ? [name.slice(HAND.length)] : []));
}

/** The approved content: the text, the recipients, the sender ID, and the schedule. */
export function contentHashOf(campaign: CampaignRecord): string {
  const { id, account, text, from, country, replaceCostly, uploads, sendAt, quietHours, timezone } = campaign;
  const recipients = uploads.map(({ tag, hash: bytes, recipients: count, skipped }) => ({
    tag,
    bytes,
    count,
    skipped,
  }));
  const content = { id, account, text, from, country, replaceCostly, recipients, sendAt, quietHours, timezone };
  return hash('sha256', canonicalJson(content), 'hex');
}
