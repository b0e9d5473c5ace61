/** Compares each answer of the API with its route's declaration, so that openapi.json stays correct. */
import { z } from 'zod';
import { type ProblemKind, isProblemKind, problemKinds } from '../../src/api/problem.ts';
import { problemsOfRoute, type RouteDeclaration } from '../../src/api/route.ts';
import { routes } from '../../src/api/routes.ts';
import { eventSchema, schemaOf } from '../../src/events/catalogue.ts';
import type { EventType } from '../../src/kinds/index.ts';
import { isRule } from '../../src/kinds/rules.ts';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: any;
}

const patterns = routes.map((route) => {
  const pattern = route.path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+');
  return { route, pattern: new RegExp(`^${pattern}/?$`) };
});

/** Throws if the answer is not declared. Paths and methods without a route are ignored. */
export function assertDeclared(method: string, path: string, answer: Answer): void {
  const [bare = ''] = path.split('?');
  const found = patterns.find(({ route, pattern }) => route.method.toUpperCase() === method && pattern.test(bare));
  if (!found) return;
  const { route } = found;
  const complaints = answer.status < 400 ? goodComplaints(route, answer) : problemComplaints(route, answer);
  if (answer.headers['x-request-id'] === undefined) complaints.push('has no X-Request-Id');
  if (complaints.length === 0) return;
  throw new Error(
    `${route.id} ${answer.status} ${complaints.join('; ')}: ${JSON.stringify(answer.body).slice(0, 500)}`,
  );
}

function kindOfType(type: unknown): ProblemKind | undefined {
  const [, kind = ''] = /^http:\/\/[^/]+\/problems\/(.+)$/.exec(String(type)) ?? [];
  return isProblemKind(kind) ? kind : undefined;
}

function problemComplaints(route: RouteDeclaration, { status, headers, body }: Answer): string[] {
  const kind = kindOfType(body.type);
  if (kind === undefined) return ['is no problem of ours'];
  return [
    ...(problemsOfRoute(route).includes(kind) ? [] : [`the problem ${kind} is not declared`]),
    ...(status === problemKinds[kind].status ? [] : ['has the status of another problem']),
    ...(String(headers['content-type']).startsWith('application/problem+json') ? [] : ['is not problem+json']),
    ...((status === 403 || status === 409) && !isRule(String(body.rule)) ? ['names no rule'] : []),
    ...(status === 429 || status === 503 ? (headers['retry-after'] ? [] : ['has no Retry-After']) : []),
  ];
}

function goodComplaints(route: RouteDeclaration, { status, headers, body }: Answer): string[] {
  const declared = route.answers[status];
  if (!declared) return ['is not a declared status'];
  const [type = ''] = String(headers['content-type'] ?? '').split(';');
  if (type !== 'application/json') return type === '' || declared.files?.[type] ? [] : [`is of the type ${type}`];
  const { schema } = declared;
  if (!schema) return ['is JSON, and no schema is declared'];
  const wrong = schema.safeParse(body).error?.issues ?? [];
  return [
    ...wrong.map(({ path, message }) => `/${path.join('/')} ${message}`),
    ...undeclared(schema, body).map((field) => `the field ${field} is not declared in src/api/openapi/answers-*.ts`),
  ];
}

/** Readers must ignore unknown fields; but we must declare all fields of our answers. */
function undeclared(schema: z.ZodType, value: unknown, at = ''): string[] {
  // The type of an event declares its data.
  if (schema === eventSchema)
    return schemaOf((value as { type: EventType }).type).safeParse(value).success ? [] : [at];
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return value === null || value === undefined ? [] : undeclared(schema.unwrap() as z.ZodType, value, at);
  }
  if (schema instanceof z.ZodUnion) {
    const fitting = (schema.options as z.ZodType[]).filter((option) => option.safeParse(value).success);
    return fitting[0] ? undeclared(fitting[0], value, at) : [];
  }
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    return value.flatMap((one) => undeclared(schema.element as z.ZodType, one, at));
  }
  if (!(schema instanceof z.ZodObject) || typeof value !== 'object' || value === null) return [];
  const { shape } = schema;
  if (Object.keys(shape).length === 0) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    Object.hasOwn(shape, name) ? undeclared(shape[name] as z.ZodType, inner, `${at}/${name}`) : [`${at}/${name}`],
  );
}
