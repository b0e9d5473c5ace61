/** The most likely correction of an unknown name. */

const SLIPS_MOST = 2;
/** A short name has many neighbours with another meaning: HOME and HOST differ by two letters. */
const LETTERS_PER_SLIP = 4;

/** Undefined: no name is close enough. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  const near = [...known].flatMap((one) => {
    const most = Math.min(SLIPS_MOST, Math.floor(one.length / LETTERS_PER_SLIP));
    if (Math.abs(one.length - name.length) > most) return [];
    const slips = slipsBetween(name, one);
    return slips <= most ? [{ one, slips }] : [];
  });
  return near.toSorted((a, b) => a.slips - b.slips)[0]?.one;
}

/** Missing, extra or replaced letters (Levenshtein). */
function slipsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [done, letter] of a.split('').entries()) {
    const next = [done + 1];
    for (const [at, other] of b.split('').entries()) {
      const replaced = (row[at] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
