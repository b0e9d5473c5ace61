/**
 * Payments end, are copied to history and leave Redis, while callers ask for them again at two doors, from before they
 * end until after they have left: with the same words and with others. A door is killed, and PostgreSQL crashes.
 */
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Asking, type Reply } from '../../script/demonstration/asking.ts';
import type { RunningProcess } from '../../script/demonstration/processes.ts';
import { openRedis } from '../../script/demonstration/redis.ts';
import type { BookedDisbursement } from '../../script/demonstration/views.ts';
import { freePort } from '../../src/lib/listening.ts';
import { keys } from '../../src/operations/keys.ts';
import { DEFAULT_PREFIX } from '../../src/redis/connections.ts';
import { type OwnPostgres, startPostgres } from '../support/postgres.ts';
import { relaisSettings } from '../support/relais-settings.ts';
import { announced, openProcesses } from '../support/world.ts';

const WAVES = 2;
const IN_A_WAVE = 80;
const LANES = 3;
const LIMIT_MS = 120_000;
/** A round of the trimmer is over by then. */
const ROUND_MS = 6_000;
const SECRET = 'caller-secret-of-24-characters';
const AMOUNT = 5_000;

type Settings = Readonly<Record<string, string>>;

const closing: (() => unknown)[] = [];
const opened = openProcesses();
const { processes } = opened;
let postgres: OwnPostgres;
let redis: Redis;
let control: Asking;
let settings: Settings;
let doors: readonly Door[];
let scribe: RunningProcess | undefined;

beforeAll(async () => {
  closing.push(() => opened.close());
  const server = await openRedis();
  closing.unshift(() => server.stop());
  postgres = await startPostgres();
  closing.unshift(() => postgres.stop());
  redis = new Redis(server.url, { keyPrefix: `${DEFAULT_PREFIX}:` });
  closing.push(() => redis.disconnect());
  const free = { SANDBOX_PORT: '0', SANDBOX_CRM_PORT: '0', SANDBOX_CONTROL_PORT: '0' };
  const { urls } = await processes.start('sandbox', ['sandbox'], free);
  control = new Asking(urls['control'] ?? '');
  // A service that pays as often as it is asked.
  await control.post('/settings', { tokenSingleUse: false, disburseIdUnique: false, settleDelayMs: 800 });
  const webhooks = await freePort();
  settings = {
    ...relaisSettings({ redisUrl: server.url, base: urls['base'] ?? '', crm: urls['crm'] ?? '' }),
    ...server.settings,
    CALLBACK_SECRET: 'callback-secret-of-24-characters',
    API_KEYS: `caller:enqueue+read:${SECRET}`,
    WEBHOOKS_PORT: String(webhooks),
    PUBLIC_URL: `http://127.0.0.1:${webhooks}`,
    HISTORY_URL: postgres.url,
    HISTORY_AFTER: '1ms',
    // Nothing is looked at again after its end, so it may leave.
    RECHECK_SUCCEEDED: 'off',
    DISBURSEMENT_POLL: '500ms,1s',
    SWEEP_INTERVAL: '200ms',
  };
  doors = [await Door.open('door-1', 'api,webhooks'), await Door.open('door-2', 'api')];
  await processes.start('worker', ['run', '--roles', 'worker'], settings);
});
afterAll(async () => {
  for (const close of closing.toReversed()) await close();
});

class Door {
  readonly api: Asking;
  readonly #name: string;
  readonly #roles: string;
  readonly #port: number;
  #running: RunningProcess | undefined;

  private constructor(name: string, roles: string, port: number) {
    [this.#name, this.#roles, this.#port] = [name, roles, port];
    this.api = new Asking(`http://127.0.0.1:${port}`, SECRET);
  }

  static async open(name: string, roles: string): Promise<Door> {
    const door = new Door(name, roles, await freePort());
    await door.#start();
    return door;
  }

  async #start(): Promise<void> {
    const own = { ...settings, API_PORT: String(this.#port) };
    this.#running = await processes.start(this.#name, ['run', '--roles', this.#roles], own);
  }

  /** At the same address again. */
  async strike(): Promise<void> {
    this.#running?.signal('SIGKILL');
    expect(await this.#running?.ended).toMatchObject({ signal: 'SIGKILL' });
    await this.#start();
  }
}

/** The trimmer goes through its lists as soon as its process is there, and then once a minute: so it starts anew. */
async function trimAnew(): Promise<void> {
  await scribe?.stop();
  scribe = await processes.start('history', ['run', '--roles', 'history'], settings);
}

/** What was held, or spoken of, when the trimmer came by stays for its next round: that is not waited for. */
async function trimAll(callers: readonly Caller[], limit: AbortSignal): Promise<void> {
  const areDone = (): boolean => callers.every(({ isDone }) => isDone);
  while (!areDone()) {
    limit.throwIfAborted();
    await trimAnew();
    await vi.waitUntil(areDone, { timeout: ROUND_MS, interval: 50 }).catch(() => false);
  }
}

/** One payment, as its caller knows it. */
class Caller {
  readonly reference: string;
  readonly accountAlias: string;
  id: string | undefined;
  /** What was answered once it had left. */
  readonly afterwards = { duplicate: 0, conflict: 0 };
  #asked = 0;

  constructor(nth: number) {
    this.reference = `order-${nth}`;
    this.accountAlias = `770${String(nth).padStart(6, '0')}`;
  }

  get isDone(): boolean {
    return this.afterwards.duplicate > 0 && this.afterwards.conflict > 0;
  }

  async hasLeft(): Promise<boolean> {
    return this.id !== undefined && (await redis.exists(keys.record(this.id))) === 0;
  }

  /** The first time, until somebody answers. */
  async order(): Promise<void> {
    const { status, body } = (await this.#ask(AMOUNT)) ?? {};
    expect([status, this.reference]).toEqual([202, this.reference]);
    this.id = String(body?.['id']);
  }

  /** Both ways in turn, at both doors in turn. */
  async askAgain(): Promise<void> {
    const had = await this.hasLeft();
    const isSame = this.afterwards.duplicate <= this.afterwards.conflict;
    const reply = await this.#ask(isSame ? AMOUNT : AMOUNT + 1_000);
    if (reply === undefined) return;
    const { status, body, headers } = reply;
    const what = `${this.reference}, ${had ? 'which had left' : 'still there'}, asked ${isSame ? 'as it was' : 'otherwise'}`;
    if (isSame && status === 503) {
      // Its reference is taken all the same; what became of it is not told while history is away.
      tallied.away += 1;
      expect(body['type'], what).toMatch(/\/problems\/unavailable$/);
      return;
    }
    const known = isSame ? body['id'] : body['existingId'];
    const replayed = isSame ? headers.get('idempotency-replayed') : null;
    expect([status, known, replayed], what).toEqual(isSame ? [202, this.id, 'true'] : [409, this.id, null]);
    tallied[isSame ? 'duplicate' : 'conflict'] += 1;
    if (had) this.afterwards[isSame ? 'duplicate' : 'conflict'] += 1;
  }

  /** Undefined: the door is being killed. */
  async #ask(amount: number): Promise<Reply | undefined> {
    const { reference, accountAlias } = this;
    const body = { reference, accountAlias, amount, withdrawMode: 'wallet-a-senegal' };
    this.#asked += 1;
    try {
      return await doors[this.#asked % doors.length]?.api.ask('/v1/disbursements', { method: 'POST', body });
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      tallied.cut += 1;
      return undefined;
    }
  }
}
const tallied = { duplicate: 0, conflict: 0, away: 0, cut: 0 };

/** Asks for each of them until it was asked for both ways after it had left. */
async function keepAsking(callers: readonly Caller[], limit: AbortSignal): Promise<void> {
  let open = callers;
  while (open.length > 0) {
    limit.throwIfAborted();
    for (const caller of open) await caller.askAgain();
    open = open.filter(({ isDone }) => !isDone);
  }
}

async function haveEnded(callers: readonly Caller[], count: number): Promise<void> {
  const ours = new Set(callers.map(({ id }) => id));
  const [{ api }] = [doors[0] ?? { api: control }];
  await announced({ api }, (events) => {
    const ends = events.filter(({ type, data }) => type === 'disbursement.succeeded' && ours.has(data.id));
    return ends.length >= count;
  });
}

async function onceOneHasLeft(callers: readonly Caller[], limit: AbortSignal): Promise<void> {
  const haveLeft = (): Promise<boolean[]> => Promise.all(callers.map((caller) => caller.hasLeft()));
  while (!(await haveLeft()).includes(true)) limit.throwIfAborted();
}

/** What happens while the callers ask. */
const strikes: readonly ((callers: readonly Caller[], limit: AbortSignal) => Promise<void>)[] = [
  async (callers, limit) => {
    await trimAnew();
    await onceOneHasLeft(callers, limit);
    await doors[1]?.strike();
  },
  async (callers, limit) => {
    await trimAnew();
    await onceOneHasLeft(callers, limit);
    await postgres.crash();
    await postgres.start();
  },
];

async function readHistory<Row extends object>(sql: string): Promise<readonly Row[]> {
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

test('a reference of what leaves Redis is a duplicate or a conflict at any moment, and never a second payment', async () => {
  const limit = AbortSignal.timeout(LIMIT_MS);
  const all: Caller[] = [];
  for (let wave = 0; wave < WAVES; wave += 1) {
    const callers = Array.from({ length: IN_A_WAVE }, (_, nth) => new Caller(wave * IN_A_WAVE + nth));
    await Promise.all(callers.map((caller) => caller.order()));
    const lanes = Array.from({ length: LANES }, (_, lane) => callers.filter((__, nth) => nth % LANES === lane));
    const conduct = async (): Promise<void> => {
      await haveEnded(callers, IN_A_WAVE / 2);
      await strikes[wave]?.(callers, limit);
      await haveEnded(callers, IN_A_WAVE);
      await trimAll(callers, limit);
    };
    await Promise.all([conduct(), ...lanes.map((lane) => keepAsking(lane, limit))]);
    all.push(...callers);
  }

  const once = all.map(({ accountAlias }) => ({ accountAlias, amount: AMOUNT, effects: 1 }));
  const booked = await control.get<readonly BookedDisbursement[]>('/books/disbursements');
  const paid = booked.map(({ accountAlias, amount, effects }) => ({ accountAlias, amount, effects }));
  expect(paid.toSorted((one, other) => one.accountAlias.localeCompare(other.accountAlias))).toEqual(once);
  const ids = all.map(({ id }) => ({ id })).toSorted((one, other) => String(one.id).localeCompare(String(other.id)));
  expect(new Set(ids.map(({ id }) => id)).size).toBe(WAVES * IN_A_WAVE);
  const kept = await readHistory<{ id: string; state: string }>('select id, state from relais.disbursements');
  expect(kept.filter(({ state }) => state !== 'succeeded')).toEqual([]);
  expect(kept.map(({ id }) => ({ id })).toSorted((one, other) => one.id.localeCompare(other.id))).toEqual(ids);
  expect(tallied.duplicate).toBeGreaterThan(2 * all.length);
  expect(tallied.conflict).toBeGreaterThanOrEqual(all.length);
  expect(tallied.away).toBeGreaterThan(0);
  expect(tallied.cut).toBeGreaterThan(0);
});
