/**
 * Hands out the chunks of a running campaign, a bounded number at a time, so that pause and cancel take effect within
 * the chunks that are out, and a million recipients wait in compact records instead of jobs.
 */
import type { Bench, Settlement } from './bench.ts';

/** Handing out again is mostly asked for by the chunk that settled; this is for when nobody asks. */
const AGAIN_MS = 2_000;

export async function feedCampaign(id: string, bench: Bench): Promise<Settlement> {
  const campaign = await bench.queries.read('campaign', id);
  if (!campaign) return { did: 'idle', because: 'none' };
  const chunks = await bench.campaigns.feed(campaign, bench.policy.feedWindow, AGAIN_MS);
  for (const chunk of chunks) bench.wake('sms-batch', chunk, 1);
  return chunks.length > 0 ? { did: 'advanced', because: 'handed_out' } : { did: 'idle', because: 'window_full' };
}
