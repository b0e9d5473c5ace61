/** Refusals as components: one answer for each set of kinds that share a status in a route. */
import { EXAMPLE_ADDRESS, problemsOfRoute, type RouteDeclaration } from '../route.ts';
import { type ProblemKind, problemKinds, statusOf, typeOf } from '../problem.ts';
import { componentRef, type JsonSchema } from './schemas.ts';

const nameOfKind = (kind: string): string =>
  kind.replace(/(^|-)(\w)/g, (_all, _dash, letter: string) => letter.toUpperCase());

/** By status: the name of the component. */
export function refusalsOf(
  route: RouteDeclaration,
): ReadonlyMap<number, { name: string; kinds: readonly ProblemKind[] }> {
  const all = problemsOfRoute(route);
  const statuses = [...new Set(all.map(statusOf))];
  return new Map(
    statuses.map((status) => {
      const kinds = all.filter((kind) => statusOf(kind) === status);
      return [status, { name: kinds.map(nameOfKind).join('Or'), kinds }];
    }),
  );
}

export function refusalComponents(routes: readonly RouteDeclaration[]): Record<string, JsonSchema> {
  const all = routes.flatMap((route) => [...refusalsOf(route).values()]);
  return Object.fromEntries(all.map(({ name, kinds }) => [name, refusal(kinds)]));
}

const DETAILS: Readonly<Partial<Record<ProblemKind, Readonly<Record<string, unknown>>>>> = {
  invalid: { problems: [{ pointer: '/amount', message: 'must be a whole number of XOF' }] },
  forbidden: { rule: 'role' },
  conflict: { rule: 'identity', existingId: 'dsb_0f6c8d4b2a1e49578c3d', differs: ['/amount'] },
  'wrong-state': { rule: 'state', state: 'succeeded' },
  unreadable: { rule: 'unreadable' },
  removed: { state: 'succeeded', amount: 25_000, finishedAt: '2025-11-21T08:00:00.000Z' },
  gone: { oldest: '1-48211' },
  'ahead-of-the-stream': { oldest: '2-48211', epoch: '2' },
  'upstream-refused': { id: 'inv_0f6c8d4b2a1e49578c3d', state: 'failed', code: 'refused', retryable: false },
  'upstream-silent': { id: 'inv_0f6c8d4b2a1e49578c3d', state: 'creating', code: 'no_answer', retryable: true },
};

function refusal(kinds: readonly ProblemKind[]): JsonSchema {
  const titles = kinds.map((kind) => problemKinds[kind].title);
  const examples = kinds.map((kind) => {
    const { title, status } = problemKinds[kind];
    const value = {
      type: typeOf(kind, EXAMPLE_ADDRESS),
      title,
      status,
      detail: 'What is wrong, and what to do about it.',
      ...DETAILS[kind],
    };
    return [kind, { value }];
  });
  const waits = kinds.some((kind) => kind === 'too-many-requests' || statusOf(kind) === 503);
  return {
    description: `${titles.join('; or: ')}.`,
    headers: {
      'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
      ...(waits ? { 'Retry-After': { $ref: '#/components/headers/Retry-After' } } : {}),
    },
    content: {
      'application/problem+json': { schema: componentRef('Problem'), examples: Object.fromEntries(examples) },
    },
  };
}
