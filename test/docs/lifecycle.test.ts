import { expect, test } from 'vitest';
import { isFinal, queueOf, stateOf, statesInQueue, statesOf, type Kind, kinds } from '../../src/kinds/index.ts';
import { queues } from '../../src/queues/index.ts';
import { expectPage } from './page.ts';

function reachable(kind: Kind, from: string): Set<string> {
  const found = new Set([from]);
  for (const state of found) {
    const { to = [], late = [] } = stateOf(kind, state);
    for (const after of [...to, ...late]) found.add(after);
  }
  return found;
}

test.for(kinds)('every state of a %s can be reached from its first', (kind) => {
  expect(reachable(kind, statesOf(kind)[0] ?? '')).toEqual(new Set(statesOf(kind)));
});

test.for(kinds)('every state of a %s that is not final can still end', (kind) => {
  for (const state of statesOf(kind)) {
    expect(
      [...reachable(kind, state)].some((end) => isFinal(kind, end)),
      state,
    ).toBe(true);
  }
});

test('every queue that checks a state has a declaration', () => {
  const names = kinds.flatMap((kind) => statesOf(kind).flatMap((state) => queueOf(kind, state) ?? []));
  expect(Object.keys(queues)).toEqual(expect.arrayContaining(names));
});

test('a disbursement that may have been submitted is only checked', () => {
  expect(statesInQueue('disbursement', 'disbursement')).toEqual(['queued', 'held', 'created']);
});

test('docs/lifecycle.md shows the tables', () => {
  const sections = kinds.map(
    (kind) => `## ${kind}\n\n\`\`\`mermaid\n${drawLifecycle(kind)}\n\`\`\`\n\n${sentencesOf(kind)}`,
  );
  expectPage(
    'docs/lifecycle.md',
    `# Lifecycle: states and transitions

This page is for everybody who reads the state of an operation. PostgreSQL refuses every transition that is not drawn here. A final
state has been reported; only an arrow with the word \`late\` leaves it. If the provider contradicts a final state, relais checks
again, stores the evidence and raises an alert.

${sections.join('\n\n')}
`,
  );
});

function sentencesOf(kind: Kind): string {
  const states: readonly string[] = statesOf(kind);
  return states.map((state) => `- \`${state}\`: ${stateOf(kind, state).says}`).join('\n');
}

/** A Mermaid diagram of one lifecycle. */
function drawLifecycle(kind: Kind): string {
  const states: readonly string[] = statesOf(kind);
  const arrows = states.flatMap((from) => {
    const { to: next = [], late = [], retried = [] } = stateOf(kind, from);
    return [
      ...next.map((to) => `  ${from} --> ${to}`),
      ...late.map((to) => `  ${from} --> ${to}: late`),
      ...retried.map((to) => `  ${from} --> ${to}: retry`),
    ];
  });
  const ends = states.filter((state) => isFinal(kind, state)).map((state) => `  ${state} --> [*]`);
  return ['stateDiagram-v2', ...arrows, ...ends].join('\n');
}
