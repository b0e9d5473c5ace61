/**
 * One day of a company, with everything that a storm has: processes that are killed and frozen, wires that are cut, a
 * PostgreSQL that is killed and restored from a copy, and a provider that misbehaves. Then it is closed.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isFinal, statesOf } from '../../src/kinds/index.ts';
import { seededRandom } from '../../src/lib/random.ts';
import { comeToRest } from '../storm/calm.ts';
import { makeWishes, type Wish, wishesOf } from '../storm/caller.ts';
import { wait, waitUntil } from '../storm/clock.ts';
import { faultOrders, faultsOff, promisesOf } from '../storm/faults.ts';
import { ask, mustAsk } from '../storm/http.ts';
import { Operator } from '../storm/operator.ts';
import { defaultProgram, LATE_MS, LEASE_MS, SETTLE_MS } from '../storm/plan.ts';
import { restoreOnce } from '../storm/restores.ts';
import type { Restore } from '../storm/story.ts';
import { type Mailing, mailingsOf, postMailings } from '../storm/texts.ts';
import { startWorld, type World } from '../storm/world.ts';
import { moneyIn, readBooks } from './books.ts';
import { askForAll, type Order, ordersOf, type Sizes } from './orders.ts';
import { decideAll, payersDecide } from './people.ts';
import { listed } from './reading.ts';
import { Weather } from './weather.ts';

const MODE = 'resubmit';
const MS_EACH = 40;
const LEAST_MS = 12_000;
const PAYERS_COME_EVERY_MS = 400;
const PATIENCE_MS = 240_000;
const DRAIN_MS = LATE_MS + LEASE_MS + SETTLE_MS;

/** Of the kinds that a storm leaves alone. */
const MORE_FAULTS = [
  ['hangs after doing the work', 'direct-credit.create', 0.06],
  ['answers 5xx after doing the work', 'direct-credit.create', 0.06],
  ['resets the connection before doing the work', 'direct-credit.create', 0.06],
  ['answers 5xx before doing the work', 'direct-credit.create', 0.06],
  ['resets the connection after doing the work', 'invoice.create', 0.06],
  ['answers 5xx before doing the work', 'invoice.create', 0.06],
  ['cuts its JSON', 'invoice.confirm', 0.05],
  ['answers 5xx before doing the work', 'invoice.confirm', 0.05],
  ['never calls back', 'invoice.callback', 0.3],
  ['cuts its JSON', 'payment-request.create', 0.06],
  ['answers 5xx before doing the work', 'payment-request.status', 0.1],
] as const;

export interface Strikes {
  /** How often the service misbehaved, by operation. */
  readonly service: Readonly<Record<string, number>>;
  readonly kills: number;
  readonly wires: number;
  readonly crashes: number;
  readonly restores: readonly Restore[];
}

export interface Day {
  readonly world: World;
  readonly wishes: readonly Wish[];
  readonly mailings: readonly Mailing[];
  readonly strikes: Strikes;
  /** What had not come to rest when patience ended, and what nobody could decide. */
  readonly open: readonly string[];
  readonly decided: number;
  readonly close: () => Promise<void>;
}

export async function openDay(sizes: Sizes, seed: number): Promise<Day> {
  const dir = join(tmpdir(), `day-${process.pid}-${seed}`);
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  const idOf = (): undefined => undefined;
  const plan = {
    dir,
    program: defaultProgram,
    mode: MODE,
    seed,
    worlds: new Set<never>(),
    idOf,
    more: { DIRECT_CREDIT: 'on', INVOICE_POLL: '500ms,1s', PAYMENT_REQUEST_POLL: '500ms,1s' },
  } as const;
  const world = await startWorld(plan);
  const close = async (): Promise<void> => {
    await world.stop();
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    return { world, close, ...(await live(world, sizes, seed)) };
  } catch (error) {
    await close();
    throw error;
  }
}

async function live(world: World, sizes: Sizes, seed: number): Promise<Omit<Day, 'world' | 'close'>> {
  await misbehave(world, seed);
  const wishes = wishesOf(sizes.disbursements, seed);
  const mailings = mailingsOf(sizes.recipients, seed);
  const orders = ordersOf(sizes);
  const weather = new Weather(world, { seed, orders: orders.length });
  const operator = new Operator(world.api);
  const over = new AbortController();
  const decided = new Set<string>();
  const beside = [operator.beOnCall(over.signal), keepPaying(world, decided, over.signal)];
  const parts = { world, wishes, mailings, orders, weather, operator, seed };
  const restores = await morningAndAfternoon(parts);
  await weather.end();
  over.abort();
  await Promise.all(beside);
  const service = await faultsOff(world);
  const rest = await evening(world, mailings, { decided, restores });
  return { wishes, mailings, ...rest, strikes: { service, ...weather.counts, restores } };
}

async function misbehave({ control }: World, seed: number): Promise<void> {
  await mustAsk(`${control}/settings`, { method: 'POST', body: promisesOf(MODE, seed) });
  const more = MORE_FAULTS.map(([fault, operation, probability], at) => ({
    fault,
    operation,
    probability,
    seed: seed * 1_000 + 500 + at,
  }));
  for (const body of [...faultOrders(seed), ...more]) await mustAsk(`${control}/faults`, { method: 'POST', body });
}

interface Parts {
  readonly world: World;
  readonly wishes: Wish[];
  readonly mailings: readonly Mailing[];
  readonly orders: readonly Order[];
  readonly weather: Weather;
  readonly operator: Operator;
  readonly seed: number;
}

/**
 * At noon PostgreSQL is restored from a copy. Disbursements are asked for meanwhile too: a caller that was told 202 after the copy
 * was made asks again. What has no identity at the service is not asked for until it is over.
 */
async function morningAndAfternoon(parts: Parts): Promise<readonly Restore[]> {
  const { world, wishes, mailings, orders, weather, operator, seed } = parts;
  const random = seededRandom(seed + 5);
  const overMs = Math.max(LEAST_MS, wishes.length * MS_EACH);
  const restores: Restore[] = [];
  let steady = true;
  const asks = { random, overMs, giveUpMs: overMs + PATIENCE_MS, steady: () => steady };
  const posts = {
    random: seededRandom(seed + 6),
    overMs: overMs * 0.2,
    giveUpMs: PATIENCE_MS,
    mayBeGone: () => false,
  };
  const asking = makeWishes(world.api, [...wishes], asks);
  const taken = (): void => weather.orderTaken();
  const noon = Math.floor(orders.length / 2);
  await Promise.all([
    askForAll(world.api, orders.slice(0, noon), taken),
    postMailings(world.api, mailings, posts),
    wait(overMs * 0.3),
  ]);
  steady = false;
  const drill = { world, seed, operator, wishes, restores };
  await weather.calm();
  await restoreOnce(drill, { how: seed % 2 === 0 ? 'stopped' : 'running', nth: 0 }, weather);
  steady = true;
  await Promise.all([askForAll(world.api, orders.slice(noon), taken), asking]);
  return restores;
}

async function keepPaying(world: World, decided: Set<string>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await wait(PAYERS_COME_EVERY_MS);
    // A door that is down is opened again.
    await payersDecide(world, decided).catch(() => undefined);
  }
}

/** Everything that goes on by itself does, the last payers come, and what is left is decided by a person. */
async function evening(
  world: World,
  mailings: readonly Mailing[],
  { decided, restores }: { readonly decided: Set<string>; readonly restores: readonly Restore[] },
): Promise<Pick<Day, 'open' | 'decided'>> {
  await payersDecide(world, decided);
  const open = [
    ...(await comeToRest(world.api, mailings, { ms: PATIENCE_MS, restores })),
    ...(await othersRest(world)),
  ];
  await wait(DRAIN_MS);
  const desk = await decideAll(world, PATIENCE_MS);
  const paidOut = await comeToRest(world.api, mailings, { ms: PATIENCE_MS, restores });
  const rest = [...paidOut, ...(await othersRest(world)), ...(await paidBillsAreKnown(world))];
  return { open: [...open, ...desk.left, ...rest], decided: desk.count };
}

const OTHERS = [
  ['batch', 'disbursement-batches'],
  ['direct_credit', 'direct-credits'],
  ['message', 'messages'],
  ['invoice', 'invoices'],
  ['payment_request', 'payment-requests'],
] as const;

/** A bill that nobody pays stays open until the day after; of a text in doubt nobody will ever know more. */
const STAYS = new Set(['needs_review', 'pending', 'invalid', 'unknown']);

async function othersRest({ api }: World): Promise<string[]> {
  let open: string[] = [];
  await waitUntil(
    async () => {
      open = [];
      for (const [kind, path] of OTHERS) {
        const states = statesOf(kind).filter((state) => !isFinal(kind, state) && !STAYS.has(state));
        const reply = await ask(`${api}/v1/${path}?state=${states.join(',')}&limit=1`);
        const [first] = (reply?.body as { items?: { id: string; state: string }[] } | undefined)?.items ?? [
          { id: path, state: 'not told' },
        ];
        if (first) open.push(`${first.id} is still ${first.state}`);
      }
      return open.length === 0;
    },
    PATIENCE_MS,
    500,
  );
  return open;
}

/** The last payers came when the service was asked a moment ago: each payment is seen by the next look. */
async function paidBillsAreKnown({ api, control }: World): Promise<string[]> {
  const { collected } = moneyIn(await readBooks(control));
  const known = async (): Promise<number> => {
    const bills = await Promise.all(
      ['invoices', 'payment-requests'].map((path) => listed(api, `${path}?state=completed`)),
    );
    return bills.flat().length;
  };
  const all = await waitUntil(async () => (await known()) === collected.count, PATIENCE_MS, 500);
  return all ? [] : [`${await known()} bills are known as paid, of ${collected.count}`];
}
