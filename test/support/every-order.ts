/** Every order in which the steps of several actors can follow each other, each played from its beginning. */

/** Makes one step of an actor, when it is its turn. */
export type Turn = <T>(step: () => Promise<T>) => Promise<T>;

export interface Actor {
  readonly name: string;
  readonly acts: (turn: Turn) => Promise<unknown>;
  /** It may end before any of its steps, and makes none any more. */
  readonly mayDie?: true;
}

/** Plays actors in the order that is at hand. */
type Play = (actors: readonly Actor[]) => Promise<void>;

/** Calls `tell` once for each order of the steps of those that it has played; tells how many there are. */
export async function inEveryOrder(tell: (play: Play) => Promise<void>): Promise<number> {
  let path: readonly number[] = [];
  for (let orders = 1; ; orders += 1) {
    const choices: number[] = [];
    const story: string[] = [];
    try {
      await tell((actors) => played(actors, { path, choices, story }));
    } catch (error) {
      if (error instanceof Error) error.message += `\n${story.join('\n')}`;
      throw error;
    }
    const taken = choices.map((_, at) => path[at] ?? 0);
    const last = taken.findLastIndex((one, at) => one + 1 < (choices[at] ?? 0));
    if (last < 0) return orders;
    path = taken.map((one, at) => (at === last ? one + 1 : one)).slice(0, last + 1);
  }
}

interface Order {
  /** Which choice to take at each step; past its end the first. */
  readonly path: readonly number[];
  /** How many choices there were, and what was done. */
  readonly choices: number[];
  readonly story: string[];
}

async function played(actors: readonly Actor[], { path, choices, story }: Order): Promise<void> {
  const players = actors.map((actor) => new Player(actor));
  for (;;) {
    for (const player of players) await player.atRest();
    const ways = players.flatMap((player) => player.ways());
    const way = ways[path[choices.length] ?? 0];
    if (way === undefined) break;
    choices.push(ways.length);
    story.push(way.did);
    way.take();
  }
  for (const player of players) player.outcome();
}

interface Way {
  readonly did: string;
  readonly take: () => void;
}

class Rest {
  #begin = (): void => undefined;
  readonly begun = new Promise<void>((resolve) => {
    this.#begin = resolve;
  });

  begins(): void {
    this.#begin();
  }
}

class Player {
  readonly #actor: Actor;
  /** Steps that wait for their turn. */
  readonly #steps: (() => void)[] = [];
  #isActing = false;
  #isOver = false;
  #isDead = false;
  #failure: { readonly error: unknown } | undefined;
  #rest = new Rest();

  constructor(actor: Actor) {
    this.#actor = actor;
    actor
      .acts((step) => this.#turn(step))
      .catch((error: unknown) => {
        this.#failure = { error };
      })
      .finally(() => {
        this.#isOver = true;
        this.#rest.begins();
      });
  }

  /** It waits for its turn, or is over. */
  async atRest(): Promise<void> {
    if (this.#isDead) return;
    await this.#rest.begun;
  }

  ways(): Way[] {
    if (this.#isOver || this.#isDead) return [];
    const { name, mayDie } = this.#actor;
    const goes = { did: `${name} goes on`, take: () => this.#go() };
    return mayDie ? [goes, { did: `${name} dies`, take: () => (this.#isDead = true) }] : [goes];
  }

  outcome(): void {
    if (this.#failure) throw this.#failure.error;
  }

  async #turn<T>(step: () => Promise<T>): Promise<T> {
    await new Promise<void>((resolve) => {
      this.#steps.push(resolve);
      if (!this.#isActing) this.#rest.begins();
    });
    try {
      return await step();
    } finally {
      this.#isActing = false;
      if (this.#steps.length > 0) this.#rest.begins();
    }
  }

  #go(): void {
    this.#isActing = true;
    this.#rest = new Rest();
    this.#steps.shift()?.();
  }
}
