/** A campaign over a real Redis, with the clock and every answer of upstream in the test's hand. */
import type { Redis } from 'ioredis';
import { fingerprint } from '../../src/lib/ids.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { readQuietHours } from '../../src/lib/quiet-hours.ts';
import { Campaigns } from '../../src/operations/campaigns.ts';
import { Slices } from '../../src/operations/slices.ts';
import { Slots } from '../../src/processors/text/slots.ts';
import { sendNextSlice, sendSlice } from '../../src/processors/text/slice.ts';
import { OptOuts } from '../../src/operations/opt-outs.ts';
import type { CampaignRecord } from '../../src/operations/record.ts';
import { Retries } from '../../src/operations/retries.ts';
import type { ProcessorContext } from '../../src/processors/context.ts';
import { feedCampaign } from '../../src/processors/campaign.ts';
import type { OutgoingMessage, SentItem } from '../../src/upstream/messaging/messaging.ts';
import type { ServiceDouble } from '../support/texts-bench.ts';
import { processorWorld, ok } from '../support/processor-world.ts';

/** 1 January 2026, midnight in Dakar. */
export const MIDNIGHT = Date.UTC(2026, 0, 1);
export const HOUR = 3_600_000;
/** Slices that may be out. */
export const FEED_WINDOW = 64;
const REQUESTS_PER_SLICE = 20;

type Answered = Partial<SentItem>;
type Answer = (message: OutgoingMessage, index: number) => Answered | Promise<Answered>;

/** Texts are sent to this double of the service, and its statistics asked. */
export const sentTo = (service: ServiceDouble, context: ProcessorContext): ProcessorContext =>
  ({
    ...context,
    upstream: { messaging: service, admit: async () => ({ admitted: true }) },
  }) as unknown as ProcessorContext;

/** `size`: of its slices. */
export function campaignWorld(redis: Redis, { size = 50 }: { readonly size?: number } = {}) {
  const posts: { readonly at: number; readonly messages: readonly OutgoingMessage[] }[] = [];
  let answer: Answer = () => ({ outcome: 'sent' });
  const woken: { readonly queue: string; readonly id: string }[] = [];
  const world = processorWorld(redis, { wake: (queue, id) => void woken.push({ queue, id }) });
  const now = (): number => world.context.clock.now();
  const campaigns = new Campaigns(redis, { now });
  const send = async (_account: unknown, { messages }: { messages: readonly OutgoingMessage[] }) => {
    posts.push({ at: now(), messages });
    const answered = messages.map(async (message, index) => answer(message, index));
    const items = (await Promise.all(answered)).map((one, index) => ({ index, outcome: 'sent' as const, ...one }));
    return ok({ items });
  };
  const slots = new Slots(50);
  const slices = new Slices({ redis, random: systemRandom, now });
  const context = {
    ...world.context,
    campaigns,
    retries: new Retries(redis, { now }),
    slices,
    slots,
    optOuts: new OptOuts(redis),
    account: () => ({ upstream: { name: 'main', smsSender: 'SHOP' }, fingerprint: 'keys-1' }),
    upstream: {
      messaging: { prepare: async () => ok({ usableForMs: 3_600_000 }), send },
      admit: async () => ({ admitted: true }),
    },
    policy: {
      ...world.context.policy,
      settleDelayMs: 60_000,
      split: true,
      feedWindow: FEED_WINDOW * REQUESTS_PER_SLICE,
      quietHours: readQuietHours('21:00-08:00'),
      timezone: 'Africa/Dakar',
    },
  } as unknown as ProcessorContext;

  let made = 0;
  async function drafted(fields: Readonly<Record<string, string | number>> = {}): Promise<string> {
    made += 1;
    const id = `cmp_${made}`;
    await world.operations.accept({
      kind: 'campaign',
      state: 'draft',
      id,
      account: 'main',
      fingerprint: fingerprint(id),
      fields: { name: id, text: `hello from ${id}`, ...fields },
    });
    return id;
  }

  async function ready(recipients: number, fields: Readonly<Record<string, string | number>> = {}): Promise<string> {
    const id = await drafted(fields);
    await fill(id, recipients);
    return id;
  }

  /** False: nobody may be added to it any more. */
  async function fill(id: string, recipients: number): Promise<boolean> {
    const people = Array.from({ length: recipients }, (_, row) => ({
      row,
      to: `+2217${id.slice('cmp_'.length)}${String(1_000_000 + row)}`,
      values: [],
    }));
    const staged = Array.from({ length: Math.ceil(recipients / size) }, (_, at) => ({
      id: `${id}.ab-${at}`,
      items: people.slice(at * size, at * size + size),
    }));
    await slices.stage(await read(id), staged);
    const totals = { recipients, skipped: 0, slices: staged.length, segments: recipients, countries: {} };
    return campaigns.commit(await read(id), { tag: 'ab', hash: id }, totals);
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
      await (next.queue === 'campaign' ? feedCampaign : sendNextSlice)(next.id, context);
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
    drafted,
    fill,
    ready,
    started,
    read,
    work,
    looks,
    now,
    accounts: context.accounts,
    feed: (id: string) => feedCampaign(id, context),
    send: (slice: string) => sendSlice(slice, { ...context, slots }),
    answer: (how: Answer) => {
      answer = how;
    },
    /** Until this hour of the first day, or later. */
    turnTo: (hour: number) => world.advance(MIDNIGHT + hour * HOUR - now()),
    /** Slices handed out, in order. */
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
