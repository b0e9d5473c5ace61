/** An SMS to the payee of a payment: opt-outs do not stop it, quiet hours delay it, and the budget counts it. */
import { expect, test } from 'vitest';
import { readQuietHours } from '../../../src/lib/quiet-hours.ts';
import type { MessageContext } from '../../../src/processors/sms/message-parts.ts';
import { messageWorld } from '../../ledger/message-world.ts';

const world = messageWorld();

async function ofPayment(to: string): Promise<string> {
  const id = await world.accept({ to, text: `Recu ${to}` });
  await world.ledger.query(
    `update relais.operation set request = request || '{"disbursement": "dsb_1", "tells": "succeeded"}' where id = '${id}'`,
  );
  return id;
}

const now = new Date();
const minutes = (at: number): string => new Date(now.getTime() + at * 60_000).toISOString().slice(11, 16);
const policyWith = (hours: string): MessageContext['policy'] => ({
  ...world.context(0).policy,
  timezone: 'UTC',
  quietHours: readQuietHours(hours),
});

test('a payee who opted out is told, and another SMS to the same number is left out', async () => {
  const to = world.phone();
  await world.optOuts.add({ account: world.account, sender: '' }, [to]);
  const [told, other] = [await ofPayment(to), await world.accept({ to, text: 'advertising' })];
  await world.send();
  expect([await world.stateOf(told), await world.stateOf(other)]).toEqual(['sent', 'skipped']);
});

test('in quiet hours it waits for their end, and other messages leave', async () => {
  const quiet = policyWith(`${minutes(-60)}-${minutes(120)}`);
  const [told, other] = [await ofPayment(world.phone()), await world.accept()];
  await world.send(0, { policy: quiet });
  expect(await world.read(told)).toMatchObject({ state: 'queued', reason: 'quiet_hours' });
  const { due_at: due } = await world.read(told);
  const waitsMs = (due?.getTime() ?? 0) - now.getTime();
  expect(Math.round(waitsMs / 3_600_000)).toBe(2);
  expect(await world.stateOf(other)).toBe('sent');
  await world.pass();
  await world.send(0, { policy: policyWith(`${minutes(-120)}-${minutes(-60)}`) });
  expect(await world.stateOf(told)).toBe('sent');
});

test('an SMS about an end that the payment has no longer is not sent', async () => {
  const told = await ofPayment(world.phone());
  const paid = { ...world.asked(), id: 'dsb_1', kind: 'disbursement' as const, queue: 'disbursement', amount: 5 };
  await world.operations(0).accept(paid);
  for (const [was, state] of [
    ['queued', 'submitting'],
    ['submitting', 'failed'],
    ['failed', 'succeeded'],
  ] as const)
    await world.operations(0).change({ id: 'dsb_1', was, state, finished: state !== 'submitting' });
  await world.ledger.query(
    `update relais.operation set request = request || '{"tells": "failed"}' where id = '${told}'`,
  );
  await world.send();
  expect(await world.read(told)).toMatchObject({ state: 'expired', reason: 'outdated' });
});

test('what it costs is counted, and without budget it waits', async () => {
  const told = await ofPayment(world.phone());
  const costs: number[] = [];
  const budgets = {
    reckons: true,
    costOf: () => 12,
    hasRoom: async () => false,
    standing: async () => [{ limit: 'SMS_BUDGET_DAY', value: 0, spent: costs.reduce((sum, one) => sum + one, 0) }],
    periodOf: () => ({ day: '2026-11-28', month: '2026-11' }),
  } as unknown as NonNullable<MessageContext['budgets']>;
  const messages = { ...spied(), addCost: async (_: string, __: object, cents: number) => void costs.push(cents) };
  await world.send(0, { budgets, messages });
  expect(costs).toEqual([12, -12]);
  expect(await world.read(told)).toMatchObject({ state: 'queued', reason: 'budget' });
});

function spied(): MessageContext['messages'] {
  const { messages } = world;
  return {
    openAlike: (...asked) => messages.openAlike(...asked),
    freeCodes: (...asked) => messages.freeCodes(...asked),
    addCost: (...asked) => messages.addCost(...asked),
  };
}
