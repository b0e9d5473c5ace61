/** What a callback may cost us, wherever it came from. A confirmed invoice with many items stays far below each of them. */
export const BODY_LIMITS = {
  bytes: 256 * 1024,
  /** Form fields, or members and elements of JSON, counted over the whole body. */
  parameters: 5_000,
  /** Levels of nesting: JSON containers, or names inside a form field's brackets. */
  depth: 12,
  /** Characters of one field that is kept. */
  fieldCharacters: 512,
  /** How often a text may turn out to be another text in disguise (JSON in JSON, percent-encoded twice). */
  layers: 4,
} as const;

/** Why a body tells us nothing. A word for the counter of callbacks; the look at upstream is made all the same. */
export type UnreadableReason = 'empty' | 'too_large' | 'too_many_parameters' | 'too_deep' | 'not_understood';

/** What is left of the parameters while one body is read. Counted down by every reader that takes part. */
export interface Budget {
  parameters: number;
}
