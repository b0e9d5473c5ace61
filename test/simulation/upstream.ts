/** The three calls that a disbursement makes, as a process sees them: with every way in which they go wrong. */
import { lateness } from '../../src/lib/clock.ts';
import type { UpstreamAccount } from '../../src/upstream/account.ts';
import type { CallOptions } from '../../src/upstream/transport.ts';
import type { DisbursementStatus, Payments, SubmittedDisbursement } from '../../src/upstream/payments/ask.ts';
import type { NotOk, ExchangeSummary, UpstreamOperation, Verdict } from '../../src/upstream/verdict.ts';
import type { Ledger, Token } from './ledger.ts';
import type { Process, Surroundings } from './process.ts';

type Disbursing = Pick<Payments, 'createDisbursement' | 'submitDisbursement' | 'disbursementStatus'>;

/** One submit that left a process, or may have. */
export interface Send {
  readonly token: string;
  readonly disburseId: string;
  readonly callbackId: string;
  /** When the first byte left. */
  leftAt: number;
  /** When the process knew as much as it ever would. */
  endedAt: number;
  /** The process stood still after its last look at the clock. */
  readonly residue: boolean;
  /** What a power loss would have left of the record when the process decided to send. */
  readonly durably: { readonly state?: string | undefined; readonly token?: string | undefined };
}

export interface Look {
  readonly token: string;
  readonly beganAt: number;
  readonly status: string;
  /** Whether the answer named what it was about, and that was what had been asked. */
  readonly named: boolean;
}

export interface UpstreamLink extends Surroundings {
  readonly ledger: Ledger;
  readonly sends: Send[];
  readonly looks: Look[];
  /** Every time a status was asked for, answered or not. */
  readonly asks: Pick<Look, 'token' | 'beganAt'>[];
  /** A submit without effect may use up its disburse_id. */
  readonly burnsIds: boolean;
  readonly durableRecord: (token: string) => Send['durably'];
  /** The service posts its callback once more, at this time. */
  readonly tellLater: (token: Token, at: number) => void;
}

const PATIENCE_MS = 60_000;
/** How long after everybody gave up a request may still take effect, and how old a status may be. */
const LATEST_MS = 900_000;

/** A lie that is over before it is believed, and one that is not. */
const LIES_SHORT_MS = 25_000;
const LIES_LONGEST_MS = 600_000;

const SUBMIT_FAULTS = ['refused', 'lost', 'done but lost', 'late', '5000', 'done but 5000', 'cut', '429'] as const;
type SubmitFault = (typeof SUBMIT_FAULTS)[number];

export class SimulatedPayments implements Disbursing {
  readonly #process: Process;
  readonly #link: UpstreamLink;

  constructor(process: Process, link: UpstreamLink) {
    this.#process = process;
    this.#link = link;
  }

  createDisbursement: Payments['createDisbursement'] = (account, request) => {
    const { chance, troubles, ledger, sends } = this.#link;
    const operation = 'disbursement_create';
    return this.#exchange<{ token: string }>(operation, account, open, () => {
      const { accountAlias, amount, withdrawMode, callbackUrl } = request;
      const token = () => ledger.create({ accountAlias, amount, withdrawMode, callbackId: callbackUrl });
      // One that another was seen to use: what nobody has written down, nobody can know again.
      const used = sends[chance.whole(sends.length)];
      if (used && chance.happens(troubles.tokenTwice)) return { value: { token: used.token } };
      if (!chance.happens(troubles.createFault)) return { value: { token: token().token } };
      // Half of the tokens whose answer was lost exist all the same: they are never used.
      if (chance.happens(0.5)) token();
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
    const { chance, troubles, timeline, ledger, sends } = this.#link;
    const operation = 'disbursement_submit';
    const durably = this.#link.durableRecord(token);
    const residue = chance.happens(troubles.standsStillBeforeSend);
    const tooLate: Happened<SubmittedDisbursement> = {
      not: { is: 'transient', code: 'send_deadline' },
      sent: 'never',
    };
    const fault = chance.happens(troubles.submitFault) ? chance.pick(SUBMIT_FAULTS) : 'none';
    const callbackId = ledger.tokens.get(token)?.callbackId ?? '';
    // Looked at when the connection stands: right before the first byte leaves.
    const gate = () => {
      if (this.#late(call)) return tooLate;
      if (residue) this.#process.standStill();
      return undefined;
    };
    return this.#exchange<SubmittedDisbursement>(operation, account, gate, () => {
      if (fault === 'refused') return { not: { is: 'transient', code: 'unreachable' }, sent: 'never' };
      const at = timeline.now;
      const send: Send = { token, disburseId, callbackId, leftAt: at, endedAt: at, residue, durably };
      sends.push(send);
      const answer = this.#submitted(token, disburseId, fault);
      send.endedAt = at + (answer.afterMs ?? 0);
      return answer;
    });
  };

  #submitted(token: string, disburseId: string, fault: SubmitFault | 'none'): Happened<SubmittedDisbursement> {
    const { chance, timeline, ledger } = this.#link;
    const unknown = (code: string, afterMs = 0) => ({ not: { is: 'unknown', code } as const, afterMs });
    if (fault === 'lost' || fault === '5000') {
      if (this.#link.burnsIds && chance.happens(0.5)) ledger.burn(disburseId);
      return fault === 'lost' ? unknown('no_answer', PATIENCE_MS) : unknown('5000');
    }
    if (fault === 'late') {
      timeline.after(PATIENCE_MS + chance.upTo(LATEST_MS), () => ledger.submit(token, disburseId));
      return unknown('no_answer', PATIENCE_MS);
    }
    if (fault === '429') return { not: { is: 'transient', code: 'throttled' }, sent: 'answered' };
    const became = ledger.submit(token, disburseId);
    if (fault === 'done but lost') return unknown('no_answer', PATIENCE_MS);
    if (fault === 'done but 5000') return unknown('5000');
    if (fault === 'cut') return unknown('cut');
    if (became !== 'executed') return unknown(became === 'id used' ? 'disburse_id_used' : '5000');
    // The word in the answer is a hint and may be wrong: only the status record is believed.
    const status = chance.pick(['pending', 'pending', 'pending', 'success', 'failed', undefined]);
    return { value: { ...(status ? { status } : {}), transactionId: `x${token}` } };
  }

  disbursementStatus: Payments['disbursementStatus'] = (account, { token: name }) => {
    const { chance, troubles, timeline, ledger, looks } = this.#link;
    const beganAt = timeline.now;
    this.#link.asks.push({ token: name, beganAt });
    return this.#exchange<DisbursementStatus>('disbursement_status', account, open, () => {
      if (chance.happens(troubles.statusFault)) {
        const code = chance.pick(['no_answer', '5000', 'unreadable']);
        return { not: { is: 'transient', code }, ...(code === 'no_answer' ? { afterMs: PATIENCE_MS } : {}) };
      }
      const asked = ledger.tokens.get(name);
      const others = [...ledger.tokens.values()];
      const another = chance.happens(troubles.statusOfAnother) ? others[chance.whole(others.length)] : asked;
      if (another === undefined) return { not: { is: 'transient', code: 'unlisted_code' } };
      const lie = this.#lieAbout(another);
      if (lie) return { value: lie };
      const ageMs = chance.happens(troubles.statusStale) ? chance.upTo(LATEST_MS) : 0;
      const status = chance.happens(0.01) ? 'processing' : ledger.statusAt(another, timeline.now - ageMs);
      const nobody = chance.happens(troubles.statusOfNobody) ? others[chance.whole(others.length)] : undefined;
      const nameless = nobody !== undefined || chance.happens(troubles.statusNameless);
      looks.push({ token: name, beganAt, status, named: !nameless && another === asked });
      if (nameless) return { value: { status: nobody ? ledger.statusAt(nobody, timeline.now) : status } };
      return { value: statusRecord(another, status) };
    });
  };

  /** `failed` for a while from the first look on, of what may have been paid. Now and then for longer than is doubted. */
  #lieAbout(token: Token): DisbursementStatus | undefined {
    const { chance, troubles, timeline, looks } = this.#link;
    if (troubles.lies === 0 || token.executions.length === 0) return undefined;
    if (token.liesUntil === undefined) {
      const longMs = chance.happens(0.3) ? LIES_LONGEST_MS : LIES_SHORT_MS;
      token.liesUntil = chance.happens(troubles.lies) ? timeline.now + chance.between(0, longMs) : 0;
      if (token.liesUntil > 0) this.#link.tellLater(token, token.liesUntil);
    }
    if (timeline.now >= token.liesUntil) return undefined;
    looks.push({ token: token.token, beganAt: timeline.now, status: 'failed', named: true });
    return statusRecord(token, 'failed');
  }

  #late(call: CallOptions | undefined): boolean {
    return call?.sendBy !== undefined && lateness(call.sendBy, this.#process.clock) !== undefined;
  }

  /** One request and its answer. What happens upstream does not depend on whether the asker still lives. */
  #exchange<T>(
    operation: UpstreamOperation,
    account: UpstreamAccount,
    gate: () => Happened<T> | undefined,
    happen: () => Happened<T>,
  ): Promise<Verdict<T>> {
    const { chance, timeline } = this.#link;
    return new Promise((resolve) => {
      const hear = (happened: Happened<T>): void => {
        this.#process.goOn(happened.afterMs ?? chance.upTo(2_000), () => {
          resolve(
            'value' in happened
              ? this.#ok(operation, account, happened.value)
              : this.#not(operation, account, happened),
          );
        });
      };
      this.#process.goOn(chance.upTo(50), () => {
        const stopped = gate();
        if (stopped) hear(stopped);
        else this.#process.whenAwake(() => timeline.after(chance.upTo(500), () => hear(happen())));
      });
    });
  }

  #ok<T>(operation: UpstreamOperation, { name }: UpstreamAccount, value: T): Verdict<T> {
    return { is: 'ok', value, exchange: { operation, account: name, code: 'ok', sent: 'answered', durationMs: 0 } };
  }

  #not(operation: UpstreamOperation, { name }: UpstreamAccount, { not, sent = 'maybe' }: Unhappy): NotOk {
    return { ...not, exchange: { operation, account: name, code: not.code, sent, durationMs: 0 } } as NotOk;
  }
}

const open = (): undefined => undefined;

interface Unhappy {
  readonly not: { readonly is: NotOk['is']; readonly code: string; readonly condition?: string };
  readonly afterMs?: number;
  readonly sent?: ExchangeSummary['sent'];
}

type Happened<T> = { readonly value: T; readonly afterMs?: number } | Unhappy;

function statusRecord({ token, amount, executions }: Token, status: string): DisbursementStatus {
  const disburseId = executions.at(-1)?.disburseId;
  return { status, token, amount, amountRaw: `${amount}.00`, ...(disburseId ? { disburseId } : {}) };
}
