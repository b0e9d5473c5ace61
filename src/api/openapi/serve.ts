/** The documentation over HTTP. Public: it says what any reader of the sources knows, and holds no secret. */
import { createHash } from 'node:crypto';
import { Router } from 'express';
import { makeDocument } from './document.ts';
import { intakeSchema } from './intake-schema.ts';
import { renderPage } from './page.ts';
import { STYLE } from './page-style.ts';

/** Made when it is first asked for, and kept: what is declared does not change while the process lives. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

const documentText = once(() => JSON.stringify(makeDocument(), null, 2));
const schemaText = once(() => JSON.stringify(intakeSchema(), null, 2));
const page = once(() => renderPage(makeDocument()));

/** Nothing but the one style sheet in the page itself: no script, no font, no image, no frame around it. */
function pagePolicy(): string {
  const hash = createHash('sha256').update(STYLE).digest('base64');
  return `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

export function documentationRoutes(): Router {
  const router = Router();
  router.get('/openapi.json', (_request, response) => {
    response.type('json').send(documentText());
  });
  router.get('/v1/schemas/intake', (_request, response) => {
    response.type('json').send(schemaText());
  });
  router.get('/docs', (_request, response) => {
    response.set('Content-Security-Policy', pagePolicy()).type('html').send(page());
  });
  return router;
}
