/** Which bodies a route takes, as it declares them. */
import type { RouteDeclaration } from '../route.ts';
import { routes } from './routes.ts';

const patterns = routes.map((route) => ({
  method: route.method.toUpperCase(),
  pattern: new RegExp(`^${route.path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}/?$`),
  route,
}));

export function declaredRoute(method: string, path: string): RouteDeclaration | undefined {
  return patterns.find((one) => one.method === method && one.pattern.test(path))?.route;
}

/** Of the routes whose path is always the same, which are those that are asked most. */
const fixed = new Map(
  routes
    .filter(({ path }) => !path.includes('{'))
    .map((route) => [`${route.method.toUpperCase()} ${route.path}`, typesOf(route)]),
);

/** Where no body is declared, one of JSON is let through and left alone. */
export function bodyTypesOf(method: string, path: string): readonly string[] {
  return fixed.get(`${method} ${path}`) ?? typesOf(declaredRoute(method, path));
}

function typesOf(route: RouteDeclaration | undefined): readonly string[] {
  const { schema, files = {} } = route?.body ?? {};
  const types = Object.keys(files);
  return schema || types.length === 0 ? ['application/json', ...types] : types;
}
