/** A campaign, its real workers, and a provider that does not recognise repeated requests. */
import { type Deadline, lateness } from '../../src/lib/clock.ts';
import { digitsOf } from '../../src/lib/phone.ts';
import { isLedgerAway } from '../../src/ledger/errors.ts';
import type { SmsContext } from '../../src/processors/sms/context.ts';
import { SmsWorker } from '../../src/processors/sms/worker.ts';
import type { OutgoingMessage, SentItem, Statistics } from '../../src/provider/messaging/messaging.ts';
import type { UpstreamAccount } from '../../src/provider/client.ts';
import type { NotOk, Verdict } from '../../src/provider/verdict.ts';
import { ModelAccounts } from './accounts.ts';
import { Chance, FAULTS, type Faults, LEASE_MS, Process, type Surroundings } from './process.ts';
import { verdictOf } from './provider.ts';
import { statusesOf } from './request-rows.ts';
import { ModelRequests, type SmsGuards } from './requests.ts';
import { Timeline } from './timeline.ts';

export interface SmsOptions {
  readonly seed: number;
  /** `resend`: the caller opts in. The statistics are complete then, and no request arrives late. */
  readonly onUnknown: 'hold' | 'resend';
  readonly faults?: Partial<Faults>;
  readonly guards?: Partial<SmsGuards>;
  readonly tamper?: (context: SmsContext, world: SmsWorld) => SmsContext;
}

const START = 1_800_000_000_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const END = START + 4 * 24 * HOUR_MS;
const PATIENCE_MS = 60_000;
const SETTLE_DELAY_MS = 20 * MINUTE_MS;
const LATEST_MS = 900_000;
const STATISTICS_LAG_MS = 10 * MINUTE_MS;
const RECIPIENTS_MOST = 160;
const NUMBER = '1';
const WORKERS = 2;
const FATES = ['never left', '429', 'lost', 'answer lost', 'half', 'late', 'failing', '401'] as const;

const phoneOf = (recipient: number): string => `+${221_770_000_000 + recipient}`;

export class SmsWorld {
  readonly options: SmsOptions;
  readonly timeline = new Timeline(START);
  readonly chance: Chance;
  readonly ledger: ModelRequests;
  readonly counts: Record<string, number> = {};
  readonly crashes: unknown[] = [];
  /** SMS that the provider accepted, with their time. */
  readonly taken = new Map<string, number[]>();
  /** Recipients whose request was not `sending` when a process decided to send to them. */
  readonly unrecorded: string[] = [];
  readonly recipients: number;
  readonly #at: Surroundings;
  readonly #accounts: ModelAccounts;
  readonly #alive = new Set<string>();
  /** Numbers that the provider calls invalid, and opt-outs. */
  readonly #invalid = new Set<string>();
  readonly #optedOut = new Set<string>();
  #workers = 0;

  constructor(options: SmsOptions) {
    this.options = options;
    const { timeline, counts } = this;
    this.chance = new Chance(options.seed);
    this.#at = { timeline, chance: this.chance, counts, faults: { ...FAULTS, ...options.faults } };
    this.#accounts = new ModelAccounts(this.#at);
    this.recipients = 1 + this.chance.whole(RECIPIENTS_MOST);
    const isInvalid = this.chance.happens(0.2) ? 0.02 : 0;
    for (let recipient = 0; recipient < this.recipients; recipient += 1) {
      if (this.chance.happens(isInvalid)) this.#invalid.add(phoneOf(recipient));
      if (this.chance.happens(0.02)) this.#optedOut.add(phoneOf(recipient));
    }
    this.ledger = new ModelRequests({
      now: () => timeline.now,
      leaseMs: LEASE_MS,
      phoneOf,
      content: { body: 'Bonjour', options: { pauseOnFailure: 0, onUnknown: options.onUnknown } },
      guards: options.guards ?? {},
      optedOut: this.#optedOut.size > 0,
      isAlive: (process) => this.#alive.has(process),
    });
  }

  async live(): Promise<void> {
    const { timeline, chance, ledger } = this;
    const { recipients } = this;
    ledger.start({ number: NUMBER, id: 'cmp_1', account: 'main', recipients });
    for (let nth = 0; nth < WORKERS; nth += 1) this.#startWorker();
    if (chance.happens(0.1)) timeline.after(chance.upTo(MINUTE_MS), () => ledger.switch(NUMBER, 'cancelled'));
    if (chance.happens(0.2)) {
      timeline.after(chance.upTo(MINUTE_MS), () => ledger.switch(NUMBER, 'paused'));
      timeline.after(2 * MINUTE_MS, () => ledger.switch(NUMBER, 'running'));
    }
    while (timeline.now < END && !this.#isOver()) await timeline.step();
  }

  /** Broken guarantees, a line each. */
  get broken(): readonly string[] {
    const campaign = this.ledger.campaigns.get(NUMBER);
    if (campaign === undefined) return ['there is no campaign'];
    const { counts, state, open } = campaign;
    const statuses = statusesOf(campaign);
    const of = (recipient: number): number => this.taken.get(phoneOf(recipient))?.length ?? 0;
    const about = statuses.flatMap(([letter, ...more], recipient) => {
      const times = of(recipient);
      const isSent = letter === 's' || letter === 'u';
      return [
        ...(times > 1 ? [`S1 sent ${times} times: ${recipient}`] : []),
        ...(letter === undefined || more.length > 0 ? [`S2 not one status: ${recipient}`] : []),
        ...(times > 0 && !isSent ? [`S4 sent, and reported as ${letter}: ${recipient}`] : []),
        ...(times === 0 && letter === 's' ? [`S4 not sent, and reported as sent: ${recipient}`] : []),
      ];
    });
    const tally = (letter: string): number => statuses.filter(([status]) => status === letter).length;
    const { sent, failed, unknown, skipped, expired, cancelled } = counts;
    const isExact = [sent, failed, unknown, skipped, expired, cancelled].every(
      (count, at) => count === tally('sfuxec'[at] ?? ''),
    );
    const ends = this.ledger.events.filter(({ type }) => /finished|cancelled/.test(type)).length;
    return [
      ...about,
      ...this.unrecorded.map((phone) => `P7 sent without an intent: ${phone}`),
      ...(isExact && open === 0 ? [] : [`S3 counts: ${JSON.stringify(counts)}, ${open} open`]),
      ...(['finished', 'cancelled'].includes(state) && ends === 1 ? [] : [`S5 ${state}, reported ${ends} times`]),
      ...this.crashes.map((error) => `crashed: ${String(error)}`),
    ];
  }

  #isOver(): boolean {
    const campaign = this.ledger.campaigns.get(NUMBER);
    return campaign !== undefined && campaign.open === 0 && ['finished', 'cancelled'].includes(campaign.state);
  }

  /** A supervisor restarts a worker; sometimes it stops cleanly. */
  #startWorker(): void {
    const { timeline, chance } = this;
    const name = `worker-${(this.#workers += 1)}`;
    const process = new Process(this.#at);
    const worker = new SmsWorker(this.#contextOf(process, name));
    this.#alive.add(name);
    worker.start();
    const watch = (): void => {
      if (!process.isDead) return timeline.after(10_000, watch);
      this.#alive.delete(name);
      this.#startWorker();
    };
    timeline.after(10_000, watch);
    if (!chance.happens(0.1)) return;
    timeline.after(chance.upTo(HOUR_MS), () => {
      void worker.stop().then(() => process.kill());
    });
  }

  #contextOf(process: Process, name: string): SmsContext {
    const { ledger, chance } = this;
    const context: SmsContext = {
      clock: process.clock,
      policy: {
        leaseMs: LEASE_MS,
        limitMs: 12 * HOUR_MS,
        holdRecheckMs: 30_000,
        settleDelayMs: SETTLE_DELAY_MS,
        split: true,
        onUnknown: 'hold',
        quietHours: undefined,
        timezone: 'Africa/Dakar',
        prices: undefined,
      },
      accounts: this.#accounts.of(process),
      upstream: {
        messaging: {
          prepare: async () => verdictOf('sms_login', 'main', { value: { usableForMs: HOUR_MS } }),
          send: (_, { messages }, call) => this.#send(process, messages, call?.sendBy),
          statistics: (_, { numbers }) => this.#statistics(process, numbers),
        },
        admit: async () => (chance.happens(0.02) ? { admitted: false, retryAfterMs: 1_000 } : { admitted: true }),
      },
      campaigns: {
        read: async () => undefined,
        due: () => process.send(() => []),
        switch: async () => ({ is: 'refused', state: '' }),
        putOff: async () => undefined,
      },
      requests: {
        step: (asked) => process.send(() => ledger.step(asked, name)),
        settle: (results) => process.send(() => (ledger.settle(results), [])),
        contentOf: (number) => ledger.contentOf(number),
        mayLeave: (number) => process.send(() => ledger.mayLeave(number)),
        sendingAccounts: () => process.send(() => ledger.sendingAccounts()),
        rescue: (settleMs) => process.send(() => ledger.rescue(settleMs)),
        claimChecks: (accounts, most) => process.send(() => ledger.claimChecks(accounts, most)),
      },
      optOuts: { among: (_, people) => process.send(() => people.map(({ to }) => this.#optedOut.has(to))) },
      sameTexts: { freeCodes: (_, found) => process.send(() => found.map(({ codes }) => codes[0])) },
      names: ['main'],
      account: () => ({ upstream: { name: 'main' } as UpstreamAccount, fingerprint: 'keys' }),
      closed: () => undefined,
      concurrency: 2,
      sweepMs: 60_000,
      onError: (error) => void (isLedgerAway(error) || this.crashes.push(error)),
    };
    return this.options.tamper?.(context, this) ?? context;
  }

  /** The provider's actions do not depend on the process being alive. */
  #send(
    process: Process,
    messages: readonly OutgoingMessage[],
    sendBy: Deadline | undefined,
  ): Promise<Verdict<{ items: readonly SentItem[] }>> {
    const { chance, timeline } = this;
    const { faults } = this.#at;
    const residue = chance.happens(faults.standsStillBeforeSend);
    const fates = FATES.filter((one) => one !== 'late' || this.options.onUnknown === 'hold');
    const fate = chance.happens(faults.provider) ? fates[chance.whole(fates.length)] : undefined;
    return new Promise((resolve) => {
      const answer = (verdict: Verdict<{ items: readonly SentItem[] }>, afterMs = chance.upTo(2_000)): void =>
        process.goOn(afterMs, () => resolve(verdict));
      process.goOn(chance.upTo(50), () => {
        if (sendBy !== undefined && lateness(sendBy, process.clock) !== undefined)
          return answer(unhappy('transient', 'send_deadline', 'never'));
        if (fate === 'never left') return answer(unhappy('transient', 'unreachable', 'never'));
        this.#noteUnrecorded(messages);
        if (residue) process.standStill();
        process.whenAwake(() => timeline.after(chance.upTo(500), () => this.#happen(messages, fate, answer)));
      });
    });
  }

  #happen(
    messages: readonly OutgoingMessage[],
    fate: (typeof FATES)[number] | undefined,
    answer: (verdict: Verdict<{ items: readonly SentItem[] }>, afterMs?: number) => void,
  ): void {
    const { chance, timeline } = this;
    if (fate === '429') return answer(unhappy('transient', 'throttled'));
    if (fate === '401') return answer(unhappy('config', 'http_401'));
    if (fate === 'lost') return answer(unhappy('unknown', 'no_answer'), PATIENCE_MS);
    if (messages.some(({ to }) => this.#invalid.has(to))) return answer(unhappy('refused', 'ERROR_110', 'answered'));
    if (fate === 'late') {
      timeline.after(PATIENCE_MS + chance.upTo(LATEST_MS), () => this.#take(messages));
      return answer(unhappy('unknown', 'no_answer'), PATIENCE_MS);
    }
    const failing = (index: number): boolean => fate === 'failing' && index % 7 === 0;
    const went = messages.filter((_, index) => !failing(index) && (fate !== 'half' || index * 2 < messages.length));
    this.#take(went);
    if (fate === 'answer lost') return answer(unhappy('unknown', 'cut'), PATIENCE_MS);
    const items = messages.map((message, index): SentItem => {
      if (failing(index)) return { index, outcome: 'failed', code: 'ERROR_110' };
      return went.includes(message) ? { index, outcome: 'sent', code: '00' } : { index, outcome: 'unknown' };
    });
    answer(verdictOf('sms_send', 'main', { value: { items } }));
  }

  #take(messages: readonly OutgoingMessage[]): void {
    for (const { to } of messages) this.taken.set(to, [...(this.taken.get(to) ?? []), this.timeline.now]);
  }

  #noteUnrecorded(messages: readonly OutgoingMessage[]): void {
    const requests = this.ledger.campaigns.get(NUMBER)?.requests ?? [];
    const sending = new Set(
      requests.flatMap(({ state, members }) => (state === 'sending' ? members.map(phoneOf) : [])),
    );
    this.unrecorded.push(...messages.map(({ to }) => to).filter((to) => !sending.has(to)));
  }

  #statistics(process: Process, numbers: readonly string[]): Promise<Verdict<Statistics>> {
    const { chance } = this;
    const { faults } = this.#at;
    return process.send(() => {
      if (chance.happens(faults.provider)) return unhappy('transient', 'no_answer');
      const shownUntil = this.timeline.now - chance.between(0, STATISTICS_LAG_MS);
      const sent = numbers.map((to) => {
        const times = (this.taken.get(to) ?? []).filter((at) => at <= shownUntil);
        return [digitsOf(to), times.map((at) => ({ code: String(at), content: 'Bonjour' }))] as const;
      });
      const isThin = chance.happens(0.1);
      const known = sent.filter(([, list]) => list.length > 0 || !(isThin && chance.happens(0.1)));
      const invalid = numbers.filter((to) => this.#invalid.has(to)).map(digitsOf);
      return verdictOf<Statistics>('sms_statistics', 'main', { value: { invalid, sent: new Map(known) } });
    });
  }
}

function unhappy(
  is: 'transient' | 'unknown' | 'refused' | 'config',
  code: string,
  sent?: 'never' | 'answered',
): NotOk {
  return verdictOf('sms_send', 'main', { not: { is, code }, ...(sent ? { sent } : {}) }) as NotOk;
}
