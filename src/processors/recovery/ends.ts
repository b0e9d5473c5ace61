/**
 * What history has of the people of a slice that stood in a copy of Redis that was put back: of single messages with
 * the event that told it, of the recipients of a campaign what cannot have changed since. It is so again; nobody of
 * them is asked about any more.
 */
import { outcomeLetters } from '../../kinds/recipient.ts';
import type { LaterText, LaterTexts } from '../../operations/later-texts.ts';
import type { RecipientLeft } from '../../operations/past.ts';
import type { LostTime } from '../../operations/put-back.ts';
import { type CampaignRecord, isUnreadable } from '../../operations/record.ts';
import {
  type Letter,
  NOBODY,
  type Request,
  isOpenAt,
  isPurged,
  messageIn,
  placesOf,
  unpackItems,
} from '../../operations/slice-form.ts';
import type { SliceRecord } from '../../operations/slices.ts';
import type { ProcessorContext } from '../context.ts';
import type { HeldSlice } from '../text/held-slice.ts';
import type { EndInHistory } from '../text/step.ts';

export interface Asking {
  readonly context: ProcessorContext;
  /** Absent: nobody asks history. */
  readonly laterTexts?: LaterTexts | undefined;
}

/** By position. */
type Ends = ReadonlyMap<number, EndInHistory>;
const NONE: Ends = new Map();

/** The people of a slice keep their places. Throws HistoryAway. */
export async function endsOf(id: string, lost: LostTime, { context, laterTexts }: Asking): Promise<Ends> {
  const slice = laterTexts && (await context.slices.read(id));
  if (laterTexts === undefined || slice === undefined) return NONE;
  if (slice.campaign === '') return endsOfMessages(slice, lost, laterTexts);
  const campaign = await context.queries.read('campaign', slice.campaign).catch(orUndefined);
  return campaign === undefined ? NONE : endsOfRecipients(slice, campaign, laterTexts);
}

async function endsOfMessages(slice: SliceRecord, lost: LostTime, laterTexts: LaterTexts): Promise<Ends> {
  const ids = unpackItems(slice).map((item) => messageIn(item).id);
  const later = await laterTexts.ofMessages(ids, lost);
  return new Map(
    ids.flatMap((id, place) => {
      const text = later.get(id);
      return text === undefined ? [] : [[place, endOfMessage(text)] as const];
    }),
  );
}

function endOfMessage({ row, event: { type, data, sequence } }: LaterText): EndInHistory {
  const { code = '', sentAt } = row.fields;
  return {
    letter: outcomeLetters[row.state],
    code,
    sentAt: sentAt === undefined ? undefined : Number(sentAt),
    told: { event: { type, data: JSON.parse(data) }, sequence },
  };
}

/**
 * Of a recipient that was sent to, or left out, it is the last word. One that failed, or stayed in doubt, may have been
 * sent to again since, in a retry of which history has no row yet.
 */
const LAST_WORDS: ReadonlySet<RecipientLeft['state']> = new Set<RecipientLeft['state']>(['sent', 'skipped']);

async function endsOfRecipients(
  slice: SliceRecord,
  { createdAt }: CampaignRecord,
  laterTexts: LaterTexts,
): Promise<Ends> {
  const items = unpackItems(slice);
  const rows = await laterTexts.ofSlice(slice.id, createdAt);
  return new Map(
    rows.flatMap(({ place, rev, row, to, state, code = '', sentAt }) => {
      const item = items[place];
      const isSame = item?.row === row && (item.to === to || isPurged(to));
      if (!isSame || rev <= slice.rev || !LAST_WORDS.has(state)) return [];
      return [[place, { letter: outcomeLetters[state], code, sentAt, told: undefined }] as const];
    }),
  );
}

const LEFT: ReadonlySet<RecipientLeft['state']> = new Set<RecipientLeft['state']>(['sent', 'failed', 'unknown']);

/** Whether history has anybody of a slice as sent to, or tried. Throws HistoryAway. */
export async function hasLeft(
  slice: string,
  { createdAt }: CampaignRecord,
  laterTexts: LaterTexts | undefined,
): Promise<boolean> {
  const rows = (await laterTexts?.ofSlice(slice, createdAt)) ?? [];
  return rows.some(({ state }) => LEFT.has(state));
}

/** How many were open and are over now. */
export function endAsInHistory(held: HeldSlice, ends: Ends): number {
  const requests = [...held.requests.values()];
  const open = [...ends].filter(([place]) => isOpenAt(place, held.standing, requests));
  // They had not left yet, or were refused, and were counted in what is lost.
  const isUncounted = (place: number): boolean =>
    held.standing.letters[place] === 'q' || held.requests.get(held.standing.requests[place] ?? -1)?.is === 'refused';
  const charged = open.filter(([place, { letter }]) => isUncounted(place) && MAY_HAVE_LEFT.has(letter));
  held.costs.charge(charged.map(([place]) => place));
  const gone = new Set(open.map(([place]) => place));
  for (const request of requests) takeOut(held, request, gone);
  for (const [place, end] of open) held.endsInHistory.set(place, end);
  // Those of one request have one time.
  for (const sentAt of new Set(open.map(([, end]) => end.sentAt))) {
    const together = new Map(open.filter(([, end]) => end.sentAt === sentAt));
    const codes = [...together.values()].map(({ code }) => code);
    const areAlike = new Set(codes).size === 1;
    const how = {
      is: 'over',
      part: false,
      at: sentAt ?? held.at,
      codes: areAlike ? codes.slice(0, 1) : codes,
    } as const;
    held.open([...together.keys()], how, (place) => together.get(place)?.letter ?? 'u');
  }
  return open.length;
}

/** What cannot be read is what nobody knows. */
export function orUndefined(error: unknown): undefined {
  if (!isUnreadable(error)) throw error;
}

const MAY_HAVE_LEFT: ReadonlySet<Letter> = new Set<Letter>(['s', 'u']);

/** A request that is still asked about would say once more where they are. */
function takeOut(held: HeldSlice, request: Request, gone: ReadonlySet<number>): void {
  const { number, is, from, letters, codes, dueAt } = request;
  const places = placesOf(request);
  const left = places.filter((place) => !gone.has(place));
  if (!ASKED_ABOUT.has(is) || left.length === places.length) return;
  if (left.length === 0) return held.change(number, { is: 'over', letters: NOBODY.repeat(letters.length) });
  held.change(number, {
    letters: Array.from(letters, (letter, at) => (gone.has(from + at) ? NOBODY : letter)).join(''),
    codes: codes.length > 1 ? codes.filter((_, at) => !gone.has(places[at] ?? -1)) : codes,
    dueAt,
  });
}

const ASKED_ABOUT: ReadonlySet<Request['is']> = new Set<Request['is']>(['going', 'doubt', 'refused']);
