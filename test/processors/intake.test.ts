import { expect, test, vi } from 'vitest';
import { AnswerLost, DatabaseAway, LedgerClosed, StatementRefused } from '../../src/ledger/errors.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { intakeProcessor } from '../../src/processors/intake.ts';
import type { AttemptFinished } from '../../src/processors/run.ts';
import type { Rejection } from '../../src/kinds/intake.ts';
import { message } from '../../src/messages/message.ts';

const job = (data: unknown) => ({
  data,
  id: '17',
  timestamp: 1_000,
  async updateData(kept: unknown) {
    this.data = kept;
  },
});

function intake(more: { recovering?: true } = {}) {
  const asked: unknown[] = [];
  const rejected: Rejection[] = [];
  const announced: AttemptFinished[] = [];
  const processor = intakeProcessor({
    clock: systemClock,
    announce: (finished) => announced.push(finished),
    reject: async (rejection) => {
      rejected.push(rejection);
    },
    environment: 'test',
    recovering: () => more.recovering === true,
    accept: {
      message: async (request, identity) => {
        asked.push([request, identity]);
        return { outcome: 'accepted', id: 'msg_1' };
      },
      disbursement: async () => ({
        outcome: 'invalid',
        problems: [
          { pointer: '/amount', message: message('required') },
          { pointer: '/withdrawMode', message: message('required') },
        ],
      }),
      campaign: async () => ({ outcome: 'conflict', existingId: 'cmp_1', differs: ['/text'] }),
    },
  });
  return { asked, rejected, announced, processor };
}

const MISSING = [
  { pointer: '/amount', message: 'is required' },
  { pointer: '/withdrawMode', message: 'is required' },
];
const CONFLICT = {
  pointer: '/reference',
  message: 'conflict: already used by another request, cmp_1; not the same: /text',
};

test('a job that runs twice asks under the same name both times', async () => {
  const { asked, processor } = intake();
  await processor(job({ kind: 'message', to: '+221771234567' }));
  await processor(job({ kind: 'message', to: '+221771234567' }));
  expect(asked[0]).toEqual(asked[1]);
  expect(asked[0]).toEqual([{ to: '+221771234567' }, { idempotencyKey: undefined, fallback: 'intake.17.1000' }]);
});

test('a refused request names every problem and that nothing was recorded', async () => {
  const { processor } = intake();
  await expect(processor(job({ kind: 'disbursement' }))).rejects.toThrow(
    'refused, nothing was recorded: /amount is required; /withdrawMode is required',
  );
});

test('a conflict names the existing operation', async () => {
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

test('a job of another environment is refused, with the workers’ own', async () => {
  const { asked, processor } = intake();
  const other = job({ kind: 'message', environment: 'live' });
  await expect(processor(other)).rejects.toThrow('/environment must be test');
  expect([asked, other.data]).toMatchObject([[], { outcome: 'other_environment', environment: 'test' }]);
  await processor(job({ kind: 'message', environment: 'test' }));
  expect(asked).toHaveLength(1);
});

test('a job may name its request by an idempotency key', async () => {
  const { asked, processor } = intake();
  await processor(job({ kind: 'message', idempotencyKey: 'k' }));
  expect(asked).toEqual([[{}, { idempotencyKey: 'k', fallback: 'intake.17.1000' }]]);
  await expect(processor(job({ kind: 'message', idempotencyKey: 1 }))).rejects.toThrow('/idempotencyKey must be');
});

test('a batch keeps its whole answer, without the values that its problems quote', async () => {
  const tools = {
    clock: systemClock,
    announce: () => undefined,
    reject: async () => undefined,
    environment: 'test',
    recovering: () => false,
    accept: {},
  };
  const problems = [{ row: 1, column: 'amount', reason: 'is not "771234567"' }];
  const batch = async () => ({ id: 'bat_1', outcome: 'conflict', differs: ['/1/amount'], problems });
  const asked = job({ kind: 'batch', rows: [] });
  const answer = await intakeProcessor({ ...tools, batch })(asked);
  const kept = { differs: ['/1/amount'], problems: [{ row: 1, column: 'amount', reason: 'is not "…"' }] };
  expect(answer).toEqual({ id: 'bat_1', outcome: 'conflict', batch: kept });
  expect(asked.data).toEqual(answer);
});

test('a request whose answer was lost may have been accepted, and is never reported as not accepted', async () => {
  const lost = async () => Promise.reject(new Error('Command timed out'));
  const tools = {
    clock: systemClock,
    announce: () => undefined,
    reject: async () => undefined,
    environment: 'test',
    recovering: () => false,
  };
  const asked = job({ kind: 'message', to: '+221771234567', text: 'Your code is 4711' });
  const processor = intakeProcessor({ ...tools, accept: { message: lost } });
  await expect(processor(asked)).rejects.toThrow('Command timed out');
  expect(asked.data).toEqual({ id: '', outcome: 'unconfirmed' });
  await expect(processor(asked)).rejects.toThrow('relais does not know whether it was accepted');
});

test.for([
  new DatabaseAway('PostgreSQL cannot be reached'),
  new AnswerLost('whether it was committed could not be read'),
  new StatementRefused('53100', undefined),
  new LedgerClosed('fenced'),
])('a request keeps its place while PostgreSQL cannot record it: %s', async (error) => {
  const tools = {
    clock: systemClock,
    announce: () => undefined,
    reject: async () => undefined,
    environment: 'test',
    recovering: () => false,
  };
  const request = { kind: 'message', to: '+221771234567', text: 'Your code is 4711' };
  const asked = job(request);
  const accept = vi.fn().mockRejectedValueOnce(error).mockResolvedValue({ outcome: 'accepted', id: 'msg_1' });
  const processor = intakeProcessor({ ...tools, accept: { message: accept } });
  await expect(processor(asked)).rejects.toBe(error);
  expect(asked.data).toEqual(request);
  expect(await processor(asked)).toEqual({ id: 'msg_1', outcome: 'accepted' });
  const [first, again] = accept.mock.calls;
  expect(again).toEqual(first);
});

test('an answer that could not be stored with the job at first is stored, and returned when it runs again', async () => {
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

test('during a recovery no caller is advised to add a job again: it may have been executed', async () => {
  const { asked, processor } = intake({ recovering: true });
  const waiting = job({ kind: 'message' });
  await expect(processor(waiting)).rejects.toThrow('check before you add it again');
  expect([asked, waiting.data]).toMatchObject([[], { id: '', outcome: 'restored' }]);
});

test('a job that is over keeps its answer, and gives it again', async () => {
  const { asked, processor } = intake();
  const accepted = job({ kind: 'message', to: '+221771234567', text: 'Your code is 4711' });
  const answer = await processor(accepted);
  expect([accepted.data, answer]).toEqual([answer, { id: 'msg_1', outcome: 'accepted' }]);
  expect([await processor(accepted), asked.length]).toEqual([answer, 1]);

  const conflicting = job({ kind: 'campaign', text: 'secret' });
  for (const _time of [1, 2])
    await expect(processor(conflicting)).rejects.toThrow('/reference conflict: already used');
  const refused = job({ kind: 'disbursement', accountAlias: '771234567' });
  for (const _time of [1, 2]) await expect(processor(refused)).rejects.toThrow('refused, nothing was recorded');
  expect([conflicting.data, refused.data]).toEqual([
    {
      id: 'cmp_1',
      outcome: 'conflict',
      differs: ['/text'],
      problems: [CONFLICT],
      request: { kind: 'campaign', account: 'main' },
    },
    { id: '', outcome: 'invalid', problems: MISSING, request: { kind: 'disbursement', account: 'main' } },
  ]);
});

test('a refused job is reported with its job id, kind, reference and problems', async () => {
  const { processor, rejected, announced } = intake();
  const asked = job({ kind: 'disbursement', reference: 'order-1042', account: 'shop', accountAlias: '771234567' });
  await expect(processor(asked)).rejects.toThrow('/amount is required');
  const about = { kind: 'disbursement', account: 'shop', reference: 'order-1042' };
  expect(rejected).toEqual([{ id: expect.stringMatching(/^rej_/), jobId: '17', ...about, problems: MISSING }]);
  expect(announced).toMatchObject([{ queue: 'intake', result: { reason: 'invalid' }, rejected: rejected[0] }]);
});

test('a refused job that runs again is reported under the id of the first report', async () => {
  const { processor, rejected } = intake();
  const asked = job({ kind: 'campaign', reference: 'sale' });
  for (const _time of [1, 2]) await expect(processor(asked)).rejects.toThrow('conflict');
  expect(rejected).toHaveLength(2);
  expect(rejected[1]).toEqual(rejected[0]);
  expect(rejected[0]).toMatchObject({ kind: 'campaign', existingId: 'cmp_1', problems: [CONFLICT] });
});

test('a recovery that begins while a job is accepted is answered like one that began before', async () => {
  const rejected: Rejection[] = [];
  const noticed = intakeProcessor({
    clock: systemClock,
    announce: () => undefined,
    reject: async (rejection) => rejected.push(rejection),
    environment: 'test',
    recovering: () => false,
    accept: { message: () => Promise.reject(new LedgerClosed('recovering')) },
  });
  await expect(noticed(job({ kind: 'message' }))).rejects.toThrow('may have been carried out');
  expect(rejected).toHaveLength(1);
});

test('a job of a recovery is reported too', async () => {
  const recovering = intake({ recovering: true });
  await expect(recovering.processor(job({ kind: 'message', reference: 'a' }))).rejects.toThrow('may have been');
  expect(recovering.rejected).toMatchObject([{ kind: 'message', reference: 'a', problems: [{ pointer: '' }] }]);
});

test('no report of a refused job holds a phone number, a value or an unknown field name', async () => {
  const rejected: unknown[] = [];
  const processor = intakeProcessor({
    clock: systemClock,
    announce: ({ rejected: told }) => rejected.push(told),
    reject: async (rejection) => {
      rejected.push(rejection);
    },
    environment: 'test',
    recovering: () => false,
    accept: {
      message: async () => ({
        outcome: 'invalid',
        problems: [
          {
            pointer: '/Awa Diop/+221771234567',
            message: message('other', { text: 'is not "4711" or +221771234567' }),
          },
        ],
      }),
    },
  });
  const secret = job({ kind: 'message', reference: 'awa +221771234567', text: '4711', account: '+221771234567' });
  await expect(processor(secret)).rejects.toThrow('refused');
  const told = JSON.stringify([rejected, secret.data]);
  for (const word of ['771234567', '4711', 'Diop']) expect(told).not.toContain(word);
});

test('an unknown kind is reported as `unknown`', async () => {
  const { processor, rejected } = intake();
  await expect(processor(job({ kind: '+221771234567' }))).rejects.toThrow('must be one of');
  expect(rejected).toMatchObject([{ kind: 'unknown', account: 'main', problems: [{ pointer: '/kind' }] }]);
});

test('a report that Redis did not take is made when the job runs again', async () => {
  const rejected: Rejection[] = [];
  let isAway = true;
  const processor = intakeProcessor({
    clock: systemClock,
    announce: () => undefined,
    reject: async (rejection) => {
      if (isAway) throw new Error('Connection is closed');
      rejected.push(rejection);
    },
    environment: 'test',
    recovering: () => false,
    accept: {
      message: async () => ({
        outcome: 'invalid',
        problems: MISSING.map((one) => ({ ...one, message: message('required') })),
      }),
    },
  });
  const asked = job({ kind: 'message', reference: 'a', text: 'Your code is 4711' });
  await expect(processor(asked)).rejects.toThrow('Connection is closed');
  isAway = false;
  await expect(processor(asked)).rejects.toThrow('/amount is required');
  expect(rejected).toMatchObject([{ kind: 'message', reference: 'a', problems: MISSING }]);
  expect(JSON.stringify(asked.data)).not.toContain('4711');
});
