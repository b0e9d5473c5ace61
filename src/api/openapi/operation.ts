/** A declared route as an operation of the document. */
import { rolesWith } from '../keys.ts';
import { exampleOf, type Components } from './example.ts';
import { deliveryCallback } from './events.ts';
import { refusalsOf } from './refusals.ts';
import {
  type AnswerDeclaration,
  type BodyDeclaration,
  type FileBody,
  pathParameters,
  REQUEST_TIME_MS,
  entryOf,
  type RouteDeclaration,
} from '../route.ts';
import { componentRef, inlineSchema, type JsonSchema, nameOf } from './schemas.ts';

export function operationOf(route: RouteDeclaration, components: Components): JsonSchema {
  const { id, tag, summary, body, identity } = route;
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: describe(route),
    // For schemes other than OAuth the list names the required roles.
    security: securityOf(route),
    ...(identity === undefined ? {} : { 'x-identity': identity }),
    ...listed('parameters', parametersOf(route)),
    ...(body === undefined ? {} : { requestBody: requestBodyOf(body, components) }),
    responses: responsesOf(route, components),
    ...(id === 'createEventEndpoint' ? { callbacks: { event: deliveryCallback() } } : {}),
  };
}

const IDENTITY = {
  required: 'Needs an `Idempotency-Key`, or a `reference` in the body.',
  optional: 'An `Idempotency-Key` makes a repeated request harmless.',
} as const;

const SCOPES = {
  record: 'What belongs to an account that the key may not use is as good as none (404).',
  named: 'An account that the key may not use is refused (403).',
  list: 'Lists only what belongs to the accounts of the key.',
  all: 'It concerns every account: a key that is bound to some is refused (403).',
  none: undefined,
} as const;

/** Any single entry is sufficient. */
function securityOf({ role, alsoRole, orRole, session }: RouteDeclaration) {
  if (session) return [{ session: [] }];
  if (role === undefined) return [];
  const ways = [
    ...rolesWith(role).map((one) => [one, ...(alsoRole ? [alsoRole] : [])]),
    ...(orRole ? [[orRole]] : []),
  ];
  return ways.map((key) => ({ key }));
}

const FRESH = 'Through a session of the console it needs a sign-in of the last five minutes (403).';

function describe(declared: RouteDeclaration): string {
  const { description, role, alsoRole, orRole, session, fresh, identity, scope } = declared;
  const open = session ? 'Needs a session of the console.' : 'Needs no key.';
  const any = role && [...rolesWith(role), ...(orRole ? [orRole] : [])].map((one) => `\`${one}\``).join(' or ');
  const both = alsoRole === undefined ? `the role ${any}` : `the roles ${any} and \`${alsoRole}\``;
  const needs = role === undefined ? open : `Needs a key with ${both}.`;
  const sentences = [description, needs, fresh && FRESH, identity && IDENTITY[identity], SCOPES[scope]];
  return sentences.filter((sentence) => sentence !== undefined).join('\n\n');
}

function parametersOf(route: RouteDeclaration): JsonSchema[] {
  const inPath = pathParameters(route).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', maxLength: 80 },
  }));
  const inQuery = Object.entries(route.query ?? {}).map(([name, type]) => {
    const { description, ...schema } = inlineSchema(type);
    const separated = schema.type === 'array' ? { style: 'form', explode: false } : {};
    const { additionalProperties: entry } = schema;
    const told = description ? { description } : {};
    // OpenAPI has no style for it, so its name shows the form.
    if (typeof entry === 'object') return { name: entryOf(name), in: 'query', ...told, schema: entry as JsonSchema };
    return { name, in: 'query', ...told, ...separated, schema };
  });
  const key = route.identity === undefined ? [] : [{ $ref: '#/components/parameters/Idempotency-Key' }];
  return [...inPath, ...inQuery, ...key, { $ref: '#/components/parameters/X-Request-Id' }];
}

function requestBodyOf({ schema, files, limit }: BodyDeclaration, components: Components): JsonSchema {
  return {
    required: true,
    description: limitOf(schema !== undefined && files !== undefined, limit),
    content: { ...jsonContent(schema, components), ...fileContent(files) },
  };
}

const REQUEST_MINUTES = REQUEST_TIME_MS / 60_000;

function limitOf(both: boolean, limit: string | undefined): string {
  if (limit === undefined) return `Streamed: no size limit, but a request may take ${REQUEST_MINUTES} minutes.`;
  return both
    ? `At most ${limit} as JSON; the others are streamed without a size limit, for up to ${REQUEST_MINUTES} minutes.`
    : `At most ${limit}.`;
}

function jsonContent(schema: BodyDeclaration['schema'], components: Components): JsonSchema {
  if (schema === undefined) return {};
  const ref = componentRef(nameOf(schema));
  return { 'application/json': { schema: ref, examples: { example: { value: exampleOf(ref, components) } } } };
}

function fileContent(files: Readonly<Record<string, FileBody>> = {}): JsonSchema {
  return Object.fromEntries(
    Object.entries(files).map(([type, { says, example }]) => [
      type,
      type === 'application/json'
        ? {
            schema: { type: 'array', items: { type: 'object' }, description: says },
            examples: shown(JSON.parse(example)),
          }
        : { schema: { type: 'string', description: says }, examples: shown(example) },
    ]),
  );
}

const shown = (value: unknown): JsonSchema => ({ example: { value } });

function responsesOf(route: RouteDeclaration, components: Components): JsonSchema {
  const good = Object.entries(route.answers).map(([status, declared]) => [
    status,
    responseOf(route, declared, components),
  ]);
  const refusals = [...refusalsOf(route)].map(([status, { name }]) => [
    String(status),
    { $ref: `#/components/responses/${name}` },
  ]);
  return Object.fromEntries([...good, ...refusals]);
}

function responseOf({ identity }: RouteDeclaration, declared: AnswerDeclaration, components: Components): JsonSchema {
  const { says, schema, files, headers = {} } = declared;
  const content = { ...jsonContent(schema, components), ...fileContent(files) };
  return {
    description: says,
    headers: {
      'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
      ...(identity ? { 'Idempotency-Replayed': { $ref: '#/components/headers/Idempotency-Replayed' } } : {}),
      ...Object.fromEntries(
        Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
      ),
    },
    ...(Object.keys(content).length > 0 ? { content } : {}),
  };
}

function listed(name: string, items: readonly JsonSchema[]): JsonSchema {
  return items.length > 0 ? { [name]: items } : {};
}
