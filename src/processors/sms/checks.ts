/**
 * Checks recipients in doubt against the provider's statistics.
 *
 * An entry with the same text that no other SMS explains: sent. A missing entry proves little, since statistics lag.
 * After the second check without an entry the recipient stays `unknown`, and is sent to again only with `onUnknown:
 * resend`. A request that was refused because of one recipient is also checked before its recipients are sent to
 * again.
 */
import { toMs } from '../../lib/clock.ts';
import { digitsOf } from '../../lib/phone.ts';
import { traced } from '../../lib/traces.ts';
import { canonicalName } from '../../lib/wording.ts';
import type { CampaignContent, ChildRequest, Letter, RequestResult, RequestToCheck } from '../../ledger/sms-rows.ts';
import { statusPoll } from '../../queues/index.ts';
import type { UpstreamAccount } from '../../provider/client.ts';
import type { Statistics } from '../../provider/messaging/messaging.ts';
import { type SmsContext, spanOf } from './context.ts';
import { Countries, Wordings, partsOf } from './outgoing.ts';
import { periodOf } from './period.ts';
import { Totals, countedBefore } from './totals.ts';

const RETRY_MS = statusPoll.retryAfter.map(toMs);
const CHECKS = 2;
/** Maximum sends to a recipient with `onUnknown: resend`, including the first. */
const SENDS = 3;
const AT_ONCE = 10;
const OVER: readonly string[] = ['finished', 'cancelled'];

interface Found {
  /** Position in the request. */
  readonly place: number;
  readonly says: 'sent' | 'unclear' | 'not sent' | 'invalid' | 'nothing';
  readonly code: string;
}

/** The new state of a request, without its key. */
type Becomes = Omit<RequestResult, 'campaign' | 'n' | 'lease' | 'size'>;

export class Checks {
  readonly #context: SmsContext;
  readonly #wordings = new Wordings();
  readonly #countries = new Countries();
  #isLooking = false;

  constructor(context: SmsContext) {
    this.#context = context;
  }

  /** Starts the due checks in the background. */
  look(accounts: readonly string[]): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    void this.lookAtAll(accounts)
      .catch((error: unknown) => this.#context.onError?.(error))
      .finally(() => {
        this.#isLooking = false;
      });
  }

  /** Returns how many requests were checked. */
  async lookAtAll(accounts: readonly string[]): Promise<number> {
    const known = accounts.filter((account) => this.#context.account(account) !== undefined);
    for (let looked = 0; ; ) {
      const due = known.length === 0 ? [] : await this.#context.requests.claimChecks(known, AT_ONCE);
      if (due.length === 0) return looked;
      looked += due.length;
      // The result of each check is written before the next check.
      for (const request of due) await this.#context.requests.settle([await this.#result(request)]);
    }
  }

  async #result(request: RequestToCheck): Promise<RequestResult> {
    const { campaign, n, lease, recipients } = request;
    const content = this.#context.requests.contentOf(campaign);
    const becomes = await traced(
      this.#context.traces,
      () => spanOf('status-poll', content),
      () => this.#check(request, content),
    ).catch((error: unknown): Becomes => {
      this.#context.onError?.(error);
      return this.#putOff(request, this.#retryMs(request));
    });
    return { campaign, n, lease, size: recipients.length, ...becomes };
  }

  async #check(request: RequestToCheck, content: CampaignContent): Promise<Becomes> {
    const { upstream } = this.#context;
    const account = this.#context.account(content.account)?.upstream;
    if (account === undefined) return this.#putOff(request, this.#context.policy.holdRecheckMs);
    const admission = await upstream.admit(account, 'messaging', 'look');
    if (!admission.admitted) return this.#putOff(request, admission.retryAfterMs);
    const found = await this.#found(request, content, account);
    if (found === undefined && !this.#isLate(request)) return this.#putOff(request, this.#retryMs(request));
    const { state } = request;
    const all = found ?? this.#open(request).map((place): Found => ({ place, says: 'nothing', code: '' }));
    if (state === 'refused') return this.#refused(request, content, found === undefined ? [] : all);
    return this.#doubted(request, content, all);
  }

  /** Undefined: the statistics could not be read. */
  async #found(
    request: RequestToCheck,
    content: CampaignContent,
    account: UpstreamAccount,
  ): Promise<readonly Found[] | undefined> {
    const { sentAt, at, recipients } = request;
    const places = this.#open(request);
    if (places.length === 0) return [];
    const numbers = places.map((place) => recipients[place]?.to ?? '');
    const period = periodOf(sentAt.getTime(), at.getTime());
    const verdict = await this.#context.upstream.messaging.statistics(account, { numbers, ...period });
    this.#context.report?.('status-poll', { outcome: 'advanced', reason: verdict.is });
    return verdict.is === 'ok' ? this.#read(verdict.value, { request, content, places }) : undefined;
  }

  /** Positions of open recipients whose number is still known. */
  #open({ recipients, letters }: RequestToCheck): number[] {
    return recipients.flatMap(({ to }, place) =>
      to !== undefined && (letters === undefined || letters[place] === 'u') ? [place] : [],
    );
  }

  async #read(
    { sent, invalid, unclear }: Statistics,
    { request, content, places }: { request: RequestToCheck; content: CampaignContent; places: readonly number[] },
  ): Promise<readonly Found[]> {
    const wording = this.#wordings.of(content);
    const isInvalid = new Set(invalid);
    const told = places.map((place) => {
      const { to = '', values = [] } = request.recipients[place] ?? {};
      const text = wording.textOf(values);
      const digits = digitsOf(to);
      const entries = sent.get(digits);
      const codes = (entries ?? []).filter((entry) => entry.content === text).map(({ code }) => code);
      const says = (): Found['says'] => {
        if (codes.length > 0) return 'sent';
        if (unclear?.get(digits)?.includes(text)) return 'unclear';
        // If the number is written differently, an entry proves nothing, and its recipient is not sent to again.
        if (entries?.some((entry) => canonicalName(entry.content) === canonicalName(text))) return 'unclear';
        if (isInvalid.has(digits)) return 'invalid';
        return entries ? 'not sent' : 'nothing';
      };
      return { place, says: says(), to, text, codes };
    });
    const found = told.filter(({ says }) => says === 'sent');
    const asking = { account: content.account, campaign: content.id, at: request.at.getTime() };
    const free = await this.#context.sameTexts.freeCodes(asking, found);
    const codeOf = new Map(found.map(({ place }, index) => [place, free[index]]));
    return told.map(({ place, says }) => {
      const code = codeOf.get(place);
      if (says !== 'sent') return { place, says, code: '' };
      return code === undefined ? { place, says: 'unclear', code: '' } : { place, says, code };
    });
  }

  #doubted(request: RequestToCheck, content: CampaignContent, found: readonly Found[]): Becomes {
    const { policy } = this.#context;
    const checks = request.checks + 1;
    const open = found.filter(({ says }) => says !== 'sent');
    const again = this.#mayResend(request, content) ? open : [];
    const isSilent = again.some(({ says }) => says === 'nothing' || says === 'unclear') && !this.#isLate(request);
    const sent = this.#written(request, found, ({ says }) => (says === 'sent' ? 's' : 'u'));
    if (open.length > 0 && (checks < CHECKS || isSilent)) {
      const dueMs = checks < CHECKS ? policy.settleDelayMs : this.#retryMs(request);
      return { ...sent, state: 'unknown', checks, dueMs };
    }
    const resent = new Set(again.filter(({ says }) => says === 'not sent' || says === 'invalid'));
    if (resent.size === 0) return { ...sent, state: 'settled', checks };
    const members = [...resent].map(({ place }) => request.recipients[place]?.n ?? 0);
    const written = this.#written(request, found, (one) => (one.says === 'sent' ? 's' : resent.has(one) ? '-' : 'u'));
    return { ...written, state: 'settled', checks, children: [{ members, before: 'u', part: false }] };
  }

  #mayResend({ sends }: RequestToCheck, { options, state }: CampaignContent): boolean {
    const asked = (options['onUnknown'] ?? this.#context.policy.onUnknown) === 'resend';
    return asked && !OVER.includes(state) && sends < SENDS;
  }

  /** Refused before any work: unsent recipients go again, except those that the statistics call invalid. */
  #refused(request: RequestToCheck, content: CampaignContent, found: readonly Found[]): Becomes {
    const isSilent = found.some(({ says }) => says === 'nothing');
    if (isSilent && !this.#isLate(request)) return this.#putOff(request, this.#retryMs(request));
    const left = found
      .filter(({ says }) => says === 'not sent')
      .map(({ place }) => request.recipients[place]?.n ?? 0);
    const bySays = { sent: 's', unclear: 'u', 'not sent': '-', invalid: 'f', nothing: 'f' } as const;
    const written = this.#written(request, found, ({ says }) => bySays[says]);
    // If the invalid recipient is known, the others are tried together; if that fails, they are halved too.
    const parts = left.length < found.length ? [left] : partsOf(left);
    const children = parts
      .filter(({ length }) => length > 0)
      .map((members): ChildRequest => ({ members, part: true }));
    this.#context.report?.('status-poll', { outcome: 'advanced', reason: content.state });
    return { ...written, state: 'settled', checks: request.checks + 1, ...(children.length > 0 && { children }) };
  }

  /** Letters, codes and countries after a check. Recipients that were not checked are unchanged. */
  #written(
    request: RequestToCheck,
    found: readonly Found[],
    letterOf: (one: Found) => Letter,
  ): Pick<RequestResult, 'letters' | 'codes' | 'countries' | 'totals'> {
    const { recipients, before } = request;
    const byPlace = new Map(found.map((one) => [one.place, one]));
    const codes = [...request.codes];
    const letters = recipients.map(({ to }, place): Letter => {
      const one = byPlace.get(place);
      // A refused request sent nothing to a recipient that was erased meanwhile.
      if (one === undefined)
        return (request.letters?.[place] as Letter | undefined) ?? (to === undefined ? 'x' : 'f');
      const letter = letterOf(one);
      if (letter === 's') codes[place] = one.code;
      return letter === 'f' && before === 'u' ? 'u' : letter;
    });
    const countries = recipients.map(({ to }) => (to === undefined ? '' : this.#countries.of(to)));
    return { letters: letters.join(''), codes, countries, totals: this.#totals(request, letters, countries) };
  }

  #totals(
    request: RequestToCheck,
    letters: readonly Letter[],
    countries: readonly string[],
  ): RequestResult['totals'] {
    const content = this.#context.requests.contentOf(request.campaign);
    const wording = this.#wordings.of(content);
    const totals = new Totals(content.account, this.#context.policy.prices);
    for (const [place, { to, values }] of request.recipients.entries()) {
      const becomes = letters[place];
      if (to === undefined || becomes === undefined) continue;
      const was = request.isCounted ? (request.letters?.[place] as Letter | undefined) : undefined;
      const sms = { country: countries[place] ?? '', text: wording.textOf(values) };
      totals.add(sms, was ?? countedBefore(request, becomes), becomes);
    }
    return totals.posts;
  }

  #putOff({ state }: RequestToCheck, dueMs: number): Becomes {
    return { state, dueMs };
  }

  /** No further checks. */
  #isLate({ at, sentAt }: RequestToCheck): boolean {
    return at.getTime() - sentAt.getTime() >= this.#context.policy.limitMs;
  }

  /** The wait grows with the time in doubt. */
  #retryMs({ at, sentAt }: RequestToCheck): number {
    const quarter = (at.getTime() - sentAt.getTime()) / 4;
    return RETRY_MS.findLast((waitMs) => waitMs <= quarter) ?? RETRY_MS[0] ?? 0;
  }
}
