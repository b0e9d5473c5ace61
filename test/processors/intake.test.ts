import { expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { intakeProcessor } from '../../src/processors/intake.ts';

const job = (data: unknown) => ({
  data,
  id: '17',
  timestamp: 1_000,
  async updateData(kept: unknown) {
    this.data = kept;
  },
});

function intake(more: { refusal?: string; recovering?: true } = {}) {
  const asked: unknown[] = [];
  const processor = intakeProcessor({
    clock: systemClock,
    announce: () => undefined,
    refusal: () => more.refusal,
    recovering: () => more.recovering === true,
    accept: {
      message: async (request, fallback) => {
        asked.push([request, fallback]);
        return { outcome: 'accepted', id: 'msg_1' };
      },
      disbursement: async () => ({
        outcome: 'invalid',
        problems: [
          { pointer: '/amount', message: 'is required' },
          { pointer: '/withdrawMode', message: 'is required' },
        ],
      }),
      campaign: async () => ({ outcome: 'conflict', existingId: 'cmp_1', differs: ['/text'] }),
    },
  });
  return { asked, processor };
}

test('a job that runs twice asks under the same name both times', async () => {
  const { asked, processor } = intake();
  await processor(job({ kind: 'message', to: '+221771234567' }));
  await processor(job({ kind: 'message', to: '+221771234567' }));
  expect(asked[0]).toEqual(asked[1]);
  expect(asked[0]).toEqual([{ to: '+221771234567' }, 'intake.17.1000']);
});

test('a refused request names every problem and that nothing was recorded', async () => {
  const { processor } = intake();
  await expect(processor(job({ kind: 'disbursement' }))).rejects.toThrow(
    'refused, nothing was recorded: /amount is required; /withdrawMode is required',
  );
});

test('a conflict names the operation that stands', async () => {
  await expect(intake().processor(job({ kind: 'campaign' }))).rejects.toThrow('cmp_1');
});

test.for([
  ['a list', []],
  ['a text', 'x'],
  ['nothing', null],
  ['an unknown kind', { kind: 'gift' }],
  ['no kind', {}],
] as const)('%s is refused with the kinds that there are', async ([, data]) => {
  await expect(intake().processor(job(data))).rejects.toThrow('message, disbursement, campaign');
});

test('while what is answered would not be kept, nothing is taken', async () => {
  const { asked, processor } = intake({ refusal: 'appendfsync is everysec' });
  await expect(processor(job({ kind: 'message' }))).rejects.toThrow('nothing was recorded, add the job again later');
  expect(asked).toEqual([]);
});

test('a request whose answer was lost may have been taken in, and is never said not to have been', async () => {
  const lost = async () => Promise.reject(new Error('Command timed out'));
  const tools = { clock: systemClock, announce: () => undefined, refusal: () => undefined, recovering: () => false };
  const asked = job({ kind: 'message', to: '+221771234567', text: 'Your code is 4711' });
  const processor = intakeProcessor({ ...tools, accept: { message: lost } });
  await expect(processor(asked)).rejects.toThrow('Command timed out');
  expect(asked.data).toEqual({ id: '', outcome: 'unconfirmed' });
  await expect(processor(asked)).rejects.toThrow('whether it was accepted is not known');
});

test('an answer that could not be kept with the job at first is kept, and given when it runs again', async () => {
  const kept: unknown[] = [];
  const asked = {
    ...job({ kind: 'message', to: '+221771234567' }),
    async updateData(data: unknown) {
      kept.push(data);
      if (kept.length === 1) throw new Error('Connection is closed');
      this.data = data;
    },
  };
  await expect(intake().processor(asked)).rejects.toThrow('Connection is closed');
  expect(await intake().processor(asked)).toEqual({ id: 'msg_1', outcome: 'accepted' });
});

test('in a recovery nobody is told to add a job again: it may have been carried out', async () => {
  const { asked, processor } = intake({ recovering: true, refusal: 'recovering' });
  const waiting = job({ kind: 'message' });
  await expect(processor(waiting)).rejects.toThrow('look before you add it anew');
  expect([asked, waiting.data]).toEqual([[], { id: '', outcome: 'restored' }]);
});

test('a job that is over keeps its answer, and gives it again', async () => {
  const { asked, processor } = intake();
  const accepted = job({ kind: 'message', to: '+221771234567', text: 'Your code is 4711' });
  const answer = await processor(accepted);
  expect([accepted.data, answer]).toEqual([answer, { id: 'msg_1', outcome: 'accepted' }]);
  expect([await processor(accepted), asked.length]).toEqual([answer, 1]);

  const conflicting = job({ kind: 'campaign', text: 'secret' });
  for (const _time of [1, 2]) await expect(processor(conflicting)).rejects.toThrow('conflict: this reference');
  const refused = job({ kind: 'disbursement', accountAlias: '771234567' });
  for (const _time of [1, 2]) await expect(processor(refused)).rejects.toThrow('refused, nothing was recorded');
  const closed = job({ kind: 'message', to: '+221771234567' });
  await expect(intake({ refusal: 'the disk' }).processor(closed)).rejects.toThrow('the disk');
  expect([conflicting.data, refused.data, closed.data]).toEqual([
    { id: 'cmp_1', outcome: 'conflict' },
    { id: '', outcome: 'invalid' },
    { id: '', outcome: 'failed' },
  ]);
});
