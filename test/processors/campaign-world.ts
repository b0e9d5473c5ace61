/** A campaign over a real Redis, with the clock and every answer of upstream in the test's hand. */
import type { Redis } from 'ioredis';
import { systemRandom } from '../../src/lib/random.ts';
import { readQuietHours } from '../../src/lib/quiet-hours.ts';
import { Campaigns } from '../../src/operations/campaigns.ts';
import { Slices, isSlice } from '../../src/operations/slices.ts';
import { SameTexts } from '../../src/operations/same-texts.ts';
import { Slots } from '../../src/processors/text/slots.ts';
import { sendNextSlice } from '../../src/processors/text/slice.ts';
import { Chunks } from '../../src/operations/chunks.ts';
import { OptOuts } from '../../src/operations/opt-outs.ts';
import type { CampaignRecord } from '../../src/operations/record.ts';
import { Retries } from '../../src/operations/retries.ts';
import type { ProcessorContext } from '../../src/processors/context.ts';
import { feedCampaign } from '../../src/processors/campaign.ts';
import { sendChunk } from '../../src/processors/sms-batch.ts';
import type { OutgoingMessage, SentItem } from '../../src/upstream/messaging/messaging.ts';
import { processorWorld, ok } from '../support/processor-world.ts';

/** 1 January 2026, midnight in Dakar. */
export const MIDNIGHT = Date.UTC(2026, 0, 1);
export const HOUR = 3_600_000;
export const FEED_WINDOW = 64;

type Answer = (message: OutgoingMessage, index: number) => Partial<SentItem>;

/** `sliced`: its recipients are kept in slices of so many. */
export function campaignWorld(redis: Redis, { sliced }: { readonly sliced?: number } = {}) {
  const posts: { readonly at: number; readonly messages: readonly OutgoingMessage[] }[] = [];
  let answer: Answer = () => ({ outcome: 'sent' });
  const woken: { readonly queue: string; readonly id: string }[] = [];
  const world = processorWorld(redis, { wake: (queue, id) => void woken.push({ queue, id }) });
  const now = (): number => world.context.clock.now();
  const campaigns = new Campaigns(redis, now);
  const send = async (_account: unknown, { messages }: { messages: readonly OutgoingMessage[] }) => {
    posts.push({ at: now(), messages });
    const items = messages.map((message, index) => ({ index, outcome: 'sent' as const, ...answer(message, index) }));
    return ok({ items });
  };
  const slices = new Slices({ redis, random: systemRandom, now });
  const context = {
    ...world.context,
    campaigns,
    retries: new Retries(redis, now),
    chunks: new Chunks({ redis, random: systemRandom, now }),
    slices,
    sameTexts: new SameTexts(redis),
    slots: new Slots(50),
    optOuts: new OptOuts(redis),
    account: () => ({ upstream: { name: 'main', smsSender: 'SHOP' }, fingerprint: 'keys-1' }),
    upstream: { messaging: { prepare: async () => ok(undefined), send }, admit: async () => ({ admitted: true }) },
    policy: {
      ...world.context.policy,
      settleDelayMs: 60_000,
      split: true,
      feedWindow: FEED_WINDOW,
      quietHours: readQuietHours('21:00-08:00'),
      timezone: 'Africa/Dakar',
    },
  } as unknown as ProcessorContext;

  let made = 0;
  async function ready(recipients: number, fields: Readonly<Record<string, string | number>> = {}): Promise<string> {
    made += 1;
    const id = `cmp_${made}`;
    await world.operations.accept({
      kind: 'campaign',
      state: 'draft',
      id,
      account: 'main',
      fingerprint: id,
      fields: { name: id, text: `hello from ${id}`, ...fields },
    });
    const people = Array.from({ length: recipients }, (_, row) => ({
      row,
      to: `+2217${made}${String(1_000_000 + row)}`,
      values: [],
    }));
    const size = sliced ?? 50;
    const chunks = Array.from({ length: Math.ceil(recipients / size) }, (_, at) =>
      people.slice(at * size, at * size + size),
    );
    if (sliced)
      await slices.stage(
        await read(id),
        chunks.map((items, at) => ({ id: `${id}.sab-${at}`, items })),
      );
    else await campaigns.stageChunks(await read(id), 'ab', 0, chunks);
    const totals = { recipients, skipped: 0, chunks: chunks.length, segments: recipients, countries: {} };
    await campaigns.commit(await read(id), { tag: sliced ? 'sab' : 'ab', hash: id }, totals);
    return id;
  }

  /** One that was told to start. */
  async function started(
    recipients: number,
    fields: Readonly<Record<string, string | number>> = {},
  ): Promise<string> {
    const id = await ready(recipients, fields);
    await campaigns.switch(id, 'start');
    return id;
  }

  async function read(id: string): Promise<CampaignRecord> {
    const record = await world.queries.read('campaign', id);
    if (!record) throw new Error(`no campaign ${id}`);
    return record;
  }

  /** What the sweeper finds due at this moment, and then what is woken by that, as a worker would do it. */
  async function work(): Promise<void> {
    for (const queue of ['campaign', 'sms-batch']) {
      const due = await redis.zrangebyscore(`due:${queue}`, '-inf', now());
      woken.push(...due.map((id) => ({ queue, id })));
    }
    for (let next = woken.shift(); next; next = woken.shift()) {
      let settlement = await (next.queue === 'campaign'
        ? feedCampaign(next.id, context)
        : isSlice(next.id)
          ? sendNextSlice(next.id, context)
          : sendChunk(next.id, 'sms-batch', context));
      while (settlement.next) settlement = await settlement.next.attempt(context);
    }
  }

  /** With the workers looking every second, or so often (ms). */
  async function looks(count: number, everyMs = 1_000): Promise<void> {
    for (let look = 0; look < count; look += 1) {
      await work();
      world.advance(everyMs);
    }
  }

  return {
    ...world,
    context,
    campaigns,
    slices,
    posts,
    ready,
    started,
    read,
    work,
    looks,
    now,
    accounts: context.accounts,
    feed: (id: string) => feedCampaign(id, context),
    send: (chunk: string) => sendChunk(chunk, 'sms-batch', context),
    answer: (how: Answer) => {
      answer = how;
    },
    /** Until this hour of the first day, or later. */
    turnTo: (hour: number) => world.advance(MIDNIGHT + hour * HOUR - now()),
    /** Chunks handed out, in order. */
    out: () => redis.zrange('due:sms-batch', '0', '-1'),
    dueAt: async (id: string) => Number(await redis.zscore('due:campaign', id)) || undefined,
    standing: async (id: string) => {
      const { state, reason } = await read(id);
      return reason === undefined ? state : `${state}: ${reason}`;
    },
    sum: async (id: string) => {
      const { total, ...rest } = (await read(id)).totals;
      return [total, Object.values(rest).reduce((sum, count) => sum + count, 0)];
    },
    texts: (id: string) =>
      posts.flatMap(({ messages }) => messages).filter(({ text }) => text.endsWith(` ${id}`)).length,
  };
}
