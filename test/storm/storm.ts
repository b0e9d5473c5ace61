/** One storm: start, ask, strike, wait for calm, read, judge. */
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '../../src/lib/random.ts';
import type { Bell } from './bell.ts';
import type { StormDatabase } from './database.ts';
import { comeToRest, noneWaits } from './calm.ts';
import { Acts } from './acts.ts';
import { askForCodes, askForCredits } from './bystanders.ts';
import { type CallerCounts, makeWishes, type Wish, wishesOf } from './caller.ts';
import { Chaos, type ChaosCounts } from './chaos.ts';
import { type Verdict, judge } from './checks.ts';
import { nowMs, wait } from './clock.ts';
import { faultOrders, promisesAnything, promisesOf, faultsOff } from './faults.ts';
import { type ForgerCounts, forge } from './forger.ts';
import { mustAsk } from './http.ts';
import type { Mode } from './options.ts';
import { type Phase, Phases } from './phases.ts';
import { defaultProgram, LATE_MS, LEASE_MS, SETTLE_MS } from './plan.ts';
import { readStory } from './reading.ts';
import type { Story } from './story.ts';
import { mailingsOf, postMailings } from './texts.ts';
import { pay } from './payers.ts';
import { type World, startWorld } from './world.ts';
import { type WorldName, worldNames } from './worlds.ts';

export interface StormOrder {
  readonly disbursements: number;
  readonly texts: number;
  readonly seed: number;
  readonly mode: Mode;
  readonly program?: string | undefined;
  readonly keep?: boolean;
  /** All of them when left out. */
  readonly worlds?: ReadonlySet<WorldName>;
  /** Told of each phase as it is over. */
  readonly tell?: ((phase: Phase) => void) | undefined;
}

export interface Outcome {
  readonly order: StormOrder;
  readonly story: Story;
  readonly verdicts: readonly Verdict[];
  /** Those that were on. */
  readonly worlds: ReadonlySet<WorldName>;
  /** Answers that were bent, by how. */
  readonly damage: Readonly<Record<string, number>>;
  readonly chaos: ChaosCounts;
  readonly database: StormDatabase['counts'];
  readonly bell: Bell['counts'];
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
  /** In the order in which they ended; some went on side by side. */
  readonly phases: readonly Phase[];
  /** By how much weather and patience were stretched, since the machine had other work too. */
  readonly slowness: number;
  readonly stormMs: number;
  readonly calmMs: number;
  readonly dir: string;
}

const STORM_MIN_MS = 20_000;
const MS_EACH = 25;
/** On a machine with nothing else to do everything starts within this. */
const STARTS_IN_MS = 8_000;
const SLOWEST = 4;
const LAST_SENDS_MS = 15_000;
const CALM_LIMIT_MS = 60_000;
/** After the storm was to end: on a machine that does other work too, callers are patient. */
const CALLERS_WAIT_MS = 240_000;
/**
 * How much slower this machine is than one with nothing else to do. Weather that comes by the clock would be worse there:
 * what is killed again before it has started does no work that could go wrong.
 */
const slownessOf = (startedInMs: number): number => Math.min(SLOWEST, Math.max(1, startedInMs / STARTS_IN_MS));
/** After the last word: an effect that comes later than this would be a second one. */
const DRAIN_MS = LATE_MS + LEASE_MS + SETTLE_MS;
/** How long anybody waits for a phase of a storm, beyond what the phase itself may take: then the storm ends, and says for what. */
const STARTING = 'everything starts';
const STARTED_WITHIN_MS = 600_000;
const OVER_WITHIN_MS = 360_000;
const READ_WITHIN_MS = 240_000;
const READ_EACH_MS = 100;

export async function runStorm(order: StormOrder): Promise<Outcome> {
  const dir = join(tmpdir(), `storm-${process.pid}-${order.mode}-${order.seed}`);
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  const wishes = wishesOf(order.disbursements, order.seed);
  const phases = new Phases(order.tell);
  const starting = startWorld({
    dir,
    program: order.program ?? defaultProgram,
    mode: order.mode,
    seed: order.seed,
    worlds: worldsIn(order),
    idOf: namesOf(wishes),
  });
  const world = await phases.run(STARTING, STARTED_WITHIN_MS, starting);
  try {
    return await blow(order, { world, phases }, wishes);
  } finally {
    await world.stop();
    if (!order.keep) rmSync(dir, { recursive: true, force: true });
  }
}

/** In `strict` every other seed has a service that promises nothing at all, and then no record may be lost. */
function worldsIn({ worlds = new Set(worldNames), mode, seed }: StormOrder): ReadonlySet<WorldName> {
  if (promisesAnything(mode, seed)) return worlds;
  return new Set([...worlds].filter((name) => name !== 'restores'));
}

/** By the disburse_id; more is asked for as the storm goes on. */
function namesOf(wishes: readonly Wish[]): (disburseId: string) => string | undefined {
  const ids = new Map<string, string>();
  let read = 0;
  return (disburseId) => {
    for (; read < wishes.length; read += 1) ids.set(wishes[read]?.disburseId ?? '', wishes[read]?.id ?? '');
    return ids.get(disburseId);
  };
}

interface Stage {
  readonly world: World;
  readonly phases: Phases;
}

async function blow(order: StormOrder, { world, phases }: Stage, wishes: Wish[]): Promise<Outcome> {
  const { seed, mode, disbursements, texts } = order;
  const mailings = mailingsOf(texts, seed);
  await mustAsk(`${world.control}/settings`, { method: 'POST', body: promisesOf(mode, seed) });
  const faults = faultOrders(seed);
  for (const fault of faults) await mustAsk(`${world.control}/faults`, { method: 'POST', body: fault });

  const slowness = slownessOf(phases.msOf(STARTING));
  const overMs = slowness * Math.max(STORM_MIN_MS, disbursements * MS_EACH);
  const began = nowMs();
  const chaos = new Chaos(world, seed, slowness);
  const acts = new Acts({ world, seed, wishes, hands: chaos, mailings, overMs, phases });
  chaos.begin(acts.newSettings);
  const calm = new AbortController();
  const { signal } = calm;
  const beside = [
    pay(world.api, seed, signal),
    forge(world.webhooks, wishes, seededRandom(seed + 7), signal),
    askForCodes(world.api, seed, signal),
    askForCredits(world.api, seed, signal),
    acts.console?.live(signal) ?? Promise.resolve(),
  ] as const;
  const giveUpMs = overMs + slowness * CALLERS_WAIT_MS;
  const { steady, mayBeGone } = acts;
  const asks = { random: seededRandom(seed + 5), overMs: overMs * 0.85, giveUpMs, steady };
  const posts = { random: seededRandom(seed + 6), overMs: overMs * 0.7, giveUpMs, mayBeGone };
  const blowMs = giveUpMs + OVER_WITHIN_MS;
  const blowing = Promise.all([
    phases.run('callers ask', blowMs, makeWishes(world.api, [...wishes], asks)),
    phases.run('campaigns are posted', blowMs, postMailings(world.api, mailings, posts)),
    acts.perform(signal),
    wait(overMs),
  ]);
  const [caller] = await Promise.race([blowing, chaos.failure]);
  // What has not been sent yet is to be sent in bad weather too.
  await phases.run('the last are sent', LAST_SENDS_MS + OVER_WITHIN_MS, noneWaits(world.api, LAST_SENDS_MS));
  calm.abort();
  await phases.run('the weather ends', OVER_WITHIN_MS, chaos.end());
  world.damage.end();
  const stormMs = nowMs() - began;
  const serviceFaults = await faultsOff(world);
  const [, forger, codes, credits] = await phases.run('bystanders end', OVER_WITHIN_MS, Promise.all(beside));
  await phases.run('the truth is told', OVER_WITHIN_MS, acts.tellTheTruth());
  const patience = { ms: slowness * CALM_LIMIT_MS + disbursements * 10, restores: acts.restores };
  const resting = comeToRest(world.api, mailings, patience);
  const open = await phases.run('all comes to rest', patience.ms + OVER_WITHIN_MS, resting);
  await phases.run('what is late arrives', OVER_WITHIN_MS, wait(DRAIN_MS));
  const reading = readStory(world, { mode, asked: wishes, mailings, codes, credits, acts, slowness }, phases);
  const story = await phases.run('all is read', READ_WITHIN_MS + READ_EACH_MS * (disbursements + texts), reading);
  acts.stop();
  const ours = [...world.workers, world.door];
  return {
    order,
    story,
    verdicts: judge(story),
    worlds: world.worlds,
    damage: world.damage.counts,
    chaos: chaos.counts,
    database: world.database.counts,
    bell: world.bell.counts,
    serviceFaults,
    caller,
    forger,
    open,
    diedByItself: [...ours, world.sandbox].flatMap((child) => child.diedByItself),
    failedStarts: ours.flatMap((child) => child.failedStarts),
    phases: phases.over,
    slowness,
    stormMs,
    calmMs: nowMs() - began - stormMs,
    dir: world.dir,
  };
}
