/** The lifecycles of `kinds/`, as the rows that PostgreSQL holds changes of state to. */
import { type Kind, kinds, recountOf, stateOf, statesOf } from '../kinds/index.ts';

export interface Arrow {
  readonly kind: Kind;
  readonly was: string;
  readonly state: string;
  /** What it does to the sums of the day: 1 counts the amount again, -1 gives it back. */
  readonly recount: -1 | 0 | 1;
}

export function arrowsOf(): readonly Arrow[] {
  return kinds.flatMap((kind) =>
    statesOf(kind).flatMap((was) => {
      const { to = [], late = [], retried = [] } = stateOf(kind, was);
      return [...to, ...late, ...retried].map((state) => ({
        kind,
        was,
        state,
        recount: recountOf(kind, was, state),
      }));
    }),
  );
}
