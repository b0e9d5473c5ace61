import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { describe, expect, test } from 'vitest';
import { eventTypes } from '../../../src/kinds/index.ts';
import { schemaOf } from '../../../src/events/catalogue.ts';
import { makeDocument } from '../../../src/api/openapi/document.ts';
import { exampleOf } from '../../../src/api/openapi/example.ts';
import { intakeSchema } from '../../../src/api/openapi/intake-schema.ts';
import { renderPage } from '../../../src/api/openapi/page.ts';
import { STYLE } from '../../../src/api/openapi/page-style.ts';
import { rolesWith } from '../../../src/api/keys.ts';
import { statusesOf } from '../../../src/api/route.ts';
import { routes } from '../../../src/api/routes.ts';
import { componentRef, type JsonSchema, nameOf } from '../../../src/api/openapi/schemas.ts';
import { intake } from '../../../src/queues/index.ts';
import { expectPage } from '../../docs/page.ts';

const document = makeDocument(routes);
const text = JSON.stringify(document);
const schemas = document.components['schemas'] ?? {};

/** Every value with this name in the document, at any level. */
function valuesOf(name: string, inside: unknown = document): unknown[] {
  if (typeof inside !== 'object' || inside === null) return [];
  return Object.entries(inside).flatMap(([key, value]) =>
    key === name && typeof value !== 'object' ? [value] : valuesOf(name, value),
  );
}

test('no route and no name of an operation is declared twice', () => {
  expect(new Set(routes.map(({ method, path }) => `${method} ${path}`)).size).toBe(routes.length);
  expect(new Set(routes.map(({ id }) => id)).size).toBe(routes.length);
});

test('a route that needs a key documents a missing one, and unknown parameters', () => {
  for (const route of routes.filter(({ role }) => role !== undefined)) {
    expect(statusesOf(route), route.id).toEqual(expect.arrayContaining([401, 403, 422, 429, 500, 503]));
  }
});

describe('the document', () => {
  test('refers to nothing that is not in it', () => {
    const broken = [...new Set(valuesOf('$ref'))].filter((ref) => {
      const [root, ...way] = String(ref).split('/');
      const found = way.reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], document);
      return root !== '#' || found === undefined;
    });
    expect(broken).toEqual([]);
    expect(text).not.toContain('$defs');
  });

  test('has every declared status of every route, and no other', () => {
    for (const route of routes) {
      const { responses } = (document.paths[route.path]?.[route.method] ?? { responses: {} }) as {
        responses: object;
      };
      expect(Object.keys(responses).map(Number), route.id).toEqual(statusesOf(route));
    }
  });

  test('has a webhook for every type of event, with an event of that type', () => {
    expect(Object.keys(document.webhooks)).toEqual(eventTypes);
    for (const type of eventTypes) {
      const [example] = valuesOf('type', document.webhooks[type]).filter((value) => value === type);
      expect(example, type).toBe(type);
    }
  });

  test('documents the maximum time of a payer, and the removal of confirmed callbacks', () => {
    const says = (path: string, method: string): string =>
      String(document.paths[path]?.[method as 'get']?.['description']);
    expect(says('/v1/invoices/{id}/softpay', 'post')).toMatch(
      /60 s or UPSTREAM_TIMEOUT.*no refusal.*checks the invoice/,
    );
    expect(says('/v1/callbacks/{id}', 'get')).toMatch(/agrees with a success is deleted.*404/);
  });

  test('names the role that each route needs, and no role for public ones', () => {
    for (const { path, method, role, alsoRole, orRole, session } of routes) {
      expect(document.paths[path]?.[method]?.['security'], path).toEqual([
        ...(role ? rolesWith(role).map((one) => ({ key: alsoRole ? [one, alsoRole] : [one] })) : []),
        ...(orRole ? [{ key: [orRole] }] : []),
        ...(session ? [{ session: [] }] : []),
      ]);
    }
  });
});

describe('examples', () => {
  const shown = (schema: z.ZodType): unknown => exampleOf(componentRef(nameOf(schema)), schemas);

  test.for(routes.filter(({ body }) => body?.schema))('of the body of $id are valid', ({ body }) => {
    const schema = body?.schema as z.ZodType;
    expect(schema.safeParse(shown(schema)).error?.issues ?? []).toEqual([]);
  });

  test.for(routes)('of the answers of $id are valid', ({ answers }) => {
    for (const { schema } of Object.values(answers)) {
      if (schema) expect(schema.safeParse(shown(schema)).error?.issues ?? []).toEqual([]);
    }
  });

  test('of events are valid', () => {
    for (const type of eventTypes) {
      const post = (document.webhooks[type] as { post: { requestBody: { content: Record<string, any> } } }).post;
      const { value } = post.requestBody.content['application/json'].examples[type];
      expect(schemaOf(type).safeParse(value).success, type).toBe(true);
    }
  });
});

describe('the page', () => {
  const page = renderPage(document);

  test('needs nothing from elsewhere, and runs nothing', () => {
    expect(page).not.toMatch(/<(script|link|img|iframe|object|embed)\b|\bsrc=|\bon\w+="|@import|url\(/i);
    const elsewhere = [...page.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href);
    expect(elsewhere.filter((href) => !/^(#|\/)/.test(href))).toEqual([]);
  });

  test('has only valid links', () => {
    const ids = new Set([...page.matchAll(/\bid="([^"]*)"/g)].map(([, id]) => id));
    const links = [...page.matchAll(/href="#([^"]*)"/g)].map(([, id]) => id);
    expect(links.filter((id) => !ids.has(id))).toEqual([]);
  });

  test('documents every route and every event', () => {
    for (const { id, path } of routes) {
      expect(page).toContain(`id="${id}"`);
      expect(page).toContain(`<code>${path}</code>`);
    }
    for (const type of eventTypes) expect(page).toContain(`id="event-${type}"`);
  });

  test('has the one style sheet that its policy allows', () => {
    const [, style = ''] = /<style>([^]*?)<\/style>/.exec(page) ?? [];
    const hash = (css: string): string => createHash('sha256').update(css).digest('base64');
    expect(hash(style)).toBe(hash(STYLE));
  });
});

describe('the schema of intake', () => {
  test('matches docs/intake.schema.json', () => {
    expectPage('docs/intake.schema.json', `${JSON.stringify(intakeSchema(), null, 2)}\n`);
  });

  test('has one shape for each kind, and its example is taken', () => {
    const kinds = (intakeSchema().oneOf as JsonSchema[]).map((shape) => exampleOf(shape, {}) as { kind: string });
    expect(kinds.map(({ kind }) => kind)).toEqual([
      'disbursement',
      'message',
      'campaign',
      'invoice',
      'payment_request',
      'direct_credit',
    ]);
    for (const example of kinds) expect(intake.payload.safeParse(example).error?.issues ?? []).toEqual([]);
  });
});
