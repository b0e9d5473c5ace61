/** What is left of a chunk that was still to go out when its campaign was cancelled. */
import type { RecipientState } from '../kinds/recipient.ts';
import { unpackAgain, unpackCodes } from '../operations/chunk-items.ts';
import type { ProcessorContext, AttemptResult } from './context.ts';
import { type ChunkHeld, goOn, statesBefore } from './chunk-settle.ts';

/**
 * Nobody is sent to again, so what is known of each is what was known after the last time: who failed has failed, with
 * the code of then, and who was in doubt may have got it. `cancelled` are those who were never sent to.
 */
export function endCancelled(held: ChunkHeld, context: ProcessorContext): Promise<AttemptResult> {
  const { record } = held;
  const times = unpackAgain(record.again, record.count);
  const lastTime = (place: number): RecipientState => {
    if ((times[place] ?? 0) > 0) return 'unknown';
    return record.retry > 0 ? 'failed' : 'cancelled';
  };
  const before = statesBefore(record);
  const states = before.map((state, place) => (state === 'queued' ? lastTime(place) : state));
  const known = Object.entries(unpackCodes(record.codes, record.count));
  const codes = Object.fromEntries(known.filter(([place]) => states[Number(place)] === 'failed'));
  return goOn(held, { states, codes }, 'campaign_cancelled', context);
}
