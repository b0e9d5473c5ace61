/** The most likely path for a mistyped one. */
import { nearest } from '../lib/nearest.ts';

const VERSION = '/v1';

/** Parameters keep the text of the request. Undefined: no path is close enough. */
export function nearestPath(asked: string, routes: readonly { readonly path: string }[]): string | undefined {
  const segments = asked.replace(/\/+$/, '').split('/');
  for (const given of [segments, ['', VERSION.slice(1), ...segments.slice(1)]]) {
    const paths = routes.flatMap(({ path }) => {
      const parts = path.split('/');
      if (parts.length !== given.length) return [];
      return [parts.map((part, at) => (part.startsWith('{') ? (given[at] ?? '') : part)).join('/')];
    });
    const wanted = given.join('/');
    const found = paths.includes(wanted) ? wanted : nearest(wanted, paths);
    if (found !== undefined) return found;
  }
  return undefined;
}
