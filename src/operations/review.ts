/** Kinds that can need review, and pages of the operations that need it. */
import { statesOf, type Kind, kinds, type StateOf } from '../kinds/index.ts';

/** Kinds that can need review. */
export type ReviewKind = { [K in Kind]: 'needs_review' extends StateOf<K> ? K : never }[Kind];

const needsReview = (kind: Kind): kind is ReviewKind =>
  (statesOf(kind) as readonly string[]).includes('needs_review');
export const reviewKinds: readonly ReviewKind[] = kinds.filter(needsReview);

export interface ReviewPage {
  /** `next` of the previous page, or the id of an operation that needs review. Absent: from the beginning. */
  readonly after?: string | undefined;
  readonly limit: number;
  /** Absent: all kinds. */
  readonly kind?: ReviewKind | undefined;
}

/** The position is neither the end of a page nor an operation that needs review. */
export class NoSuchPlace extends Error {
  override readonly name = 'NoSuchPlace';
}
