/** Visits every state that can be reached, nearest first, and stops at the first one that breaks a promise. */
export interface Step<S> {
  readonly did: string;
  readonly to: S;
}

export interface Found {
  readonly states: number;
  /** The shortest story that ends badly; absent when there is none. */
  readonly broken?: { readonly promise: string; readonly story: readonly string[] };
}

export interface Search<S> {
  readonly start: S;
  readonly next: (state: S) => Iterable<Step<S>>;
  readonly keyOf: (state: S) => string;
  readonly brokenBy: (state: S) => string | undefined;
  /** Throws beyond it: a bound that was meant to be small is not. */
  readonly most: number;
}

interface Visited<S> {
  readonly state: S;
  readonly did: string;
  readonly from: number;
}

export function search<S>({ start, next, keyOf, brokenBy, most }: Search<S>): Found {
  const seen = new Set([keyOf(start)]);
  const visited: Visited<S>[] = [{ state: start, did: '', from: -1 }];
  for (let index = 0; index < visited.length; index += 1) {
    for (const { did, to } of next(visited[index]!.state)) {
      const key = keyOf(to);
      if (seen.has(key)) continue;
      seen.add(key);
      visited.push({ state: to, did, from: index });
      const promise = brokenBy(to);
      if (promise) return { states: seen.size, broken: { promise, story: storyOf(visited) } };
    }
    if (seen.size > most) throw new Error(`more than ${most} states`);
  }
  return { states: seen.size };
}

function storyOf<S>(visited: readonly Visited<S>[]): string[] {
  const story: string[] = [];
  for (let at = visited.at(-1); at && at.from >= 0; at = visited[at.from]) story.unshift(at.did);
  return story;
}
