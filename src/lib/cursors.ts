/** Cursors of events, and why a reader cannot continue from one. */

/** The epoch of the ledger, and the position of the last event that was read. */
export const cursorPattern = /^\d{1,10}-\d{1,15}$/;

/** Events after the cursor were deleted: the reader must re-read the state before it continues. */
export class CursorTooOld extends Error {
  override readonly name = 'CursorTooOld';
  /** The oldest stored event; undefined: there is none. */
  readonly oldest: string | undefined;

  constructor(oldest: string | undefined) {
    super(`events after this cursor are no longer kept; the oldest that is: ${oldest ?? 'none'}`);
    this.oldest = oldest;
  }
}

/**
 * The cursor is ahead of the stream, or of an earlier epoch: events were lost since. The reader must re-read the
 * state before it continues.
 */
export class CursorAhead extends Error {
  override readonly name = 'CursorAhead';
  /** The oldest stored event; undefined: there is none. */
  readonly oldest: string | undefined;
  readonly epoch: string;

  constructor(oldest: string | undefined, epoch: string) {
    super('this cursor is ahead of the stream');
    this.oldest = oldest;
    this.epoch = epoch;
  }
}

/** A damaged event, or one written by another version. */
export class UnreadableEvent extends Error {
  override readonly name = 'UnreadableEvent';

  constructor(place: string, cause: unknown) {
    super(`the event at ${place} cannot be read by this version`, { cause });
  }
}
