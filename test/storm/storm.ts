/** One storm: start, requests, faults, settling, reading, checks. */
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '../../src/lib/random.ts';
import type { FaultyRedis } from '../support/faulty-redis.ts';
import type { StormDatabase } from './database.ts';
import { comeToRest, noneWaits } from './calm.ts';
import { Acts } from './acts.ts';
import { askForCodes, askForCredits } from './other-requests.ts';
import { type CallerCounts, makeWishes, type Wish, wishesOf } from './caller.ts';
import { Strikes, type StrikeCounts } from './strikes.ts';
import { type Verdict, judge } from './checks.ts';
import { nowMs, wait } from './clock.ts';
import { faultOrders, promisesAnything, promisesOf, faultsOff } from './provider-faults.ts';
import { type ForgedCounts, forge } from './forged-callbacks.ts';
import { mustAsk } from './http.ts';
import type { Mode } from './options.ts';
import { type Phase, Phases } from './phases.ts';
import { defaultProgram, LATE_MS, LEASE_MS, SETTLE_MS } from './plan.ts';
import { readStory } from './reading.ts';
import type { Story } from './story.ts';
import { mailingsOf, postMailings } from './campaigns.ts';
import { pay } from './payer-secrets.ts';
import { type System, startSystem } from './system.ts';
import { type Scenario, scenarioNames } from './scenarios.ts';

export interface StormOrder {
  readonly disbursements: number;
  readonly texts: number;
  readonly seed: number;
  readonly mode: Mode;
  readonly program?: string | undefined;
  readonly keep?: boolean;
  /** Default: all of them. */
  readonly scenarios?: ReadonlySet<Scenario>;
  /** Receives each phase at its end. */
  readonly tell?: ((phase: Phase) => void) | undefined;
}

export interface Outcome {
  readonly order: StormOrder;
  readonly story: Story;
  readonly verdicts: readonly Verdict[];
  /** The active scenarios. */
  readonly scenarios: ReadonlySet<Scenario>;
  /** Corrupted answers, by kind. */
  readonly damage: Readonly<Record<string, number>>;
  readonly strikes: StrikeCounts;
  readonly database: StormDatabase['counts'];
  readonly redis: FaultyRedis['counts'];
  /** Number of the provider's faults, by operation. */
  readonly serviceFaults: Readonly<Record<string, number>>;
  readonly caller: CallerCounts;
  readonly forged: ForgedCounts;
  /** Operations that had not settled at the time-out. */
  readonly open: readonly string[];
  /** Unexpected ends of processes. */
  readonly diedByItself: readonly string[];
  /** Failed starts that were repeated. */
  readonly failedStarts: readonly string[];
  /** In order of their end; some ran concurrently. */
  readonly phases: readonly Phase[];
  /** The factor of pauses between faults and of time limits, for a busy machine. */
  readonly slowness: number;
  readonly stormMs: number;
  readonly calmMs: number;
  readonly dir: string;
}

const STORM_MIN_MS = 20_000;
const MS_EACH = 25;
/** On an idle machine everything starts within this time. */
const STARTS_IN_MS = 8_000;
const SLOWEST = 4;
const LAST_SENDS_MS = 15_000;
const CALM_LIMIT_MS = 60_000;
/** After the planned end of the storm: on a busy machine, callers wait longer. */
const CALLERS_WAIT_MS = 240_000;
/**
 * How much slower this machine is than an idle one. Faults at the usual intervals would be too many for it: a process
 * that is killed before its start has finished does no testable work.
 */
const slownessOf = (startedInMs: number): number => Math.min(SLOWEST, Math.max(1, startedInMs / STARTS_IN_MS));
/** After the final status: a later effect would be a second one. */
const DRAIN_MS = LATE_MS + LEASE_MS + SETTLE_MS;
/** Time-outs of phases beyond their own duration: then the storm ends, and names the phase. */
const STARTING = 'processes start';
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
  const starting = startSystem({
    dir,
    program: order.program ?? defaultProgram,
    mode: order.mode,
    seed: order.seed,
    scenarios: scenariosIn(order),
    idOf: namesOf(wishes),
  });
  const system = await phases.run(STARTING, STARTED_WITHIN_MS, starting);
  try {
    return await blow(order, { system, phases }, wishes);
  } finally {
    await system.stop();
    if (!order.keep) rmSync(dir, { recursive: true, force: true });
  }
}

/** In `strict` every other seed has a provider without guarantees, and then no record may be lost. */
function scenariosIn({ scenarios = new Set(scenarioNames), mode, seed }: StormOrder): ReadonlySet<Scenario> {
  if (promisesAnything(mode, seed)) return scenarios;
  return new Set([...scenarios].filter((name) => name !== 'restores'));
}

/** By the disburse_id; requests are added during the storm. */
function namesOf(wishes: readonly Wish[]): (disburseId: string) => string | undefined {
  const ids = new Map<string, string>();
  let read = 0;
  return (disburseId) => {
    for (; read < wishes.length; read += 1) ids.set(wishes[read]?.disburseId ?? '', wishes[read]?.id ?? '');
    return ids.get(disburseId);
  };
}

interface Stage {
  readonly system: System;
  readonly phases: Phases;
}

async function blow(order: StormOrder, { system, phases }: Stage, wishes: Wish[]): Promise<Outcome> {
  const { seed, mode, disbursements, texts } = order;
  const mailings = mailingsOf(texts, seed);
  await mustAsk(`${system.control}/settings`, { method: 'POST', body: promisesOf(mode, seed) });
  const faults = faultOrders(seed);
  for (const fault of faults) await mustAsk(`${system.control}/faults`, { method: 'POST', body: fault });

  const slowness = slownessOf(phases.msOf(STARTING));
  const overMs = slowness * Math.max(STORM_MIN_MS, disbursements * MS_EACH);
  const began = nowMs();
  const strikes = new Strikes(system, seed, slowness);
  const acts = new Acts({ system, seed, wishes, hands: strikes, mailings, overMs, phases });
  strikes.begin(acts.newSettings);
  const calm = new AbortController();
  const { signal } = calm;
  const beside = [
    pay(system.api, seed, signal),
    forge(system.webhooks, wishes, seededRandom(seed + 7), signal),
    askForCodes(system.api, seed, signal),
    askForCredits(system.api, seed, signal),
  ] as const;
  const giveUpMs = overMs + slowness * CALLERS_WAIT_MS;
  const { steady, mayBeGone } = acts;
  const asks = { random: seededRandom(seed + 5), overMs: overMs * 0.85, giveUpMs, steady };
  const posts = { random: seededRandom(seed + 6), overMs: overMs * 0.7, giveUpMs, mayBeGone };
  const blowMs = giveUpMs + OVER_WITHIN_MS;
  const blowing = Promise.all([
    phases.run('payments are requested', blowMs, makeWishes(system.api, [...wishes], asks)),
    phases.run('campaigns are posted', blowMs, postMailings(system.api, mailings, posts)),
    acts.perform(signal),
    wait(overMs),
  ]);
  const [caller] = await Promise.race([blowing, strikes.failure]);
  // Queued payments are sent under faults, too.
  await phases.run('queued payments are sent', LAST_SENDS_MS + OVER_WITHIN_MS, noneWaits(system.api, LAST_SENDS_MS));
  calm.abort();
  await phases.run('faults end', OVER_WITHIN_MS, strikes.end());
  system.damage.end();
  const stormMs = nowMs() - began;
  const serviceFaults = await faultsOff(system);
  const [, forged, codes, credits] = await phases.run('other callers end', OVER_WITHIN_MS, Promise.all(beside));
  await phases.run('late results are posted', OVER_WITHIN_MS, acts.postAllResults());
  const patience = { ms: slowness * CALM_LIMIT_MS + disbursements * 10, restores: acts.restores };
  const resting = comeToRest(system.api, mailings, patience);
  const open = await phases.run('everything settles', patience.ms + OVER_WITHIN_MS, resting);
  await phases.run('late effects arrive', OVER_WITHIN_MS, wait(DRAIN_MS));
  await phases.run('ended processes restart', OVER_WITHIN_MS, strikes.restartEnded());
  const reading = readStory(system, { mode, asked: wishes, mailings, codes, credits, acts, slowness }, phases);
  const story = await phases.run(
    'results are read',
    READ_WITHIN_MS + READ_EACH_MS * (disbursements + texts),
    reading,
  );
  acts.stop();
  const ours = [...system.workers, system.front];
  return {
    order,
    story,
    verdicts: judge(story),
    scenarios: system.scenarios,
    damage: system.damage.counts,
    strikes: strikes.counts,
    database: system.database.counts,
    redis: system.redis.counts,
    serviceFaults,
    caller,
    forged,
    open,
    diedByItself: [...ours, system.sandbox].flatMap((child) => child.diedByItself),
    failedStarts: ours.flatMap((child) => child.failedStarts),
    phases: phases.over,
    slowness,
    stormMs,
    calmMs: nowMs() - began - stormMs,
    dir: system.dir,
  };
}
