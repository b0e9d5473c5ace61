/** The documentation over HTTP. Public: it contains only what the sources say, and no secrets. */
import { createHash } from 'node:crypto';
import { anyJson, problemKind } from './openapi/answers-operating.ts';
import { makeDocument } from './openapi/document.ts';
import { intakeSchema } from './openapi/intake-schema.ts';
import { renderPage } from './openapi/page.ts';
import { STYLE } from './openapi/page-style.ts';
import { answer, type RouteDeclaration, route } from './route.ts';
import { addressAskedFor, ApiProblem, isProblemKind, problemKinds, typeOf } from './problem.ts';
import { SharedAnswer } from './shared-answer.ts';
import { message } from '../messages/message.ts';

/** Built at the first request and cached: declarations do not change while the process runs. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

const jsonOf = (make: () => unknown) =>
  once(() => new SharedAnswer('application/json; charset=utf-8', JSON.stringify(make())));

/** Allows only the page's own style sheet: no script, font, image or frame. */
function pagePolicy(): string {
  const hash = createHash('sha256').update(STYLE).digest('base64');
  return `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

const about = { method: 'get', tag: 'Documentation', scope: 'none' } as const;

const getProblemKind = route(
  {
    ...about,
    path: '/problems/{kind}',
    id: 'getProblemKind',
    summary: 'Explain a problem type',
    description: 'With its meaning and the next step.',
    answers: { 200: answer('In words.', problemKind) },
  },
  ({ params: { kind }, request }) => {
    if (!isProblemKind(kind))
      throw new ApiProblem('not-found', message('problem_type_not_found', { kind: kind.slice(0, 40) }));
    return { type: typeOf(kind, addressAskedFor(request.headers)), ...problemKinds[kind] };
  },
);

/** All routes, including these. */
export function documentationRoutes(routes: () => readonly RouteDeclaration[]) {
  const document = once(() => makeDocument(routes()));
  const openApi = jsonOf(document);
  const page = once(() => new SharedAnswer('text/html; charset=utf-8', renderPage(document())));
  const schema = jsonOf(intakeSchema);
  const policy = once(pagePolicy);
  const getOpenApi = route(
    {
      ...about,
      path: '/openapi.json',
      id: 'getOpenApi',
      summary: 'Get the OpenAPI document',
      description: 'This document, as OpenAPI 3.1.',
      answers: { 200: answer('The document.', anyJson) },
    },
    () => openApi(),
  );
  const getDocs = route(
    {
      ...about,
      path: '/docs',
      id: 'getDocs',
      summary: 'Get the API documentation page',
      description: 'This document, for people. It needs no internet access.',
      answers: { 200: { says: 'A page.', files: { 'text/html': { says: 'A page.', example: '<!doctype html>' } } } },
    },
    ({ response }) => {
      response.set('Content-Security-Policy', policy());
      return page();
    },
  );
  const getIntakeSchema = route(
    {
      ...about,
      path: '/v1/schemas/intake',
      id: 'getIntakeSchema',
      summary: 'Get the schema of the intake queue',
      description: 'The jobs that the BullMQ queue `intake` accepts, as JSON Schema 2020-12.',
      answers: { 200: answer('The schema.', anyJson) },
    },
    () => schema(),
  );
  return [getOpenApi, getDocs, getIntakeSchema, getProblemKind];
}
