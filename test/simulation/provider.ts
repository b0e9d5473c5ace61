/** The provider: its own records, and its three calls as a process sees them, with every possible failure. */
import { lateness } from '../../src/lib/clock.ts';
import type { UpstreamAccount } from '../../src/provider/account.ts';
import type { DisbursementStatus, Payments, SubmittedDisbursement } from '../../src/provider/payments/ask.ts';
import type { CallOptions } from '../../src/provider/transport.ts';
import type { NotOk, UpstreamOperation, Verdict } from '../../src/provider/verdict.ts';
import type { Process, Surroundings } from './process.ts';

/** Repeated submits that the provider refuses. */
export interface ProviderPromises {
  /** Submits with a used disburse_id. */
  readonly uniqueId: boolean;
  /** Submits with a used token. */
  readonly singleUse: boolean;
}

export interface Token {
  readonly token: string;
  readonly accountAlias: string;
  readonly amount: number;
  /** The intended payment: its callback address names it. */
  readonly id: string;
  readonly executions: {
    readonly at: number;
    readonly outcome: 'success' | 'failed';
    readonly endsAt: number;
    readonly disburseId: string;
  }[];
  /** Until then the provider reports a failure. */
  liesUntil?: number;
  /** When the money was returned. */
  reversedAt?: number;
}

/** A submit that left a process, or may have. */
export interface Send {
  readonly token: string;
  readonly disburseId: string;
  readonly id: string;
  readonly leftAt: number;
  /** When the process had its final information. */
  endedAt: number;
  /** The process paused after its last check of the clock. */
  readonly residue: boolean;
  /** The record in the ledger when the process decided to send. */
  readonly recorded: { readonly state: string; readonly token: string | null };
}

/** A status answer. `named`: it names the requested payment. */
export interface Look {
  readonly token: string;
  readonly beganAt: number;
  readonly status: string;
  readonly named: boolean;
}

const PATIENCE_MS = 60_000;
/** How long after its time-out a request may still take effect, and the maximum age of a status. */
const LATEST_MS = 900_000;
const LIE_MS = 25_000;
const LIE_LONGEST_MS = 600_000;
const HOUR_MS = 3_600_000;

export class Provider {
  readonly tokens = new Map<string, Token>();
  readonly sends: Send[] = [];
  readonly looks: Look[] = [];
  readonly #usedIds = new Set<string>();
  readonly #at: Surroundings;
  readonly #promises: ProviderPromises;
  readonly #onSuccess: (token: Token) => void;

  constructor(at: Surroundings, promises: ProviderPromises, onSuccess: (token: Token) => void) {
    this.#at = at;
    this.#promises = promises;
    this.#onSuccess = onSuccess;
  }

  create(request: Pick<Token, 'accountAlias' | 'amount' | 'id'>): Token {
    const token = { ...request, token: `t${this.tokens.size + 1}`, executions: [] };
    this.tokens.set(token.token, token);
    return token;
  }

  /** Moves the money, unless a guarantee forbids it. */
  submit(name: string, disburseId: string): 'executed' | 'id used' | 'refused' {
    const { timeline, chance } = this.#at;
    const token = this.tokens.get(name);
    if (token === undefined || (this.#promises.singleUse && token.executions.length > 0)) return 'refused';
    if (this.#promises.uniqueId && this.#usedIds.has(disburseId)) return 'id used';
    this.#usedIds.add(disburseId);
    const takesMs = chance.happens(0.4) ? 0 : chance.upTo(chance.happens(0.05) ? 30 * HOUR_MS : HOUR_MS);
    const outcome = chance.happens(0.8) ? 'success' : 'failed';
    token.executions.push({ at: timeline.now, outcome, endsAt: timeline.now + Math.round(takesMs), disburseId });
    if (outcome === 'success') timeline.after(takesMs, () => this.#onSuccess(token));
    return 'executed';
  }

  statusAt({ executions, reversedAt, liesUntil = 0 }: Token, at: number): string {
    const execution = executions.findLast((one) => one.at <= at);
    if (execution === undefined) return 'created';
    const isBack = reversedAt !== undefined && reversedAt <= at;
    if (isBack || (at < liesUntil && execution.endsAt <= at)) return 'failed';
    return execution.endsAt <= at ? execution.outcome : 'pending';
  }
}

const SUBMIT_FAULTS = ['refused', 'lost', 'done but lost', 'late', '5000', 'done but 5000', '429'] as const;
type SubmitFault = (typeof SUBMIT_FAULTS)[number] | 'none';

interface Unhappy {
  readonly not: { readonly is: NotOk['is']; readonly code: string; readonly condition?: string };
  readonly afterMs?: number;
  readonly sent?: NotOk['exchange']['sent'];
}
type Happened<T> = { readonly value: T } | Unhappy;

export interface ProviderLink extends Surroundings {
  readonly provider: Provider;
  readonly recordOf: (id: string) => Send['recorded'];
  /** The provider repeats a callback at this time. */
  readonly postLater: (token: Token, at: number) => void;
}

export class SimulatedPayments
  implements Pick<Payments, 'createDisbursement' | 'submitDisbursement' | 'disbursementStatus'>
{
  readonly #process: Process;
  readonly #link: ProviderLink;

  constructor(process: Process, link: ProviderLink) {
    this.#process = process;
    this.#link = link;
  }

  createDisbursement: Payments['createDisbursement'] = (account, { accountAlias, amount, callbackUrl: id }) => {
    const { chance, faults, provider } = this.#link;
    return this.#exchange<{ token: string }>('disbursement_create', account, () => {
      const used = provider.sends[chance.whole(provider.sends.length)];
      if (used && chance.happens(faults.tokenTwice)) return { value: { token: used.token } };
      if (!chance.happens(faults.provider / 2)) return { value: provider.create({ accountAlias, amount, id }) };
      // Half of the tokens whose answer was lost exist: they are never used.
      if (chance.happens(0.5)) provider.create({ accountAlias, amount, id });
      return chance.pick<Happened<{ token: string }>>([
        { not: { is: 'transient', code: 'no_answer' }, afterMs: PATIENCE_MS },
        { not: { is: 'transient', code: '5000' } },
        { not: { is: 'transient', code: 'unreachable' }, sent: 'never' },
        { not: { is: 'held', condition: 'funds', code: '4002' } },
        { not: { is: 'config', code: '401' } },
        { not: { is: 'refused', code: '1001' } },
      ]);
    });
  };

  submitDisbursement: Payments['submitDisbursement'] = async (account, { token, disburseId = '' }, call) => {
    const { chance, faults, timeline, provider, recordOf } = this.#link;
    const id = provider.tokens.get(token)?.id ?? '';
    const recorded = recordOf(id);
    const residue = chance.happens(faults.standsStillBeforeSend);
    const fault: SubmitFault = chance.happens(faults.provider) ? chance.pick(SUBMIT_FAULTS) : 'none';
    // Checked on the open connection, right before the first byte leaves.
    const gate = (): Unhappy | undefined => {
      if (this.#isLate(call)) return { not: { is: 'transient', code: 'send_deadline' }, sent: 'never' };
      if (residue) this.#process.standStill();
      return undefined;
    };
    return this.#exchange<SubmittedDisbursement>(
      'disbursement_submit',
      account,
      () => {
        if (fault === 'refused') return { not: { is: 'transient', code: 'unreachable' }, sent: 'never' };
        const send: Send = { token, disburseId, id, leftAt: timeline.now, endedAt: timeline.now, residue, recorded };
        provider.sends.push(send);
        const answer = this.#submitted(token, disburseId, fault);
        send.endedAt += ('afterMs' in answer && answer.afterMs) || 0;
        return answer;
      },
      gate,
    );
  };

  #submitted(token: string, disburseId: string, fault: SubmitFault): Happened<SubmittedDisbursement> {
    const { chance, timeline, provider } = this.#link;
    const unknown = (code: string, afterMs = 0) => ({ not: { is: 'unknown', code } as const, afterMs });
    if (fault === 'lost') return unknown('no_answer', PATIENCE_MS);
    if (fault === '5000') return unknown('5000');
    if (fault === '429') return { not: { is: 'transient', code: 'throttled' }, sent: 'answered' };
    if (fault === 'late') {
      timeline.after(PATIENCE_MS + chance.upTo(LATEST_MS), () => provider.submit(token, disburseId));
      return unknown('no_answer', PATIENCE_MS);
    }
    const became = provider.submit(token, disburseId);
    if (fault === 'done but lost') return unknown('no_answer', PATIENCE_MS);
    if (fault === 'done but 5000') return unknown('5000');
    if (became !== 'executed') return unknown(became === 'id used' ? 'disburse_id_used' : '5000');
    // The status in the answer is a hint and may be wrong.
    const status = chance.pick(['pending', 'pending', 'pending', 'success', 'failed', undefined]);
    return { value: { ...(status ? { status } : {}), transactionId: `x${token}` } };
  }

  disbursementStatus: Payments['disbursementStatus'] = (account, { token: name }) => {
    const { chance, faults, timeline, provider } = this.#link;
    const beganAt = timeline.now;
    return this.#exchange<DisbursementStatus>('disbursement_status', account, () => {
      if (chance.happens(faults.provider / 2)) {
        const code = chance.pick(['no_answer', '5000', 'unreadable']);
        return { not: { is: 'transient', code }, ...(code === 'no_answer' ? { afterMs: PATIENCE_MS } : {}) };
      }
      const asked = provider.tokens.get(name);
      const all = [...provider.tokens.values()];
      const told = chance.happens(faults.ofAnother) ? all[chance.whole(all.length)] : asked;
      if (told === undefined) return { not: { is: 'transient', code: 'unlisted_code' } };
      this.#mayLie(told);
      const ageMs = chance.happens(faults.stale) ? chance.upTo(LATEST_MS) : 0;
      const status = chance.happens(0.01) ? 'processing' : provider.statusAt(told, timeline.now - ageMs);
      const isNameless = chance.happens(faults.nameless);
      provider.looks.push({ token: name, beganAt, status, named: !isNameless && told === asked });
      return { value: isNameless ? { status } : statusRecord(told, status) };
    });
  };

  /**
   * `failed` from the first check on for a payment that may have been paid: briefly, or for longer than the settle
   * delay.
   */
  #mayLie(token: Token): void {
    const { chance, faults, timeline, postLater } = this.#link;
    if (faults.lies === 0 || token.executions.length === 0 || token.liesUntil !== undefined) return;
    const longest = chance.happens(0.3) ? LIE_LONGEST_MS : LIE_MS;
    token.liesUntil = chance.happens(faults.lies) ? timeline.now + chance.between(0, longest) : 0;
    if (token.liesUntil > 0) postLater(token, token.liesUntil);
  }

  #isLate(call: CallOptions | undefined): boolean {
    return call?.sendBy !== undefined && lateness(call.sendBy, this.#process.clock) !== undefined;
  }

  /** One request and its answer. The provider's actions do not depend on the process being alive. */
  #exchange<T>(
    operation: UpstreamOperation,
    { name }: UpstreamAccount,
    happen: () => Happened<T>,
    gate: () => Unhappy | undefined = () => undefined,
  ): Promise<Verdict<T>> {
    const { chance, timeline } = this.#link;
    return new Promise((resolve) => {
      const answer = (happened: Happened<T>): void => {
        const afterMs = ('afterMs' in happened && happened.afterMs) || chance.upTo(2_000);
        this.#process.goOn(afterMs, () => resolve(verdictOf(operation, name, happened)));
      };
      this.#process.goOn(chance.upTo(50), () => {
        const stopped = gate();
        if (stopped) answer(stopped);
        else this.#process.whenAwake(() => timeline.after(chance.upTo(500), () => answer(happen())));
      });
    });
  }
}

export function verdictOf<T>(operation: UpstreamOperation, account: string, happened: Happened<T>): Verdict<T> {
  if ('value' in happened) {
    return {
      is: 'ok',
      value: happened.value,
      exchange: { operation, account, code: 'ok', sent: 'answered', durationMs: 0 },
    };
  }
  const { not, sent = 'maybe' } = happened;
  return { ...not, exchange: { operation, account, code: not.code, sent, durationMs: 0 } } as NotOk;
}

function statusRecord({ token, amount, executions }: Token, status: string): DisbursementStatus {
  const disburseId = executions.at(-1)?.disburseId;
  return { status, token, amount, amountRaw: `${amount}.00`, ...(disburseId ? { disburseId } : {}) };
}
