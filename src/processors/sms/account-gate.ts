/** Whether requests of an account may leave: holds, token, rate, and pauses that the provider requested. */
import { toMs } from '../../lib/clock.ts';
import { type AccountHold, BUDGET, PROVIDER_UNREADABLE, STOPPED } from '../../kinds/hold.ts';
import { smsBatch } from '../../queues/index.ts';
import { type AccountKeys, retryAt } from '../context.ts';
import { NOT_AUTHORISED } from '../gate.ts';
import { type Judgement, unsent } from './answers.ts';
import type { SmsContext } from './context.ts';
import type { AccountRoom } from './decide.ts';

type Unsent = Extract<Judgement, { is: 'unsent' }>;

const RETRY_MS = smsBatch.retryAfter.map(toMs);
const FRESH_MS = 250;
/** How long rate permits are valid before a request uses them. */
const PERMIT_MS = 200;
const PERMITS_MOST = 1_000;
/** An unreadable login puts no SMS in doubt. */
const isOfLogin = ({ unreadable }: AccountHold): boolean => unreadable?.operation === 'sms_login';
/** An answer that refuses the content of a request clears these holds: the keys were accepted. */
const KEYS_WORK: readonly string[] = [NOT_AUTHORISED, 'login_contested'];

export class AccountGate {
  readonly #name: string;
  readonly #context: SmsContext;
  /** Called when there may be more room than before. */
  readonly #onChange: () => void;
  /** When the rate admitted requests that are not sent yet, oldest first. */
  #permits: readonly number[] = [];
  /** Target number of permits; follows the demand. */
  #size = 1;
  /** Free slots at the last step. */
  #wanted = 0;
  /** No rate is set, so the number of permits is unlimited. */
  #isUnlimited = false;
  #isCollecting = false;
  #isRefreshing = false;
  #freshUntilMono = Number.NEGATIVE_INFINITY;
  #pausedUntilMono = Number.NEGATIVE_INFINITY;
  #preparedUntilMono = Number.NEGATIVE_INFINITY;
  #isOpen = false;
  #unpaid: AccountRoom['unpaid'];
  #tries = 0;
  /** Holds that the next request tests; no other request leaves meanwhile. */
  #probing: readonly string[] = [];
  #isTrialOut = false;

  constructor(name: string, context: SmsContext, onChange: () => void) {
    this.#name = name;
    this.#context = context;
    this.#onChange = onChange;
  }

  /** What the next step may take; `wanted`: free slots. Re-reads the conditions if they are due. */
  room(wanted: number): AccountRoom {
    const { clock } = this.#context;
    if (clock.monotonic() >= this.#freshUntilMono) this.#refresh();
    if (this.#unpaid !== undefined) return { room: 0, unpaid: this.#unpaid };
    if (!this.#isOpen || this.isPaused) return { room: 0 };
    this.#forgetOld();
    this.#wanted = wanted;
    this.#collect();
    const { length } = this.#permits;
    if (this.#probing.length > 0) return { room: this.#isTrialOut ? 0 : Math.min(1, length), isTrial: true };
    return { room: Math.min(wanted, length) };
  }

  /** The conditions may have changed: they are read again before the next request or hold. */
  expire(): void {
    this.#freshUntilMono = Number.NEGATIVE_INFINITY;
    this.#isOpen = false;
    this.#unpaid = undefined;
  }

  get isPaused(): boolean {
    return this.#context.clock.monotonic() < this.#pausedUntilMono;
  }

  /** Only one recipient is sent to: each failed trial leaves its recipients in doubt. */
  get triesOne(): boolean {
    return this.#probing.includes(NOT_AUTHORISED);
  }

  /** Uses one permit per request. Returns the time of the first permit. */
  took(requests: number): number {
    const [first = Number.NEGATIVE_INFINITY] = this.#permits;
    this.#permits = this.#permits.slice(requests);
    if (this.#permits.length === 0) this.#size = Math.min(PERMITS_MOST, this.#size * 2);
    // Refills the permits for the next step.
    this.#collect();
    if (this.#probing.length > 0) this.#isTrialOut = true;
    return first;
  }

  /** A taken request did not leave. */
  returned(): void {
    this.#isTrialOut = false;
  }

  /** Nothing was sent: the account waits, or is held. */
  async notSent({ reason, hold, retryAfterMs }: Unsent): Promise<void> {
    this.returned();
    const { clock, policy, accounts } = this.#context;
    if (hold !== undefined) {
      this.#close();
      await accounts.hold(this.#name, 'messaging', hold);
      return;
    }
    const now = clock.monotonic();
    // Concurrent requests fail together: they count as one try.
    if (now < this.#pausedUntilMono) {
      this.#pausedUntilMono = Math.max(this.#pausedUntilMono, now + retryAfterMs);
      return;
    }
    const retry = retryAt(RETRY_MS, { tries: this.#tries, because: reason }, policy);
    this.#tries = retry.tries;
    this.#pausedUntilMono = now + Math.max(retryAfterMs, retry.dueInMs);
  }

  /** The provider has answered. `isTaken`: it accepted the request; otherwise it refused the content. */
  async answered(isTaken: boolean): Promise<void> {
    this.#tries = 0;
    this.#isTrialOut = false;
    if (this.#probing.length === 0) return;
    const over = isTaken ? this.#probing : this.#probing.filter((reason) => KEYS_WORK.includes(reason));
    this.#probing = this.#probing.filter((reason) => !over.includes(reason));
    for (const reason of over) await this.#context.accounts.release(this.#name, 'messaging', reason);
    this.#freshUntilMono = Number.NEGATIVE_INFINITY;
    this.#onChange();
  }

  /** All requests of the account wait until the hold has ended. */
  async hold(reason: 'funds' | typeof BUDGET | typeof NOT_AUTHORISED): Promise<void> {
    this.#close();
    if (reason !== NOT_AUTHORISED) this.#unpaid = reason;
    await this.#context.accounts.hold(this.#name, 'messaging', reason);
  }

  #close(): void {
    this.#isOpen = false;
    this.#isTrialOut = false;
    this.#freshUntilMono = this.#context.clock.monotonic() + FRESH_MS;
  }

  #refresh(): void {
    if (this.#isRefreshing) return;
    this.#isRefreshing = true;
    const was = this.#isOpen;
    void this.#look()
      .catch((error: unknown) => {
        this.#isOpen = false;
        this.#context.onError?.(error);
      })
      .finally(() => {
        this.#isRefreshing = false;
        this.#freshUntilMono = this.#context.clock.monotonic() + FRESH_MS;
        if (this.#isOpen !== was || this.#unpaid !== undefined) this.#onChange();
      });
  }

  async #look(): Promise<void> {
    const keys = this.#context.account(this.#name);
    const isFree = keys !== undefined && this.#context.closed() === undefined && (await this.#isNotHeld());
    this.#isOpen = isFree && (await this.#isPrepared(keys));
  }

  async #isNotHeld(): Promise<boolean> {
    const { accounts, budgets, clock } = this.#context;
    const holds = (await accounts.holdsOf(this.#name)).filter(({ area }) => area === 'messaging');
    const isHeldFor = (why: string): boolean => holds.some(({ reason }) => reason === why);
    this.#unpaid = isHeldFor('funds') ? 'funds' : undefined;
    if (this.#unpaid !== undefined) return false;
    if (isHeldFor(BUDGET)) {
      if (budgets !== undefined && !(await budgets.hasRoom(this.#name, clock.now()))) {
        this.#unpaid = BUDGET;
        return false;
      }
      await accounts.release(this.#name, 'messaging', BUDGET);
    }
    return this.#mayTry(holds.filter(({ reason }) => reason !== BUDGET));
  }

  /** For a held account, one request per interval tests whether the holds have ended. */
  async #mayTry(holds: readonly AccountHold[]): Promise<boolean> {
    const { accounts, policy } = this.#context;
    if (this.#isTrialOut && holds.length > 0) return false;
    for (const hold of holds) {
      const { reason } = hold;
      if (this.#probing.includes(reason)) continue;
      const mayTry = reason !== STOPPED && (reason !== PROVIDER_UNREADABLE || isOfLogin(hold));
      if (mayTry && (await accounts.mayProbe(this.#name, 'messaging', reason, policy.holdRecheckMs))) continue;
      this.#probing = [];
      return false;
    }
    // Code that parses the provider's answers ends an unreadable hold.
    this.#probing = holds.map(({ reason }) => reason).filter((reason) => reason !== PROVIDER_UNREADABLE);
    return true;
  }

  /** Obtains the token in advance, so that no request waits for a login. */
  async #isPrepared({ upstream: account }: AccountKeys): Promise<boolean> {
    const { clock, upstream } = this.#context;
    if (clock.monotonic() < this.#preparedUntilMono) return true;
    const prepared = await upstream.messaging.prepare(account);
    if (prepared.is !== 'ok') {
      await this.notSent(unsent(prepared));
      return false;
    }
    this.#preparedUntilMono = clock.monotonic() + Math.min(FRESH_MS, prepared.value.usableForMs);
    return true;
  }

  /** Unused permits would leave in a burst later. A single permit is no burst, so it stays. */
  #forgetOld(): void {
    const oldest = this.#context.clock.monotonic() - PERMIT_MS;
    const usable = this.#permits.filter((atMono, nth) => atMono >= oldest || nth === this.#permits.length - 1);
    if (usable.length < this.#permits.length) this.#size = 1;
    this.#permits = usable;
  }

  /** Requests permits until the target is reached: the rate may delay each. */
  #collect(): void {
    if (this.#isCollecting || this.#permits.length >= this.#mostPermits()) return;
    this.#isCollecting = true;
    void this.#collectAll()
      .catch((error: unknown) => this.#context.onError?.(error))
      .finally(() => {
        this.#isCollecting = false;
        this.#onChange();
      });
  }

  #mostPermits(): number {
    return this.#isUnlimited ? this.#context.concurrency : Math.min(this.#wanted, this.#size);
  }

  async #collectAll(): Promise<void> {
    const { upstream, clock } = this.#context;
    const account = this.#context.account(this.#name)?.upstream;
    if (account === undefined) return;
    while (this.#permits.length < this.#mostPermits() && this.#isOpen) {
      const admission = await upstream.admit(account, 'messaging', 'act');
      if (!admission.admitted) {
        this.#pausedUntilMono = Math.max(this.#pausedUntilMono, clock.monotonic() + admission.retryAfterMs);
        return;
      }
      this.#isUnlimited = admission.unlimited === true;
      this.#permits = [...this.#permits, clock.monotonic()];
      if (this.#permits.length === 1) this.#onChange();
    }
  }
}
