/**
 * Commands with a single request: generated from the routes into `src/cli/generated/`, which loads none of their
 * code.
 */
import type { z } from 'zod';
import { componentsOf, inlineSchema, type JsonSchema, nameOf } from '../src/api/openapi/schemas.ts';
import { pathParameters, type Route } from '../src/api/route.ts';
import type { DerivedCommand, DerivedFlag, FlagSchema } from '../src/cli/derived.ts';
import { flagFor } from '../src/cli/words.ts';
import { asDeclared, type Kind } from '../src/kinds/index.ts';

type Command = Exclude<NonNullable<Route['cli']>, string>;

export function commandsOf(routes: readonly Route[]): readonly DerivedCommand[] {
  const all = routes.flatMap((route) => {
    const declared = commandOf(route);
    return declared && !declared.byHand ? [derived(route, declared, showing(routes))] : [];
  });
  // Two routes with one name differ in an optional argument.
  return all.flatMap((command): DerivedCommand[] => {
    const twin = all.find((other) => other.name === command.name && other.path !== command.path);
    if (twin === undefined) return [command];
    if (command.takes.length === 0) return [];
    return [{ ...command, pathWithout: twin.path, example: twin.example, says: twin.says }];
  });
}

/** The command that shows a record, by the prefix of its id. */
export function showing(routes: readonly Route[]): Readonly<Record<string, string>> {
  const shown = routes.flatMap((route) => {
    const { method, path, record } = route;
    const name = commandOf(route)?.name;
    return method === 'get' && record && name && path.endsWith('/{id}') ? [[prefixOf(record), name] as const] : [];
  });
  return Object.fromEntries(shown);
}

const prefixOf = (kind: Kind): string => asDeclared(kind).prefix;

function commandOf({ cli }: Route): Command | undefined {
  return typeof cli === 'string' ? { name: cli } : cli;
}

function derived(route: Route, declared: Command, shows: Readonly<Record<string, string>>): DerivedCommand {
  const { name, argument, asks, looks, columns, none } = declared;
  const { method, path, identity, record } = route;
  const flags = flagsOf(route, argument);
  const takes = [
    ...pathParameters(route).map((one) => ({ name: one, in: 'path' as const })),
    ...(argument === undefined
      ? []
      : [{ name: argument, in: route.query?.[argument] ? ('query' as const) : ('body' as const) }]),
  ];
  const next = declared.next ?? nextOf(route, shows);
  const answer = answerOf(route);
  const files = method === 'get' ? Object.keys(route.answers[200]?.files ?? {}) : [];
  return {
    name,
    says: (declared.says ?? route.summary).replace(/\.$/, ''),
    example: declared.example ?? exampleOf(route, declared, flags),
    method: method.toUpperCase() as DerivedCommand['method'],
    path,
    takes,
    flags,
    ...(identity ? { identity } : {}),
    ...(route.query?.['dryRun'] ? { dryRun: true } : {}),
    ...(asks === undefined ? {} : { asks }),
    ...(looks && record ? { looksAt: path.replace(/\/[^/]*$/, '') } : {}),
    ...(next === undefined ? {} : { next }),
    ...(columns === undefined ? {} : { columns }),
    ...(none === undefined ? {} : { none }),
    ...(files.length > 0 ? { files } : {}),
    ...(answer === undefined ? {} : { answer }),
  };
}

function nextOf(route: Route, shows: Readonly<Record<string, string>>): string | undefined {
  if (route.identity !== 'required') return undefined;
  const group = commandOf(route)?.name.split(' ')[0];
  const show = Object.values(shows).find((name) => name === `${group} show`);
  return show && `Follow its progress: relais ${show} {id}`;
}

function answerOf({ answers, identity }: Route): string | undefined {
  const all = Object.entries(answers).flatMap(([status, { schema }]) => (schema ? [[Number(status), schema]] : []));
  const [, schema] = (identity ? all.at(-1) : all[0]) ?? [];
  return schema === undefined ? undefined : nameOf(schema as z.ZodType);
}

function bodyOf(body: Route['body']): JsonSchema {
  return (body?.schema && componentsOf([body.schema], 'input')[nameOf(body.schema)]) ?? {};
}

function flagsOf({ query = {}, body }: Route, argument: string | undefined): DerivedFlag[] {
  const ofQuery = Object.entries(query)
    .filter(([field]) => field !== argument)
    .map(([field, schema]) => flag(field, 'query', inlineSchema(schema)));
  const { properties = {}, required = [] } = bodyOf(body);
  const must = Array.isArray(required) ? (required as readonly string[]) : [];
  const ofBody = Object.entries(properties)
    .filter(([field]) => field !== argument)
    .flatMap(([field, schema]) => (field === NESTED ? within(field, schema) : [[field, schema] as const]))
    .map(([field, schema]) => ({
      ...flag(field, 'body', schema),
      ...(must.includes(field) ? { required: true as const } : {}),
    }));
  return [...ofQuery, ...ofBody].filter(({ field, schema }) => field !== 'dryRun' && isPlain(schema));
}

/** The object whose fields are flags: `--notify-text`. */
const NESTED = 'notify';

function within(field: string, whole: JsonSchema): (readonly [string, JsonSchema])[] {
  const { properties } = whole;
  if (properties === undefined) return [[field, whole]];
  return Object.entries(properties).map(([name, schema]) => [`${field}.${name}`, schema]);
}

const isPlain = ({ type, items, entries }: FlagSchema): boolean => {
  if (type === 'array') return items !== undefined;
  return type === 'object' ? entries === true : type !== undefined;
};

function flag(field: string, place: DerivedFlag['in'], schema: JsonSchema): DerivedFlag {
  const { description = '' } = schema;
  return {
    flag: flagFor(field),
    field,
    in: place,
    says: description.replace(/\.$/, ''),
    schema: kept(schema),
  };
}

const KEPT = [
  'type',
  'format',

  'enum',
  'minLength',
  'maxLength',
  'minimum',
  'exclusiveMinimum',
  'maximum',
];

function kept(schema: JsonSchema): FlagSchema {
  const own = Object.entries(schema).filter(([name]) => KEPT.includes(name));
  return {
    ...Object.fromEntries(own),
    ...(schema.items?.enum ? { items: { enum: schema.items.enum as string[] } } : {}),
    ...(schema.items?.type === 'string' && !schema.items.enum ? { items: {} } : {}),
    ...(isOfTexts(schema) ? { entries: true } : {}),
  };
}

function isOfTexts({ type, additionalProperties }: JsonSchema): boolean {
  return type === 'object' && (additionalProperties as JsonSchema | undefined)?.type === 'string';
}

/** An example id, the argument without a flag, and required flags. */
function exampleOf(route: Route, { argument }: Command, flags: readonly DerivedFlag[]): string {
  const { properties = {} } = bodyOf(route.body);
  const exampleIn = (field: string): string => {
    const asked = route.query?.[field];
    const { examples, enum: words } = (asked && inlineSchema(asked)) ?? properties[field] ?? {};
    return quoted(String((Array.isArray(examples) ? examples[0] : words?.[0]) ?? field.toUpperCase()));
  };
  const named = flags.filter(
    ({ field, required }) => required || (route.identity === 'required' && field === 'reference'),
  );
  return [
    ...pathParameters(route).map(() => `${route.record ? prefixOf(route.record) : 'ep'}_4n7q0c1w2e3r4t5y6z7a8b9c0d`),
    ...(argument === undefined ? [] : [exampleIn(argument)]),
    ...named.map(({ flag: name, field }) => `${name} ${exampleIn(field)}`),
  ].join(' ');
}

const quoted = (word: string): string => (/\s/.test(word) ? `'${word}'` : word);

export function commandsPage(routes: readonly Route[]): string {
  const json = (value: unknown): string => JSON.stringify(value, undefined, 2);
  return `// Made from the routes by script/generate.
import type { DerivedCommand } from '../derived.ts';

/** The command that shows a record, by the prefix of its id. */
export const showing: Readonly<Record<string, string>> = ${json(showing(routes))};

export const commands: readonly DerivedCommand[] = ${json(commandsOf(routes))};
`;
}
