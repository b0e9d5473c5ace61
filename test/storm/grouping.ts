/** Grouping of observations for the checks. */

export function groupBy<Item>(items: Iterable<Item>, nameOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const name = nameOf(item);
    const group = groups.get(name);
    if (group) group.push(item);
    else groups.set(name, [item]);
  }
  return groups;
}

export function sumOf<Item>(items: Iterable<Item>, of: (item: Item) => number): number {
  let total = 0;
  for (const item of items) total += of(item);
  return total;
}

export function pairsOf<Item>(items: readonly Item[]): (readonly [Item, Item])[] {
  return items.slice(1).flatMap((second, index) => {
    const first = items[index];
    return first === undefined ? [] : [[first, second] as const];
  });
}
