/** Common parts of explanations. */
import { type Evidence, FIRST_LINES, NAMED, readEvidence } from './transition.ts';
import { type WordExplained, explainWord } from './explain-words.ts';
import type { HoldArea } from '../kinds/account.ts';
import type { AccountHold } from '../kinds/hold.ts';
import { type Kind, operations, isState, queueOf, stateOf } from '../kinds/index.ts';
import type { RecordBase } from './record.ts';
import type { Language } from '../messages/languages.ts';
import type { ExplainWords } from '../messages/english-explain.ts';
import { explainWords, toldIn } from '../messages/told.ts';
import { textOf } from '../messages/texts.ts';
import type { Message } from '../messages/message.ts';

export interface Explanation {
  readonly id: string;
  /** `word`: a reason or a code from a log line or an account, not an operation. */
  readonly kind: Kind | 'word';
  readonly state: string | null;
  /** A few sentences: the operation, its state, and why. */
  readonly summary: string;
  /** Events, oldest first. */
  readonly story: readonly Chapter[];
  /** The next step, or that none is needed. */
  readonly next: string;
  /** The time of the next status check, ISO 8601. */
  readonly nextLook: string | null;
}

export interface Chapter {
  /** ISO 8601; '' if the time was not recorded. */
  readonly at: string;
  readonly what: string;
}

/** The common part of all records. */
export interface Standing {
  readonly kind: Kind;
  readonly id: string;
  readonly state: string;
  readonly lane?: string;
}

export type Evidenced = Pick<RecordBase, 'evidence'>;

/** The parameters of a text for users. */
export interface Telling {
  readonly failureOf: FailureOf;
  /** Absent: English. */
  readonly language?: Language | undefined;
}

/** The current conditions that can delay an operation. */
export interface Circumstances extends Telling {
  /** ms since the epoch. */
  readonly now: number;
  /** The time of the next check, ms since the epoch; absent: none is due. */
  readonly dueAt?: number | undefined;
  /** Holds of its account. */
  readonly holds: readonly Pick<AccountHold, 'area' | 'reason' | 'unreadable'>[];
  /** Whether the account is configured in this process. */
  readonly accountKnown: boolean;
  /** Why this process's keys of the account cannot be used for this operation. */
  readonly foreign?: string | undefined;
  /** Why operations of its kind are not sent now. */
  readonly closed?: string | undefined;
  readonly pausedQueues: readonly string[];
}

/** Describes a code of the provider or of its client. */
type FailureOf = (code: string) => { readonly says: Message; readonly blame: string } | undefined;

/** A reason as part of a sentence, and the next step, if known. */
export interface Because {
  readonly why: string;
  readonly next?: string;
}

const NOTHING = 'There is nothing to do.';
const BY_ITSELF = 'There is nothing to do: relais continues by itself.';

export const nothing = ({ language = 'en' }: Telling): string => toldIn(language, NOTHING);
export const byItself = ({ language = 'en' }: Telling): string => toldIn(language, BY_ITSELF);

export const sentencesOf = ({ language = 'en' }: Telling): ExplainWords => explainWords(language);

/** The description of a state. */
export function saysOf(kind: Kind, state: string, { language = 'en' }: Telling): string {
  return toldIn(language, stateOf(kind, state).says);
}

const OVERDUE_MS = 60_000;

export const nextByBlame: Readonly<Record<string, string>> = {
  caller: 'Correct the request and send it again under another reference.',
  us: 'Check our keys and settings: relais doctor.',
  upstream: BY_ITSELF,
  payer: 'Let the payer try again.',
};

/** An unknown reason is shown as it is: it comes from the provider. */
export function becauseOf(word: string, { failureOf, language = 'en' }: Telling): Because {
  const ours = explainWord(word, language);
  if (ours) return ours;
  const failure = failureOf(word);
  if (failure === undefined) return { why: word };
  const next = nextByBlame[failure.blame];
  const why = inTheMiddle(textOf(failure.says, language));
  return { why, ...(next === undefined ? {} : { next: toldIn(language, next) }) };
}

/** Names (`SMS`, `Redis`) keep their first letter. */
const BEGINNINGS =
  /^(?:The|This|A|An|It|No|Another|Direct|Fresh|Le|La|Les|L’|Un|Une|Il|Ce|Cette|Aucun|Des|Solde|Autre)(?![\p{L}\p{N}])/u;

function inTheMiddle(sentence: string): string {
  return sentence.replace(/\.$/, '').replace(BEGINNINGS, (word) => word.toLowerCase());
}

/** The strongest reason why an unsent operation is not sent. */
export function waitOf(area: HoldArea, record: Standing, around: Circumstances): WordExplained | undefined {
  const { language } = around;
  if (!around.accountKnown) return explainWord('account_not_configured', language);
  if (around.closed) return explainWord(around.closed, language);
  if (around.foreign) return explainWord(around.foreign, language);
  const hold =
    around.holds.find((one) => one.area === area) ??
    // A direct credit is no trial for an unreadable provider.
    around.holds.find((one) => one.area === 'payments' && area === 'direct_credit' && one.unreadable);
  if (hold === undefined) return stuckOf(record, around);
  const held = explainWord(`account_held_${hold.reason}`, language);
  if (held && hold.unreadable) return { ...held, why: `${held.why}: ${hold.unreadable.came}` };
  return held ?? { why: sentencesOf(around).accountHeld(hold.reason), next: byItself(around) };
}

/** Reasons why an operation of any kind is not checked. */
function stuckOf(record: Standing, { now, dueAt, pausedQueues, language }: Circumstances): WordExplained | undefined {
  const queue = queueOf(record.kind, record.state, record.lane);
  if (queue === undefined) return undefined;
  if (pausedQueues.includes(queue)) return explainWord('queue_paused', language);
  return dueAt !== undefined && dueAt < now - OVERDUE_MS ? explainWord('overdue', language) : undefined;
}

/** Reasons why an operation stays in its state; if nothing has left for it, including a hold of its account. */
export function whatKeeps(record: Standing, around: Circumstances): WordExplained | undefined {
  const { area } = operations[record.kind];
  return isState(record.kind, record.state, 'unsent') ? waitOf(area, record, around) : stuckOf(record, around);
}

/** The next step by state alone. */
export function nextIn({ kind, id, state }: Standing, { language = 'en' }: Telling): string | undefined {
  const { next } = stateOf(kind, state);
  return next === undefined ? undefined : toldIn(language, next).replaceAll('{id}', id);
}

export function frameOf(
  record: Standing,
  { dueAt }: Circumstances,
): Pick<Explanation, 'id' | 'kind' | 'state' | 'nextLook'> {
  const { id, kind, state } = record;
  return { id, kind, state, nextLook: dueAt === undefined ? null : iso(dueAt) };
}

export function chapter(at: number, what: string): Chapter {
  return { at: iso(at), what };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

/** The evidence of a record as sentences, with a gap for lines that are no longer stored. */
export function evidenceStory(record: Evidenced, telling: Telling): Chapter[] {
  const { lines, dropped } = readEvidence(record);
  const story = lines.map((line) => chapter(line.at, tell(line, telling)));
  const gap = { at: '', what: sentencesOf(telling).story.dropped(dropped) };
  return dropped > 0 ? story.toSpliced(FIRST_LINES, 0, gap) : story;
}

const GOOD_CODES = ['ok', '00', 'intended'];
const ASKING = ['create', 'submit', 'status', 'send', 'statistics'];

/** The provider's last answer, if it was not a success. */
export function lastInVain(record: Evidenced, telling: Telling): Because | undefined {
  const last = readEvidence(record).lines.findLast(({ operation }) => ASKING.includes(operation));
  return last === undefined || GOOD_CODES.includes(last.code) ? undefined : becauseOf(last.code, telling);
}

function tell({ operation, code, httpStatus, detail }: Evidence, telling: Telling): string {
  const { story, answered } = sentencesOf(telling);
  const says = telling.failureOf(code)?.says;
  const status = httpStatus ? ` (HTTP ${httpStatus})` : '';
  const plain = `${code}${detail ? ` ${detail}` : ''}${status}`;
  const answer = says ? answered(plain, textOf(says, telling.language)) : plain;
  const good = GOOD_CODES.includes(code);
  switch (operation) {
    case 'create':
      if (code === 'intended') return story.aboutToAsk;
      return good ? story.token : story.noToken(answer);
    case 'submit':
      return code === 'intended'
        ? story.aboutToSubmit((detail ?? '').replace(/^send /, ''))
        : story.submitAnswered(answer);
    case 'send':
      return tellSend(code, answer, story);
    case 'status':
      return good ? story.asked(detail ?? story.nothing) : story.askedInVain(answer);
    case 'statistics':
      return good ? story.statistics(detail ?? story.nothing) : story.statisticsInVain(answer);
    case NAMED:
      return story.named(code, detail ?? story.nothing);
    case 'callback':
      return story.callback(code);
    case 'resolve':
      return story.resolved(code, detail ?? story.somebody);
    case 'approve':
      return story.approved(detail ?? story.somebody);
    case 'reject':
      return story.rejected(detail ?? story.somebody);
    case 'restored':
      return code === 'journal' ? story.recordedAgain : story.restored(code);
    case 'cancel':
      return story.cancelled(detail ?? story.somebody);
    default:
      return `${operation}: ${answer}`;
  }
}

function tellSend(code: string, answer: string, story: ExplainWords['story']): string {
  if (code === 'intended') return story.aboutToSend;
  return code === 'interrupted' ? story.interrupted : story.sendAnswered(answer);
}
