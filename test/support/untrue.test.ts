import { expect, test } from 'vitest';
import { untrue } from './untrue.ts';

const asked = [
  { who: 'Awa', what: '5000 F', state: 'succeeded' },
  { who: 'Issa', what: '2500 F', state: 'failed' },
];
const awa = { who: 'Awa', what: '5000 F', times: 1 };

test('equal records are true', () => {
  expect(untrue(asked, [awa, { who: 'Issa', what: '2500 F', times: 0 }])).toEqual([]);
});

test.for([
  ['twice', [{ ...awa, times: 2 }], 'Awa: 5000 F took effect 2 times, and is reported as succeeded'],
  ['twice, in two lines', [awa, awa], 'Awa: 5000 F took effect 2 times, and is reported as succeeded'],
  ['never', [], 'Awa: 5000 F took effect 0 times, and is reported as succeeded'],
  ['another amount', [awa, { ...awa, what: '1 F' }], 'Awa: 1 F took effect, and nobody asked for it'],
  [
    'reported as failed',
    [awa, { who: 'Issa', what: '2500 F', times: 1 }],
    'Issa: 2500 F took effect 1 times, and is reported as failed',
  ],
] as const)('%s is reported', ([, books, sentence]) => {
  expect(untrue(asked, books)).toEqual([sentence]);
});

test('a state that is not final is reported, and so is a request that was executed twice', () => {
  expect(untrue([{ who: 'Awa', what: '5000 F', state: 'queued' }], [awa])).toHaveLength(1);
  expect(untrue([...asked, ...asked.slice(0, 1)], [awa])).toEqual(['something was asked for twice']);
});
