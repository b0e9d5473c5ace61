/** One storm: start, ask, strike, wait for calm, read, judge. */
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '../../src/lib/random.ts';
import { comeToRest, noneWaits } from './calm.ts';
import { type CallerCounts, makeWishes, wishesOf } from './caller.ts';
import { Chaos, type ChaosCounts } from './chaos.ts';
import { type Verdict, judge } from './checks.ts';
import { nowMs, wait } from './clock.ts';
import { faultOrders, promisesOf } from './faults.ts';
import { type ForgerCounts, forge } from './forger.ts';
import { ask, mustAsk } from './http.ts';
import type { Mode } from './options.ts';
import { defaultProgram, LATE_MS, LEASE_MS, SETTLE_MS } from './plan.ts';
import type { Loss } from './power.ts';
import { readStory } from './reading.ts';
import type { Story } from './story.ts';
import { mailingsOf, postMailings } from './texts.ts';
import { pay } from './payers.ts';
import { type World, startWorld } from './world.ts';

export interface StormOrder {
  readonly disbursements: number;
  readonly texts: number;
  readonly seed: number;
  readonly mode: Mode;
  readonly program?: string | undefined;
  readonly keep?: boolean;
  readonly torn?: boolean;
}

export interface Outcome {
  readonly order: StormOrder;
  readonly story: Story;
  readonly verdicts: readonly Verdict[];
  readonly chaos: ChaosCounts;
  readonly losses: readonly Loss[];
  /** How often the service misbehaved, by operation. */
  readonly serviceFaults: Readonly<Record<string, number>>;
  readonly caller: CallerCounts;
  readonly forger: ForgerCounts;
  /** What had not come to rest when patience ended. */
  readonly open: readonly string[];
  /** Ends of processes that nobody asked for. */
  readonly diedByItself: readonly string[];
  /** Starts that came to nothing, and were tried again. */
  readonly failedStarts: readonly string[];
  readonly stormMs: number;
  readonly calmMs: number;
  readonly dir: string;
}

const STORM_MIN_MS = 20_000;
const MS_EACH = 25;
const LAST_SENDS_MS = 15_000;
const CALM_LIMIT_MS = 60_000;
/** After the last word: an effect that comes later than this would be a second one. */
const DRAIN_MS = LATE_MS + LEASE_MS + SETTLE_MS;

export async function runStorm(order: StormOrder): Promise<Outcome> {
  const dir = join(tmpdir(), `storm-${process.pid}-${order.mode}-${order.seed}`);
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  const wishes = wishesOf(order.disbursements, order.seed);
  const ids = new Map(wishes.map(({ id, disburseId }) => [disburseId, id]));
  const world = await startWorld({
    dir,
    program: order.program ?? defaultProgram,
    mode: order.mode,
    seed: order.seed,
    mends: order.torn !== true,
    idOf: (disburseId) => ids.get(disburseId),
  });
  try {
    return await blow(order, world, wishes);
  } finally {
    await world.stop();
    if (!order.keep) rmSync(dir, { recursive: true, force: true });
  }
}

async function blow(order: StormOrder, world: World, wishes: ReturnType<typeof wishesOf>): Promise<Outcome> {
  const { seed, mode, disbursements, texts } = order;
  const mailings = mailingsOf(texts, seed);
  await mustAsk(`${world.control}/settings`, { method: 'POST', body: promisesOf(mode, seed) });
  for (const fault of faultOrders(seed)) await mustAsk(`${world.control}/faults`, { method: 'POST', body: fault });

  const overMs = Math.max(STORM_MIN_MS, disbursements * MS_EACH);
  const began = nowMs();
  const chaos = new Chaos(world, seed);
  chaos.begin();
  const calm = new AbortController();
  const paying = pay(world.api, seed, calm.signal);
  const forging = forge(world.webhooks, wishes, seededRandom(seed + 7), calm.signal);
  const giveUpMs = overMs + CALM_LIMIT_MS;
  const asking = makeWishes(world.api, wishes, { random: seededRandom(seed + 5), overMs: overMs * 0.85, giveUpMs });
  const posting = postMailings(world.api, mailings, {
    random: seededRandom(seed + 6),
    overMs: overMs * 0.7,
    giveUpMs,
  });
  const [caller] = await Promise.race([Promise.all([asking, posting, wait(overMs)]), chaos.failure]);
  // What has not been sent yet is to be sent in bad weather too.
  await noneWaits(world.api, LAST_SENDS_MS);
  calm.abort();
  await chaos.end();
  const stormMs = nowMs() - began;
  const serviceFaults = await faultsOff(world);
  const forger = await forging;
  await paying;
  const open = await comeToRest(world.api, mailings, CALM_LIMIT_MS + disbursements * 10);
  await wait(DRAIN_MS);
  const story = await readStory(world, mode, wishes, mailings);
  return {
    order,
    story,
    verdicts: judge(story),
    chaos: chaos.counts,
    losses: world.power.losses,
    serviceFaults,
    caller,
    forger,
    open,
    diedByItself: [...world.workers, world.door, world.sandbox].flatMap((child) => child.diedByItself),
    failedStarts: [...world.workers, world.door].flatMap((child) => child.failedStarts),
    stormMs,
    calmMs: nowMs() - began - stormMs,
    dir: world.dir,
  };
}

/** How often each operation was struck; from here on the service is honest. */
async function faultsOff({ control }: World): Promise<Record<string, number>> {
  const { faults } = await mustAsk<{ faults: { operation: string; strikes: number }[] }>(`${control}/faults`);
  await ask(`${control}/faults`, { method: 'DELETE' });
  const struck: Record<string, number> = {};
  for (const { operation, strikes } of faults) struck[operation] = (struck[operation] ?? 0) + strikes;
  return struck;
}
