import { expect, test } from 'vitest';
import { problemKinds } from '../../src/api/problem.ts';
import { rules } from '../../src/kinds/rules.ts';

const STEPS =
  /^(Accept|Answer|Ask|Change|Check|Confirm|Correct|Read|Re-read|Reduce|Repeat|Retry|Run|Send|Use|Wait)\b/;

test('the title of each problem is a noun phrase, or begins with Cannot', () => {
  const titles = Object.values(problemKinds).map(({ title }) => title);
  const clauses = titles.filter((title) =>
    /^(The|This|These|There|An?) |\b(is|are|was|did|has|may)\b/.test(head(title)),
  );
  expect(clauses).toEqual([]);
  expect(titles.filter((title) => title.endsWith('.'))).toEqual([]);
  expect(new Set(titles).size).toBe(titles.length);
});

/** A consequence may follow: `; nothing was done`, and why it cannot be done. */
const head = (title: string): string => title.split(/[;:]/)[0] ?? '';

test('the next step of each problem and each rule is imperative', () => {
  const steps = [...Object.values(problemKinds).map(({ next }) => next), ...Object.values(rules)];
  expect(steps.filter((step) => !STEPS.test(step) || !/[.`]$/.test(step))).toEqual([]);
});
