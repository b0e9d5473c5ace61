/** How long a process takes to stop while the service does not answer: what stop_grace_period is compared with. */
import { expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { startService } from '../support/service.ts';
import { until } from './prometheus.ts';

const EXCHANGE_MS = 3_000;
/** Closing connections, on a machine that has other things to do. */
const BESIDES_MS = 1_500;
const WAITING = 6;

test('stopping takes as long as what is in hand, however many queues it is in', async () => {
  const service = await startService({
    WORKER_CONCURRENCY: '1',
    UPSTREAM_TIMEOUT: `${EXCHANGE_MS - 500}ms`,
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
  await until('both queues have something in hand', async () => (await begun()).every((times) => times > 0), 10_000);

  const toldMono = systemClock.monotonic();
  await service.stop();
  const tookMs = systemClock.monotonic() - toldMono;
  expect(tookMs).toBeLessThan(EXCHANGE_MS + BESIDES_MS);
});
