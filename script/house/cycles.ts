import type { SourceFile } from './tree.ts';

/** Files that reach each other by imports, each group with its members. `types`: imports of types count too. */
export function cyclesOf(files: readonly SourceFile[], { types }: { readonly types: boolean }): readonly string[][] {
  const arrows = new Map(
    files.map(({ path, imports }) => [
      path,
      imports.flatMap(({ from, typeOnly }) => (typeOnly && !types ? [] : [from])),
    ]),
  );
  const reach = new Map([...arrows.keys()].map((path) => [path, reachedFrom(path, arrows)]));
  const grouped = new Set<string>();
  return [...reach].flatMap(([path, reached]) => {
    if (grouped.has(path) || !reached.has(path)) return [];
    const group = [...reached].filter((other) => reach.get(other)?.has(path));
    for (const member of group) grouped.add(member);
    return [group.sort()];
  });
}

/** Not the file itself, unless one of those it imports leads back to it. */
function reachedFrom(path: string, arrows: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const reached = new Set<string>();
  const next = [...(arrows.get(path) ?? [])];
  for (let at = next.pop(); at !== undefined; at = next.pop()) {
    if (reached.has(at)) continue;
    reached.add(at);
    next.push(...(arrows.get(at) ?? []));
  }
  return reached;
}
