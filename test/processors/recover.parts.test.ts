/** A Redis that was put back from a copy: what is open in it is asked about or left to a person, and nothing is sent. */
import { describe, expect, test } from 'vitest';
import type { StateOf } from '../../src/kinds/index.ts';
import { keys } from '../../src/operations/keys.ts';
import { acceptMessages } from '../../src/operations/messages.ts';
import { Restored } from '../../src/operations/restored.ts';
import type { ProcessorContext } from '../../src/processors/context.ts';
import { pollStatus } from '../../src/processors/run.ts';
import { type BatchTools, batchProcessor } from '../../src/processors/batch/batch.ts';
import { advanceDirectCredit } from '../../src/processors/disbursement/direct-credit.ts';
import { payDisbursement } from '../../src/processors/disbursement/pay.ts';
import { advanceInvoice } from '../../src/processors/collect/invoice.ts';
import { advancePaymentRequest } from '../../src/processors/collect/payment-request.ts';
import { reviewKinds } from '../../src/operations/review.ts';
import { type MoneyKind, statesToRestore } from '../../src/processors/recovery/money.ts';
import { type Turn, restoreAll } from '../../src/processors/recovery/desk.ts';
import { resolveDisbursement } from '../../src/processors/disbursement/resolve.ts';
import { type ProcessorWorld, processorWorld, not, ok } from '../support/processor-world.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';
import { ServiceDouble } from '../support/texts-bench.ts';
import { HOUR, campaignWorld, sentTo } from './campaign-world.ts';

const store = storeOfThisFile();
const LONG = 600_000;

function turnAt(context: ProcessorContext, from = context.clock.now() - HOUR): Turn {
  return { lost: { since: 1, from, at: context.clock.now() }, untilMono: context.clock.monotonic() + LONG };
}

const tools = (context: ProcessorContext) => ({ restored: new Restored(store.redis), context });

/** As it is while a recovery is under way. */
const begin = () => store.redis.hset(keys.heartbeat, 'recovering', 'rolled_back');

async function apply(context: ProcessorContext): Promise<boolean> {
  await begin();
  return restoreAll(tools(context), turnAt(context));
}

const totals = { count: 3, xof: 3_000, countries: {}, modes: {} };
const none = JSON.stringify({ count: 0, list: [] });
const fieldsOf: Readonly<Record<MoneyKind, Readonly<Record<string, string | number>>>> = {
  disbursement: { amount: 5_000, accountAlias: '771234567', withdrawMode: 'wallet-a-senegal', disburseId: 'd1' },
  batch: { contentHash: 'h', by: 'maker', totals: JSON.stringify(totals), problems: none, warnings: none, fed: 1 },
  direct_credit: { amount: 10_000, accountAlias: 'shop' },
  invoice: { totalAmount: 15_000, request: '{}' },
  payment_request: { askedAmount: 5_000, feesPaidBy: 'customer' },
};

async function open<K extends MoneyKind>(
  world: ProcessorWorld,
  kind: K,
  state: StateOf<K>,
  more: Readonly<Record<string, string | number>> = {},
): Promise<string> {
  const id = `${kind}-${state}`;
  const fields = { ...fieldsOf[kind], ...more };
  await world.operations.accept({ kind, id, account: 'main', state, fingerprint: id, dueInMs: 0, fields });
  return id;
}

/** The lost time gave them to nothing else: events are known by the one, history by the other. */
const newNumbers = { rev: expect.toBeOneOf([1_000_001, 1_000_002]), fields: { seq: '1001' } };

const everyOpen = reviewKinds.flatMap((kind) => statesToRestore(kind).map((state) => [kind, state] as const));

describe('money that the copy shows as not yet over', () => {
  test.for(everyOpen)('%s %s needs review, is told so, and nothing of it is due', async ([kind, state]) => {
    const world = processorWorld(store.redis);
    const id = await open(world, kind, state as StateOf<typeof kind>);
    expect(await apply(world.context)).toBe(true);
    const record = await world.queries.read(kind, id);
    expect(record).toMatchObject({ state: 'needs_review', reason: 'restored', ...newNumbers });
    expect(await world.events()).toMatchObject([{ type: `${kind}.needs_review`, data: { id, reason: 'restored' } }]);
    expect(world.calls).toEqual([]);
    for (const queue of ['disbursement', 'batch', 'direct-credit', 'invoice-confirm', 'status-poll']) {
      expect(await store.redis.zscore(`due:${queue}`, id), queue).toBeNull();
    }
  });

  const asked = ['created', 'submitting', 'unknown'] as const;
  test.for(asked)('a disbursement %s that the service has paid is settled by its word', async (state) => {
    const world = processorWorld(store.redis);
    const id = await open(world, 'disbursement', state, { token: 't1', reference: 'salary' });
    world.answer('disbursementStatus', ok({ status: 'success', token: 't1', disburseId: 'd1', transactionId: 'tx' }));
    await apply({ ...world.context, policy: { ...world.context.policy, recheckMs: [3_600_000] } });
    const record = await world.queries.read('disbursement', id);
    expect(record).toMatchObject({ state: 'succeeded', transactionId: 'tx', ...newNumbers });
    expect(await world.events()).toMatchObject([{ type: 'disbursement.succeeded', data: { id, amount: 5_000 } }]);
  });

  test.for(asked)('a disbursement %s that is under way at the service goes on being looked at', async (state) => {
    const world = processorWorld(store.redis);
    const id = await open(world, 'disbursement', state, { token: 't1' });
    world.answer('disbursementStatus', ok({ status: 'pending', token: 't1', disburseId: 'd1' }));
    await apply({ ...world.context, policy: { ...world.context.policy, pollMs: [1_000], quietMs: 1_000 } });
    expect(await world.queries.read('disbursement', id)).toMatchObject({ state: 'pending' });
    expect(await world.queries.dueAt('status-poll', id)).toBe(world.context.clock.now() + 1_000);
  });

  test.for(asked)('a disbursement %s of which the service says `created` is not sent again', async (state) => {
    const world = processorWorld(store.redis);
    const more = { token: 't1', sends: 1, createdSeenAt: 1, quietUntil: 1, tokenAt: world.context.clock.now() };
    const id = await open(world, 'disbursement', state, more);
    world.answer('disbursementStatus', ok({ status: 'created', token: 't1', disburseId: 'd1' }));
    const policy = { ...world.context.policy, pollMs: [1_000], quietMs: 1_000, resubmit: true };
    await apply({ ...world.context, policy });
    expect(await world.queries.read('disbursement', id)).toMatchObject({ state: 'needs_review', reason: 'restored' });
    expect(world.calls.map(({ name }) => name)).toEqual(['disbursementStatus']);
  });

  test('one transaction belongs to one operation, whichever of them is asked about first', async () => {
    const world = processorWorld(store.redis);
    const more = { token: 't1', account: 'main' };
    await open(world, 'disbursement', 'created', more);
    await open(world, 'disbursement', 'unknown', more);
    world.answer('disbursementStatus', ok({ status: 'success', token: 't1', disburseId: 'd1', transactionId: 'tx' }));
    await apply({ ...world.context, policy: { ...world.context.policy, recheckMs: [3_600_000] } });
    expect(await world.queries.read('disbursement', 'disbursement-created')).toMatchObject({ state: 'succeeded' });
    const other = await world.queries.read('disbursement', 'disbursement-unknown');
    expect(other).toMatchObject({ state: 'needs_review', reason: 'transaction_collision', ...newNumbers });
  });

  const damages = [
    ['of another version', { v: '99' }],
    ['whose amount is none', { amount: 'much' }],
    ['whose counter is none', { rev: 'x' }],
  ] as const;
  test.for(damages)('one record %s stops nobody, is named, and nothing of it is due', async ([, damage]) => {
    const world = processorWorld(store.redis);
    const bad = await open(world, 'disbursement', 'queued');
    const good = await open(world, 'direct_credit', 'queued');
    await store.redis.hset(keys.record(bad), damage);
    expect(await apply(world.context)).toBe(true);
    expect(await world.queries.read('direct_credit', good)).toMatchObject({ state: 'needs_review' });
    expect(await store.redis.hgetall(keys.record(bad))).toMatchObject({ ...damage, state: 'queued' });
    expect(await new Restored(store.redis).skipped()).toEqual([bad]);
    expect(await store.redis.zscore('due:disbursement', bad)).toBeNull();
  });

  test('one that may have been sent a moment before the loss is not let go again before `created` proves anything', async () => {
    const world = processorWorld(store.redis);
    const id = await open(world, 'disbursement', 'created', { token: 't1', keys: 'keys-1', mode: 'live' });
    world.answer('disbursementStatus', ok({ status: 'created', token: 't1', disburseId: 'd1' }));
    const context = { ...world.context, policy: { ...world.context.policy, pollMs: [1_000], quietMs: 60_000 } };
    await apply(context);
    for (const outcome of ['resubmit', 'failed', 'cancelled'] as const) {
      const word = { outcome, note: 'Not in the dashboard.', by: 'checker' };
      expect(await resolveDisbursement(id, word, context), outcome).toMatchObject({ is: 'not now' });
    }
    expect(world.calls.filter(({ name }) => name !== 'disbursementStatus')).toEqual([]);
    world.advance(120_000);
    const word = { outcome: 'cancelled', note: 'Not in the dashboard.', by: 'checker' } as const;
    expect(await resolveDisbursement(id, word, context)).toEqual({ is: 'resolved' });
  });

  test('one about which the service is silent is looked at again soon', async () => {
    const world = processorWorld(store.redis);
    const id = await open(world, 'disbursement', 'unknown', { token: 't1' });
    world.answer('disbursementStatus', not('transient', 'no_answer', 'maybe'));
    await apply({ ...world.context, policy: { ...world.context.policy, pollMs: [1_000] } });
    expect(await world.queries.read('disbursement', id)).toMatchObject({ state: 'needs_review', reason: 'restored' });
    expect(await world.queries.dueAt('status-poll', id)).toBe(world.context.clock.now() + 1_000);
  });

  test('a batch of which every row was accepted goes on, since nothing of it is left to be released', async () => {
    const world = processorWorld(store.redis);
    const id = await open(world, 'batch', 'running', { fed: 3 });
    expect(await apply(world.context)).toBe(true);
    expect(await world.queries.read('batch', id)).toMatchObject({ state: 'running' });
  });

  test('broken off and begun again, it ends the same', async () => {
    const world = processorWorld(store.redis);
    for (let nth = 0; nth < 100; nth += 1) {
      const fields = { ...fieldsOf.disbursement, disburseId: `d${nth}` };
      const named = { id: `dsb_${nth}`, account: 'main', fingerprint: `dsb_${nth}`, xof: 5_000 };
      await world.operations.accept({ kind: 'disbursement', state: 'queued', dueInMs: 0, ...named, fields });
    }
    const restored = new Restored(store.redis);
    const short = { ...turnAt(world.context), untilMono: world.context.clock.monotonic() };
    const turns: boolean[] = [];
    await begin();
    while (turns.at(-1) !== true) {
      turns.push(
        await restoreAll({ restored, context: world.context }, turns.length < 2 ? short : turnAt(world.context)),
      );
    }
    expect(turns.slice(0, 2), 'it was broken off twice').toEqual([false, false]);
    expect(await restored.counts()).toEqual([
      { kind: 'disbursement', state: 'needs_review', count: 100, xof: 500_000 },
    ]);
    expect(await world.events()).toHaveLength(100);
  });

  test('an apply that is late, when another has ended the recovery, touches nothing that is there now', async () => {
    const world = processorWorld(store.redis);
    const ids = await Promise.all(everyOpen.map(([kind, state]) => open(world, kind, state as StateOf<typeof kind>)));
    expect(await restoreAll(tools(world.context), turnAt(world.context))).toBe(false);
    const states = await Promise.all(ids.map((id) => store.redis.hget(keys.record(id), 'state')));
    expect(states).toEqual(everyOpen.map(([, state]) => state));
  });

  test('what a look has learnt meanwhile is not undone', async () => {
    const world = processorWorld(store.redis);
    const id = await open(world, 'disbursement', 'unknown', { token: 't1' });
    await begin();
    const look = async () => {
      await store.redis.hincrby(keys.record(id), 'rev', 1);
      return { admitted: true };
    };
    const policy = { ...world.context.policy, pollMs: [1_000] };
    const upstream = { ...world.context.upstream, admit: look };
    const context = { ...world.context, policy, upstream } as unknown as ProcessorContext;
    expect(await restoreAll(tools(context), turnAt(context))).toBe(false);
    expect(await world.queries.read('disbursement', id)).toMatchObject({ state: 'unknown' });
    expect(await apply({ ...world.context, policy })).toBe(true);
  });

  test('what looks are at all the time keeps none of the others waiting', async () => {
    const world = processorWorld(store.redis);
    const busy = await open(world, 'disbursement', 'unknown', { token: 't1' });
    const others = [await open(world, 'disbursement', 'queued'), await open(world, 'invoice', 'creating')];
    await begin();
    const look = async () => {
      await store.redis.hincrby(keys.record(busy), 'rev', 1);
      return { admitted: true };
    };
    const upstream = { ...world.context.upstream, admit: look };
    const policy = { ...world.context.policy, pollMs: [1_000] };
    const context = { ...world.context, policy, upstream } as unknown as ProcessorContext;
    expect(await restoreAll(tools(context), turnAt(context)), 'one is still to be led on').toBe(false);
    const states = await Promise.all(others.map((id) => store.redis.hget(keys.record(id), 'state')));
    expect(states).toEqual(['needs_review', 'needs_review']);
  });

  const aged = [
    ['disbursement', 'queued', payDisbursement],
    ['direct_credit', 'queued', advanceDirectCredit],
    ['invoice', 'creating', advanceInvoice],
    ['payment_request', 'creating', advancePaymentRequest],
    ['batch', 'awaiting_approval', batchProcessor({} as BatchTools)],
  ] as const;
  const heard = { recovering: () => ({}) } as unknown as NonNullable<ProcessorContext['heartbeat']>;
  const workers = [
    ['that has heard of it', { heartbeat: heard }],
    ['that has not heard of it yet', {}],
  ] as const;
  test.for(
    workers.flatMap(([who, knows]) => aged.map(([kind, state, advance]) => ({ who, knows, kind, state, advance }))),
  )('$kind is not given up for its age in a recovery, by a worker $who', async ({ knows, kind, state, advance }) => {
    const world = processorWorld(store.redis, knows);
    const id = await open(world, kind, state as StateOf<typeof kind>);
    world.advance(30 * 24 * HOUR);
    await begin();
    expect((await advance(id, world.context)).reason).toBe('recovering');
    expect(await world.queries.read(kind, id)).toMatchObject({ state });
    expect([world.calls, await world.events()]).toEqual([[], []]);
  });

  test('a person who knows that it was never paid lets it go on', async () => {
    const world = processorWorld(store.redis);
    const id = await open(world, 'disbursement', 'awaiting_approval');
    await apply(world.context);
    const word = { outcome: 'resubmit', note: 'Not in the dashboard.', by: 'checker' } as const;
    expect(await resolveDisbursement(id, word, world.context)).toEqual({ is: 'resolved' });
    expect(await world.queries.read('disbursement', id)).toMatchObject({ state: 'queued', disburseId: 'd1' });
    expect(await world.queries.dueAt('disbursement', id)).toBe(world.context.clock.now());
  });
});

describe('texts', () => {
  function textsWorld() {
    const world = campaignWorld(store.redis);
    const service = new ServiceDouble(world.now);
    const policy = { ...world.context.policy, onUnknown: 'resend' } as const;
    const context = sentTo(service, { ...world.context, policy });
    const book = (id: string, places: readonly number[]): void => {
      const [, nth = ''] = id.split('_');
      for (const place of places) {
        const to = `+2217${nth}${String(1_000_000 + place)}`;
        service.book.push({ to, text: `hello from ${id}`, code: '00', at: world.now() - 1 });
      }
    };
    const lookUntilOver = async (): Promise<void> => {
      for (;;) {
        const due = await store.redis.zrange('due:status-poll', '0', '-1');
        if (due.length === 0) return;
        world.advance(60_000);
        for (const id of due) await pollStatus(id, context);
      }
    };
    return { ...world, context, service, book, lookUntilOver };
  }

  test('of a campaign under way everybody who was not sent to is in doubt, and nobody is sent to again', async () => {
    const { context, started, read, feed, book, lookUntilOver, service, sum, events } = textsWorld();
    const id = await started(500, { canary: 0, onUnknown: 'resend' });
    await feed(id);
    // In the time that was lost, eight of its ten slices were sent.
    book(id, [...Array(400).keys()]);
    expect(await apply(context)).toBe(true);
    expect(await read(id)).toMatchObject({ state: 'held', reason: 'restored', totals: { unknown: 500, queued: 0 } });
    expect(await store.redis.zcard('due:sms-batch')).toBe(0);
    expect((await events()).at(-1)).toMatchObject({ type: 'campaign.held', data: { id, reason: 'restored' } });
    await lookUntilOver();
    expect(await read(id)).toMatchObject({ state: 'finished', totals: { sent: 400, unknown: 100, queued: 0 } });
    expect(await sum(id)).toEqual([500, 500]);
    expect(service.requests, 'nothing was sent').toEqual([]);
  });

  test('one that the copy shows as not started, and that was started since, is in doubt too', async () => {
    const { context, ready, read, book, service, now, lookUntilOver } = textsWorld();
    const [id, told] = [await ready(120), await ready(120)];
    book(id, [3, 4, 5]);
    // The service tells of this one in other blanks: that proves nothing, and not that nobody got it either.
    const to = `+2217${told.split('_')[1]}1000003`;
    service.book.push({ to, text: `hello  from ${told}`, code: '00', at: now() - 1 });
    await apply(context);
    await lookUntilOver();
    expect(await read(id)).toMatchObject({ state: 'finished', totals: { sent: 3, unknown: 117 } });
    expect(await read(told)).toMatchObject({ state: 'finished', totals: { sent: 0, unknown: 120 } });
  });

  test('a late apply sends nobody into doubt, and what an attempt is at is waited for', async () => {
    const { context, started, read, feed, out, advance } = textsWorld();
    const id = await started(50, { canary: 0 });
    await feed(id);
    await restoreAll(tools(context), turnAt(context));
    expect(await read(id)).toMatchObject({ state: 'running', totals: { unknown: 0, queued: 50 } });
    const [slice = ''] = await out();
    await context.slices.begin(slice, 'sms-batch', context.policy.leaseMs);
    expect(await apply(context)).toBe(false);
    expect((await read(id)).totals).toMatchObject({ unknown: 0, queued: 50 });
    advance(context.policy.leaseMs);
    expect(await apply(context)).toBe(true);
    expect((await read(id)).totals).toMatchObject({ unknown: 50, queued: 0 });
  });

  test('one that was never started waits until somebody resumes it, and so does one that was to start by itself', async () => {
    const { context, ready, read, campaigns, looks, now } = textsWorld();
    const [never, later] = [await ready(60), await ready(60, { sendAt: now() + HOUR })];
    await campaigns.switch(later, 'start');
    await apply(context);
    await looks(3, HOUR);
    const waits = { state: 'held', reason: 'restored', totals: { queued: 60 } };
    expect([await read(never), await read(later)]).toMatchObject([waits, waits]);
    await campaigns.switch(never, 'resume');
    expect(await read(never)).toMatchObject({ state: 'running', totals: { queued: 60 } });
  });

  test('a campaign that cannot be read stops nobody, and those who wait in it are sent nothing', async () => {
    const { context, started, feed, book } = textsWorld();
    const [bad, good] = [await started(100, { canary: 0 }), await started(50, { canary: 0 })];
    await feed(bad);
    await store.redis.hset(keys.record(bad), 'uploads', '{');
    book(good, [0]);
    expect(await apply(context)).toBe(true);
    expect(await store.redis.hget(keys.record(good), 'state')).toBe('held');
    expect(await new Restored(store.redis).skipped()).toEqual([bad]);
    for (const queue of ['campaign', 'sms-batch']) expect(await store.redis.zcard(`due:${queue}`), queue).toBe(0);
  });

  test('whom a retry that was under way had not come to is in doubt, and a person asks for it again', async () => {
    const { context, started, read, send, feed, out, answer, lookUntilOver } = textsWorld();
    answer(() => ({ outcome: 'failed' }));
    const id = await started(50, { canary: 0 });
    await feed(id);
    for (const slice of await out()) await send(slice);
    expect(await read(id)).toMatchObject({ state: 'finished', totals: { failed: 50 } });
    await context.retries.start(id, { includeUnknown: false });
    await apply(context);
    await lookUntilOver();
    expect(await read(id)).toMatchObject({ state: 'finished', totals: { failed: 0, unknown: 50 } });
    expect((await read(id)).walk).toBeUndefined();
  });

  test('single messages are in doubt, one-time passwords too: they may have been sent in the time that was lost', async () => {
    const { context, queries, now, service, lookUntilOver, events } = textsWorld();
    for (const lane of ['normal', 'otp'] as const) {
      const id = lane === 'otp' ? 'code' : 'one';
      const message = { id, fingerprint: id, to: '+221770000001', text: `Text ${id}` };
      await acceptMessages(store.redis, { id: `slc_${id}`, account: 'main', lane, dueInMs: 0 }, [message], { now });
    }
    // In the time that was lost it was sent.
    service.book.push({ to: '+221770000001', text: 'Text code', code: '00', at: now() - 1 });
    await apply(context);
    const states = async () => [await queries.read('message', 'one'), await queries.read('message', 'code')];
    expect(await states()).toMatchObject([{ state: 'unknown' }, { state: 'unknown' }]);
    await lookUntilOver();
    expect(await states()).toMatchObject([{ state: 'unknown' }, { state: 'sent', text: '' }]);
    expect((await events()).map(({ type }) => type).toSorted()).toEqual(['message.sent', 'message.unknown']);
    const later = ['one', 'slc_one'].map((id) => store.redis.hmget(keys.record(id), 'rev', 'seq'));
    expect((await Promise.all(later)).flat(), 'not what was lost').toEqual(['1000003', '1001', '1000006', null]);
    expect(service.requests).toEqual([]);
  });
});
