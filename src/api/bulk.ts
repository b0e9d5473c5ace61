/**
 * Bulk requests: one JSON object per line in, one result per line out, in the same order and while lines still
 * arrive. Reading waits for the answers, so neither a long body nor a slow reader fills the memory.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { readJson } from '../lib/json.ts';
import { type Acceptance, type Answer, conflictOf } from '../producer/acceptance.ts';
import type { Language } from '../messages/languages.ts';
import { type Problem, problemTexts } from '../producer/problems.ts';
import { type Line, groupsOf } from './bulk-lines.ts';
import { type ApiContext, isRecord } from './context.ts';
import { requireStill } from './gates.ts';
import { mayUseAccount, personOf } from './keys.ts';
import { requireUtf8 } from './media.ts';
import { ApiProblem, invalid, languageFor } from './problem.ts';
import { acceptanceFor, type AnyAsked } from './route.ts';
import { linesAccepted } from './writes.ts';
import { message } from '../messages/message.ts';

const NDJSON = 'application/x-ndjson';

/** The route has checked the key, and that no recovery is running. */
export type AskedInBulk = Pick<AnyAsked, 'context' | 'key' | 'act' | 'idempotencyKey' | 'request' | 'response'> & {
  readonly query: { readonly dryRun: boolean };
};

/** Accepts one line. `by`: the name of the key. */
export type AcceptLine = (
  acceptance: Acceptance,
  line: { readonly request: unknown; readonly identity: string | undefined; readonly by: string },
) => Promise<Answer>;

export interface Verdict {
  readonly index: number;
  readonly id: string | null;
  /**
   * `valid`: the answer of a dry run. `unconfirmed`: PostgreSQL did not answer in time. `stopped`: this line and
   * later ones were not accepted. An identity depends on its line's position, so callers repeat the whole body.
   */
  readonly outcome: Answer['outcome'] | 'valid' | 'unconfirmed' | 'stopped';
  readonly problem?: readonly Problem[];
  /** For a conflict: the fields that differ from the request of `id`. */
  readonly differs?: readonly string[];
}

/** The answer to an invalid body must not be much longer than the body. */
const PROBLEMS_SHOWN = 20;

export function verdictOf(answer: Answer, index: number, dryRun: boolean): Verdict {
  if (answer.outcome === 'conflict') return { index, ...conflictOf(answer) };
  if (answer.outcome !== 'invalid') {
    return { index, id: answer.id, outcome: dryRun && answer.outcome === 'accepted' ? 'valid' : answer.outcome };
  }
  const more = answer.problems.length - PROBLEMS_SHOWN;
  const shown = answer.problems.slice(0, PROBLEMS_SHOWN);
  if (more > 0) shown.push({ pointer: '', message: message('and_more', { count: more }) });
  return { index, id: null, outcome: 'invalid', problem: shown };
}

/** With its problems as texts. */
export function shownVerdict({ problem, ...verdict }: Verdict, language: Language) {
  return { ...verdict, ...(problem && { problem: problemTexts(problem, language) }) };
}

export async function answerInBulk(asked: AskedInBulk, accept: AcceptLine): Promise<undefined> {
  const { request, response } = asked;
  requireUtf8(request.headers);
  const acceptance = acceptanceFor(asked);
  const judge = judgeOf({ ...asked, acceptance }, accept);
  // Not destroyed when the answer ends early: the sender must be able to read why.
  const chunks = request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  const judged = logged(inOrder(groupsOf(chunks), judge), asked);
  try {
    // Before the first answer, the request as a whole can still be refused.
    const first = await judged.next();
    if (first.done) throw invalid([{ pointer: '', message: message('json_lines_empty') }]);
    const { verdicts, stop } = first.value;
    if (stop && verdicts.every(({ outcome }) => outcome === 'unconfirmed')) throw stop;
    response.status(asked.query.dryRun ? 200 : 202).type(NDJSON);
    await pipeline(Readable.from(textOf(first.value, judged, languageFor(request)), { highWaterMark: 1 }), response);
  } catch (error) {
    // A disconnected caller repeats the request, and its identities find what was accepted.
    if (!response.destroyed) throw error;
  }
  return undefined;
}

interface Judging extends Omit<AskedInBulk, 'request' | 'response'> {
  readonly acceptance: Acceptance;
}

type Judge = (group: readonly Line[]) => Promise<Judged>;

interface Judged {
  readonly verdicts: readonly Verdict[];
  /** Why reading stopped. */
  readonly stop?: Error;
  /** The first line that was not tried; absent if each line of the group has a result. */
  readonly from?: number;
}

function judgeOf(
  { context, key, acceptance, idempotencyKey: given, query: { dryRun } }: Judging,
  accept: AcceptLine,
): Judge {
  const judgeLine = async (line: Line): Promise<Verdict> => {
    const parsed = readLine(line);
    if ('problem' in parsed) return invalidLine(line, parsed.problem);
    const account = isRecord(parsed.value) ? (parsed.value['account'] ?? 'main') : 'main';
    if (typeof account === 'string' && !mayUseAccount(key, account)) {
      const lacks = message('key_lacks_this_account', { key: key.name });
      return invalidLine(line, { pointer: '/account', message: lacks });
    }
    const identity = given === undefined ? undefined : `${given}#${line.index}`;
    const answer = await accept(acceptance, { request: parsed.value, identity, by: personOf(key) });
    return verdictOf(answer, line.index, dryRun);
  };
  // Permanent once closed: a later accepted group would leave a gap before it.
  let closed: ReturnType<ApiContext['refusal']>;
  return async (group) => {
    const from = group[0]?.index ?? 0;
    closed ??= context.refusal();
    if (closed) return { verdicts: [], stop: new ApiProblem(closed.kind, closed.detail), from };
    // Lines may arrive for minutes.
    const stop = await requireStill(context, key).catch((error: Error) => error);
    if (stop) return { verdicts: [], stop, from };
    return gather(group, await Promise.allSettled(group.map(judgeLine)));
  };
}

const invalidLine = ({ index }: Line, problem: Problem): Verdict =>
  verdictOf({ outcome: 'invalid', problems: [problem] }, index, false);

function gather(group: readonly Line[], settled: readonly PromiseSettledResult<Verdict>[]): Judged {
  const verdicts = settled.map((one, at) =>
    one.status === 'fulfilled' ? one.value : unconfirmedAt(group[at]?.index ?? 0),
  );
  const failed = settled.find((one) => one.status === 'rejected');
  return failed ? { verdicts, stop: failed.reason as Error } : { verdicts };
}

export function unconfirmedAt(index: number): Verdict {
  const said = message('line_maybe_accepted');
  return { index, id: null, outcome: 'unconfirmed', problem: [{ pointer: '', message: said }] };
}

function readLine(line: Line): { readonly value: unknown } | { readonly problem: Problem } {
  if ('unreadable' in line) return { problem: { pointer: '', message: line.unreadable } };
  const json = readJson(line.text);
  return 'wrong' in json ? { problem: { pointer: '', message: json.wrong } } : json;
}

/** While some groups wait for their commit, the next is read and validated. */
const GROUPS_AT_ONCE = 4;

/** Results of a group are sent at once: a caller may wait for them before it sends the next line. */
async function* inOrder(groups: AsyncIterator<readonly Line[]>, judge: Judge): AsyncGenerator<Judged, void> {
  const asked: Promise<Judged>[] = [];
  let reading: Promise<IteratorResult<readonly Line[]>> | undefined = read(groups);
  let next = 0;
  let from = Infinity;
  let stop: Error | undefined;
  for (;;) {
    const [oldest] = asked;
    if (oldest && (!reading || asked.length === GROUPS_AT_ONCE || (await answersFirst(oldest, reading)))) {
      const judged = await oldest;
      stop ??= judged.stop;
      from = Math.min(from, judged.from ?? Infinity);
      if (stop) reading = undefined;
      yield judged;
      void asked.shift();
      continue;
    }
    if (!reading) break;
    const { done, value } = await reading;
    reading = done ? undefined : read(groups);
    if (done) continue;
    next = (value.at(-1)?.index ?? 0) + 1;
    asked.push(judge(value));
  }
  if (stop) yield { verdicts: [stoppedAt(Math.min(from, next))] };
}

async function* logged(
  judged: AsyncIterable<Judged>,
  { context, response, query }: Pick<AskedInBulk, 'context' | 'response' | 'query'>,
): AsyncGenerator<Judged, void> {
  for await (const one of judged) {
    linesAccepted(context, response, query.dryRun ? [] : one.verdicts);
    yield one;
  }
}

function read(groups: AsyncIterator<readonly Line[]>): Promise<IteratorResult<readonly Line[]>> {
  const reading = groups.next();
  // After an early end the reader is not awaited, and a sender that disconnects then causes no error.
  reading.catch(() => undefined);
  return reading;
}

function answersFirst(answer: Promise<unknown>, reading: Promise<unknown>): Promise<boolean> {
  return Promise.race([answer.then(() => true), reading.then(() => false)]);
}

function stoppedAt(index: number): Verdict {
  const said = message('lines_not_accepted');
  return { index, id: null, outcome: 'stopped', problem: [{ pointer: '', message: said }] };
}

async function* textOf(first: Judged, rest: AsyncIterable<Judged>, language: Language): AsyncGenerator<string, void> {
  const text = ({ verdicts }: Judged): string =>
    verdicts.map((verdict) => `${JSON.stringify(shownVerdict(verdict, language))}\n`).join('');
  yield text(first);
  for await (const judged of rest) yield text(judged);
}
