/**
 * Hands events to the endpoints that want them. Any number of processes may do so at the same time: the cursor in Redis
 * moves by compare-and-set, together with what it hands out, so an event reaches each endpoint's list exactly once.
 */
import type { Clock } from '../lib/clock.ts';
import { isAfter } from '../lib/ids.ts';
import type { Endpoint, Endpoints } from '../operations/endpoints.ts';
import type { EventStream, PlacedHead } from './stream.ts';

export interface DispatcherOptions {
  readonly endpoints: Pick<Endpoints, 'all' | 'dispatch' | 'dispatchState'>;
  readonly events: Pick<EventStream, 'heads'>;
  readonly clock: Clock;
  readonly intervalMs: number;
  readonly wake: (endpoint: string, rev: string) => void;
  readonly onError: (error: unknown) => void;
}

const AT_A_TIME = 500;

/** Dispatches until the signal fires; resolves when the step in progress is over. */
export async function dispatchUntil(signal: AbortSignal, options: DispatcherOptions): Promise<void> {
  const dispatcher = new Dispatcher(options);
  while (!signal.aborted) {
    try {
      // A full page means that there is more.
      if ((await dispatcher.step()) === AT_A_TIME) continue;
    } catch (error) {
      options.onError(error);
    }
    // The only way to be interrupted is to be stopped, and then the loop ends.
    await options.clock.sleep(options.intervalMs, signal).catch(() => undefined);
  }
}

export class Dispatcher {
  readonly #options: DispatcherOptions;
  #known: { readonly rev: string; readonly endpoints: readonly Endpoint[] } = { rev: '0', endpoints: [] };

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** One page of events. How many there were. */
  async step(): Promise<number> {
    const { endpoints, events, wake } = this.#options;
    const state = await endpoints.dispatchState();
    if (state.rev !== this.#known.rev) this.#known = { rev: state.rev, endpoints: await endpoints.all() };
    if (this.#known.endpoints.length === 0) return 0;
    const page = await events.heads(state.cursor, AT_A_TIME);
    const last = page.at(-1);
    if (!last) return 0;
    const wanted = new Map(
      this.#known.endpoints.map((endpoint) => [
        endpoint.id,
        page.filter((event) => wants(endpoint, event)).map(({ place }) => place),
      ]),
    );
    if (!(await endpoints.dispatch(state, last.place, wanted))) return 0;
    for (const [id, places] of wanted) if (places.length > 0) wake(id, last.place);
    return page.length;
  }
}

/** Whether an endpoint is to get an event: of its types, of its accounts, and not from before it was registered. */
function wants(endpoint: Endpoint, event: PlacedHead): boolean {
  return isAfter(event.place, endpoint.from) && wantsKind(endpoint, event);
}

/** The same without regard to when: what a replay may bring back. */
export function wantsKind({ types, accounts }: Endpoint, event: PlacedHead): boolean {
  const ofType = types.length === 0 || types.includes(event.type);
  return ofType && (accounts.length === 0 || accounts.includes(event.account));
}
