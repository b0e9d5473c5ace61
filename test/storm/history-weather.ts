/**
 * The bad weather of history. Each strike lies in wait for a step of a writer, and comes in the moment in which that step
 * is on its way: before it arrives, or once it was done and nobody has heard so. Which step and which strike meet next
 * is drawn from the seed; each pair comes before any comes twice.
 */
import { Redis } from 'ioredis';
import { type Random, seededRandom } from '../../src/lib/random.ts';
import { nowMs, wait, waitUntil } from './clock.ts';
import type { History, Scribe } from './history.ts';
import { placeOfEvents } from './history-reading.ts';
import type { Trap } from './link.ts';
import { within } from './phases.ts';
import type { World } from './world.ts';

/** What a writer says on its way through a turn, in the words of the wire. */
const steps = {
  take: ['redis', /zrangebyscore[\s\S]*history:waiting/i],
  begin: ['postgres', /^Q....begin/s],
  look: ['postgres', /select exists \(select from unnest/],
  copy: ['postgres', /from stdin/],
  merge: ['postgres', /insert into relais\.[\s\S]*pg_temp/],
  'note the pass': ['postgres', /insert into relais\.facts/],
  commit: ['postgres', /^Q....commit/s],
  'read back': ['postgres', /copy \(select/],
  keep: ['redis', /evalsha(?![\s\S]*history:trimmed)[\s\S]*history:waiting/i],
  trim: ['redis', /evalsha[\s\S]*history:trimmed/i],
} as const;
type Step = keyof typeof steps;

const strikes = [
  'wire cut',
  'crash',
  'immediate stop',
  'slow',
  'writer killed',
  'writer frozen',
  'power loss',
] as const;
type Strike = (typeof strikes)[number];

interface Order {
  readonly step: Step;
  readonly strike: Strike;
  readonly when: Trap['when'];
}

const STEP_WITHIN_MS = 6_000;
const SLOW_MS = 1_000;
const SLEEPS_MS = 1_500;
const TURN = '{relais}:history:turn';
const WAITING = '{relais}:history:waiting';
const RECORDS = '{relais}:op:dsb_*';
const EVENTS = '{relais}:events';
const TRIMMED_WITHIN_MS = 30_000;
/** Whatever was struck is on its feet again by then. */
const STRIKE_MOST_MS = 120_000;

export class HistoryWeather {
  /** Strikes that came, by what was struck and when. */
  readonly struck: string[] = [];
  /** Steps that nobody came to while they were waited for. */
  inVain = 0;
  readonly #world: World;
  readonly #history: History;
  readonly #random: Random;
  readonly #redis: Redis;
  #over = false;
  #starting: Promise<void> = Promise.resolve();
  #blowing: Promise<void> = Promise.resolve();

  constructor(world: World, history: History, seed: number) {
    this.#world = world;
    this.#history = history;
    this.#random = seededRandom(seed * 10 + 9);
    this.#redis = new Redis({
      port: world.power.port,
      host: '127.0.0.1',
      retryStrategy: () => 50,
      // Away for a while, it is asked again; whoever waits for it here gives up in time.
      maxRetriesPerRequest: null,
    });
    // Redis is killed often.
    this.#redis.on('error', () => undefined);
  }

  begin(tellFailure: (error: unknown) => void): void {
    this.#blowing = this.#blow();
    this.#blowing.catch(tellFailure);
  }

  /** Ends it, puts everything back on its feet, and lets fresh writers go on. */
  async end(): Promise<void> {
    this.#over = true;
    await this.#blowing;
    this.#heal();
    await this.#freshWriters();
  }

  /** Until nothing waits, every event is copied and nothing leaves any more, or patience ends. */
  async comeToRest(): Promise<void> {
    await this.#freshWriters();
    const until = nowMs() + TRIMMED_WITHIN_MS;
    let [left, since] = [-1, nowMs()];
    await waitUntil(async () => {
      const now = (await this.#redis.keys(RECORDS)).length;
      if (now !== left) [left, since] = [now, nowMs()];
      return nowMs() - since > 5_000 && (await this.#redis.zcard(WAITING)) === 0 && (await this.#hasAllEvents());
    }, until - nowMs());
    this.#redis.disconnect();
  }

  /** Some are of no record: nothing waits for them. */
  async #hasAllEvents(): Promise<boolean> {
    const [[newest] = []] = await this.#redis.xrevrange(EVENTS, '+', '-', 'COUNT', 1);
    return newest === undefined || newest === (await placeOfEvents(this.#history));
  }

  async #blow(): Promise<void> {
    while (!this.#over) {
      for (const order of this.#shuffled()) {
        if (this.#over) return;
        await this.#obey(order);
      }
    }
  }

  #shuffled(): Order[] {
    const all = (Object.keys(steps) as Step[]).flatMap((step) =>
      strikes.flatMap((strike) => (['asked', 'answered'] as const).map((when) => ({ step, strike, when }))),
    );
    const placed = all.map((order) => ({ order, place: this.#random.fraction() }));
    return placed.toSorted((a, b) => a.place - b.place).map(({ order }) => order);
  }

  async #obey(order: Order): Promise<void> {
    const { step, strike, when } = order;
    const { scribes } = this.#history;
    const [side, words] = steps[step];
    const wireOf = ({ toRedis, toPostgres }: Scribe) => (side === 'redis' ? toRedis : toPostgres);
    const disarm = (): void => scribes.forEach((scribe) => wireOf(scribe).layTrap(undefined));
    const caught = await new Promise<{ readonly over: Promise<void> } | undefined>((resolve) => {
      let given: NodeJS.Timeout | undefined;
      for (const scribe of scribes) {
        wireOf(scribe).layTrap({
          when,
          isIt: (asked) => words.test(asked.toString('latin1')),
          loses: strike !== 'slow' && strike !== 'writer frozen',
          spring: () => {
            clearTimeout(given);
            disarm();
            resolve({ over: this.#strike(scribe, strike) });
          },
        });
      }
      const giveUp = (): void => {
        given = setTimeout(() => resolve(undefined), STEP_WITHIN_MS);
      };
      // A writer looks for what may leave at once when it begins, and then once a minute.
      if (step === 'trim') this.#starting = this.#freshWriters().then(giveUp);
      else giveUp();
    });
    await this.#starting;
    disarm();
    if (caught === undefined) return void (this.inVain += 1);
    this.struck.push(`${strike} ${when === 'asked' ? 'before' : 'after'} ${step}`);
    await within(STRIKE_MOST_MS, `what was struck to stand again: ${this.struck.at(-1)}`, caught.over);
  }

  /** Comes at once; resolves when what was struck is on its feet again. */
  async #strike({ process, toPostgres }: Scribe, strike: Strike): Promise<void> {
    const { server } = this.#history;
    const darkMs = this.#random.fraction() * 500;
    if (strike === 'slow') {
      toPostgres.delay(30);
      await wait(SLOW_MS);
      toPostgres.heal();
    } else if (strike === 'power loss') {
      await this.#world.power.fail(this.#world.links, this.#random, darkMs);
    } else if (strike === 'crash' || strike === 'immediate stop') {
      await (strike === 'crash' ? server.crash() : server.kill());
      await wait(darkMs);
      await server.start();
    } else if (strike === 'writer killed') {
      await process.kill();
      await this.#endTurn();
      // A process that was starting it just now has started it again.
      await this.#starting;
      if (!process.running) await process.start();
    } else if (strike === 'writer frozen') {
      process.freeze();
      // Somebody else writes meanwhile; then there are two that believe it is their turn.
      await this.#endTurn();
      await wait(SLEEPS_MS);
      process.thaw();
    }
  }

  /** As if so much time had passed that another may take the turn. */
  async #endTurn(): Promise<void> {
    await this.#redis.del(TURN);
  }

  #heal(): void {
    const { scribes, door } = this.#history;
    for (const link of [door, ...scribes.map(({ toPostgres }) => toPostgres)]) link.heal();
  }

  async #freshWriters(): Promise<void> {
    const { scribes } = this.#history;
    await Promise.all(scribes.map(({ process }) => process.kill()));
    await this.#endTurn();
    await Promise.all(scribes.map(({ process }) => process.start()));
  }
}
