/** The stories of messages, of campaigns, and of the slices that carry them. */
import type { CampaignRecord, Fields, MessageRecord } from './record.ts';
import { campaignBins, outcomeLetters, type RecipientState } from '../kinds/recipient.ts';
import { maskPhone } from '../lib/phone.ts';
import {
  BY_ITSELF,
  type Because,
  type Chapter,
  type Circumstances,
  type Explanation,
  type Standing,
  NOTHING,
  becauseOf,
  chapter,
  evidenceStory,
  frameOf,
  lastInVain,
  nextIn,
  stuckOf,
  waitOf,
} from './explanation.ts';
import { type StateOf, isFinal, stateOf } from '../kinds/index.ts';
import { type SliceRecord, statesOf } from './slices.ts';

const GONE = 'The service does not tell it any more; it is never sent again by itself, since it may have arrived.';

/** `slice` carries the message: what upstream said is written there. */
export function explainMessage(
  record: MessageRecord,
  slice: (Standing & { readonly fields: Fields }) | undefined,
  around: Circumstances,
): Explanation {
  const { state, code, fields } = record;
  const lost = state === 'unknown' && slice?.state === 'settled';
  const because = code && state !== 'sent' ? becauseOf(code, around.failureOf) : undefined;
  const wait = state === 'queued' && slice ? waitOf('messaging', slice, around) : undefined;
  const vain = slice && isOpen(state) ? lastInVain(slice.fields, around.failureOf) : undefined;
  return {
    ...frameOf(record, around),
    summary: together([
      `Text to ${maskPhone(record.to)}${record.reference ? `, reference ${record.reference}` : ''}.`,
      lost ? `It may or may not have been sent. ${GONE}` : stateOf('message', state).says,
      because && `Reason: ${because.why}.`,
      wait && `It cannot go on now: ${wait.why}.`,
      vain && `The last answer: ${vain.why}.`,
    ]),
    story: storyOf(record, evidenceStory(slice?.fields ?? fields, around.failureOf)),
    next: wait?.next ?? because?.next ?? nextOfMessage(record, lost, vain),
  };
}

/** What its own record tells, and what upstream said to the slice that carries it, in order. */
function storyOf({ createdAt, sentAt, since, state, code }: MessageRecord, said: readonly Chapter[]): Chapter[] {
  const own = [chapter(createdAt, 'accepted')];
  if (sentAt === undefined) return [...own, ...said];
  const end = isOpen(state) ? [] : [chapter(since, `${state}${code ? ` (${code})` : ''}`)];
  const story = [chapter(sentAt, 'about to send'), ...said, ...end];
  return [...own, ...story.toSorted((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0))];
}

function isOpen(state: StateOf<'message'>): boolean {
  return state === 'queued' || state === 'sending' || state === 'unknown';
}

function nextOfMessage(record: MessageRecord, lost: boolean, vain: Because | undefined): string {
  if (lost) return 'Ask the person whether it came. To send it all the same, send it again under another reference.';
  return nextIn(record) ?? (isOpen(record.state) ? (vain?.next ?? BY_ITSELF) : NOTHING);
}

export function explainSlice(
  slice: SliceRecord,
  campaign: CampaignRecord | undefined,
  around: Circumstances,
): Explanation {
  const { state, count, fields } = slice;
  const record = { ...slice, kind: 'slice' } as const;
  const states = statesOf(slice);
  const over = isFinal('slice', state);
  const off = campaign && !over ? campaignOff(campaign) : undefined;
  const wait = off ?? (state === 'queued' ? waitOf('messaging', record, around) : stuckOf(record, around));
  const vain = over ? undefined : lastInVain(fields, around.failureOf);
  const whose = campaign ? `the campaign ${campaign.id}` : 'single messages';
  const doubtful = over && states.includes('unknown');
  return {
    ...frameOf(record, around),
    summary: together([
      `${count} ${count === 1 ? 'recipient' : 'recipients'} of ${whose}.`,
      stateOf('slice', state).says,
      `${countsOf(states)}.`,
      doubtful ? GONE : undefined,
      wait && `It cannot go on now: ${wait.why}.`,
      vain && `The last answer: ${vain.why}.`,
    ]),
    story: evidenceStory(fields, around.failureOf),
    next: wait?.next ?? (over ? NOTHING : (vain?.next ?? BY_ITSELF)),
  };
}

/** Slices wait in the records of their campaign, and are handed out only while it runs. */
function campaignOff(campaign: CampaignRecord): Because | undefined {
  const { state } = campaign;
  if (state === 'running') return undefined;
  if (isFinal('campaign', state)) return { why: `its campaign is ${state}`, next: NOTHING };
  return { why: `its campaign is ${state}`, next: nextIn(campaign) ?? BY_ITSELF };
}

function countsOf(states: readonly RecipientState[]): string {
  const names = Object.keys(outcomeLetters) as RecipientState[];
  const counts = names.map((name) => [name, states.filter((state) => state === name).length] as const);
  const said = counts.filter(([, number]) => number > 0).map(([name, number]) => `${number} ${name}`);
  return `Recipients: ${said.join(', ')}`;
}

export function explainCampaign(record: CampaignRecord, around: Circumstances): Explanation {
  const { name, state, totals, uploads } = record;
  const hold = state === 'held' ? around.holds.find(({ area }) => area === 'messaging') : undefined;
  const reason = record.reason ?? hold?.reason;
  const because = reason === undefined ? undefined : becauseOf(reason, around.failureOf);
  const wait = state === 'running' ? waitOf('messaging', record, around) : undefined;
  const bins = campaignBins.filter((bin) => bin !== 'total' && totals[bin] > 0);
  return {
    ...frameOf(record, around),
    summary: together([
      `Campaign “${name}” of ${totals.total} rows${record.reference ? `, reference ${record.reference}` : ''}.`,
      stateOf('campaign', state).says,
      bins.length > 0 ? `Rows: ${bins.map((bin) => `${totals[bin]} ${bin}`).join(', ')}.` : undefined,
      because && `Reason: ${because.why}.`,
      wait && `It cannot go on now: ${wait.why}.`,
    ]),
    story: [
      chapter(record.createdAt, 'accepted'),
      ...uploads.map(({ recipients, skipped }) => ({
        at: '',
        what: `upload of ${recipients} recipients, ${skipped} rows skipped`,
      })),
      ...momentsOf(record),
      ...evidenceStory(record.fields, around.failureOf),
    ],
    next:
      wait?.next ??
      rest(record) ??
      nextOfHold(record, because) ??
      nextIn(record) ??
      (isFinal('campaign', state) ? NOTHING : BY_ITSELF),
  };
}

function momentsOf({ startedAt, since, state }: CampaignRecord): Chapter[] {
  const begun = startedAt === undefined ? [] : [chapter(startedAt, 'started')];
  return state === 'draft' || state === 'ready' || state === 'running' ? begun : [...begun, chapter(since, state)];
}

/** What it is held for says what to do, and often that nothing is. */
function nextOfHold({ id, state }: CampaignRecord, because: Because | undefined): string | undefined {
  return state === 'held' ? because?.next?.replace(/\bID\b|\{id\}/g, id) : undefined;
}

/** A campaign that is over may leave recipients that nothing has reached. */
function rest({ id, state, totals }: CampaignRecord): string | undefined {
  if (state !== 'finished' || totals.failed + totals.unknown === 0) return undefined;
  const which = totals.failed > 0 ? 'failed' : 'unknown';
  const again = totals.failed > 0 ? `; to send to those who failed again: relais campaign retry ${id}` : '';
  return `See who did not get it, or may not have: relais campaign report ${id} --state ${which}${again}`;
}

function together(sentences: readonly (string | undefined)[]): string {
  return sentences.filter((sentence) => sentence !== undefined && sentence !== '').join(' ');
}
