import { expect, test } from 'vitest';
import {
  type Kind,
  drawLifecycle,
  isFinal,
  kinds,
  lifecycles,
  queueOf,
  statesInQueue,
  statesOf,
} from '../../src/operations/lifecycle.ts';
import { queues } from '../../src/queues/index.ts';
import { expectPage } from './page.ts';

const first: Record<Kind, readonly string[]> = Object.fromEntries(
  kinds.map((kind) => [kind, [statesOf(kind)[0] ?? '']]),
) as unknown as Record<Kind, readonly string[]>;

function reachable(kind: Kind, from: string): Set<string> {
  const found = new Set([from]);
  const next = (state: string): readonly string[] => {
    const declared = (lifecycles[kind] as Record<string, { next: readonly string[]; late?: readonly string[] }>)[
      state
    ];
    return [...(declared?.next ?? []), ...(declared?.late ?? [])];
  };
  for (const state of found) for (const after of next(state)) found.add(after);
  return found;
}

test.for(kinds)('every state of a %s can be reached from its first', (kind) => {
  expect(reachable(kind, first[kind][0] ?? '')).toEqual(new Set(statesOf(kind)));
});

test.for(kinds)('every state of a %s that is not final can still end', (kind) => {
  for (const state of statesOf(kind)) {
    expect(
      [...reachable(kind, state)].some((end) => isFinal(kind, end)),
      state,
    ).toBe(true);
  }
});

test.for(kinds)('every arrow of a %s leads to a state that there is', (kind) => {
  const states: readonly string[] = statesOf(kind);
  for (const { next } of Object.values(lifecycles[kind])) expect(states).toEqual(expect.arrayContaining([...next]));
});

test('every queue that looks at a state has a declaration', () => {
  const names = kinds.flatMap((kind) => statesOf(kind).flatMap((state) => queueOf(kind, state) ?? []));
  expect(Object.keys(queues)).toEqual(expect.arrayContaining(names));
});

test('a disbursement that may have been submitted is only ever looked at', () => {
  expect(statesInQueue('disbursement', 'disbursement')).toEqual(['queued', 'held', 'created']);
});

test('docs/lifecycle.md shows the tables', () => {
  const pictures = kinds.map((kind) => `## ${kind}\n\n\`\`\`mermaid\n${drawLifecycle(kind)}\n\`\`\``);
  expectPage(
    'docs/lifecycle.md',
    `# Which state may follow which?

Drawn from src/operations/lifecycle.ts, which the scripts obey. A final state is what callers were told; only an arrow
that says \`late\` leads on from one. What upstream says later that contradicts one is asked about, kept as evidence,
and raises an alarm.

${pictures.join('\n\n')}
`,
  );
});
