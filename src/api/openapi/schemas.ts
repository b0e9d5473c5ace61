/** zod → JSON Schema 2020-12 for OpenAPI 3.1: one component for each schema with an `id` in its meta. */
import { z } from 'zod';

/** A JSON object of the document, with types for the schema fields that we read. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[] | boolean;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly examples?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly [other: string]: unknown;
}

/** A request can omit fields with a default; an answer has them all. */
type Direction = 'input' | 'output';

export const componentRef = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** The name of its component. A whole body's schema without one is an error in a declaration. */
export function nameOf(schema: z.ZodType): string {
  const name = schema.meta()?.id;
  if (name === undefined) throw new Error('a body or an answer is declared without an id in its meta');
  return name;
}

export function componentsOf(schemas: readonly z.ZodType[], io: Direction): Record<string, JsonSchema> {
  const named = z.registry<{ id: string }>();
  for (const schema of new Set(schemas)) named.add(schema, { id: nameOf(schema) });
  const made = z.toJSONSchema(named, {
    io,
    unrepresentable: 'any',
    uri: (name) => componentRef(name).$ref,
  });
  const { [SHARED]: shared, ...own } = made.schemas as Record<string, JsonSchema>;
  const all = { ...own, ...(shared?.['$defs'] as Record<string, JsonSchema> | undefined) };
  return Object.fromEntries(Object.entries(all).map(([name, schema]) => [publicName(name), tidied(schema)]));
}

/** zod's place for nested schemas: those with an `id`, and recursive ones. */
const SHARED = '__shared';
const SHARED_REF = new RegExp(`/${SHARED}#/\\$defs/(\\w+)$`);

/** zod gives a recursive schema only a number; ours is the type of any JSON value. */
function publicName(name: string): string {
  return name.replace(/^schema(\d+)$/, (_all, number: string) => `AnyJson${number === '0' ? '' : number}`);
}

export function inlineSchema(schema: z.ZodType): JsonSchema {
  return tidied(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
}

/** Removes details without meaning for readers: internal names, JavaScript's bounds, a pattern next to its format. */
function tidied(schema: object): JsonSchema {
  return tidy(schema) as JsonSchema;
}

const LEFT_OUT = ['$schema', '$id', 'id'];

function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
      // The names below `properties` are field names, never keywords.
      if (name === 'properties') return [[name, tidyValues(inner)]];
      if (name === '$ref') return [[name, refOf(String(inner))]];
      if (name === 'example') return [['examples', [inner]]];
      if (name === 'examples' || name === 'default' || name === 'enum' || name === 'const') return [[name, inner]];
      if (LEFT_OUT.includes(name) || isNoise(name, inner, value)) return [];
      return [[name, tidy(inner)]];
    }),
  );
}

function refOf(ref: string): string {
  return ref.replace(SHARED_REF, (_all, name: string) => `/${publicName(name)}`);
}

function tidyValues(fields: unknown): unknown {
  return Object.fromEntries(Object.entries(fields as object).map(([name, schema]) => [name, tidy(schema)]));
}

function isNoise(name: string, inner: unknown, around: object): boolean {
  if (name === 'maximum') return inner === Number.MAX_SAFE_INTEGER;
  if (name === 'minimum') return inner === Number.MIN_SAFE_INTEGER;
  return name === 'pattern' && 'format' in around;
}
