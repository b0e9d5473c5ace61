/** The library's result for each answer of a worker. */
import { expect, test } from 'vitest';
import { OtherDeployment, Recovering } from '../../src/producer/errors.ts';
import { aDisbursement, aMessage, numberOf } from './asking.ts';
import { answering, open, server } from './running.ts';

const ACCEPTED = { id: 'dsb_1', outcome: 'accepted' } as const;
const RESTORED = { id: '', outcome: 'restored' } as const;
const UNCONFIRMED = { id: '', outcome: 'unconfirmed' } as const;

test('a job carries the request, its kind, its identity and the environment', async () => {
  const { url, jobs } = await answering(() => ACCEPTED);
  const asked: unknown[] = [];
  const { url: second, jobs: others } = await answering((job) => {
    asked.push({ ...job.data });
    return ACCEPTED;
  });
  await open({ redis: second, environment: 'staging' }).disburse(aDisbursement(), { idempotencyKey: 'k' });
  expect(asked).toEqual([{ ...aDisbursement(), kind: 'disbursement', environment: 'staging', idempotencyKey: 'k' }]);
  expect(others).toHaveLength(1);
  await open({ redis: url }).disburse(aDisbursement());
  expect(jobs).toHaveLength(1);
});

test('workers that recover accept nothing', async () => {
  const { url } = await answering(() => RESTORED);
  await expect(open({ redis: url }).disburse(aDisbursement())).rejects.toThrow(Recovering);
});

test('workers of another environment accept nothing', async () => {
  const { url } = await answering(() => ({ id: '', outcome: 'other_environment', environment: 'live' }));
  const refusal = open({ redis: url, environment: 'test' }).disburse(aDisbursement());
  await expect(refusal).rejects.toThrow(OtherDeployment);
  await expect(refusal).rejects.toThrow(/environment test .* of live/);
});

test('a request that a worker could not record is asked for again', async () => {
  const { url, jobs } = await answering((_job, nth) => (nth < 3 ? UNCONFIRMED : ACCEPTED));
  expect(await open({ redis: url, patience: '30s' }).disburse(aDisbursement())).toEqual(ACCEPTED);
  expect(jobs).toHaveLength(3);
});

test('a refusal after a try that may have been accepted is a doubt', async () => {
  const { url } = await answering((_job, nth) => (nth === 1 ? UNCONFIRMED : RESTORED));
  const refusal = open({ redis: url, patience: '30s' }).disburse(aDisbursement());
  await expect(refusal).rejects.toMatchObject({
    name: 'Unconfirmed',
    accepted: 'unknown',
    cause: { name: 'Recovering' },
  });
  await expect(refusal).rejects.not.toThrow(/othing was accepted/);
});

test('a recovery in the middle of a list reports what was accepted before', async () => {
  const { url } = await answering((_job, nth) => (nth <= 600 ? { id: `msg_${nth}`, outcome: 'accepted' } : RESTORED));
  const texts = Array.from({ length: 1_000 }, (_, n) => aMessage({ to: numberOf(n) }));
  const stopped = await open({ redis: url, patience: '60s' })
    .sendMessages(texts)
    .catch((error: unknown) => error);
  expect(stopped).toMatchObject({ name: 'Unconfirmed', accepted: 'no', cause: { name: 'Recovering' } });
  const { verdicts } = stopped as { verdicts: { outcome: string }[] };
  expect(verdicts).toHaveLength(1_000);
  expect(verdicts.filter(({ outcome }) => outcome === 'accepted')).toHaveLength(600);
  // Nothing of this list was accepted.
  await expect(open({ redis: url }).sendMessages(texts.slice(0, 3))).rejects.toThrow(Recovering);
});

test('without a worker the call ends in time, and the job may still run', async () => {
  const { url } = await server();
  const refusal = open({ redis: url, patience: '500ms' }).disburse(aDisbursement());
  await expect(refusal).rejects.toMatchObject({ name: 'Unconfirmed', accepted: 'unknown' });
  await expect(refusal).rejects.toThrow(/no worker has answered/);
});
