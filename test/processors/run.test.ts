import { expect, test } from 'vitest';
import type { ProcessorContext } from '../../src/processors/context.ts';
import { type AttemptFinished, attempts } from '../../src/processors/run.ts';

const announced: AttemptFinished[] = [];
let nowMs = 0;
const context = {
  clock: { monotonic: () => nowMs },
  account: (name: string) => (name === 'main' ? { upstream: {}, fingerprint: 'f' } : undefined),
} as unknown as ProcessorContext;

const attempt = async (needs: readonly string[]): Promise<AttemptFinished | undefined> => {
  const processor = async (_id: string, tools: ProcessorContext) => {
    for (const name of needs) tools.account(name);
    nowMs += 40;
    return { outcome: 'advanced', reason: 'submitted' } as const;
  };
  await attempts('disbursement', processor, context, (finished) => announced.push(finished))('dsb_1');
  return announced.at(-1);
};

test('an attempt is announced with its queue, id, end, time and the account it was made for', async () => {
  expect(await attempt(['main'])).toEqual({
    queue: 'disbursement',
    id: 'dsb_1',
    result: { outcome: 'advanced', reason: 'submitted' },
    durationMs: 40,
    account: 'main',
  });
});

test('the account is named where its keys are missing, and not where none was needed', async () => {
  expect(await attempt(['elsewhere'])).toMatchObject({ account: 'elsewhere' });
  expect(await attempt([])).not.toHaveProperty('account');
});
