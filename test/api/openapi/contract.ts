/** Holds every answer against what its route declares, and remembers which of the declared answers it has seen. */
import { z } from 'zod';
import type { EventType } from '../../../src/kinds/index.ts';
import { eventSchema, schemaOf } from '../../../src/events/catalogue.ts';
import { isRule } from '../../../src/kinds/rules.ts';
import { type ProblemKind, isProblemKind, problemKinds } from '../../../src/api/problem.ts';
import { problemsOfRoute, type RouteDeclaration } from '../../../src/api/route.ts';
import { routes } from '../../../src/api/routes.ts';
import type { Answer, Call } from '../../support/service.ts';

export type Ask = (method: string, path: string, call?: Call) => Promise<Answer>;

const kindOfType = (type: unknown): ProblemKind | undefined => {
  const [, kind = ''] = /^http:\/\/[^/]+\/problems\/(.+)$/.exec(String(type)) ?? [];
  return isProblemKind(kind) ? kind : undefined;
};

function declaredRoute(method: string, path: string): RouteDeclaration | undefined {
  return routes.find((route) => {
    const pattern = route.path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+');
    return route.method.toUpperCase() === method && new RegExp(`^${pattern}/?$`).test(path);
  });
}

export class Contract {
  readonly #seen = new Set<string>();

  /** The same door, watched. */
  watch(ask: Ask): Ask {
    return async (method, path, call) => {
      const answer = await ask(method, path, call);
      const route = declaredRoute(method, path.split('?')[0] ?? '');
      if (route) this.#look(route, answer);
      return answer;
    };
  }

  /** What is declared and was never answered, as `createDisbursement conflict`. */
  missing(): string[] {
    const declared = routes.flatMap((route) => [
      ...Object.keys(route.answers).map((status) => `${route.id} ${status}`),
      ...problemsOfRoute(route).map((kind) => `${route.id} ${kind}`),
    ]);
    return declared.filter((one) => !this.#seen.has(one));
  }

  #look(route: RouteDeclaration, answer: Answer): void {
    const complaints = answer.status < 400 ? goodComplaints(route, answer) : problemComplaints(route, answer);
    if (answer.headers['x-request-id'] === undefined) complaints.push('has no X-Request-Id');
    if (complaints.length > 0) {
      throw new Error(
        `${route.id} ${answer.status} ${complaints.join('; ')}: ${JSON.stringify(answer.body).slice(0, 500)}`,
      );
    }
    const kind = kindOfType(answer.body.type);
    this.#seen.add(`${route.id} ${answer.status < 400 ? answer.status : kind}`);
  }
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

/** Readers may leave alone what they do not know; we are to know what we answer. */
export function undeclared(schema: z.ZodType, value: unknown, at = ''): string[] {
  // What an event carries is declared by its type.
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
