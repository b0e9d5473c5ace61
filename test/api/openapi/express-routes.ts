/** What express was really given: every method and path of an app, with the prefixes of its routers. */
import { Router } from 'express';
import type { ApiContext } from '../../../src/api/context.ts';

interface Layer {
  readonly route?: { readonly path: string | readonly string[]; readonly methods: Record<string, boolean> };
  readonly handle: { readonly stack?: readonly Layer[] };
}

/** A layer does not keep the path that it was mounted at, so it is noted while the app is made. */
export function routesWhileMaking(make: () => { readonly router: unknown }): string[] {
  const mounts = new Map<unknown, string>();
  const proto = Router.prototype as { use: (...given: unknown[]) => unknown };
  const { use } = proto;
  proto.use = function (...given) {
    const [path, ...handlers] = typeof given[0] === 'string' ? (given as [string, ...unknown[]]) : ['', ...given];
    for (const handler of handlers.flat()) mounts.set(handler, path === '/' ? '' : path);
    return use.apply(this, given);
  };
  try {
    return walk((make().router as { stack: readonly Layer[] }).stack, '', mounts);
  } finally {
    proto.use = use;
  }
}

function walk(stack: readonly Layer[], prefix: string, mounts: ReadonlyMap<unknown, string>): string[] {
  return stack.flatMap(({ route, handle }) => {
    if (route) return namesOf(route, prefix);
    return handle.stack ? walk(handle.stack, `${prefix}${mounts.get(handle)}`, mounts) : [];
  });
}

function namesOf({ path, methods }: NonNullable<Layer['route']>, prefix: string): string[] {
  return [path].flat().flatMap((one) => {
    const whole = `${prefix}${one}`.replace(/(.)\/$/, '$1').replace(/:(\w+)/g, '{$1}');
    return Object.keys(methods).map((method) => `${method} ${whole}`);
  });
}

/** Enough of a context to make the app, whatever its routes take out of it. */
export function anyContext(more: Partial<ApiContext> = {}): ApiContext {
  const anything: unknown = new Proxy(() => anything, {
    get: (_target, name) => (name === 'then' ? undefined : anything),
  });
  return new Proxy(more, {
    get: (given, name) => (name in given ? given[name as keyof ApiContext] : anything),
  }) as ApiContext;
}
