/** Combines consecutive equal entries: a payment that is checked for a day is one line, not a thousand. */

export interface Run<T> {
  /** At least one, in order. */
  readonly all: readonly [T, ...T[]];
}

export function runsOf<T>(all: readonly T[], same: (one: T) => string): readonly Run<T>[] {
  const runs: { all: [T, ...T[]] }[] = [];
  for (const one of all) {
    const last = runs.at(-1);
    if (last !== undefined && same(last.all[0]) === same(one)) last.all.push(one);
    else runs.push({ all: [one] });
  }
  return runs;
}
