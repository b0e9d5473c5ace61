/** The canary of a campaign: its first recipients, whose results are awaited. */
import type { CampaignRecord } from './record.ts';

/** Campaigns with more recipients have a canary by default. */
const ABOVE_RECIPIENTS = 1_000;

export function hasCanary({ canary, uploads }: Pick<CampaignRecord, 'canary' | 'uploads'>): boolean {
  const recipients = uploads.reduce((sum, upload) => sum + upload.recipients, 0);
  return (canary ?? (recipients > ABOVE_RECIPIENTS ? 1 : 0)) > 0;
}
