import { expect, test } from 'vitest';
import { eventEndpoint } from '../../src/kinds/event-endpoint.ts';
import { eventTypes, stateToldBy, subjectOf, asDeclared, kindOf, kinds, statesOf } from '../../src/kinds/index.ts';
import { kind as declare } from '../../src/kinds/kind.ts';

test('no two kinds share a prefix', () => {
  const prefixes = [...kinds.map((kind) => asDeclared(kind).prefix), eventEndpoint.prefix];
  expect(new Set(prefixes).size).toBe(prefixes.length);
});

test('an id shows its kind', () => {
  expect(kinds.map((kind) => kindOf(`${asDeclared(kind).prefix}_0f6c8d4b`))).toEqual(kinds);
  expect([kindOf(''), kindOf('xyz_1'), kindOf('dsb')]).toEqual([undefined, undefined, undefined]);
});

test.for(kinds)('every event of a %s reports one of its states', (kind) => {
  const told = eventTypes.filter((type) => subjectOf(type) === kind).map(stateToldBy);
  expect(statesOf(kind)).toEqual(expect.arrayContaining(told));
});

test.for(kinds)('the fields of a %s event are in its API answer too', (kind) => {
  const { fields, events } = asDeclared(kind);
  const kept = Object.entries(fields).map(([name, { as = name }]) => as);
  const seen = kind === 'batch' ? [...kept, 'by'] : kept;
  expect(seen).toEqual(expect.arrayContaining([...(events?.carries ?? [])]));
});

test.for(kinds)('an operator can resolve a %s only to a possible next state of needs_review', (kind) => {
  const { resolve = [], states } = asDeclared(kind);
  const outcomes = resolve.filter((outcome) => outcome !== 'resubmit');
  expect(states['needs_review']?.to ?? []).toEqual(expect.arrayContaining(outcomes));
});

test('an arrow leads to a state of its kind, or does not compile', () => {
  const states = { open: { says: 'It is open.', to: ['gone'] }, over: { says: 'It is over.' } } as const;
  // @ts-expect-error -- there is no state `gone`
  expect(declare({ prefix: 'xyz', fields: {}, states }).states).toBe(states);
});
