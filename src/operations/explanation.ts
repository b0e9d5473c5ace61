/** What explanations are made of, whatever they explain. */
import { EVIDENCE_SLOTS, type Evidence, NAMED, readEvidence } from './transition.ts';
import { type WordExplained, explainWord } from './explain-words.ts';
import type { HoldArea } from '../kinds/account.ts';
import { type Kind, operations, isState, queueOf, stateOf } from '../kinds/index.ts';
import type { Fields } from './record.ts';

export interface Explanation {
  readonly id: string;
  /** `word`: not an operation, but a reason or a code as a log line or an account gives it. */
  readonly kind: Kind | 'word';
  readonly state: string | null;
  /** A few sentences: what it is, where it stands, and why. */
  readonly summary: string;
  /** What happened, oldest first. */
  readonly story: readonly Chapter[];
  /** What to do, or that nothing is to be done. */
  readonly next: string;
  /** When it is looked at next, ISO 8601. */
  readonly nextLook: string | null;
}

export interface Chapter {
  /** ISO 8601; '' where nobody wrote down when. */
  readonly at: string;
  readonly what: string;
}

/** Any record, as far as every explanation looks at it. */
export interface Standing {
  readonly kind: Kind;
  readonly id: string;
  readonly state: string;
  readonly lane?: string;
}

/** What surrounds an operation at this moment, and may keep it where it is. */
export interface Circumstances {
  /** ms since the epoch. */
  readonly now: number;
  /** When it is looked at next, ms since the epoch; absent: nothing is due. */
  readonly dueAt?: number | undefined;
  /** Of its account. */
  readonly holds: readonly { readonly area: HoldArea; readonly reason: string }[];
  /** Whether this process knows its account. */
  readonly accountKnown: boolean;
  /** Why the keys that this process has of it are not for this operation, if they are not. */
  readonly foreign?: string | undefined;
  readonly durable: boolean;
  /** Redis may have lost something, and nobody has looked yet. */
  readonly recovering?: boolean;
  readonly pausedQueues: readonly string[];
  readonly failureOf: FailureOf;
}

/** What is known of a code of upstream, or of the client that speaks with it. */
export type FailureOf = (code: string) => { readonly sentence: string; readonly blame: string } | undefined;

/** Why, in the middle of a sentence; and what to do about it, where that is known. */
export interface Because {
  readonly why: string;
  readonly next?: string;
}

export const NOTHING = 'Nothing is to be done.';
export const BY_ITSELF = 'Nothing is to be done: it goes on by itself.';

const OVERDUE_MS = 60_000;

const NEXT_BY_BLAME: Readonly<Record<string, string>> = {
  caller: 'Mend the request and send it again under another reference.',
  us: 'Check our keys and settings: relais doctor.',
  upstream: BY_ITSELF,
  payer: 'Let the payer try again.',
};

/** A word that nobody knows is told as it is: it is upstream's own. */
export function becauseOf(word: string, failureOf: FailureOf): Because {
  const ours = explainWord(word);
  if (ours) return ours;
  const failure = failureOf(word);
  if (failure === undefined) return { why: word };
  const next = NEXT_BY_BLAME[failure.blame];
  return { why: inTheMiddle(failure.sentence), ...(next === undefined ? {} : { next }) };
}

function inTheMiddle(sentence: string): string {
  return sentence
    .replace(/\.$/, '')
    .replace(/^(The|This|A|An|It|No|Another|Direct|Fresh)\b/, (word) => word.toLowerCase());
}

/** What keeps something that was not sent from being sent, the strongest first. */
export function waitOf(area: HoldArea, record: Standing, around: Circumstances): WordExplained | undefined {
  if (!around.accountKnown) return explainWord('account_not_configured');
  if (around.recovering) return explainWord('recovering');
  if (around.foreign) return explainWord(around.foreign);
  if (!around.durable) return explainWord('redis_not_durable');
  const hold = around.holds.find((one) => one.area === area);
  if (hold === undefined) return stuckOf(record, around);
  return (
    explainWord(`account_held_${hold.reason}`) ?? { why: `the account is held: ${hold.reason}`, next: BY_ITSELF }
  );
}

/** What keeps any operation from being looked at. */
export function stuckOf(record: Standing, { now, dueAt, pausedQueues }: Circumstances): WordExplained | undefined {
  const queue = queueOf(record.kind, record.state, record.lane);
  if (queue === undefined) return undefined;
  if (pausedQueues.includes(queue)) return explainWord('queue_paused');
  return dueAt !== undefined && dueAt < now - OVERDUE_MS ? explainWord('overdue') : undefined;
}

/** What keeps an operation where it is, where nothing has left for it a hold of its account too. */
export function whatKeeps(record: Standing, around: Circumstances): WordExplained | undefined {
  const { area } = operations[record.kind];
  return isState(record.kind, record.state, 'unsent') ? waitOf(area, record, around) : stuckOf(record, around);
}

/** What its state alone says is to be done. */
export function nextIn({ kind, id, state }: Standing): string | undefined {
  return stateOf(kind, state).next?.replaceAll('{id}', id);
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

/** The evidence of a record as sentences, with the gap where lines are no longer kept. */
export function evidenceStory(fields: Fields, failureOf: FailureOf): Chapter[] {
  const { lines, dropped } = readEvidence(fields);
  const story = lines.map((line) => chapter(line.at, tell(line, failureOf)));
  const gap = { at: '', what: `${dropped} lines in the middle are no longer kept` };
  return dropped > 0 ? story.toSpliced(EVIDENCE_SLOTS.first, 0, gap) : story;
}

const GOOD_CODES = ['ok', '00', 'intended'];
const ASKING = ['create', 'submit', 'status', 'send', 'statistics'];

/** What upstream answered last, where that was no good answer. */
export function lastInVain(fields: Fields, failureOf: FailureOf): Because | undefined {
  const last = readEvidence(fields).lines.findLast(({ operation }) => ASKING.includes(operation));
  return last === undefined || GOOD_CODES.includes(last.code) ? undefined : becauseOf(last.code, failureOf);
}

function tell({ operation, code, httpStatus, detail }: Evidence, failureOf: FailureOf): string {
  const sentence = failureOf(code)?.sentence;
  const status = httpStatus ? ` (HTTP ${httpStatus})` : '';
  const answer = `${code}${detail ? ` ${detail}` : ''}${status}${sentence ? `: ${sentence}` : ''}`;
  const good = GOOD_CODES.includes(code);
  switch (operation) {
    case 'create':
      if (code === 'intended') return 'about to ask upstream for it';
      return good ? 'upstream gave a token' : `upstream gave no token: ${answer}`;
    case 'submit':
      return code === 'intended' ? `about to submit (${detail ?? ''})` : `submit answered: ${answer}`;
    case 'send':
      return tellSend(code, answer);
    case 'status':
      return good ? `asked: upstream says ${detail ?? 'nothing'}` : `asked in vain: ${answer}`;
    case 'statistics':
      return good ? `asked the statistics: ${detail ?? 'nothing'}` : `asked the statistics in vain: ${answer}`;
    case NAMED:
      return `upstream named ${code}: ${detail ?? 'nothing'}`;
    case 'callback':
      return `upstream called back, claiming ${code}: not believed, but looked at`;
    case 'resolve':
      return `resolved as ${code} by ${detail ?? 'somebody'}`;
    case 'approve':
      return `approved by ${detail ?? 'somebody'}`;
    case 'restored':
      return `Redis was put back from a copy in which it was ${code}`;
    case 'cancel':
      return `cancelled by ${detail ?? 'somebody'}`;
    default:
      return `${operation}: ${answer}`;
  }
}

function tellSend(code: string, answer: string): string {
  if (code === 'intended') return 'about to send';
  if (code === 'restored') return 'Redis was put back from a copy: whether it was sent since, nobody knows';
  return code === 'interrupted' ? 'a worker died while it was sending' : `send answered: ${answer}`;
}
