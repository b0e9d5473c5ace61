/**
 * Sends single messages. Due messages are claimed and collected into requests of up to 50, and each message has its
 * own status.
 *
 *   claim ──▶ left out? ──▶ may we? ──▶ commit the intents ──▶ deadline ──▶ request ──▶ one result each
 *
 * Messages with equal sender ID and text are adjacent in a request. A request never has the same number twice,
 * because the statistics could not tell the two apart. If a worker dies between intent and result, its messages stay
 * `sending`; the next claim treats them as `unknown`, never as unsent.
 */
import { momentOf, toMs } from '../../lib/clock.ts';
import { quietUntil } from '../../lib/quiet-hours.ts';
import { queueOfLane } from '../../ledger/messages.ts';
import { smsBatch } from '../../queues/index.ts';
import type { UpstreamAccount } from '../../provider/client.ts';
import { BUDGET, PROVIDER_UNREADABLE } from '../../kinds/hold.ts';
import { type StateOf, isFinal } from '../../kinds/index.ts';
import { retryAt } from '../context.ts';
import { NOT_AUTHORISED } from '../gate.ts';
import { type Judgement, judge, unsent as unsentBy } from './answers.ts';
import {
  type ClaimedMessage,
  type Lane,
  type MessageContext,
  asMessages,
  doubts,
  ends,
  grouped,
  isAddressed,
  isExpired,
  isOfPayment,
  journalItem,
  leftOut,
  saidBy,
  sendByOf,
  waits,
  write,
} from './message-parts.ts';

/** interface: Limits. */
const MOST_IN_REQUEST = 50;
const RETRY_MS = smsBatch.retryAfter.map(toMs);
/** The delay before a message is claimed again that waits for an equal text to the same number. */
const ALIKE_MS = 5_000;

type Unsent = Extract<Judgement, { is: 'unsent' }>;
/** The token response was unreadable: nothing has left. */
const UNREAD: Unsent = { is: 'unsent', reason: 'failed', retryAfterMs: 0 };
/** The content was refused, so the provider accepted the keys. */
const KEYS_WORK: readonly string[] = [NOT_AUTHORISED, 'login_contested'];

interface Asked {
  readonly accounts: readonly string[];
  readonly most: number;
}

/** Claims and sends up to `most` due messages. Returns how many it claimed. Call it first for one-time passwords. */
export async function sendMessages(lane: Lane, asked: Asked, context: MessageContext): Promise<number> {
  const claimed = await claimMessages(lane, asked, context);
  await sendClaimed(lane, claimed, context);
  return claimed.length;
}

export async function claimMessages(
  lane: Lane,
  { accounts, most }: Asked,
  { operations, policy, clock }: MessageContext,
): Promise<readonly ClaimedMessage[]> {
  const since = momentOf(clock);
  return asMessages(await operations.claim(queueOfLane[lane], accounts, most, policy.leaseMs), policy, since);
}

export async function sendClaimed(
  lane: Lane,
  claimed: readonly ClaimedMessage[],
  context: MessageContext,
): Promise<void> {
  const byAccount = grouped(claimed, ({ account }) => account);
  const sending = [...byAccount].map(([account, all]) => new AccountMessages(account, lane, context).send(all));
  const failed = (await Promise.allSettled(sending)).find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
}

/** Due messages of one account. */
class AccountMessages {
  readonly #account: string;
  readonly #lane: Lane;
  readonly #context: MessageContext;

  constructor(account: string, lane: Lane, context: MessageContext) {
    this.#account = account;
    this.#lane = lane;
    this.#context = context;
  }

  async send(all: readonly ClaimedMessage[]): Promise<void> {
    const waiting = await this.#withoutLeftOut(all);
    if (waiting.length === 0) return;
    const keys = this.#context.account(this.#account);
    if (keys === undefined) return this.#putBack(waiting, 'account_not_configured');
    const may = await this.#mayText();
    if ('wait' in may) return this.#putBack(waiting, may.wait);
    const prepared = await this.#context.upstream.messaging.prepare(keys.upstream);
    if (prepared.is !== 'ok') return this.#unsent(waiting, unsentBy(prepared));
    // One request with one message tests whether a hold has cleared.
    const { probing } = may;
    if (probing.length === 0) return this.#sendAll(requestsOf(waiting), keys.upstream, probing);
    await this.#putBack(waiting.slice(1), 'account_held');
    await this.#sendAll([waiting.slice(0, 1)], keys.upstream, probing);
  }

  /** Removes messages whose worker died during a request, and messages that need not be sent. */
  async #withoutLeftOut(all: readonly ClaimedMessage[]): Promise<readonly ClaimedMessage[]> {
    const { policy, messages } = this.#context;
    const changes = all
      .filter(({ state }) => state !== 'queued')
      .map((one) => doubts(one, policy.settleDelayMs, { facts: { looks: 0 }, lines: ['send|interrupted'] }));
    const queued = all.filter(({ state }) => state === 'queued');
    changes.push(...queued.filter(isExpired).map((one) => leftOut(one, 'expired')));
    const current = queued.filter((one) => !isExpired(one));
    const outdated = await this.#outdated(current);
    changes.push(...outdated.map((one) => leftOut(one, 'expired', { reason: 'outdated' })));
    const purged = current.filter((one) => !isAddressed(one) && !outdated.includes(one));
    changes.push(...purged.map((one) => leftOut(one, 'skipped', { reason: 'purged' })));
    const addressed = await this.#awake(
      await this.#witnessed(current.filter((one) => isAddressed(one) && !outdated.includes(one))),
    );
    const optedOut = await this.#optedOut(addressed);
    changes.push(...optedOut.map((one) => leftOut(one, 'skipped', { reason: 'opted_out' })));
    const left = addressed.filter((one) => !optedOut.includes(one));
    const at = left[0]?.at.getTime() ?? 0;
    const alike = left.length === 0 ? new Set() : await messages.openAlike(this.#account, left.map(saidBy), at);
    const waiting = left.filter(({ id }) => alike.has(id));
    changes.push(...waiting.map((one) => waits(one, ALIKE_MS, { reason: 'same_text_open' })));
    await write(changes, this.#context);
    return left.filter(({ id }) => !alike.has(id));
  }

  /** The others wait, because they may have been sent already. */
  async #witnessed(messages: readonly ClaimedMessage[]): Promise<readonly ClaimedMessage[]> {
    const since = this.#context.unwitnessedSince?.() ?? Number.POSITIVE_INFINITY;
    const isKnown = ({ created_at: acceptedAt }: ClaimedMessage): boolean => acceptedAt.getTime() >= since;
    if (since === Number.POSITIVE_INFINITY) return messages;
    await this.#putBack(
      messages.filter((one) => !isKnown(one)),
      'unwitnessed',
    );
    return messages.filter(isKnown);
  }

  /** Reports of an end that the payment has no longer: another one is the truth by now. */
  async #outdated(messages: readonly ClaimedMessage[]): Promise<readonly ClaimedMessage[]> {
    const ids = new Set(messages.flatMap(({ request }) => request.disbursement ?? []));
    if (ids.size === 0) return [];
    const rows = await this.#context.operations.read<{ id: string; state: StateOf<'disbursement'> }>([...ids]);
    const states = new Map(rows.map(({ id, state }) => [id, state]));
    return messages.filter(({ request: { disbursement = '', tells } }) => {
      const state = states.get(disbursement);
      return state !== undefined && state !== tells && isFinal('disbursement', state);
    });
  }

  /** Reports of payments wait until the quiet hours end. */
  async #awake(messages: readonly ClaimedMessage[]): Promise<readonly ClaimedMessage[]> {
    const { quietHours, timezone } = this.#context.policy;
    const at = messages.find(isOfPayment)?.at.getTime();
    const until = at === undefined || quietHours === undefined ? undefined : quietUntil(quietHours, timezone, at);
    if (at === undefined || until === undefined) return messages;
    const asleep = messages.filter(isOfPayment);
    await write(
      asleep.map((one) => waits(one, until - at, { reason: 'quiet_hours' })),
      this.#context,
    );
    return messages.filter((one) => !isOfPayment(one));
  }

  /** Opt-outs do not apply to one-time passwords: the recipient has just requested one. */
  async #optedOut(messages: readonly ClaimedMessage[]): Promise<readonly ClaimedMessage[]> {
    const asked = messages.filter((one) => !isOfPayment(one));
    if (this.#lane === 'otp' || asked.length === 0) return [];
    const usual = this.#context.account(this.#account)?.upstream.smsSender;
    const people = asked.map(({ request: { to, from } }) => ({ to, sender: from ?? usual }));
    const optedOut = await this.#context.optOuts.among(this.#account, people);
    return asked.filter((_, at) => optedOut[at]);
  }

  /**
   * A held account sends one trial request per interval. No trial after an empty balance: each would leave an SMS in
   * doubt.
   */
  async #mayText(): Promise<{ readonly wait: string } | { readonly probing: readonly string[] }> {
    const { holds, budgets, clock, policy } = this.#context;
    const probing: string[] = [];
    for (const { area, reason } of await holds.holdsOf(this.#account)) {
      if (area !== 'messaging') continue;
      if (reason === BUDGET) {
        if (budgets && !(await budgets.hasRoom(this.#account, clock.now())))
          return { wait: `account_held_${reason}` };
        await holds.release(this.#account, 'messaging', BUDGET);
        continue;
      }
      const mayTry = reason !== 'funds' && reason !== PROVIDER_UNREADABLE;
      if (!mayTry || !(await holds.mayProbe(this.#account, area, reason, policy.holdRecheckMs)))
        return { wait: `account_held_${reason}` };
      probing.push(reason);
    }
    return { probing };
  }

  /** Sequential requests suffice: a claim has few requests, and a worker runs several claims at a time. */
  async #sendAll(
    requests: readonly (readonly ClaimedMessage[])[],
    keys: UpstreamAccount,
    probing: readonly string[],
  ): Promise<void> {
    for (const [at, request] of requests.entries()) {
      const stop = await this.#whyNotNow();
      const stopped = stop ?? (await this.#sendOne(request, keys, probing));
      if (stopped === undefined) continue;
      const left = requests.slice(stop === undefined ? at + 1 : at).flat();
      return this.#putBack(left, stopped.reason, stopped.dueMs);
    }
  }

  async #whyNotNow(): Promise<Stop | undefined> {
    if (this.#context.stopping?.()) return { reason: 'stopping', dueMs: 0 };
    const admission = await this.#context.upstream.admit({ name: this.#account }, 'messaging', 'act');
    return admission.admitted ? undefined : { reason: 'rate', dueMs: admission.retryAfterMs };
  }

  /** Undefined: the next request may leave. */
  async #sendOne(
    request: readonly ClaimedMessage[],
    keys: UpstreamAccount,
    probing: readonly string[],
  ): Promise<Stop | undefined> {
    const affordable = await this.#paid(request);
    if (affordable.length < request.length) await this.#putBack(request.slice(affordable.length), BUDGET);
    if (affordable.length === 0) return this.#hold(BUDGET);
    const { upstream, policy, clock } = this.#context;
    const since = momentOf(clock);
    const sending = await this.#intend(affordable);
    await this.#count(-(this.#costOf(affordable) - this.#costOf(sending)));
    if (sending.length === 0) return undefined;
    const texts = sending.map(({ request: { to, text, from } }) => ({ to, text, from }));
    const sendBy = sendByOf(sending, since, policy.leaseMs);
    const verdict = await upstream.messaging.send(keys, { messages: texts }, { sendBy }).catch(() => undefined);
    const judgement = verdict === undefined ? UNREAD : judge(verdict, texts, policy);
    if (verdict?.is === 'refused' || judgement.is === 'unsent') await this.#count(-this.#costOf(sending));
    if (judgement.is === 'unsent') {
      await this.#unsent(sending, judgement);
      return { reason: judgement.reason, dueMs: Math.max(judgement.retryAfterMs, RETRY_MS[0] ?? 0) };
    }
    await this.#answered(sending, judgement);
    if (verdict?.is === 'ok' || verdict?.is === 'refused') await this.#release(probing, verdict.is === 'ok');
    return judgement.is === 'doubt' && judgement.holds !== undefined ? this.#hold(judgement.holds) : undefined;
  }

  async #hold(reason: string): Promise<Stop> {
    const { holds, policy } = this.#context;
    await holds.hold(this.#account, 'messaging', reason);
    return { reason, dueMs: policy.holdRecheckMs };
  }

  /**
   * The messages that the budgets cover. The cost is counted before it is compared, so two workers cannot both use
   * the same rest.
   */
  async #paid(request: readonly ClaimedMessage[]): Promise<readonly ClaimedMessage[]> {
    const { budgets, clock } = this.#context;
    if (!budgets) return request;
    if (!budgets.reckons && (await budgets.standing(this.#account, clock.now())).length === 0) return request;
    let part = request;
    while (part.length > 0) {
      const cost = this.#costOf(part);
      await this.#count(cost);
      if (await this.#hasBudget()) return part;
      await this.#count(-cost);
      part = part.slice(0, Math.floor(part.length / 2));
    }
    return part;
  }

  async #hasBudget(): Promise<boolean> {
    const { budgets, clock } = this.#context;
    const standing = (await budgets?.standing(this.#account, clock.now())) ?? [];
    return standing.every(({ value, spent }) => spent <= value);
  }

  async #count(cents: number): Promise<void> {
    const { budgets, messages, clock } = this.#context;
    if (budgets && cents !== 0) await messages.addCost(this.#account, budgets.periodOf(clock.now()), cents);
  }

  /** The messages whose intent is committed. A message that was cancelled meanwhile is not among them. */
  async #intend(request: readonly ClaimedMessage[]): Promise<readonly ClaimedMessage[]> {
    const { operations, policy } = this.#context;
    const intents = request.map((one) =>
      operations.change({
        id: one.id,
        lease: one.lease,
        was: one.state,
        state: 'sending',
        queue: queueOfLane[this.#lane],
        keepMs: policy.leaseMs,
        sendMs: policy.leaseMs / 2,
        sends: one.sends + 1,
        intends: true,
        journalItem: journalItem(one),
      }),
    );
    const written = await Promise.allSettled(intents);
    const sending = request.filter((_, at) => {
      const intent = written[at];
      return intent?.status === 'fulfilled' && intent.value !== undefined;
    });
    const failed = written.find((one) => one.status === 'rejected');
    // The ledger is closed or away. Committed intents do not leave, and are checked after their lease.
    if (failed && sending.length === 0) throw failed.reason;
    return sending.map((one) => ({ ...one, state: 'sending', sends: one.sends + 1 }));
  }

  async #answered(sending: readonly ClaimedMessage[], judgement: Exclude<Judgement, Unsent>): Promise<void> {
    const { settleDelayMs } = this.#context.policy;
    const changes = sending.map((one, at) => {
      if (judgement.is === 'refused') {
        // Refused before any work because of one message: the statistics may show which.
        const line = `send|${judgement.code}`;
        return doubts(one, settleDelayMs, { facts: { looks: 0, refused: judgement.code }, lines: [line] });
      }
      const code = judgement.codes[at] ?? judgement.codes[0];
      const letter = judgement.letters[at];
      if (letter === 's') return ends(one, 'sent', { code });
      if (letter === 'f') return leftOut(one, 'failed', { code });
      return doubts(one, settleDelayMs, {
        facts: { looks: 0 },
        reason: judgement.reason,
        lines: [`send|${judgement.reason}`],
      });
    });
    await write(changes, this.#context);
  }

  /** Nothing was sent: retried later, or when the hold of the account has cleared. */
  async #unsent(messages: readonly ClaimedMessage[], { reason, hold, retryAfterMs }: Unsent): Promise<void> {
    const { holds, policy } = this.#context;
    if (hold) await holds.hold(this.#account, 'messaging', hold);
    const changes = messages.map((one) => {
      // A message that did not leave is not counted as possibly sent.
      const sends = one.state === 'sending' ? one.sends - 1 : one.sends;
      if (hold) return { ...waits(one, policy.holdRecheckMs, { reason: hold }), sends };
      const { dueInMs, tries } = retryAt(RETRY_MS, { tries: one.tries, because: reason }, policy);
      return { ...waits(one, Math.max(retryAfterMs, dueInMs), { reason, tries }), sends };
    });
    await write(changes, this.#context);
  }

  async #putBack(
    messages: readonly ClaimedMessage[],
    reason: string,
    dueMs = this.#context.policy.holdRecheckMs,
  ): Promise<void> {
    await write(
      messages.map((one) => waits(one, dueMs, { reason })),
      this.#context,
    );
  }

  /** The provider answered a trial request: it accepted the request, or at least the keys. */
  async #release(probing: readonly string[], isTaken: boolean): Promise<void> {
    const cleared = probing.filter((reason) => isTaken || KEYS_WORK.includes(reason));
    for (const reason of cleared) await this.#context.holds.release(this.#account, 'messaging', reason);
  }

  #costOf(messages: readonly ClaimedMessage[]): number {
    const { budgets } = this.#context;
    if (!budgets) return 0;
    return messages.reduce((sum, { request: { to, text } }) => sum + budgets.costOf(to, text), 0);
  }
}

interface Stop {
  readonly reason: string;
  readonly dueMs: number;
}

/** Groups equal messages, with at most 50 per request and no number twice in one. */
function requestsOf(messages: readonly ClaimedMessage[]): readonly (readonly ClaimedMessage[])[] {
  const alone = messages.filter(({ facts }) => facts.alone);
  const together = messages.filter(({ facts }) => !facts.alone);
  const alike = grouped(together, ({ request: { from = '', text } }) => `${from}\n${text}`);
  const requests: ClaimedMessage[][] = [];
  for (const one of [...alike.values()].flat()) {
    const { to } = one.request;
    const room = requests.find(
      (request) => request.length < MOST_IN_REQUEST && !request.some(({ request: other }) => other.to === to),
    );
    if (room) room.push(one);
    else requests.push([one]);
  }
  return [...requests, ...alone.map((one) => [one])];
}
