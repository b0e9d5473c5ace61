/** Readiness names what prevents a process from working. Redis never does. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Service, startService } from '../support/service.ts';
import { closeConnection } from '../../src/redis/connections.ts';

const WITHIN = { timeout: 20_000, interval: 50 };

const readiness = async ({ metrics }: Service): Promise<{ status: number; reasons?: string[] }> => {
  const answer = await fetch(`${metrics}/readyz`);
  return { status: answer.status, ...((await answer.json()) as object) };
};

async function started(roles: readonly ('api' | 'worker' | 'webhooks')[]): Promise<Service> {
  const service = await startService({}, { roles });
  onTestFinished(() => service.stop());
  await vi.waitFor(async () => expect(await readiness(service)).toMatchObject({ status: 200 }), WITHIN);
  return service;
}

test.for([['api'], ['webhooks']] as const)(
  'an idle %s is not ready while PostgreSQL only reads, and is again after it',
  async (roles) => {
    const service = await started(roles);
    const database = new URL(service.ledger.url).pathname.slice(1);
    const others = `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
    await service.ledger.query(`alter database ${database} set default_transaction_read_only = on`);
    await service.ledger.query(others);
    await vi.waitFor(
      async () =>
        expect(await readiness(service)).toMatchObject({
          status: 503,
          reasons: ['PostgreSQL cannot be used: it only accepts reads'],
        }),
      WITHIN,
    );
    await service.ledger.query(
      `begin read write; alter database ${database} reset default_transaction_read_only; commit`,
    );
    await service.ledger.query(`begin read write; ${others}; commit`);
    await vi.waitFor(async () => expect(await readiness(service)).toMatchObject({ status: 200 }), WITHIN);
  },
);

test('a recovery and a ledger without a witness are reasons', async () => {
  const service = await started(['api']);
  await service.ledger.query('update relais.deployment set unwitnessed_at = now()');
  await vi.waitFor(
    async () =>
      expect(await readiness(service)).toMatchObject({
        status: 503,
        reasons: [expect.stringContaining('no witness')],
      }),
    WITHIN,
  );
  await service.ledger.query(
    `update relais.deployment set unwitnessed_at = null, recovering_at = now(), recovering_why = 'witness'`,
  );
  await vi.waitFor(
    async () =>
      expect(await readiness(service)).toMatchObject({
        status: 503,
        reasons: [expect.stringMatching(/^recovering: /)],
      }),
    WITHIN,
  );
});

test('Redis that is gone is no reason', async () => {
  const service = await started(['api', 'worker']);
  await service.redis.call('FLUSHDB');
  await closeConnection(service.redis);
  expect(await readiness(service)).toMatchObject({ status: 200 });
});
