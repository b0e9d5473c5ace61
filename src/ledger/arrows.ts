/** The lifecycles of `kinds/`, as the rows that PostgreSQL holds changes of state to. */
import { type Kind, kinds, recountOf, stateOf, statesOf } from '../kinds/index.ts';

export interface Arrow {
  readonly kind: Kind;
  readonly was: string;
  readonly state: string;
  /** Effect on the daily totals: 1 counts the amount again, -1 subtracts it. */
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
