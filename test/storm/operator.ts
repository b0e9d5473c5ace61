/** The person who is called when relais says that it is recovering, and who knows what happened. */
import { nowMs, wait, waitUntil } from './clock.ts';
import { ask, type Reply } from './http.ts';

export interface Recovery {
  /** When relais said that something is to be decided; absent: it never did. */
  readonly noticedAt?: number | undefined;
  readonly recoveredAt?: number | undefined;
  /** How often it was asked to go on until it was over. */
  readonly turns?: number | undefined;
}

/** With processes that are killed, and a Redis that is lost again, meanwhile. */
const NOTICED_WITHIN_MS = 60_000;
const ON_CALL_EVERY_MS = 500;

export class Operator {
  readonly #api: string;
  /** How often it was told that nothing was lost. */
  confirmed = 0;
  /** A copy is being put in place: whoever does it minds what comes of it. */
  expecting = false;

  constructor(api: string) {
    this.#api = api;
  }

  /**
   * Until the signal fires: where relais asks, it is told that nothing was lost; and where it knows better, it does what
   * it proposes.
   */
  async beOnCall(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await wait(ON_CALL_EVERY_MS);
      if (this.expecting || !(await this.#recovering()) || this.expecting) continue;
      const said = await this.#say({ nothingWasLost: true });
      if (said?.status === 200) this.confirmed += 1;
      if (said?.status === 409) await this.#say({ apply: true });
    }
  }

  #say(body: object): Promise<Reply | undefined> {
    return ask(`${this.#api}/v1/recovery`, { method: 'POST', body });
  }

  /** Waits until relais says so, applies what it proposes, and waits until it is over. */
  async recover(patienceMs: number): Promise<Recovery> {
    // Of processes that were stopped: from where they are up on, however slow the machine is.
    await waitUntil(async () => (await this.#state()) !== undefined, patienceMs, 100);
    const said = await waitUntil(() => this.#recovering(), NOTICED_WITHIN_MS, 100);
    if (!said) return {};
    const noticedAt = nowMs();
    let turns = 0;
    const over = await waitUntil(async () => {
      turns += 1;
      const reply = await this.#say({ apply: true });
      return (reply?.body as { over?: boolean } | undefined)?.over === true;
    }, patienceMs);
    return { noticedAt, recoveredAt: over ? nowMs() : undefined, turns };
  }

  async #recovering(): Promise<boolean> {
    return (await this.#state()) === 'recovering';
  }

  /** Undefined: nobody answers. */
  async #state(): Promise<string | undefined> {
    const reply = await ask(`${this.#api}/v1/recovery`, { withinMs: 2_000 });
    return (reply?.body as { state?: string } | undefined)?.state;
  }
}
