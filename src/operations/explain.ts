/** The explanation of an operation in plain words, and the next step. Pure, so that every sentence has a test. */
import { money } from '../messages/figures.ts';
import { type Evidence, NAMED, claimsSuccess, readEvidence } from './transition.ts';
import {
  type Because,
  type Circumstances,
  type Explanation,
  type Standing,
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
  whatKeeps,
} from './explanation.ts';
import { isFinal, isState } from '../kinds/index.ts';
import { wordFor, wordsIn } from '../messages/languages.ts';
import type { ExplainWords } from '../messages/english-explain.ts';
import type { DisbursementRecord, RecordBase } from './record.ts';

export function explainDisbursement(record: DisbursementRecord, around: Circumstances): Explanation {
  const { id, state, amount, withdrawMode, reference } = record;
  const person = settledByPerson(record);
  const because = record.reason === undefined ? undefined : becauseOf(record.reason, around);
  const current = isState('disbursement', state, 'reasoned') && !person ? because : undefined;
  const wait = whatKeeps(record, around);
  const over = isFinal('disbursement', state);
  const vain = over || state === 'held' ? undefined : lastInVain(record, around);
  const say = sentencesOf(around);
  const sentences = [
    say.kinds.disbursement(
      money(amount, wordsIn(around.language ?? 'en').figures),
      withdrawMode,
      reference ? say.reference(reference) : '',
    ),
    person ? say.settledBy(stateIn(state, around)) : saysOf('disbursement', state, around),
    because && (because === current ? say.reason(because.why) : say.reviewed(because.why)),
    ...hearsayOn(record, say),
    ...decisionsOn(record, say),
    wait && say.cannotGoOn(wait.why),
    vain && say.lastAnswer(vain.why),
  ];
  const byPerson =
    state === 'needs_review' && current?.next ? `${current.next} relais review resolve ${id}` : undefined;
  const otherwise = over ? nothing(around) : (vain?.next ?? byItself(around));
  return {
    ...frameOf(record, around),
    summary: sentences.filter((sentence) => sentence !== undefined).join(' '),
    story: [chapter(record.createdAt, say.story.accepted), ...evidenceStory(record, around)],
    next:
      wait?.next ?? byPerson ?? current?.next ?? (person ? nothing(around) : (nextIn(record, around) ?? otherwise)),
  };
}

const stateIn = (state: string, { language = 'en' }: Telling): string => wordFor(wordsIn(language).states, state);

/** An operator's decision was final; after a `resubmit` the provider's status is. */
function settledByPerson(record: DisbursementRecord): boolean {
  const { state } = record;
  return readEvidence(record).lines.some(({ operation, code }) => operation === 'resolve' && code === state);
}

/** Values that the provider named differently from the request, and corrections of reported results. */
function hearsayOn(record: DisbursementRecord, say: ExplainWords): string[] {
  const { state, late, reason = '' } = record;
  const { lines } = readEvidence(record);
  const names = new Map(
    lines.filter(({ operation }) => operation === NAMED).map(({ code, detail }) => [code, detail]),
  );
  const told = [...names].map(([name, as]) => `${name} ${as ?? ''}`).join(', ');
  const differs = names.size > 0 && (state === 'needs_review' || state === 'reversed');
  const posted =
    differs && /^(mismatch|unreadable|unidentified|contradicted)/.test(reason) && lines.some(claimsToBePaid);
  return [
    ...(differs ? [say.named(told)] : []),
    ...(posted ? [say.posted] : []),
    ...(late && state === 'succeeded' ? [say.late] : []),
  ];
}

function claimsToBePaid(line: Evidence): boolean {
  return line.operation === 'callback' && claimsSuccess(line);
}

function decisionsOn(record: DisbursementRecord, say: ExplainWords): string[] {
  const { approvedBy, resolvedBy, note } = record;
  return [
    ...rejectionOf(record, say),
    ...(approvedBy ? [say.approvedBy(approvedBy)] : []),
    ...(resolvedBy ? [say.decidedBy(resolvedBy, note ?? '')] : []),
  ];
}

/** The decision of a person who rejected it. */
export function rejectionOf(
  { rejectedBy, note = '' }: { readonly rejectedBy?: string; readonly note?: string },
  say: ExplainWords,
): string[] {
  return rejectedBy === undefined ? [] : [say.rejectedBy(rejectedBy, note)];
}

type OtherRecord = Standing &
  Pick<RecordBase, 'createdAt' | 'evidence'> & { readonly reference?: string; readonly reason?: string };

/** Parts of an explanation that a kind overrides: the beginning, the text after the state, and the next step. */
interface Own {
  readonly begins?: string;
  readonly says?: readonly string[];
  readonly next?: string;
}

/** For kinds without their own explanation: state and evidence. */
export function explainOther(record: OtherRecord, around: Circumstances, own: Own = {}): Explanation {
  const { kind, state, reference, reason } = record;
  const because: Because | undefined = reason ? becauseOf(reason, around) : undefined;
  const wait = whatKeeps(record, around);
  const say = sentencesOf(around);
  const others: Readonly<Record<string, (reference: string) => string>> = say.others;
  const sentences = [
    own.begins ?? others[kind]?.(reference ? say.reference(reference) : ''),
    saysOf(kind, state, around),
    ...(own.says ?? []),
    because && say.reason(because.why),
    wait && say.cannotGoOn(wait.why),
  ];
  return {
    ...frameOf(record, around),
    summary: sentences.filter((sentence) => sentence !== undefined).join(' '),
    story: [chapter(record.createdAt, say.story.accepted), ...evidenceStory(record, around)],
    next:
      wait?.next ??
      because?.next ??
      own.next ??
      nextIn(record, around) ??
      (isFinal(kind, state) ? nothing : byItself)(around),
  };
}

/** Explains a reason or a provider code in a log line, a metric or an account. Undefined: unknown. */
export function explainReason(word: string, telling: Telling): Explanation | undefined {
  const { why, next = nothing(telling) } = becauseOf(word, telling);
  if (why === word) return undefined;
  return { id: word, kind: 'word', state: null, summary: `${capitalised(why)}.`, story: [], next, nextLook: null };
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
