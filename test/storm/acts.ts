/** Acts of operators and the provider during a storm: restores, changes of limits, and late results. */
import { type Random, seededRandom } from '../../src/lib/random.ts';
import { Secret } from '../../src/lib/secret.ts';
import { callbackPath } from '../../src/webhooks/receiver.ts';
import type { Wish } from './caller.ts';
import { nowMs, wait, waitUntil } from './clock.ts';
import { ask } from './http.ts';
import { type LimitChanges, Limits } from './limit-changes.ts';
import { Operator } from './operator.ts';
import type { Phases } from './phases.ts';
import { CALLBACK_SECRET, QUIET_MS } from './plan.ts';
import { type Hands, restoreOnce } from './restores.ts';
import type { Restore } from './story.ts';
import type { Mailing } from './campaigns.ts';
import { inBooks, takeBackAt, LateResults } from './late-results.ts';
import type { System } from './system.ts';

/** Start of each, as a fraction of the storm. */
const RESTORE_AT = 0.25;
const TIGHTER_AT = 0.7;
const LOOSER_AT = 0.85;
const RESTORE_EVERY_MS = 60_000;
/** Alternating, starting with the seed's. */
const KINDS = ['stopped', 'running'] as const;
const TRUTH_EVERY_MS = 500;
const TAKEN_BACK_EACH = 3;
const PATIENCE_MS = 30_000;
/** Time limit of a single act: a restore waits for processes, a recovery and callers, a minute or two each. */
const ACT_MOST_MS = 480_000;
/** How long relais checks again after inconsistent answers: thirty settle delays, and one check more. */
const LOOKS_AGAIN_MS = 36 * QUIET_MS;

export interface ActsPlan {
  readonly system: System;
  readonly seed: number;
  readonly wishes: Wish[];
  readonly hands: Hands;
  readonly mailings: readonly Mailing[];
  readonly overMs: number;
  readonly phases: Phases;
}

export class Acts {
  readonly restores: Restore[] = [];
  readonly #plan: ActsPlan;
  readonly #operator: Operator;
  readonly #limits: Limits | undefined;
  readonly #lateResults = new LateResults();
  #telling: Promise<void> = Promise.resolve();
  readonly #over = new AbortController();
  #unsteady = 0;
  /**
   * A restore stops processes for longer than a change of a limit waits for one, and the restored ledger loses what
   * two people approved since the backup: restores and changes of limits take turns.
   */
  #turn: Promise<void> = Promise.resolve();

  constructor(plan: ActsPlan) {
    const { system, seed, hands } = plan;
    this.#plan = plan;
    this.#operator = new Operator(system.api);
    this.#limits = system.scenarios.has('limits') ? new Limits(system, seed, hands) : undefined;
  }

  /** False while acknowledged data may be lost in a restore. */
  readonly steady = (): boolean => this.#unsteady === 0;

  readonly mayBeGone = (begunAt: number): boolean =>
    this.#unsteady > 0 || this.restores.some(({ restoredAt }) => begunAt < restoredAt);

  readonly newSettings = (random: Random): Readonly<Record<string, string>> => this.#limits?.oldFile(random) ?? {};

  get limits(): LimitChanges | undefined {
    return this.#limits?.seen;
  }

  /** All of them, each at its time. */
  async perform(signal: AbortSignal): Promise<void> {
    const greed = this.#limits?.beGreedy(signal);
    this.#telling = this.#postLateResults(signal);
    const calling = this.#operator.beOnCall(this.#over.signal);
    const { phases, overMs } = this.#plan;
    const mostMs = overMs + ACT_MOST_MS;
    await Promise.all([
      phases.run('backups are restored', mostMs, this.#restore()),
      phases.run('limits are changed', mostMs, this.#changeLimits()),
    ]);
    void calling;
    void greed;
  }

  async #restore(): Promise<void> {
    const { system, overMs, hands, wishes, seed } = this.#plan;
    const times = system.scenarios.has('restores') ? Math.max(1, Math.floor(overMs / RESTORE_EVERY_MS)) : 0;
    const began = nowMs();
    for (let nth = 0; nth < times; nth += 1) {
      const how = KINDS[(seed + nth) % KINDS.length] ?? 'running';
      await wait(Math.max(0, began + ((nth + RESTORE_AT) * overMs) / times - nowMs()));
      this.#unsteady += 1;
      const parts = { system, seed, operator: this.#operator, wishes, restores: this.restores };
      await this.#inTurn(() => restoreOnce(parts, { how, nth }, hands));
      this.#lateResults.forgetPosted();
      this.#unsteady -= 1;
    }
  }

  async #changeLimits(): Promise<void> {
    const { overMs, wishes } = this.#plan;
    const limits = this.#limits;
    if (!limits) return;
    await wait(overMs * TIGHTER_AT);
    await this.#inTurn(() => limits.tightenOnce());
    await wait(overMs * (LOOSER_AT - TIGHTER_AT));
    await this.#inTurn(() => limits.loosenByTwo(wishes, PATIENCE_MS));
  }

  #inTurn(act: () => Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(act);
    return this.#turn;
  }

  /**
   * After a provider has reported `failed` for long enough to be trusted, it reports the actual success; sometimes it
   * returns a paid payment, and reports that.
   */
  async #postLateResults(signal: AbortSignal): Promise<void> {
    const random = seededRandom(this.#plan.seed + 17);
    for (let round = 1; !signal.aborted; round += 1) {
      await wait(TRUTH_EVERY_MS);
      if (round % TAKEN_BACK_EACH === 0) await this.#takeBack(random);
      await this.#tellWhatIsDue();
    }
  }

  async #takeBack(random: Random): Promise<void> {
    const { system } = this.#plan;
    if (!system.scenarios.has('contradictions')) return;
    const list = await ask(`${system.api}/v1/disbursements?state=succeeded&limit=100`);
    const items = (list?.body as { items?: { id: string; token: string | null }[] } | undefined)?.items ?? [];
    const one = items[Math.floor(random.fraction() * items.length)];
    const token = one?.token;
    if (!token || this.#lateResults.isTakenBack(token)) return;
    if (await takeBackAt(system.control, token)) this.#lateResults.takeBack(token, one.id, nowMs());
  }

  /** True: nothing is left to report. */
  async #tellWhatIsDue(): Promise<boolean> {
    const { system, wishes } = this.#plan;
    let done = true;
    for (const [token, fromMs] of this.#lateResults.unposted(system.damage.longLies)) {
      const told = nowMs() >= fromMs && (await postResult(system, token, wishes));
      if (told) this.#lateResults.posted(token);
      done &&= told;
    }
    return done;
  }

  /** After the storm: until every false status was corrected, and returned payments were checked often enough. */
  async postAllResults(): Promise<void> {
    await this.#telling;
    await waitUntil(() => this.#tellWhatIsDue(), PATIENCE_MS);
    await waitUntil(() => this.#isHeard(), LOOKS_AGAIN_MS, 500);
  }

  /** Waits until relais reports every returned payment; missing reports are left to the checks. */
  async #isHeard(): Promise<boolean> {
    const { system } = this.#plan;
    for (const id of this.#lateResults.takenBack) {
      const seen = await ask(`${system.api}/v1/disbursements/${id}`);
      if ((seen?.body as { state?: string } | undefined)?.state === 'succeeded') return false;
    }
    return true;
  }

  stop(): void {
    this.#over.abort();
  }
}

/** The callback with the result, by the provider's records; true if nothing more is to be reported. */
async function postResult({ control, webhooks }: System, token: string, wishes: readonly Wish[]): Promise<boolean> {
  const books = await inBooks(control, token);
  if (!books) return false;
  const { entry } = books;
  const wish = wishes.find(({ disburseId }) => disburseId === entry?.disburseId);
  if (!entry || !wish || !['success', 'failed'].includes(entry.status)) return true;
  const path = callbackPath([new Secret(CALLBACK_SECRET)], { account: 'main', kind: 'disbursement', id: wish.id });
  const body = { status: entry.status, token, disburse_id: wish.disburseId, amount: `${wish.amount}.00` };
  const reply = await ask(`${webhooks}${path}`, { method: 'POST', body, withinMs: 2_000 });
  return (reply?.status ?? 500) < 300;
}
