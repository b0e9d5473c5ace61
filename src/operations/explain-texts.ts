/** The explanations of messages and campaigns. */
import type { CampaignRecord, MessageRecord } from './record.ts';
import { campaignBins, recipientsOf } from '../kinds/recipient.ts';
import { counted } from '../messages/figures.ts';
import { maskPhone } from '../lib/phone.ts';
import {
  type Because,
  type Chapter,
  type Circumstances,
  type Explanation,
  type Telling,
  becauseOf,
  byItself,
  chapter,
  evidenceStory,
  frameOf,
  lastInVain,
  nextIn,
  nothing,
  saysOf,
  sentencesOf,
  waitOf,
} from './explanation.ts';
import { type StateOf, isFinal } from '../kinds/index.ts';
import { wordFor, wordsIn } from '../messages/languages.ts';
import type { ExplainWords } from '../messages/english-explain.ts';
import { rejectionOf } from './explain.ts';

export function explainMessage(record: MessageRecord, around: Circumstances): Explanation {
  const { state, code } = record;
  // Final: no further checks.
  const lost = state === 'unknown' && around.dueAt === undefined;
  const because = code && state !== 'sent' ? becauseOf(code, around) : undefined;
  const wait = state === 'queued' ? waitOf('messaging', record, around) : undefined;
  const vain = isOpen(state) && !lost ? lastInVain(record, around) : undefined;
  const say = sentencesOf(around);
  return {
    ...frameOf(record, around),
    summary: together([
      say.kinds.message(maskPhone(record.to), record.reference ? say.reference(record.reference) : ''),
      saysOf('message', state, around),
      because && say.reason(because.why),
      wait && say.cannotGoOn(wait.why),
      vain && say.lastAnswer(vain.why),
    ]),
    story: storyOf(record, evidenceStory(record, around), around),
    next: wait?.next ?? because?.next ?? (lost ? say.askThem : nextOfMessage(record, vain, around)),
  };
}

/** The timeline of its record and of the provider's answers. */
function storyOf(record: MessageRecord, said: readonly Chapter[], telling: Telling): Chapter[] {
  const { createdAt, sentAt, since, state, code } = record;
  const say = sentencesOf(telling).story;
  const own = [chapter(createdAt, say.accepted)];
  if (sentAt === undefined) return [...own, ...said];
  const end = isOpen(state) ? [] : [chapter(since, `${stateIn(state, telling)}${code ? ` (${code})` : ''}`)];
  const story = [chapter(sentAt, say.aboutToSend), ...said, ...end];
  return [...own, ...story.toSorted((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0))];
}

function isOpen(state: StateOf<'message'>): boolean {
  return state === 'queued' || state === 'sending' || state === 'unknown';
}

function nextOfMessage(record: MessageRecord, vain: Because | undefined, telling: Telling): string {
  return nextIn(record, telling) ?? (isOpen(record.state) ? (vain?.next ?? byItself(telling)) : nothing(telling));
}

const stateIn = (state: string, { language = 'en' }: Telling): string => wordFor(wordsIn(language).states, state);

/** The English text is the state name. */
function stateOfCampaign(state: string, { language = 'en' }: Telling): string {
  return language === 'en' ? state : wordFor(wordsIn(language).campaign.states, state);
}

const binIn = (bin: string, { language = 'en' }: Telling): string => wordFor(wordsIn(language).campaign.bins, bin);

export function explainCampaign(record: CampaignRecord, around: Circumstances): Explanation {
  const { name, state, totals, uploads } = record;
  const hold = state === 'held' ? around.holds.find(({ area }) => area === 'messaging') : undefined;
  const reason = record.reason ?? hold?.reason;
  const because = reason === undefined ? undefined : becauseOf(reason, around);
  const wait = state === 'running' ? waitOf('messaging', record, around) : undefined;
  const say = sentencesOf(around);
  const bins = campaignBins.filter((bin) => bin !== 'total' && totals[bin] > 0);
  const people = say.people(
    counted(recipientsOf(totals), wordsIn(around.language ?? 'en').figures),
    recipientsOf(totals),
  );
  return {
    ...frameOf(record, around),
    summary: together([
      say.kinds.campaign(name, people, record.reference ? say.reference(record.reference) : ''),
      saysOf('campaign', state, around),
      bins.length > 0 ? say.rows(bins.map((bin) => `${totals[bin]} ${binIn(bin, around)}`).join(', ')) : undefined,
      because && say.reason(because.why),
      ...rejectionOf(record, say),
      wait && say.cannotGoOn(wait.why),
    ]),
    story: [
      chapter(record.createdAt, say.story.accepted),
      ...uploads.map(({ recipients, skipped }) => ({
        at: '',
        what: say.story.upload(String(recipients), String(skipped)),
      })),
      ...momentsOf(record, around),
      ...evidenceStory(record, around),
    ],
    next:
      wait?.next ??
      rest(record, say) ??
      nextOfHold(record, because) ??
      nextIn(record, around) ??
      (isFinal('campaign', state) ? nothing : byItself)(around),
  };
}

function momentsOf({ startedAt, since, state }: CampaignRecord, telling: Telling): Chapter[] {
  const begun = startedAt === undefined ? [] : [chapter(startedAt, sentencesOf(telling).story.started)];
  return state === 'draft' || state === 'ready' || state === 'running'
    ? begun
    : [...begun, chapter(since, stateOfCampaign(state, telling))];
}

/** The hold decides the next step, which is often none. */
function nextOfHold({ id, state }: CampaignRecord, because: Because | undefined): string | undefined {
  return state === 'held' ? because?.next?.replace(/\bID\b|\{id\}/g, id) : undefined;
}

/** A finished campaign may have recipients that received nothing. */
function rest({ id, state, totals }: CampaignRecord, say: ExplainWords): string | undefined {
  if (state !== 'finished' || totals.failed + totals.unknown === 0) return undefined;
  const which = totals.failed > 0 ? 'failed' : 'unknown';
  return say.seeWho(id, which) + (totals.failed > 0 ? say.toThoseWhoFailed(id) : '');
}

function together(sentences: readonly (string | undefined)[]): string {
  return sentences.filter((sentence) => sentence !== undefined && sentence !== '').join(' ');
}
