import { expect, test } from 'vitest';
import { judgeDisbursement } from '../../src/producer/acceptance.ts';
import { pointerTo } from '../../src/producer/problems.ts';
import { reworded } from '../support/reworded.ts';

const options = { environment: 'test', accounts: new Set(['main']) };
const order = { accountAlias: '771234567', amount: 5_000, withdrawMode: 'wallet-a-senegal', reference: 'one' };
const problemsOf = (request: object): unknown => {
  const judged = judgeDisbursement({ ...order, ...request }, options);
  return judged.is === 'invalid' ? reworded(judged.problems) : [];
};

test('a card number is no beneficiary and no reference, and is not repeated', () => {
  const told = problemsOf({ accountAlias: '5399838383838381', reference: 'for 5399838383838381' });
  expect(told).toEqual(
    expect.arrayContaining([
      { pointer: '/accountAlias', message: expect.stringContaining('card number') },
      { pointer: '/reference', message: expect.stringContaining('card number') },
    ]),
  );
  expect(JSON.stringify(told)).not.toContain('5399838383838381');
});

test('an account of the provider may be a number as long as a card’s', () => {
  expect(problemsOf({ accountAlias: '5399838383838381', withdrawMode: 'service' })).toEqual([]);
});

test('a field that is named after a phone number is reported without it', () => {
  expect(problemsOf({ '+221779999901': 'Awa' })).toEqual([
    {
      pointer: pointerTo(['+22177•••9901']),
      message: expect.stringMatching(/^unknown field\. Known fields: accountAlias, /),
    },
  ]);
});
