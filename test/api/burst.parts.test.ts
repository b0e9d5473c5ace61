/** Many ordinary requests at one moment: each is answered, and none gets an error about PostgreSQL. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, type Service, startService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ API_RATE: '0' });
});
afterAll(() => service?.stop());

const MANY = 500;
const together = (many: number, ask: (n: number) => Promise<Answer>): Promise<Answer[]> =>
  Promise.all(Array.from({ length: many }, (_, n) => ask(n)));
const statusesOf = (answers: readonly Answer[]): number[] => [...new Set(answers.map(({ status }) => status))];

test('payments that are asked for at one moment are all accepted, each one time', async () => {
  const answers = await together(MANY, (n) =>
    service.call('POST', '/v1/disbursements', {
      body: {
        accountAlias: '771234567',
        amount: 1_000 + n,
        withdrawMode: 'wallet-a-senegal',
        reference: `burst-${n}`,
      },
    }),
  );
  expect(statusesOf(answers)).toEqual([202]);
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(MANY);
});

test.for([
  ['/v1/disbursements', MANY],
  // Each of these runs some twenty queries.
  ['/v1/status', 100],
] as const)('GET %s is answered to all that ask at one moment', async ([path, many]) => {
  expect(statusesOf(await together(many, () => service.call('GET', path)))).toEqual([200]);
});
