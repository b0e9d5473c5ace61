/** The lifecycles of `kinds/` as rows against which PostgreSQL checks state changes. */
import { ACCEPTED, measuresOf } from '../kinds/day-totals.ts';
import { type Kind, asDeclared, kinds, recountOf, stateOf, statesOf } from '../kinds/index.ts';

export interface Arrow {
  readonly kind: Kind;
  readonly was: string;
  readonly state: string;
  /** Effect on the daily totals: 1 counts the amount again, -1 subtracts it. */
  readonly recount: -1 | 0 | 1;
  /** Operations that it adds to each measure of the daily totals. */
  readonly totals: Readonly<Record<string, number>>;
}

/** Represents acceptance, which has no arrow. */
const ACCEPTANCE = { was: '', state: '', recount: 0, totals: ACCEPTED } as const;

export function arrowsOf(): readonly Arrow[] {
  const accepted = kinds.flatMap((kind) => (asDeclared(kind).money === 'out' ? [{ kind, ...ACCEPTANCE }] : []));
  const arrows = kinds.flatMap((kind) =>
    statesOf(kind).flatMap((was) => {
      const { to = [], late = [], retried = [] } = stateOf(kind, was);
      return [...to, ...late, ...retried].map((state) => ({
        kind,
        was,
        state,
        recount: recountOf(kind, was, state),
        totals: measuresOf(kind, was, state),
      }));
    }),
  );
  return [...accepted, ...arrows];
}
