/** The scripts of a slice and their double in memory do the same: random steps, most of them as an attempt makes them. */
import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { seededRandom } from '../../src/lib/random.ts';
import { keys } from '../../src/operations/keys.ts';
import { RECORD_VERSION } from '../../src/operations/record.ts';
import { packItems, packRequest } from '../../src/operations/slice-form.ts';
import {
  type MessageChange,
  type SliceState,
  type SliceStep,
  type SlicesContract,
  Slices,
} from '../../src/operations/slices.ts';
import { Chance } from '../simulation/chance.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';
import { MemorySlices } from '../support/memory-slices.ts';
import { MemoryStore } from '../support/memory-store.ts';

const store = storeOfThisFile();
const START = 1_800_000_000_000;
const CAMPAIGN = 'cmp_1';
/** Two of a campaign, and two of single messages. */
const IDS = ['cmp_1.ab-0', 'cmp_1.ab-1', 'slc_0', 'slc_1'];
const COMMANDS = 300;
const STATES: readonly [SliceState, ...SliceState[]] = ['queued', 'unknown', 'settled'];
const MESSAGES = 6;
const MARKS = Array.from({ length: 6 }, (_, n) => `mark-00${n}`);
const COUNTED = ['t:sent', 't:queued', 't:sending', 't:unknown', 'c:SN:sent', 'judgedOver'] as const;

const campaign = {
  id: CAMPAIGN,
  v: RECORD_VERSION,
  state: 'running',
  account: 'main',
  name: 'one',
  text: 'Bonjour',
  slices: 2,
  't:total': 200,
  't:queued': 200,
};

function sliceOf(id: string) {
  const items = Array.from({ length: 100 }, (_, row) => ({ row, to: `+2217${1_000_000 + row}`, values: [] }));
  const fixed = {
    id,
    kind: 'slice',
    v: RECORD_VERSION,
    state: 'queued',
    rev: 1,
    account: 'main',
    ...(isSingles(id) ? {} : { campaign: CAMPAIGN }),
  };
  return { ...fixed, count: 100, countries: 'SN', ...packItems(items) };
}

const isSingles = (id: string): boolean => id.startsWith('slc_');
const messageOf = (id: string, place: number): string => `msg_${id}_${place}`;

function messages(): { readonly id: string; readonly state: string; readonly [name: string]: string }[] {
  return IDS.filter(isSingles).flatMap((slice) =>
    Array.from({ length: MESSAGES }, (_, place) => ({
      id: messageOf(slice, place),
      kind: 'message',
      v: RECORD_VERSION,
      state: 'queued',
      account: 'main',
    })),
  );
}

/** The next command, for one or the other: what it knows of Redis it has read from the double. */
class Driver {
  readonly #chance: Chance;
  readonly #memory: MemoryStore;
  readonly #last: { id: string; lease: string; step: SliceStep }[] = [];
  readonly #leases = new Map<string, string>();

  constructor(seed: number, memory: MemoryStore) {
    this.#chance = new Chance(seededRandom(seed));
    this.#memory = memory;
  }

  next(): { readonly run: (slices: SlicesContract) => Promise<unknown>; readonly heard: (answer: unknown) => void } {
    const id = this.#chance.pick(IDS as [string, ...string[]]);
    const heard = (): void => undefined;
    if (this.#chance.happens(0.25)) {
      const queue = this.#chance.pick(['sms-batch', 'status-poll'] as const);
      return {
        run: (slices) => slices.begin(id, queue, 10_000),
        heard: (answer) => {
          const begun = answer as { is: string; lease?: string };
          if (begun.lease) this.#leases.set(id, begun.lease);
        },
      };
    }
    if (this.#chance.happens(0.1)) {
      const [op = ''] = (this.#memory.hash(keys.record(id)).get('op') ?? '').split(' ');
      return { run: (slices) => slices.kept(id, this.#leases.get(id) ?? '', op), heard };
    }
    // A script that was sent again, or comes late.
    const again = this.#last[this.#last.length - 1 - this.#chance.whole(3)];
    const asked = again && this.#chance.happens(0.15) ? again : this.#step(id);
    this.#last.push(asked);
    const record = {
      id: asked.id,
      account: 'main',
      campaign: isSingles(asked.id) ? '' : CAMPAIGN,
      lane: 'normal',
    } as const;
    return { run: (slices) => slices.step(record, asked.lease, asked.step), heard };
  }

  #step(id: string): { id: string; lease: string; step: SliceStep } {
    const chance = this.#chance;
    const record = this.#memory.hash(keys.record(id));
    const from = chance.happens(0.95) ? ((record.get('state') ?? 'queued') as SliceState) : chance.pick(STATES);
    const keeps = chance.happens(0.6);
    const known = [...record].filter(([name]) => /^r\d+$/.test(name));
    const changed = known
      .filter(() => chance.happens(0.2))
      .map(([name, value]) => ({
        number: Number(name.slice(1)),
        read: chance.happens(0.97) ? value : 'other',
        becomes: packRequest(this.#request('over')),
      }));
    const due = () => chance.pick([undefined, 'as it is', chance.whole(60_000)] as const);
    return {
      id,
      lease: chance.happens(0.95) ? (this.#leases.get(id) ?? 'none') : 'other',
      step: {
        op: `op${chance.whole(1e9)}`,
        follows: chance.happens(0.97) ? record.get('op')?.split(' ')[0] : 'other',
        from,
        to: keeps ? from : chance.happens(0.03) ? 'settled' : chance.pick(['queued', 'queued', 'unknown'] as const),
        keepMs: keeps ? 10_000 : undefined,
        sendInMs: due(),
        lookInMs: due(),
        changed,
        opened: Array.from({ length: chance.whole(2) }, () => packRequest(this.#request('waiting'))),
        leaving: Array.from({ length: chance.whole(4) }, () => ({
          becomes: packRequest(this.#request('going')),
          carries: 1 + chance.whole(50),
          ...(chance.happens(0.95) ? { cost: chance.whole(4_000) } : {}),
          ...(isSingles(id) ? this.#single() : {}),
        })),
        next: Number(record.get('n') ?? 0) + (chance.happens(0.03) ? 1 : 0),
        counts: isSingles(id) ? {} : Object.fromEntries(COUNTED.map((field) => [field, chance.whole(7) - 3])),
        recounted: chance.happens(0.1),
        set: chance.happens(0.1) ? { tries: chance.whole(5) } : {},
        optOutsOf: [],
        tried: chance.happens(0.2),
        inRecovery: chance.happens(0.03) ? START : undefined,
        at: START,
        period: { day: chance.pick(['2026-11-22', '2026-11-23']), month: '2026-11' },
        charged: chance.happens(0.2) ? chance.whole(2_000) - 1_000 : 0,
        messages: isSingles(id) ? this.#changes(id) : [],
        closes: isSingles(id) ? MARKS.filter(() => chance.happens(0.3)) : [],
        sent: isSingles(id) ? MARKS.filter(() => chance.happens(0.1)) : [],
      },
    };
  }

  #single() {
    const chance = this.#chance;
    const expiresAt = chance.happens(0.1) ? START + chance.whole(400_000) : undefined;
    return { expiresAt, opens: MARKS.filter(() => chance.happens(0.1)).join('') };
  }

  #changes(id: string): MessageChange[] {
    const chance = this.#chance;
    const states = ['queued', 'sending', 'sent', 'failed', 'unknown'] as const;
    return Array.from({ length: chance.whole(4) }, () => {
      const message = messageOf(id, chance.whole(MESSAGES));
      const known = this.#memory.hash(keys.record(message)).get('state');
      const from = states.find((state) => state === known && chance.happens(0.9)) ?? chance.pick(states);
      const event = chance.happens(0.3) ? { type: 'message.sent', data: { id: message } } : undefined;
      const code = chance.happens(0.3) ? '00' : undefined;
      return {
        id: message,
        from,
        to: chance.pick(states),
        leavesWith: chance.whole(3),
        code,
        event,
        forgets: chance.happens(0.1),
      };
    });
  }

  #request(is: 'over' | 'waiting' | 'going') {
    const letter = { over: 's', waiting: 'q', going: 'g' }[is];
    const from = this.#chance.whole(90);
    return { is, part: false, from, letters: letter.repeat(10), at: START, codes: [], looks: 0, dueAt: 0 };
  }

  /** … or says what texts may cost. */
  budgets(): Readonly<Record<string, string>> | undefined {
    const chance = this.#chance;
    if (!chance.happens(0.05)) return undefined;
    const value = chance.pick(['off', '300', '2000']);
    return { [chance.pick(['SMS_BUDGET_DAY', 'SMS_BUDGET_MONTH'])]: value };
  }

  /** Somebody else does something between two steps, to both. */
  meanwhile(): Readonly<Record<string, string>> | undefined {
    const chance = this.#chance;
    if (!chance.happens(0.1)) return undefined;
    const state = chance.pick(['running', 'running', 'running', 'paused', 'held', 'cancelled']);
    return chance.happens(0.3) ? { perSecond: String(1 + chance.whole(100)) } : { state };
  }
}

test.for([1, 2, 3, 4, 5, 6, 7, 8])('what a slice script does, its double does too (seed %i)', async (seed) => {
  const { redis } = store;
  const clock = { now: START };
  const now = (): number => clock.now;
  const memory = new MemoryStore();
  const doubles = new MemorySlices({ store: memory, random: seededRandom(seed), now });
  const slices = new Slices({ redis, random: seededRandom(seed), now });
  memory.setFields(keys.record(CAMPAIGN), campaign);
  await redis.hset(keys.record(CAMPAIGN), campaign);
  for (const id of IDS) {
    memory.setFields(keys.record(id), sliceOf(id));
    await redis.hset(keys.record(id), sliceOf(id));
  }
  for (const message of messages()) {
    memory.setFields(keys.record(message.id), message);
    await redis.hset(keys.record(message.id), message);
  }
  const driver = new Driver(seed, memory);
  const applied: Record<string, number> = {};
  for (let index = 0; index < COMMANDS; index += 1) {
    const budgets = driver.budgets();
    if (budgets) {
      memory.setFields(keys.limits, budgets);
      await redis.hset(keys.limits, budgets);
    }
    const changes = driver.meanwhile();
    if (changes) {
      memory.setFields(keys.record(CAMPAIGN), changes);
      await redis.hset(keys.record(CAMPAIGN), changes);
    }
    const { run, heard } = driver.next();
    const double = await run(doubles);
    const answer = await run(slices);
    expect(answer).toEqual(double);
    heard(double);
    const { is } = double as { is?: string };
    if (is) applied[is] = (applied[is] ?? 0) + 1;
    clock.now += seed * 137;
  }
  expect(await heldIn(redis)).toEqual(inMemory(memory));
  expect(applied['applied']).toBeGreaterThan(20);
});

/** What both of them know. */
const COMPARED = [
  ...[...IDS, CAMPAIGN, ...messages().map(({ id }) => id)].map((id) => keys.record(id)),
  ...['slice', 'outcome'].map((kind) => keys.counts(kind)),
  keys.openTexts('main'),
  keys.textsCost('main', '2026-11'),
];
const SETS = [
  ...['sms-batch', 'status-poll'].map((queue) => keys.due(queue)),
  ...STATES.map((state) => keys.state('slice', state)),
];
/** The double does not tell that a campaign has finished, and counts its state alone. */
const TOLD = ['since', 'updatedAt', 'seq', 'rev'];

async function heldIn(redis: Redis): Promise<unknown> {
  const hashes = await Promise.all(COMPARED.map(async (key) => [key, without(await redis.hgetall(key))] as const));
  const sets = await Promise.all(
    SETS.map(async (key) => [key, await redis.zrange(key, '0', '-1', 'WITHSCORES')] as const),
  );
  return [
    Object.fromEntries(hashes),
    Object.fromEntries(sets),
    await redis.smembers(keys.parked(CAMPAIGN)).then((ids) => ids.sort()),
  ];
}

function inMemory(memory: MemoryStore): unknown {
  const hashes = COMPARED.map((key) => [key, without(Object.fromEntries(memory.hash(key)))] as const);
  const sets = SETS.map((key) => [key, memory.members(key).flatMap(([id, score]) => [id, String(score)])] as const);
  const parked = memory.members(keys.parked(CAMPAIGN)).map(([id]) => id);
  return [Object.fromEntries(hashes), Object.fromEntries(sets), parked.sort()];
}

function without(fields: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  if (fields['id'] !== CAMPAIGN)
    return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== '0'));
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => !TOLD.includes(name) && value !== '0'));
}
