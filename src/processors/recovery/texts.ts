/**
 * What becomes of texts that stood in a copy of Redis that was put back. Nobody knows which of them were sent since, so
 * none of them is sent: each is in doubt, and the statistics of the service are asked, as after any doubt. A recipient
 * that they do not show stays `unknown`, whatever was asked for.
 */
import { wordingOf } from '../../lib/wording.ts';
import { digitsOf } from '../../lib/phone.ts';
import {
  type Letter,
  NOBODY,
  type Request,
  RECIPIENTS_PER_REQUEST,
  isOpenAt,
  isPurged,
  messageIn,
  placesOf,
  unpackItems,
} from '../../operations/slice-form.ts';
import { type CampaignRecord, isUnreadable } from '../../operations/record.ts';
import { outcomeLetters } from '../../kinds/recipient.ts';
import type { LaterText, LaterTexts } from '../../operations/later-texts.ts';
import type { LostTime } from '../../operations/put-back.ts';
import { RESTORED } from '../../operations/restored.ts';
import type { AttemptResult, ProcessorContext } from '../context.ts';
import { HeldSlice, holdSlice } from '../text/held-slice.ts';
import type { EndInHistory } from '../text/step.ts';
import { periodOf } from '../text/look.ts';
import { admitted } from './money.ts';

export interface Lost {
  /** Nothing of what was lost happened before this time (ms): when the copy was made. */
  readonly from: number;
  /** The clock of Redis, about now. */
  readonly at: number;
}

interface Doubting {
  readonly context: ProcessorContext;
  /** Absent: nobody asks history. */
  readonly laterTexts?: Pick<LaterTexts, 'ofMessages' | 'count'> | undefined;
}

/**
 * Puts everybody of a slice in doubt who was not over: they may have got it since `lost.from`. Of a single message
 * history may know what became of it then. A one-time password that was not sent yet is of no use by now. `again`: an
 * attempt is at it. Throws HistoryAway, and nothing is changed then.
 */
export async function doubtSlice(
  id: string,
  lost: LostTime,
  { context, laterTexts }: Doubting,
): Promise<'done' | 'again'> {
  // Before the lease is taken: an answer that does not come keeps nobody from it.
  const later = laterTexts && (await endsOf(id, lost, { context, laterTexts }));
  const held = await holdSlice(id, 'status-poll', context);
  if (!(held instanceof HeldSlice)) return isAtWork(held) ? 'again' : 'done';
  const { record, requests, texts } = held;
  const dueAt = held.at + context.policy.settleDelayMs;
  const ended = later === undefined ? 0 : endAsInHistory(held, later);
  held.doubtInterrupted();
  for (const { number, is, letters } of requests.values()) {
    if (is === 'refused')
      held.change(number, { is: 'doubt', letters: letters.replaceAll('g', 'u'), looks: 0, dueAt });
  }
  const at = lost.from || held.campaign?.createdAt || Number(record.fields['createdAt'] ?? 0);
  held.leaveOut(texts.purgedAmong(held.waiting), 'x');
  if (record.lane === 'otp') held.leaveOut(held.waiting, 'e');
  const { waiting } = held;
  // They may have left since the copy was made, and were counted in what is lost.
  held.costs.charge(waiting);
  for (let from = 0; from < waiting.length; from += RECIPIENTS_PER_REQUEST) {
    const together = waiting.slice(from, from + RECIPIENTS_PER_REQUEST);
    held.open(together, { is: 'doubt', part: false, at, dueAt }, () => 'u');
  }
  held.set('restored', held.at);
  const committed = await held.commit({ ending: {}, inRecovery: true });
  if (committed.is === 'lost') return 'again';
  if (ended > 0) await laterTexts?.count(lost.since, ended);
  await context.operations.appendEvidence(id, { operation: 'send', code: RESTORED });
  return 'done';
}

/** What history has of the messages of a slice, by position. Its items stay in their places. */
async function endsOf(
  id: string,
  lost: LostTime,
  { context, laterTexts }: Doubting & { readonly laterTexts: Pick<LaterTexts, 'ofMessages'> },
): Promise<ReadonlyMap<number, LaterText>> {
  const slice = await context.slices.read(id);
  if (slice === undefined || slice.campaign !== '') return new Map();
  const ids = unpackItems(slice).map((item) => messageIn(item).id);
  const later = await laterTexts.ofMessages(ids, lost);
  return new Map(ids.flatMap((message, place) => [later.get(message)].flatMap((one) => (one ? [[place, one]] : []))));
}

/** How many were open and are over now: they are asked about no more, and told as they were told then. */
function endAsInHistory(held: HeldSlice, later: ReadonlyMap<number, LaterText>): number {
  const requests = [...held.requests.values()];
  const places = [...later.keys()].filter((place) => isOpenAt(place, held.standing, requests));
  for (const [place, text] of later) held.endsInHistory.set(place, endIn(text));
  const endAt = (place: number): EndInHistory | undefined => held.endsInHistory.get(place);
  // They had not left yet, and were counted in what is lost.
  held.costs.charge(
    places.filter((place) => held.standing.letters[place] === 'q' && MAY_HAVE_LEFT.has(endAt(place)?.letter)),
  );
  for (const request of requests) takeOut(held, request, new Set(places));
  const codes = places.map((place) => endAt(place)?.code ?? '');
  held.open(places, { is: 'over', part: false, codes }, (place) => endAt(place)?.letter ?? 'u');
  return places.length;
}

const MAY_HAVE_LEFT: ReadonlySet<Letter | undefined> = new Set<Letter>(['s', 'u']);

function endIn({ row, event: { type, data, sequence } }: LaterText): EndInHistory {
  const { code = '', sentAt } = row.fields;
  return {
    letter: outcomeLetters[row.state],
    code,
    sentAt: sentAt === undefined ? undefined : Number(sentAt),
    event: { type, data: JSON.parse(data) },
    sequence,
  };
}

/** A request that is still asked about would say once more where they are. */
function takeOut(held: HeldSlice, request: Request, gone: ReadonlySet<number>): void {
  const { number, is, from, letters, codes, dueAt } = request;
  const left = placesOf(request).filter((place) => !gone.has(place));
  if (!ASKED_ABOUT.has(is) || left.length === placesOf(request).length) return;
  if (left.length === 0) return held.change(number, { is: 'over', letters: NOBODY.repeat(letters.length) });
  const isLeft = placesOf(request).map((place) => !gone.has(place));
  held.change(number, {
    letters: Array.from(letters, (letter, at) => (gone.has(from + at) ? NOBODY : letter)).join(''),
    codes: codes.length > 1 ? codes.filter((_, at) => isLeft[at]) : codes,
    dueAt,
  });
}

const ASKED_ABOUT: ReadonlySet<Request['is']> = new Set<Request['is']>(['going', 'doubt', 'refused']);

function isAtWork({ reason }: AttemptResult): boolean {
  return reason === 'leased';
}

/** The beginning of so many of the first slices tells whether a campaign was begun: they go first. */
const FIRST_SLICES = 2;

/**
 * Whether a campaign may have been sent since the copy was made. One that the copy shows as never started, and of which
 * the statistics do not show the first texts, was not; while they cannot be asked, nobody knows.
 */
export async function mayHaveBeenSent(
  campaign: CampaignRecord,
  slices: readonly string[],
  lost: Lost,
  context: ProcessorContext,
): Promise<boolean> {
  if (campaign.startedAt !== undefined) return true;
  if (slices.length === 0 || (campaign.sendAt ?? 0) > lost.at) return false;
  for (const id of slices.slice(0, FIRST_SLICES)) {
    const { shown } = (await shownBy(id, campaign, lost, context).catch(orUndefined)) ?? {};
    if (shown === undefined || shown > 0) return true;
  }
  return false;
}

/** What cannot be read is what nobody knows. */
export function orUndefined(error: unknown): undefined {
  if (!isUnreadable(error)) throw error;
}

interface Shown {
  /** How many were asked about: the first of the slice. */
  readonly asked: number;
  /** How many of them the statistics show as sent to. Undefined: they could not be asked. */
  readonly shown: number | undefined;
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
  if (account === undefined) return { asked: people.length, shown: undefined };
  await admitted(slice.account, 'messaging', context);
  const since = Math.min(...slice.requests.map(({ at }) => at), lost.from || campaign.createdAt);
  const verdict = await context.upstream.messaging.statistics(account.upstream, {
    numbers: people.map(({ to }) => to),
    ...periodOf(since, lost.at),
  });
  if (verdict.is !== 'ok') return { asked: people.length, shown: undefined };
  const { sent } = verdict.value;
  const found = people.flatMap(({ to, text }) => {
    const entries = (sent.get(digitsOf(to)) ?? []).filter(({ content }) => content === text);
    return entries.length > 0 ? [{ to, text, codes: entries.map(({ code }) => code) }] : [];
  });
  const asking = { account: slice.account, campaign: slice.campaign, at: lost.at };
  const codes = await context.sameTexts.freeCodes(asking, found);
  return { asked: people.length, shown: codes.filter((code) => code !== undefined).length };
}
