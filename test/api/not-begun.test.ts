import { expect, test } from 'vitest';
import { problemKinds } from '../../src/api/problem.ts';
import { NOT_BEGUN } from '../../src/lib/not-reached.ts';

test('the clients’ list of requests that were not begun contains only refusals of relais, and those above 499', () => {
  const statuses = NOT_BEGUN.map((word) => Object.entries(problemKinds).find(([kind]) => kind === word)?.[1].status);
  expect(statuses).toEqual(NOT_BEGUN.map(() => 503));
});
