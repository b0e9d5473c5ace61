/** The records of texts: what a caller asked for one by one, and the requests that carry them. */
import type { RecordBase } from './record.ts';

export interface MessageRecord extends RecordBase<'message'> {
  readonly to: string;
  readonly text: string;
  readonly from?: string;
  readonly lane: string;
  readonly chunk: string;
  readonly code?: string;
  readonly reason?: string;
  readonly sentAt?: number;
  readonly expiresAt?: number;
}

export interface ChunkRecord extends RecordBase<'chunk'> {
  /** '' for a chunk of single messages. */
  readonly campaign: string;
  readonly lane: string;
  /** How many recipients. */
  readonly count: number;
  /** Packed; see chunk-items.ts. */
  readonly items: string;
  /** One letter per recipient; see chunk-items.ts. '' until something is known. */
  readonly outcome: string;
  /** Upstream's codes by position, packed. */
  readonly codes: string;
  readonly sentAt?: number;
  /** When the first request left: what statistics know may be as old. */
  readonly firstSentAt?: number;
  readonly looks: number;
  /** The parts it goes out in since it was refused as a whole; see processors/chunk-plan.ts. */
  readonly plan: string;
  /** The code that it was refused with, while that is being looked into. */
  readonly refusedAs?: string;
  /** How often recipients in doubt were sent to again (`onUnknown: resend`), and which of them, packed. */
  readonly resends: number;
  readonly again: string;
  /** Which retry of its campaign has opened it again for those who had failed; 0: none. */
  readonly retry: number;
  /** It stood in a copy of Redis that was put back: nobody in it is sent to again, whatever was asked for. */
  readonly restored: boolean;
  /** Countries of the recipients, packed; '' where nobody knows. */
  readonly countries: string;
}
