/**
 * What becomes of texts that stood in a copy of Redis that was put back. Nobody knows which of them were sent since, so
 * none of them is sent: each is in doubt, and the statistics of the service are asked, as after any doubt. A recipient
 * that they do not show stays `unknown`, whatever was asked for.
 */
import { canonicalName, wordingOf } from '../../lib/wording.ts';
import { digitsOf } from '../../lib/phone.ts';
import {
  RECIPIENTS_PER_REQUEST,
  type Request,
  isPurged,
  placesOf,
  unpackItems,
} from '../../operations/slice-form.ts';
import type { CampaignRecord } from '../../operations/record.ts';
import type { LostTime } from '../../operations/put-back.ts';
import { RESTORED } from '../../operations/restored.ts';
import type { AttemptResult, ProcessorContext } from '../context.ts';
import { HeldSlice, holdSlice } from '../text/held-slice.ts';
import { periodOf } from '../text/look.ts';
import { type Asking, endAsInHistory, endsOf, hasLeft, orUndefined } from './ends.ts';
import { admitted } from './money.ts';

export interface Lost {
  /** Nothing of what was lost happened before this time (ms): when the copy was made. */
  readonly from: number;
  /** The clock of Redis, about now. */
  readonly at: number;
}

/**
 * Puts everybody of a slice in doubt who was not over: they may have got it since `lost.from`. Of some history may know
 * what became of them then. Of a one-time password too nobody knows whether its time was over before it was sent.
 * `again`: an attempt is at it. Throws HistoryAway, and nothing is changed then.
 */
export async function doubtSlice(
  id: string,
  lost: LostTime,
  { context, laterTexts }: Asking,
): Promise<'done' | 'again'> {
  // Before the lease is taken: an answer that does not come keeps nobody from it.
  const ends = await endsOf(id, lost, { context, laterTexts });
  const held = await holdSlice(id, 'status-poll', context);
  if (!(held instanceof HeldSlice)) return isAtWork(held) ? 'again' : 'done';
  const { record, requests, texts } = held;
  const dueAt = held.at + context.policy.settleDelayMs;
  const ended = endAsInHistory(held, ends);
  held.doubtInterrupted();
  for (const request of requests.values()) if (request.is === 'refused') doubtRefused(request, held, dueAt);
  const at = lost.from || held.campaign?.createdAt || Number(record.fields['createdAt'] ?? 0);
  held.leaveOut(texts.purgedAmong(held.waiting), 'x');
  const { waiting } = held;
  // They may have left since the copy was made, and were counted in what is lost.
  held.costs.charge(waiting);
  for (let from = 0; from < waiting.length; from += RECIPIENTS_PER_REQUEST) {
    const together = waiting.slice(from, from + RECIPIENTS_PER_REQUEST);
    held.open(together, { is: 'doubt', part: false, at, dueAt }, () => 'u');
  }
  held.set('restored', held.at);
  const committed = await held.commit({ ending: {}, inRecovery: lost.since });
  if (committed.is === 'lost') return 'again';
  if (ended > 0) await laterTexts?.count(lost.since, held.campaign ? 'recipient' : 'message', ended);
  await context.operations.appendEvidence(id, { operation: 'send', code: RESTORED });
  return 'done';
}

/** The copy has it as refused, so what it cost was given back; since then its people may have gone out again. */
function doubtRefused(request: Request, held: HeldSlice, dueAt: number): void {
  const { number, from, letters } = request;
  held.costs.charge(placesOf(request).filter((place) => letters[place - from] === 'g'));
  held.change(number, { is: 'doubt', letters: letters.replaceAll('g', 'u'), looks: 0, dueAt });
}

function isAtWork({ reason }: AttemptResult): boolean {
  return reason === 'leased';
}

/** The beginning of so many of the first slices tells whether a campaign was begun: they go first. */
const FIRST_SLICES = 2;

/**
 * Whether a campaign may have been sent since the copy was made. One that the copy shows as never started, and of which
 * neither history nor the statistics have any trace of the first texts, was not. A trace may be of another campaign
 * with the same text: whose it is only a person can know, and while the statistics cannot be asked nobody does. What
 * left shortly before the loss they show only after SMS_SETTLE_DELAY: `not yet`.
 */
export async function mayHaveBeenSent(
  campaign: CampaignRecord,
  slices: readonly string[],
  lost: LostTime,
  { context, laterTexts }: Asking,
): Promise<boolean | 'not yet'> {
  if (campaign.startedAt !== undefined) return true;
  for (const id of slices.slice(0, FIRST_SLICES)) if (await hasLeft(id, campaign, laterTexts)) return true;
  if (slices.length === 0 || (campaign.sendAt ?? 0) > lost.at) return false;
  if (lost.at < lost.since + context.policy.settleDelayMs) return 'not yet';
  for (const id of slices.slice(0, FIRST_SLICES)) {
    const { traces } = (await shownBy(id, campaign, lost, context).catch(orUndefined)) ?? {};
    if (traces === undefined || traces > 0) return true;
  }
  return false;
}

interface Shown {
  /** How many were asked about: the first of the slice. */
  readonly asked: number;
  /** How many of them the statistics show as sent to. Undefined: they could not be asked. */
  readonly shown: number | undefined;
  /** Of how many there is a text that may be this one, of any sender and in any blanks. */
  readonly traces: number | undefined;
}

export async function shownBy(
  id: string,
  campaign: CampaignRecord,
  lost: Lost,
  context: ProcessorContext,
): Promise<Shown | undefined> {
  const slice = await context.slices.read(id);
  if (slice === undefined) return undefined;
  const wording = wordingOf(campaign);
  const people = unpackItems(slice)
    .slice(0, RECIPIENTS_PER_REQUEST)
    .filter(({ to }) => !isPurged(to))
    .map(({ to, values }) => ({ to, text: wording.textOf(values) }));
  const account = context.account(slice.account);
  const unknown = { asked: people.length, shown: undefined, traces: undefined };
  if (account === undefined) return unknown;
  await admitted(slice.account, 'messaging', context);
  const since = Math.min(...slice.requests.map(({ at }) => at), lost.from || campaign.createdAt);
  const verdict = await context.upstream.messaging.statistics(account.upstream, {
    numbers: people.map(({ to }) => to),
    ...periodOf(since, lost.at),
  });
  if (verdict.is !== 'ok') return unknown;
  const { sent, unclear } = verdict.value;
  const found = people.flatMap(({ to, text }) => {
    const entries = (sent.get(digitsOf(to)) ?? []).filter(({ content }) => content === text);
    return entries.length > 0 ? [{ to, text, codes: entries.map(({ code }) => code) }] : [];
  });
  const asking = { account: slice.account, campaign: slice.campaign, at: lost.at };
  const codes = await context.sameTexts.freeCodes(asking, found);
  const traces = people.filter(({ to, text }) => {
    const contents = (sent.get(digitsOf(to)) ?? []).map(({ content }) => content);
    return [...contents, ...(unclear?.get(digitsOf(to)) ?? [])].some(
      (one) => canonicalName(one) === canonicalName(text),
    );
  });
  return { asked: people.length, shown: codes.filter((code) => code !== undefined).length, traces: traces.length };
}
