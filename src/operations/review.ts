/** Which operations can need a review, and where a page of those that wait for one begins. */
import { statesOf, type Kind, kinds, type StateOf } from '../kinds/index.ts';

/** The kinds that can come to need a person. */
export type ReviewKind = { [K in Kind]: 'needs_review' extends StateOf<K> ? K : never }[Kind];

const needsReview = (kind: Kind): kind is ReviewKind =>
  (statesOf(kind) as readonly string[]).includes('needs_review');
export const reviewKinds: readonly ReviewKind[] = kinds.filter(needsReview);

export interface ReviewPage {
  /** `next` of the page before, or the id of an operation that waits. Absent: from the beginning. */
  readonly after?: string | undefined;
  readonly limit: number;
  /** Absent: all of them. */
  readonly kind?: ReviewKind | undefined;
}

/** The place is neither the end of a page nor an operation that waits. */
export class NoSuchPlace extends Error {
  override readonly name = 'NoSuchPlace';
}
