/** A request to any declared route from its example, or with one error. */
import type { RouteDeclaration } from '../../../src/api/route.ts';
import { makeDocument } from '../../../src/api/openapi/document.ts';
import { routes } from '../../../src/api/routes.ts';
import { exampleOf } from '../../../src/api/openapi/example.ts';
import { componentRef, nameOf } from '../../../src/api/openapi/schemas.ts';
import type { Call } from '../../support/service.ts';

const schemas = makeDocument(routes).components['schemas'] ?? {};

/** As from a page of the console on this machine. */
export const pageCall = (cookie: string, call: Call = {}): Call => ({
  ...call,
  key: null,
  headers: {
    'sec-fetch-site': 'same-origin',
    'x-relais-console': '1',
    origin: 'http://127.0.0.1',
    cookie,
    ...call.headers,
  },
});

export function exampleCall(route: RouteDeclaration): Call {
  const call = plainCall(route);
  return route.session || /^(?:createSession|beginSignIn)$/.test(route.id)
    ? pageCall(`relais=${'0'.repeat(64)}`, call)
    : call;
}

function plainCall({ body, answers }: RouteDeclaration): Call {
  // An endless answer: its first line is sufficient.
  if (answers[200]?.files?.['text/event-stream']) return { until: '\n\n' };
  if (body?.schema) return { body: exampleOf(componentRef(nameOf(body.schema)), schemas) };
  const [file] = Object.entries(body?.files ?? {});
  return file ? { body: file[1].example, headers: { 'content-type': file[0] } } : {};
}

export function pathTo({ path, query = {} }: RouteDeclaration, id: string): string {
  // Limits cannot be created: every deployment has the same ones.
  const named = path.replace('/limits/{name}', '/limits/MAX_PER_DAY').replace(/\{\w+\}/g, id);
  const needed = Object.entries(query).filter(([, schema]) => !schema.safeParse(undefined).success);
  const words = needed.map(([name, schema]): [string, string] => {
    const example: unknown = schema.meta()?.['example'];
    return [name, typeof example === 'string' ? example : 'order-1042'];
  });
  return words.length === 0 ? named : `${named}?${new URLSearchParams(words).toString()}`;
}
