/** The story of an operation in plain words, and what to do next. Pure, so that every sentence has a test. */
import { describeXof } from '../lib/money.ts';
import { type Evidence, NAMED, claimsSuccess, readEvidence } from './transition.ts';
import {
  BY_ITSELF,
  type Because,
  type Circumstances,
  type Explanation,
  type FailureOf,
  NOTHING,
  type Standing,
  becauseOf,
  chapter,
  evidenceStory,
  frameOf,
  lastInVain,
  nextIn,
  whatKeeps,
} from './explanation.ts';
import { isFinal, isState, stateOf } from '../kinds/index.ts';
import type { DisbursementRecord, RecordBase } from './record.ts';

export function explainDisbursement(record: DisbursementRecord, around: Circumstances): Explanation {
  const { id, state, amount, withdrawMode, reference, fields } = record;
  const person = settledByPerson(record);
  const because = record.reason === undefined ? undefined : becauseOf(record.reason, around.failureOf);
  const current = isState('disbursement', state, 'reasoned') && !person ? because : undefined;
  const wait = whatKeeps(record, around);
  const over = isFinal('disbursement', state);
  const vain = over || state === 'held' ? undefined : lastInVain(fields, around.failureOf);
  const sentences = [
    `Disbursement of ${describeXof(amount)} by ${withdrawMode}${reference ? `, reference ${reference}` : ''}.`,
    person ? `A person settled it as ${state}.` : stateOf('disbursement', state).says,
    because && (because === current ? `Reason: ${because.why}.` : `It needed review before: ${because.why}.`),
    ...hearsayOn(record),
    ...decisionsOn(record),
    wait && `It cannot go on now: ${wait.why}.`,
    vain && `The last answer: ${vain.why}.`,
  ];
  const byPerson =
    state === 'needs_review' && current?.next ? `${current.next} relais review resolve ${id}` : undefined;
  const otherwise = over ? NOTHING : (vain?.next ?? BY_ITSELF);
  return {
    ...frameOf(record, around),
    summary: sentences.filter((sentence) => sentence !== undefined).join(' '),
    story: [chapter(record.createdAt, 'accepted'), ...evidenceStory(fields, around.failureOf)],
    next: wait?.next ?? byPerson ?? current?.next ?? (person ? NOTHING : (nextIn(record) ?? otherwise)),
  };
}

/** Their word was the last one; after a `resubmit` it is upstream's. */
function settledByPerson({ state, fields }: DisbursementRecord): boolean {
  return readEvidence(fields).lines.some(({ operation, code }) => operation === 'resolve' && code === state);
}

/** What upstream named otherwise than was asked, and what became of a word that was told before. */
function hearsayOn({ state, late, fields, reason = '' }: DisbursementRecord): string[] {
  const { lines } = readEvidence(fields);
  const names = new Map(
    lines.filter(({ operation }) => operation === NAMED).map(({ code, detail }) => [code, detail]),
  );
  const told = [...names].map(([name, as]) => `${name} ${as ?? ''}`).join(', ');
  const differs = names.size > 0 && (state === 'needs_review' || state === 'reversed');
  const posted =
    differs && /^(mismatch|unreadable|unidentified|contradicted)/.test(reason) && lines.some(claimsToBePaid);
  return [
    ...(differs ? [`When it was asked, upstream named: ${told}.`] : []),
    ...(posted ? ['What it posted to us may read otherwise: only what it says when it is asked counts.'] : []),
    ...(late && state === 'succeeded' ? ['This came late: another word was told before.'] : []),
  ];
}

function claimsToBePaid(line: Evidence): boolean {
  return line.operation === 'callback' && claimsSuccess(line);
}

function decisionsOn({ fields }: DisbursementRecord): string[] {
  const { approvedBy, resolvedBy, note } = fields;
  return [
    ...(approvedBy ? [`Approved by ${approvedBy}.`] : []),
    ...(resolvedBy ? [`Decided by ${resolvedBy}: “${note ?? ''}”.`] : []),
  ];
}

type OtherRecord = Standing &
  Pick<RecordBase, 'createdAt' | 'fields'> & { readonly reference?: string; readonly reason?: string };

/** Of a kind that has no teller of its own: where it stands, and its evidence. */
export function explainOther(record: OtherRecord, around: Circumstances): Explanation {
  const { kind, state, reference, reason, fields } = record;
  const because: Because | undefined = reason ? becauseOf(reason, around.failureOf) : undefined;
  const wait = whatKeeps(record, around);
  const sentences = [
    `${capitalised(kind.replaceAll('_', ' '))}${reference ? `, reference ${reference}` : ''}.`,
    stateOf(kind, state).says,
    because && `Reason: ${because.why}.`,
    wait && `It cannot go on now: ${wait.why}.`,
  ];
  return {
    ...frameOf(record, around),
    summary: sentences.filter((sentence) => sentence !== undefined).join(' '),
    story: [chapter(record.createdAt, 'accepted'), ...evidenceStory(fields, around.failureOf)],
    next: wait?.next ?? because?.next ?? nextIn(record) ?? (isFinal(kind, state) ? NOTHING : BY_ITSELF),
  };
}

/** A word of a log line, of a metric or of an account: one of ours, or a code of upstream. Undefined: of nobody. */
export function explainReason(word: string, failureOf: FailureOf): Explanation | undefined {
  const { why, next = NOTHING } = becauseOf(word, failureOf);
  if (why === word) return undefined;
  return { id: word, kind: 'word', state: null, summary: `${capitalised(why)}.`, story: [], next, nextLook: null };
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
