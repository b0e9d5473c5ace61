/** Every role behind the pgbouncer of this machine, in transaction mode. */
import { expect, onTestFinished, test } from 'vitest';
import { pgbouncer, startPgbouncer } from '../support/pgbouncer.ts';
import { startService } from '../support/service.ts';
import type { FreshLedger } from '../support/fresh-ledger.ts';
import type { Pooler } from '../support/pooler.ts';
import type { BookedDisbursement } from '../support/views.ts';

const PAYMENTS = 40;
const SETTINGS = {
  lock_timeout: '1s',
  statement_timeout: '10s',
  idle_in_transaction_session_timeout: '60s',
  timezone: 'UTC',
} as const;

async function inFrontOf(program: string, ledger: FreshLedger): Promise<Pooler> {
  const name = new URL(ledger.url).pathname.slice(1);
  for (const [setting, value] of Object.entries(SETTINGS))
    await ledger.query(`alter role current_user in database ${name} set ${setting} = '${value}'`);
  return startPgbouncer(program, ledger.url);
}

test('payments and SMS complete behind pgbouncer, and none leaves two times', async (context) => {
  const program = pgbouncer ?? context.skip('pgbouncer is not installed');
  const service = await startService(
    { DATABASE_PREPARED: 'off' },
    {
      databaseOf: async (ledger) => {
        const pooler = await inFrontOf(program, ledger);
        onTestFinished(() => pooler.close());
        return pooler.url;
      },
    },
  );
  onTestFinished(() => service.stop());
  const paid = await Promise.all(
    Array.from({ length: PAYMENTS }, async (_, nth) => {
      const accountAlias = `77${String(3_000_000 + nth)}`;
      const asked = { reference: `bounced-${nth}`, accountAlias, amount: 5_000, withdrawMode: 'wallet-a-senegal' };
      const { status, body } = await service.call('POST', '/v1/disbursements', { body: asked });
      expect(status).toBe(202);
      return service.until(`/v1/disbursements/${body.id}`, ({ state }) => state === 'succeeded');
    }),
  );
  expect(paid).toHaveLength(PAYMENTS);
  const booked: readonly BookedDisbursement[] = await service.books('disbursements');
  expect(booked.map(({ effects }) => effects)).toEqual(Array.from({ length: PAYMENTS }, () => 1));

  const { body: campaign } = await service.call('POST', '/v1/campaigns', {
    body: { name: 'c', text: 'Bonjour', country: 'SN', reference: 'bounced' },
  });
  const people = Array.from({ length: 1_000 }, (_, at) => `+2217712${String(at).padStart(5, '0')}`);
  await service.call('POST', `/v1/campaigns/${campaign.id}/recipients`, {
    body: ['telephone', ...people].join('\n'),
    headers: { 'content-type': 'text/csv' },
  });
  await service.call('POST', `/v1/campaigns/${campaign.id}/start`, { body: {} });
  const { totals } = await service.until(`/v1/campaigns/${campaign.id}`, ({ state }) => state === 'finished');
  expect(totals).toMatchObject({ sent: people.length });
  expect(await service.books('summary')).toMatchObject({ messagesSent: people.length, messagesRepeated: 0 });
});
