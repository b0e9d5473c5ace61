/**
 * openapi.json: built from the declarations of the routes, the schemas of the requests and the catalogue of events.
 */
import { eventSchema } from '../../events/catalogue.ts';
import { endpoint } from './answers-endpoints.ts';
import { problem } from './answers-operating.ts';
import type { Components } from './example.ts';
import { eventSchemas, webhooks } from './events.ts';
import { operationOf } from './operation.ts';
import { refusalComponents } from './refusals.ts';
import { type RouteDeclaration, tags } from '../route.ts';
import { componentsOf, type JsonSchema } from './schemas.ts';

const INTRODUCTION = `Sends SMS, pays people and collects money through one provider. Payments and SMS are made at most once.

**Requests** are accepted when they are committed, and carried out afterwards. Money and campaigns need an identity:
an \`Idempotency-Key\` or a \`reference\`. Repeat a request whose answer was lost: the same identity with the same body is
the same operation (\`Idempotency-Replayed: true\`); with another body it is refused (409).

**Events** report results at least once: read \`GET /v1/events\` or \`GET /v1/stream\`, or register a webhook endpoint.

**Amounts** are whole XOF, as JSON integers: a text or a decimal is refused (422).

**Refusals** are \`application/problem+json\` (RFC 9457): the last word of
\`type\` is for programs, and opened it says what it means; \`detail\` says what to do next. Texts are in French where
\`Accept-Language\` prefers it, and in English otherwise.

**Keys** have roles (\`enqueue enqueue-sms enqueue-payments read approve operate admin\`) and may be limited to accounts. Each may ask
each API process API_RATE times a second (429). Browsers of other origins are not answered (no CORS): a key does not
belong in a page.

**Readers** leave alone what they do not know: fields and event types may be added.`;

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: JsonSchema;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;
  readonly webhooks: Readonly<Record<string, JsonSchema>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;
  readonly [other: string]: unknown;
}

export function makeDocument(declared: readonly RouteDeclaration[]): OpenApiDocument {
  const schemas = schemasOf(declared);
  return {
    openapi: '3.1.0',
    info: {
      title: 'relais',
      version: '1',
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    servers: [{ url: '/', description: 'Where this document came from.' }],
    security: [{ key: [] }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths: pathsOf(declared, schemas),
    webhooks: webhooks(),
    components: { schemas, responses: refusalComponents(declared), ...SHARED },
  };
}

function schemasOf(declared: readonly RouteDeclaration[]): Components {
  const bodies = declared.flatMap(({ body }) => (body?.schema ? [body.schema] : []));
  const answers = declared.flatMap(({ answers: all }) => Object.values(all).flatMap(({ schema }) => schema ?? []));
  return {
    ...componentsOf(bodies, 'input'),
    ...componentsOf([...answers, ...eventSchemas(), eventSchema, endpoint, problem], 'output'),
  };
}

function pathsOf(declared: readonly RouteDeclaration[], schemas: Components): OpenApiDocument['paths'] {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const route of declared) (paths[route.path] ??= {})[route.method] = operationOf(route, schemas);
  return paths;
}

const SHARED = {
  securitySchemes: {
    key: {
      type: 'http',
      scheme: 'bearer',
      description: 'A key of API_KEYS, or one created with `relais keys create`. `relais dev` accepts the key `dev`.',
    },
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: '__Host-relais',
      description:
        'A session of the console does for every route, with the roles and accounts of its key. It counts only from a page ' +
        'of the same origin (`Sec-Fetch-Site`), and where something is changed with `X-Relais-Console: 1`.',
    },
  },
  parameters: {
    'Idempotency-Key': {
      name: 'Idempotency-Key',
      in: 'header',
      description: 'Names the request: 1 to 255 visible ASCII characters. The `reference` does as well.',
      schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
    },
    'X-Request-Id': {
      name: 'X-Request-Id',
      in: 'header',
      description: 'Your own name for this request. Each write is logged under it. Absent: one is made.',
      schema: { type: 'string', pattern: '^[\\w.:-]{1,100}$' },
    },
  },
  headers: {
    'X-Request-Id': {
      description: 'The name of this request. Each write is logged under it.',
      schema: { type: 'string' },
    },
    'Idempotency-Replayed': { description: '`true`: it was accepted before.', schema: { type: 'string' } },
    'Retry-After': { description: 'Seconds.', schema: { type: 'integer' } },
  },
} as const;
