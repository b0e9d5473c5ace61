/** The stop of a process while the provider does not answer, within stop_grace_period. */
import { expect, test } from 'vitest';
import { startService } from '../support/service.ts';
import { until } from './prometheus.ts';

/** Each queue has more waiting than it can process at once. */
const WAITING = 6;

test('a process that stops begins nothing more in any of its queues', async () => {
  const service = await startService({
    WORKER_CONCURRENCY: '1',
    UPSTREAM_TIMEOUT: '4s',
    UPSTREAM_CONNECT_TIMEOUT: '500ms',
    SMS_BATCH_WINDOW: '1ms',
  });
  for (const operation of ['disbursement.create', 'sms.send'])
    await service.control('POST', '/faults', { fault: 'hangs before doing the work', operation });
  for (let number = 0; number < WAITING; number += 1) {
    const disbursement = { accountAlias: `7712345${number}7`, amount: 1_000, withdrawMode: 'wallet-a-senegal' };
    await service.call('POST', '/v1/disbursements', { body: { ...disbursement, reference: `waits-${number}` } });
    await service.call('POST', '/v1/messages', { body: { to: `+22177000000${number}`, text: 'hello' } });
  }
  const begun = async (): Promise<readonly number[]> => {
    const { faults } = await service.control('GET', '/faults');
    return faults.map(({ strikes }: { strikes: number }) => strikes);
  };
  await until('both queues have something in hand', async () => (await begun()).every((times) => times > 0), 30_000);

  const before = await begun();
  await service.drain();
  expect(await begun()).toEqual(before);
  await service.stop();
});
