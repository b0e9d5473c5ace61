/** What a campaign sends, as an approval names it, and who had a hand in it. */
import { hash } from 'node:crypto';
import { HAND } from '../kinds/campaign-switches.ts';
import { canonicalJson } from '../lib/ids.ts';
import type { CampaignRecord } from '../operations/record.ts';

/** Those who made, filled, changed or started it: none of them approves it. */
export function handsIn({ fields }: Pick<CampaignRecord, 'fields'>): string[] {
  return Object.keys(fields).flatMap((name) => (name.startsWith(HAND) ? [name.slice(HAND.length)] : []));
}

/** What is approved is exactly this: the text, who gets it, under which sender, and when. */
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
