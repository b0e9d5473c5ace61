/** An event of the stream in the format of a delivery. */
import type { EventStream } from '../../ledger/event-stream.ts';
import { UnreadableEvent } from '../../lib/cursors.ts';

interface EventLetter {
  readonly id: string;
  readonly body: string;
  /** The trace of the event. */
  readonly trace?: string | undefined;
}

/** The reason, if there is nothing to deliver. */
export async function letterIn(
  events: Pick<EventStream, 'at'>,
  place: string,
): Promise<EventLetter | 'no longer kept' | 'unreadable'> {
  try {
    const kept = await events.at(place);
    return kept ? { id: kept.event.id, body: JSON.stringify(kept.event), trace: kept.trace } : 'no longer kept';
  } catch (error) {
    if (error instanceof UnreadableEvent) return 'unreadable';
    throw error;
  }
}
