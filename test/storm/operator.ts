/** The operator on call, who knows what happened, during a recovery. */
import { nowMs, wait, waitUntil } from './clock.ts';
import { ask, type Reply } from './http.ts';

export interface Recovery {
  /** When relais requested a decision; absent: never. */
  readonly noticedAt?: number | undefined;
  readonly recoveredAt?: number | undefined;
  /** Number of requests to continue until it was finished. */
  readonly turns?: number | undefined;
}

/** With processes that are killed, and a Redis that is lost again, meanwhile. */
const NOTICED_WITHIN_MS = 60_000;
const ON_CALL_EVERY_MS = 500;

export class Operator {
  readonly #api: string;
  /** Number of confirmations that nothing was lost. */
  confirmed = 0;
  /** A backup is being restored: that act handles the recovery itself. */
  expecting = false;

  constructor(api: string) {
    this.#api = api;
  }

  /**
   * Until the signal fires: confirms that nothing was lost if relais asks; if relais has proof of a loss, applies its
   * proposal.
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

  /** Waits until relais reports the recovery, applies its proposal, and waits for the end. */
  async recover(patienceMs: number): Promise<Recovery> {
    // If processes were stopped: counted from their start, however slow the machine is.
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

  /** Undefined: no answer. */
  async #state(): Promise<string | undefined> {
    const reply = await ask(`${this.#api}/v1/recovery`, { withinMs: 2_000 });
    return (reply?.body as { state?: string } | undefined)?.state;
  }
}
