/** An example built from the examples of its fields, so it is as complete as the schema. */
import type { JsonSchema } from './schemas.ts';

export type Components = Readonly<Record<string, JsonSchema>>;

/** Required fields, and fields with an example. Throws if an example is missing and cannot be derived. */
export function exampleOf(schema: JsonSchema, components: Components): unknown {
  const { $ref, type, items = {} } = schema;
  const anyOf = schema.anyOf ?? schema.oneOf;
  const told = toldExample(schema);
  if (told !== undefined) return told;
  if ($ref !== undefined) return exampleOf(components[$ref.split('/').at(-1) ?? ''] ?? {}, components);
  if (anyOf !== undefined) return exampleOf(anyOf[0] ?? {}, components);
  if (type === 'object') return objectExample(schema, components);
  return type === 'array' ? [exampleOf(items, components)] : plainExample(schema);
}

function toldExample(schema: JsonSchema): unknown {
  if (Array.isArray(schema.examples)) return schema.examples[0];
  return schema['const'] ?? schema['default'] ?? schema.enum?.[0];
}

function objectExample({ properties = {}, required }: JsonSchema, components: Components): Record<string, unknown> {
  const always = Array.isArray(required) ? required : [];
  const shown = Object.entries(properties).filter(([name, field]) => always.includes(name) || 'examples' in field);
  return Object.fromEntries(shown.map(([name, field]) => [name, exampleOf(field, components)]));
}

function plainExample(schema: JsonSchema): unknown {
  const { type, pattern, format, minimum = 1 } = schema;
  if (type === 'null' || (Array.isArray(type) && type.includes('null'))) return null;
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return minimum;
  if (format === 'date-time') return '2026-11-21T08:00:00.000Z';
  if (type === 'string' && pattern === undefined && format === undefined) return 'text';
  if (type === undefined) return {};
  throw new Error(`no example is given for ${JSON.stringify(schema).slice(0, 200)}`);
}
