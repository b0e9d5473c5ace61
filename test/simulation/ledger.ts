/** What the service did, whatever anybody believes: its tokens, and the money it moved. */
import type { Chance } from './chance.ts';
import type { Timeline } from './timeline.ts';

/** What upstream promises of a second submit. */
export interface UpstreamPromises {
  /** A disburse_id that was used is refused. */
  readonly uniqueId: boolean;
  /** A token that was used is refused. */
  readonly singleUse: boolean;
}

export interface Execution {
  readonly token: string;
  readonly disburseId: string;
  readonly at: number;
  readonly outcome: 'success' | 'failed';
  readonly endsAt: number;
}

export interface Token {
  readonly token: string;
  readonly accountAlias: string;
  readonly amount: number;
  readonly withdrawMode: string;
  readonly callbackId: string;
  readonly createdAt: number;
  readonly executions: Execution[];
  /** Until then it is said to have failed, once it was asked about. */
  liesUntil?: number;
  /** When the money came back although it had arrived. */
  reversedAt?: number;
}

const HOUR_MS = 3_600_000;

export class Ledger {
  readonly tokens = new Map<string, Token>();
  readonly #usedIds = new Set<string>();
  readonly #timeline: Timeline;
  readonly #chance: Chance;
  readonly #promises: UpstreamPromises;
  readonly #onSuccess: (token: Token) => void;

  constructor(timeline: Timeline, chance: Chance, promises: UpstreamPromises, onSuccess: (token: Token) => void) {
    this.#timeline = timeline;
    this.#chance = chance;
    this.#promises = promises;
    this.#onSuccess = onSuccess;
  }

  create(request: Omit<Token, 'token' | 'executions' | 'createdAt'>): Token {
    const token = { ...request, token: `t${this.tokens.size + 1}`, createdAt: this.#timeline.now, executions: [] };
    this.tokens.set(token.token, token);
    return token;
  }

  /** Moves the money, unless a promise forbids it. */
  submit(name: string, disburseId: string): 'executed' | 'id used' | 'token used' | 'no such token' {
    const token = this.tokens.get(name);
    if (token === undefined) return 'no such token';
    if (this.#promises.uniqueId && this.#usedIds.has(disburseId)) return 'id used';
    if (this.#promises.singleUse && token.executions.length > 0) return 'token used';
    this.#usedIds.add(disburseId);
    const execution = this.#execute(name, disburseId);
    token.executions.push(execution);
    if (execution.outcome === 'success') {
      this.#timeline.after(execution.endsAt - this.#timeline.now, () => this.#onSuccess(token));
    }
    return 'executed';
  }

  /** A submit that did nothing may use up the disburse_id all the same: the interface does not say. */
  burn(disburseId: string): void {
    this.#usedIds.add(disburseId);
  }

  statusAt(token: Token, at: number): 'created' | 'pending' | 'success' | 'failed' {
    const execution = token.executions.findLast((one) => one.at <= at);
    if (execution === undefined) return 'created';
    if (token.reversedAt !== undefined && token.reversedAt <= at) return 'failed';
    return execution.endsAt <= at ? execution.outcome : 'pending';
  }

  get executions(): readonly (Execution & { readonly of: Token })[] {
    return [...this.tokens.values()].flatMap((of) => of.executions.map((execution) => ({ ...execution, of })));
  }

  #execute(token: string, disburseId: string): Execution {
    const at = this.#timeline.now;
    const takesMs = this.#chance.happens(0.4)
      ? 0
      : this.#chance.upTo(this.#chance.happens(0.05) ? 30 * HOUR_MS : HOUR_MS);
    const outcome = this.#chance.happens(0.8) ? 'success' : 'failed';
    return { token, disburseId, at, outcome, endsAt: at + takesMs };
  }
}
