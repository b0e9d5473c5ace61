/** Single messages on real PostgreSQL: requests, results, cancellation, doubt, and two workers that die. */
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { acceptMessage, newMessage } from '../../src/ledger/messages.ts';
import type { Operations } from '../../src/ledger/operations.ts';
import { type OperationRow, readRow } from '../../src/ledger/records.ts';
import { type JournalOperation, replayItems } from '../../src/ledger/replay.ts';
import { messageWorld } from './message-world.ts';

const world = messageWorld();

/** Operations of a worker that dies at its nth change. */
function dyingAt(nth: number, worker = 0): Operations {
  const real = world.operations(worker);
  let changes = 0;
  const dying: Pick<Operations, 'claim' | 'change'> = {
    claim: (...asked) => real.claim(...asked),
    change: async (change) => {
      changes += 1;
      // A dead process neither writes nor fails.
      if (changes > nth) return new Promise<undefined>(() => undefined);
      return real.change(change);
    },
  };
  return dying as Operations;
}

test('messages accepted before the ledger was found without a witness wait, and later ones are sent', async () => {
  const before = await world.accept({ text: 'before' });
  const [row] = await world.ledger.query<{ at: Date }>(
    `select created_at + interval '1 ms' as at from relais.operation where id = '${before}'`,
  );
  await systemClock.sleep(2);
  await world.accept({ text: 'after' });
  await world.send(0, { unwitnessedSince: () => row?.at.getTime() });
  expect(world.requests.flat().map(({ text }) => text)).toEqual(['after']);
  expect(await world.ledger.query(`select state, reason from relais.operation where id = '${before}'`)).toEqual([
    { state: 'queued', reason: 'unwitnessed' },
  ]);
  await world.pass();
  await world.send(0, { unwitnessedSince: () => undefined });
  expect(world.requests.flat().map(({ text }) => text)).toEqual(['after', 'before']);
});

describe('acceptance', () => {
  test('records a message once, with its audit line, and reports another one with its identity', async () => {
    const act = {
      by: 'k',
      person: 'p',
      role: 'enqueue',
      source: 'api',
      requestId: 'r',
      act: 'message.create',
      target: '',
    } as const;
    const asked = world.asked();
    const message = {
      to: world.phone(),
      text: 'Hi',
      lane: 'otp',
      account: world.account,
      expiresAt: '2036-01-01T00:00:00Z',
    } as const;
    const identity = { id: `${asked.id}x`, fingerprint: 'one', reference: 'order-1', act };
    const one = newMessage(message, identity, 'SN 77');
    const operations = world.operations(0);
    expect(await acceptMessage(operations, one)).toEqual({ outcome: 'accepted', id: one.id, state: 'queued' });
    expect(await acceptMessage(world.operations(1), one)).toEqual({
      outcome: 'duplicate',
      id: one.id,
      state: 'queued',
    });
    const other = newMessage(message, { ...identity, fingerprint: 'two' }, 'SN 77');
    expect(await acceptMessage(operations, other)).toEqual({ outcome: 'conflict', id: one.id });
    const [row] = await operations.read<OperationRow>([one.id]);
    expect(row && readRow('message', row)).toMatchObject({
      to: message.to,
      lane: 'otp',
      text: 'Hi',
      expiresAt: Date.parse(message.expiresAt),
      reference: 'order-1',
    });
    const lines = `select act, facts from relais.audit where target = '${one.id}'`;
    expect(await world.ledger.query(lines)).toMatchObject([
      { act: 'message.create', facts: { account: world.account } },
    ]);
  });
});

describe('due messages', () => {
  test('leave together, and each has its own status and event', async () => {
    const ids = [await world.accept(), await world.accept({ text: 'Other' }), await world.accept()];
    expect(await world.send()).toBe(3);
    expect(world.requests.map((request) => request.map(({ text }) => text))).toEqual([['Hello', 'Hello', 'Other']]);
    expect(await world.states()).toEqual({ sent: 3 });
    const events = await world.events();
    expect(events.map(({ subject }) => subject).toSorted()).toEqual(ids);
    expect(events[0]).toMatchObject({ type: 'message.sent', data: { state: 'sent', code: '00' } });
    expect(await world.send()).toBe(0);
  });

  test('are at most fifty in a request, with no number twice', async () => {
    for (let at = 0; at < 51; at += 1) await world.accept();
    const to = world.phone();
    await world.accept({ to, text: 'a' });
    await world.accept({ to, text: 'b' });
    await world.send();
    expect(world.requests.map(({ length }) => length)).toEqual([50, 2, 1]);
    for (const request of world.requests) expect(new Set(request.map((one) => one.to)).size).toBe(request.length);
    expect(await world.states()).toEqual({ sent: 53 });
  });

  test('with the same text to one recipient leave one after the other', async () => {
    const to = world.phone();
    await world.accept({ to });
    world.answer = () => Promise.resolve(world.refuses('unknown', 'no_answer'));
    await world.send();
    world.answer = () => undefined;
    const second = await world.accept({ to });
    await world.send();
    expect([await world.stateOf(second), world.requests.length]).toEqual(['queued', 0]);
    for (let times = 0; times < 2; times += 1) await world.check();
    await world.pass();
    await world.send();
    expect(await world.states()).toEqual({ unknown: 1, sent: 1 });
  });

  test('wait until their time', async () => {
    await world.accept({ sendAt: new Date(Date.now() + 3_600_000).toISOString() });
    expect(await world.send()).toBe(0);
  });

  test('of one-time passwords lose their texts once they are settled', async () => {
    const id = await world.accept({ lane: 'otp', text: 'Your code is 4711' });
    expect(await world.send()).toBe(0);
    await world.send(0, { lane: 'otp' });
    expect(world.requests.flat().map(({ text }) => text)).toEqual(['Your code is 4711']);
    const row = await world.read(id);
    expect(row).toMatchObject({ state: 'sent', facts: { text: '' } });
    expect(row.request).not.toHaveProperty('text');
    const [whole] = await world.operations(0).read<OperationRow>([id]);
    expect(whole && readRow('message', whole)).toMatchObject({ state: 'sent', text: '', sentAt: expect.any(Number) });
  });

  test('that expired, or whose recipient opted out, are skipped and reported', async () => {
    const expired = await world.accept({ expiresAt: new Date(Date.now() - 1_000).toISOString() });
    const to = world.phone();
    await world.optOuts.add({ account: world.account, sender: '' }, [to]);
    const [optedOut, password] = [await world.accept({ to }), await world.accept({ to, lane: 'otp' })];
    await world.send();
    await world.send(0, { lane: 'otp' });
    expect(await Promise.all([expired, optedOut, password].map((id) => world.stateOf(id)))).toEqual([
      'expired',
      'skipped',
      'sent',
    ]);
    expect(world.requests.flat()).toHaveLength(1);
    const reported = (await world.events()).map(
      ({ type, data }) => `${type} ${(data as { reason?: string }).reason}`,
    );
    expect(new Set(reported)).toEqual(
      new Set(['message.expired undefined', 'message.sent undefined', 'message.skipped opted_out']),
    );
  });

  test('whose recipient was erased are skipped', async () => {
    const id = await world.accept();
    await world.ledger.query(
      `update relais.operation set request = request || '{"to": "purged-abc", "text": ""}', beneficiary = null where id = '${id}'`,
    );
    await world.send();
    expect([await world.stateOf(id), world.requests.length]).toEqual(['skipped', 0]);
  });

  test('are in the journal before they leave, so that a restored ledger asks about them', async () => {
    const [id, password] = [await world.accept(), await world.accept({ lane: 'otp', text: '4711' })];
    const items: JournalOperation[] = [];
    const real = world.operations(0);
    const operations = {
      claim: (...asked: Parameters<Operations['claim']>) => real.claim(...asked),
      read: <Row extends object>(ids: readonly string[]) => real.read<Row>(ids),
      change: (change: Parameters<Operations['change']>[0]) => {
        if (change.journalItem) items.push(change.journalItem as JournalOperation);
        return real.change(change);
      },
    };
    await world.send(0, { operations });
    await world.send(0, { operations, lane: 'otp' });
    expect(JSON.stringify(items)).not.toContain('4711');
    await world.ledger.query(`delete from relais.operation where id in ('${id}', '${password}')`);
    await world.database.transaction((run) =>
      replayItems(run, items, { quietMs: 1000, settleMs: 0, quietAt: new Date() }),
    );
    expect(await world.states()).toEqual({ unknown: 2 });
    for (let times = 0; times < 2; times += 1) await world.check();
    expect([await world.stateOf(id), await world.stateOf(password)]).toEqual(['sent', 'unknown']);
  });

  test('stay while the ledger is recovering', async () => {
    const id = await world.accept();
    await world.ledger.query(`update relais.deployment set recovering_at = now()`);
    await expect(world.send()).rejects.toMatchObject({ reason: 'recovering' });
    await world.ledger.query(`update relais.deployment set recovering_at = null`);
    expect([await world.stateOf(id), world.requests.length]).toEqual(['queued', 0]);
  });
});

describe('a cancellation', () => {
  test('counts while the message waits, and not later', async () => {
    const id = await world.accept();
    expect(await world.messages.cancel(id)).toEqual({ is: 'applied', rev: 2 });
    expect(await world.messages.cancel(id)).toEqual({ is: 'not yours', state: 'cancelled' });
    expect(await world.messages.cancel('msg_none')).toEqual({ is: 'none' });
    expect(await world.send()).toBe(0);
    const sent = await world.accept();
    await world.send();
    expect(await world.messages.cancel(sent)).toEqual({ is: 'not yours', state: 'sent' });
  });

  test('of a message that a worker has in hand is obeyed until its intent is committed', async () => {
    const [id, other] = [await world.accept(), await world.accept()];
    const optOuts = {
      among: async (_account: string, people: readonly object[]) => {
        await world.messages.cancel(id);
        return people.map(() => false);
      },
    };
    await world.send(0, { optOuts });
    expect([await world.stateOf(id), await world.stateOf(other)]).toEqual(['cancelled', 'sent']);
    expect(world.requests.flat()).toHaveLength(1);
  });

  test('of a one-time password erases its text', async () => {
    const id = await world.accept({ lane: 'otp', text: 'Your code is 4711' });
    await world.messages.cancel(id);
    const [row] = await world.ledger.query(`select row_to_json(o) from relais.operation o where id = '${id}'`);
    expect(JSON.stringify(row)).not.toContain('4711');
    expect(await world.stateOf(id)).toBe('cancelled');
  });

  test('of a message that may have been sent before reports it as unknown', async () => {
    const id = await world.accept();
    await world.ledger.query(`update relais.operation set facts = '{"mayHaveLeft": true}' where id = '${id}'`);
    await world.messages.cancel(id);
    expect(await world.stateOf(id)).toBe('unknown');
  });
});

describe('an answer', () => {
  test('that provably sent nothing leaves the messages in their queue, and a refused key holds the account', async () => {
    const id = await world.accept();
    world.answer = () => Promise.resolve(world.refuses('transient', 'throttled'));
    await world.send();
    expect(await world.read(id)).toMatchObject({ state: 'queued', reason: 'throttled', sends: 0 });
    world.answer = () => undefined;
    await world.pass();
    await world.send();
    expect(await world.stateOf(id)).toBe('sent');
  });

  test('that refuses one of several is checked, and then each goes alone', async () => {
    const bad = world.phone();
    const ids = [await world.accept(), await world.accept({ to: bad }), await world.accept()];
    world.answer = (messages) =>
      messages.some(({ to }) => to === bad) ? Promise.resolve(world.refuses('refused', 'ERROR_110')) : undefined;
    await world.send();
    expect(await world.states()).toEqual({ unknown: 3 });
    await world.check();
    expect(await world.states()).toEqual({ queued: 3 });
    await world.pass();
    await world.send();
    expect(await Promise.all(ids.map((id) => world.stateOf(id)))).toEqual(['sent', 'failed', 'sent']);
    expect(world.requests.map(({ length }) => length)).toEqual([1, 1]);
    expect(await world.totals()).toEqual({
      'text|SN|sent': 2,
      'text|SN|sentSegments': 2,
      'text|SN|failed': 1,
      'text|SN|failedSegments': 1,
      'text|SN|cost': 2_500,
    });
  });

  test('that does not come leaves a doubt, which the statistics settle', async () => {
    const [there, away] = [await world.accept(), await world.accept()];
    world.answer = (messages) => {
      world.requests.push(messages.slice(0, 1));
      return Promise.resolve(world.refuses('unknown', 'no_answer'));
    };
    await world.send();
    expect(await world.totals()).toMatchObject({ 'text|SN|unknown': 2, 'text|SN|cost': 2_500 });
    world.answer = () => undefined;
    for (let times = 0; times < 3; times += 1) await world.check();
    expect(await world.totals()).toEqual({
      'text|SN|sent': 1,
      'text|SN|sentSegments': 1,
      'text|SN|unknown': 1,
      'text|SN|unknownSegments': 1,
      'text|SN|cost': 2_500,
    });
    expect([await world.stateOf(there), await world.stateOf(away)]).toEqual(['sent', 'unknown']);
    expect(await world.read(away)).toMatchObject({ due_at: null });
    expect((await world.events()).map(({ type }) => type)).toEqual(['message.sent', 'message.unknown']);
  });

  test('that does not come is sent again only where that was asked for', async () => {
    const id = await world.accept();
    const policy = { ...world.context(0).policy, onUnknown: 'resend' } as const;
    world.answer = () => Promise.resolve(world.refuses('unknown', 'no_answer'));
    await world.send(0, { policy });
    world.answer = () => undefined;
    for (let times = 0; times < 2; times += 1) await world.check(0, { policy });
    expect(await world.read(id)).toMatchObject({ state: 'queued', facts: { mayHaveLeft: true } });
    await world.pass();
    await world.send(0, { policy });
    expect(await world.read(id)).toMatchObject({ state: 'sent', sends: 2 });
    expect(await world.totals()).toEqual({ 'text|SN|sent': 1, 'text|SN|sentSegments': 1, 'text|SN|cost': 1_250 });
  });

  test('in the statistics that another SMS may have caused proves nothing', async () => {
    const to = world.phone();
    await world.accept({ to });
    await world.send();
    const id = await world.accept({ to });
    world.answer = () => Promise.resolve(world.refuses('unknown', 'no_answer'));
    await world.send();
    for (let times = 0; times < 2; times += 1) await world.check();
    expect(await world.stateOf(id)).toBe('unknown');
  });
});

describe('a budget', () => {
  const budgets = (value: number) => ({
    reckons: true,
    costOf: () => 1_000,
    hasRoom: async () => true,
    periodOf: () => ({ day: '2026-11-28', month: '2026-11' }),
    standing: async (account: string) => {
      const rows = await world.ledger.query<{ cents: string }>(
        `select cents from relais.sms_cost where account = '${account}' and period = '2026-11-28'`,
      );
      return [{ limit: 'SMS_BUDGET_DAY' as const, value, spent: Number(rows[0]?.cents ?? 0) / 100 }];
    },
  });

  test('releases the SMS that it covers, and holds the account', async () => {
    for (let at = 0; at < 8; at += 1) await world.accept();
    await world.send(0, { budgets: budgets(45) });
    expect(await world.states()).toEqual({ sent: 4, queued: 4 });
    await world.pass();
    await world.send(0, { budgets: budgets(45) });
    expect(await world.states()).toEqual({ sent: 4, queued: 4 });
    expect(await world.holds.holdsOf(world.account)).toMatchObject([{ area: 'messaging', reason: 'budget' }]);
  });
});

describe('two workers', () => {
  test('send every message once', async () => {
    for (let at = 0; at < 120; at += 1) await world.accept();
    await Promise.all([world.send(0), world.send(1), world.send(0), world.send(1)]);
    expect(await world.states()).toEqual({ sent: 120 });
    expect([...world.sentTo().values()].every((times) => times === 1)).toBe(true);
  });

  test.for([0, 1, 3, 5, 7, 9, 10])('of which one dies after %i changes send no message twice', async (nth) => {
    for (let at = 0; at < 5; at += 1) await world.accept();
    // It never answers, so it is not awaited.
    void world.send(0, { operations: dyingAt(nth) });
    await expect.poll(async () => (await world.states())['queued'] !== 5 || nth === 0).toBe(true);
    await expect.poll(() => nth < 5 || world.requests.length === 1).toBe(true);
    await expect.poll(async () => nth < 5 || ((await world.states())['sent'] ?? 0) === nth - 5).toBe(true);
    for (let times = 0; times < 4; times += 1) {
      await world.pass();
      await world.send(1);
      await world.check(1);
    }
    const { sent = 0, unknown = 0 } = await world.states();
    expect(sent + unknown).toBe(5);
    expect([...world.sentTo().values()].every((times) => times === 1)).toBe(true);
    // Only messages with an intent and without a request are in doubt.
    expect(unknown).toBe(nth < 5 ? nth : 0);
  });
});
