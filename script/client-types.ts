/** Types and a table for `createClient`, generated from openapi.json into `src/client/generated/`. */
import { compile, type JSONSchema } from 'json-schema-to-typescript-lite';
import type { OpenApiDocument } from '../src/api/openapi/document.ts';
import type { JsonSchema } from '../src/api/openapi/schemas.ts';
import { problemKinds } from '../src/api/problem.ts';

type Schemas = Readonly<Record<string, JsonSchema>>;
type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>;

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

interface Operation extends JsonSchema {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly content?: Content }>>;
}

interface Declared {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

const JSON_TYPE = 'application/json';
const LINES = 'application/x-ndjson';
const REFS = '#/components/schemas/';
/** Headers that the client sets from its own options. */
const OF_ALL = ['#/components/parameters/X-Request-Id'];
const KEY = '#/components/parameters/Idempotency-Key';

const HEAD = `/* Made from openapi.json by script/generate. */\n`;

export async function clientPage(document: OpenApiDocument): Promise<string> {
  const declared = operationsIn(document);
  const components = componentsOf(document);
  const schema = refsMoved({
    ...operationsSchema(declared),
    definitions: Object.fromEntries(Object.entries(components).map(([title, one]) => [title, { ...one, title }])),
  });
  const types = await compile(schema as JSONSchema, 'Operations', {
    additionalProperties: false,
    unreachableDefinitions: true,
  });
  return `${[HEAD, ...tables(declared), types.trim()].join('\n')}\n`;
}

function operationsIn({ paths }: OpenApiDocument): readonly Declared[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      return { method: method.toUpperCase(), path, operation: operation as unknown as Operation };
    }),
  );
}

/** An event is one of the declared ones: its `type` determines its `data`. */
function componentsOf({ components, webhooks }: OpenApiDocument): Schemas {
  const all = components['schemas'] ?? {};
  const events = Object.keys(all).filter((name) => name.endsWith('Event') && name !== 'Event');
  if (events.length !== Object.keys(webhooks).length) throw new Error('an event is posted that has no schema');
  return { ...all, Event: { anyOf: events.map((name) => ({ $ref: `${REFS}${name}` })) } };
}

function operationsSchema(declared: readonly Declared[]): JsonSchema {
  const properties = declared.map(({ operation }) => [operation.operationId, factsOf(operation)] as const);
  return {
    title: 'Operations',
    type: 'object',
    properties: Object.fromEntries(properties),
    required: properties.map(([id]) => id),
  };
}

/** For one operation: its request and its answers. */
function factsOf(operation: Operation): JsonSchema {
  const { summary, parameters = [], requestBody } = operation;
  const given = Object.keys(requestBody?.content ?? {});
  const answers = answersOf(operation);
  const isTried = parameters.some((one) => 'name' in one && one.name === 'dryRun');
  // A dry run with a status of its own has an answer of its own.
  const tried = isTried && answers.length > 1 ? answers.filter(([status]) => status === '200') : [];
  const usual = answers.filter((one) => !tried.includes(one));
  const files = filesIn(answers);
  const lines = given.includes(LINES) && files.includes(LINES);
  return objectOf(
    {
      asked: askedOf(parameters, tried.length > 0),
      body: requestBody?.content[JSON_TYPE]?.schema,
      file: oneOf(given.filter((type) => type !== JSON_TYPE && !(lines && type === LINES))),
      lines: lines ? oneOf([LINES]) : undefined,
      answer: answerOf(usual),
      dry: tried.length > 0 ? answerOf(tried) : undefined,
      accept: isFile(usual) ? undefined : oneOf([...new Set(files)].filter((type) => !(lines && type === LINES))),
    },
    summary,
  );
}

/** If a dry run has an answer of its own, the caller's types require it. */
function askedOf(parameters: NonNullable<Operation['parameters']>, isApart: boolean): JsonSchema {
  const all = parameters.flatMap((one): Parameter[] => ('name' in one ? [one] : []));
  const named = all.filter(({ name }) => !(isApart && name === 'dryRun'));
  const refs = parameters.flatMap((one) => ('$ref' in one ? [one.$ref] : []));
  const unknown = refs.filter((ref) => ref !== KEY && !OF_ALL.includes(ref));
  if (unknown.length > 0) throw new Error(`a client does not know the parameter ${unknown.join(', ')}`);
  const fields = named.map(({ name, description = '', schema }) => {
    const [, record] = /^(\w+)\.KEY$/.exec(name) ?? [];
    if (record === undefined) return [name, { ...typed(schema), description }] as const;
    return [record, { type: 'object', additionalProperties: schema, description }] as const;
  });
  const key = { type: 'string', description: 'Names the request, as a `reference` does.' };
  return {
    type: 'object',
    properties: Object.fromEntries([...fields, ...(refs.includes(KEY) ? [['idempotencyKey', key] as const] : [])]),
    required: named.filter(({ required }) => required).map(({ name }) => name),
  };
}

/** A query parameter of `true` or `false`. */
function typed(schema: JsonSchema): JsonSchema {
  return JSON.stringify(schema.enum) === '["true","false"]' ? { type: 'boolean' } : schema;
}

type Answers = readonly (readonly [string, { readonly content?: Content }])[];

function answersOf({ responses }: Operation): Answers {
  return Object.entries(responses).filter(([status, { $ref }]) => Number(status) < 300 && $ref === undefined);
}

function filesIn(answers: Answers): string[] {
  return answers.flatMap(([, { content = {} }]) => Object.keys(content)).filter((type) => type !== JSON_TYPE);
}

/** It has a body that is never JSON. */
function isFile(answers: Answers): boolean {
  return answers.every(([, { content }]) => content !== undefined && content[JSON_TYPE] === undefined);
}

function answerOf(answers: Answers): JsonSchema {
  const schemas = answers.map(([, { content }]) => content?.[JSON_TYPE]?.schema).filter((one) => one !== undefined);
  const different = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
  const [only] = different;
  if (only === undefined) return { tsType: isFile(answers) ? 'Response' : 'undefined' };
  return different.length === 1 ? only : { anyOf: different };
}

function objectOf(fields: Readonly<Record<string, JsonSchema | undefined>>, description: string): JsonSchema {
  const known = Object.entries(fields).flatMap(([name, schema]) => (schema ? [[name, schema] as const] : []));
  return {
    type: 'object',
    description,
    properties: Object.fromEntries(known),
    required: known.map(([name]) => name),
  };
}

function oneOf(words: readonly string[]): JsonSchema | undefined {
  return words.length === 0 ? undefined : { enum: words };
}

/** Schema parts without a meaning for types. */
const LEFT_OUT = ['examples', 'minItems', 'maxItems'];

/** For the generator: references at its own location, no open objects with known fields, no examples. */
function refsMoved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(refsMoved);
  if (typeof value !== 'object' || value === null) return value;
  const isOpen = 'properties' in value && 'additionalProperties' in value && isEmpty(value.additionalProperties);
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
      if (name === '$ref') return [[name, String(inner).replace(REFS, '#/definitions/')]];
      // A list is a schema keyword; a field may have the same name.
      if (
        (LEFT_OUT.includes(name) && (Array.isArray(inner) || typeof inner !== 'object')) ||
        (isOpen && name === 'additionalProperties')
      )
        return [];
      return [[name, refsMoved(inner)]];
    }),
  );
}

const isEmpty = (value: unknown): boolean => JSON.stringify(value) === '{}';

function tables(declared: readonly Declared[]): string[] {
  const operations = declared.map(({ method, path, operation }) => {
    const { operationId, parameters = [] } = operation;
    const query = parameters.flatMap((one) => ('name' in one && one.in === 'query' ? [one.name] : []));
    const { 'x-identity': identity } = operation;
    const files = [...new Set(filesIn(answersOf(operation)))];
    const beside = files.length > 0 ? { files } : {};
    return `  ${operationId}: ${JSON.stringify({ method, path, query, identity, ...beside })},`;
  });
  const steps = Object.entries(problemKinds).map(
    ([word, { next }]) => `  ${JSON.stringify(word)}: ${JSON.stringify(next)},`,
  );
  return [
    `/** How each is asked. */\nexport const operations = {\n${operations.join('\n')}\n} as const;\n`,
    `/** What a refusal is called, and what to do about it. */\nexport const nextSteps = {\n${steps.join('\n')}\n} as const;\n`,
  ];
}
