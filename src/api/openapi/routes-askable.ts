/** The declarations that what collects, or credits, has in common; see collect-routes.ts. */
import type { z } from 'zod';
import { type Outcome, resolveBodyOf } from '../collect-resolve.ts';
import { answer, json } from './pieces.ts';
import type { RouteDeclaration } from '../route.ts';

interface Kind {
  readonly path: string;
  /** As in `getInvoice`. */
  readonly name: string;
  readonly tag: RouteDeclaration['tag'];
  readonly schema: z.ZodType;
}

interface Resolved extends Kind {
  readonly outcomes: readonly [Outcome, ...Outcome[]];
}

export function show({ path, name, tag, schema }: Kind): RouteDeclaration {
  return {
    method: 'get',
    path: `${path}/{id}`,
    id: `get${name}`,
    tag,
    summary: 'Where one stands.',
    role: 'read',
    scope: 'record',
    answers: { 200: answer('As it is now.', schema) },
  };
}

export function resolve({ path, name, tag, schema, outcomes }: Resolved): RouteDeclaration {
  return {
    method: 'post',
    path: `${path}/{id}/resolve`,
    id: `resolve${name}`,
    tag,
    summary: "A person's word about one that needs review.",
    role: 'approve',
    scope: 'record',
    body: json(resolveBodyOf(outcomes).meta({ id: `${name}Resolution` })),
    answers: { 200: answer('As it is now.', schema) },
    problems: ['wrong-state'],
  };
}

/** Of what the service can be asked about at any time, it is asked. */
export function askable(kind: Resolved): readonly RouteDeclaration[] {
  const problems = ['wrong-state', 'upstream-refused', 'upstream-silent'] as const;
  const { path, name, tag, schema } = kind;
  return [
    show(kind),
    {
      method: 'post',
      path: `${path}/{id}/confirm`,
      id: `confirm${name}`,
      tag,
      summary: 'Ask the service now whether it was paid.',
      role: 'enqueue',
      scope: 'record',
      answers: { 200: answer('As the service says.', schema) },
      problems,
    },
    {
      ...resolve(kind),
      description: 'The service is asked first, and its word is stronger (409).',
      problems,
    },
  ];
}
