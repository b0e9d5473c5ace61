/**
 * Who else is on the same Redis: a process of another environment that is pointed at our keys by mistake, and a whole
 * deployment with a prefix and a service of its own.
 */
import { join } from 'node:path';
import { type Wish, untilAcknowledged, wishAt } from './caller.ts';
import { Child } from './child.ts';
import { nowMs, wait } from './clock.ts';
import { ask, mustAsk } from './http.ts';
import { Operator } from './operator.ts';
import type { LedgerEntry, SeenNeighbours } from './story.ts';
import { startSandbox, type World } from './world.ts';

const BESIDE = 'beside';
const PAYMENTS = 20;
const INTRUDER_LIVES_MS = 6_000;
const SETTLED_WITHIN_MS = 30_000;
const EVERY_MS = 250;
const AT_REST = new Set(['succeeded', 'failed', 'rejected', 'reversed', 'needs_review']);

export class Neighbours {
  readonly #sandbox: Child;
  readonly #beside: Child;
  readonly #intruder: Child;
  readonly #wishes: Wish[];
  readonly #over = new AbortController();

  private constructor(world: World, seed: number, sandbox: Child) {
    const { dir, program, settings, power } = world;
    this.#sandbox = sandbox;
    this.#wishes = Array.from({ length: PAYMENTS }, (_, index) =>
      wishAt(`beside-${seed}-${index}`, 700_000 + index, BESIDE),
    );
    const theirs = {
      ...settings,
      REDIS_URL: `redis://127.0.0.1:${power.port}`,
      ENVIRONMENT: BESIDE,
      WITNESS_FILE: join(dir, 'witness-beside'),
      SERVICE_BASE_URL: sandbox.urls['base'] ?? '',
      SERVICE_CRM_URL: sandbox.urls['crm'] ?? '',
      API_PORT: '0',
      WEBHOOKS_PORT: '0',
    };
    const child = (name: string, args: string[], more: Record<string, string>): Child =>
      new Child({ name, program, args, settings: { ...theirs, ...more }, log: join(dir, `${name}.log`) });
    this.#intruder = child('intruder', ['run', '--roles', 'worker'], {});
    this.#beside = child('beside', ['run'], { REDIS_PREFIX: '{beside}' });
  }

  static async of(world: World, seed: number): Promise<Neighbours> {
    return new Neighbours(world, seed, await startSandbox('sandbox-beside', { ...world, seed }));
  }

  /** Both at work. Resolves when each of the payments was asked for. */
  async live(patienceMs: number): Promise<void> {
    const intruding = this.#intrude();
    await this.#beside.start();
    // Its data is put back with ours, and it has people of its own.
    void new Operator(this.#api).beOnCall(this.#over.signal);
    const until = nowMs() + patienceMs;
    for (const wish of this.#wishes) {
      await wait(EVERY_MS);
      await untilAcknowledged(wish, { api: this.#api, until });
    }
    await intruding;
  }

  get #api(): string {
    return this.#beside.urls['api'] ?? '';
  }

  async #intrude(): Promise<void> {
    await this.#intruder.tryOnce();
    // One that was let in does its harm for a while.
    await wait(this.#intruder.running ? INTRUDER_LIVES_MS : 0);
    await this.#intruder.kill();
  }

  /** Asks again for what a restored copy lost, waits until all is over, and compares the books of both services. */
  async read(here: readonly LedgerEntry[], ours: ReadonlySet<string>): Promise<SeenNeighbours> {
    const until = nowMs() + SETTLED_WITHIN_MS;
    for (const wish of this.#wishes) await untilAcknowledged(wish, { api: this.#api, until });
    while (nowMs() < until && (await this.#open()) > 0) await wait(EVERY_MS);
    const open = await this.#open();
    const there = await mustAsk<LedgerEntry[]>(`${this.#sandbox.urls['control']}/books/disbursements`);
    const theirs = new Set(this.#wishes.map(({ disburseId }) => disburseId));
    const strangers = (books: readonly LedgerEntry[], known: ReadonlySet<string>): string[] =>
      books.flatMap(({ disburseId, token }) => (known.has(disburseId ?? '') || !disburseId ? [] : [token]));
    return {
      intruder: { status: this.#intruder.lastStatus, said: this.#intruder.lastWords() },
      strangersHere: strangers(here, ours),
      strangersThere: strangers(there, theirs),
      asked: this.#wishes.length,
      paid: there.filter(({ disburseId, effects }) => theirs.has(disburseId ?? '') && effects > 0).length,
      paidTwice: there.filter(({ effects }) => effects > 1).length,
      open,
    };
  }

  /** How many have not come to rest; what a restored copy leaves to a person has. */
  async #open(): Promise<number> {
    const replies = await Promise.all(this.#wishes.map(({ id }) => ask(`${this.#api}/v1/disbursements/${id}`)));
    const states = replies.map((reply) => (reply?.body as { state?: string } | undefined)?.state ?? '');
    return states.filter((state) => !AT_REST.has(state)).length;
  }

  async stop(): Promise<void> {
    this.#over.abort();
    await this.#beside.kill();
    await this.#intruder.kill();
    await this.#sandbox.kill();
  }
}
