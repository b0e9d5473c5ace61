/** Log lines of writes: the outcome of each, with the caller's `X-Request-Id`. */
import type { Response } from 'express';
import { NOT_BEGUN } from '../lib/not-reached.ts';
import { maskPhone } from '../lib/phone.ts';
import type { ApiContext } from './context.ts';
import { type ApiProblem, statusOf } from './problem.ts';

export type WriteOutcome = 'accepted' | 'refused' | 'failed';

/** Facts logged for every write. They never include values of the body. */
interface WriteFacts {
  readonly key: string;
  /** The id of the operation in openapi.json. */
  readonly route: string;
  /** The id in the path. */
  readonly id: string | undefined;
}

type Told = Pick<ApiContext, 'onWrite'>;

const MOST = 20;
const WRITE = 'write';

/** The outcome is logged from here on, since the key is known. */
export function beginWrite(response: Response, facts: WriteFacts): void {
  response.locals[WRITE] = facts;
}

const factsOf = ({ locals }: Response) => locals[WRITE] as WriteFacts | undefined;
const requestIdOf = ({ locals }: Response): string => String(locals['requestId']);

/** `answered`: the body. Dry runs are not logged; bulk lines have log lines of their own. */
export function writeAccepted({ onWrite }: Told, response: Response, answered: unknown): void {
  const facts = factsOf(response);
  if (!facts || response.locals['bulk'] || isDryRun(answered)) return;
  const id = idIn(answered) ?? facts.id;
  const replayed = response.getHeader('idempotency-replayed') !== undefined;
  onWrite('accepted', {
    requestId: requestIdOf(response),
    ...facts,
    id: shown(id),
    ...(replayed ? { replayed } : {}),
  });
}

export function writeRefused({ onWrite }: Told, response: Response, { kind, more }: ApiProblem): void {
  const facts = factsOf(response);
  if (!facts) return;
  const outcome = statusOf(kind) < 500 || NOT_BEGUN.includes(kind) ? 'refused' : 'failed';
  onWrite(outcome, {
    requestId: requestIdOf(response),
    ...facts,
    id: shown(facts.id),
    status: statusOf(kind),
    problem: kind,
    rule: more.rule,
    pointers: pointersIn(more['problems']),
    existingId: more['existingId'],
  });
}

interface LineVerdict {
  readonly index: number;
  readonly id: string | null;
  readonly outcome: string;
  readonly problem?: readonly { readonly pointer: string }[];
}

/** Logs the lines of one request that were answered together. */
export function linesAccepted({ onWrite }: Told, response: Response, verdicts: readonly LineVerdict[]): void {
  const facts = factsOf(response);
  response.locals['bulk'] = true;
  if (!facts || verdicts.length === 0) return;
  const idsOf = (outcome: string) => verdicts.filter((one) => one.outcome === outcome).map(({ id }) => id);
  const refused = verdicts.filter(({ problem, outcome }) => problem !== undefined || outcome === 'conflict');
  const asked = { requestId: requestIdOf(response), ...facts, id: undefined };
  const accepted = [...idsOf('accepted'), ...idsOf('duplicate')];
  if (accepted.length > 0) onWrite('accepted', { ...asked, ids: accepted });
  if (refused.length === 0) return;
  const lines = refused.slice(0, MOST).map(({ index, outcome, problem }) => {
    return { line: index, is: outcome, pointers: pointersIn(problem) };
  });
  onWrite('refused', { ...asked, count: refused.length, lines });
}

function pointersIn(problems: unknown): readonly string[] | undefined {
  if (!Array.isArray(problems)) return undefined;
  const pointers = (problems as readonly { readonly pointer?: unknown }[]).map(({ pointer }) =>
    typeof pointer === 'string' ? pointer : '',
  );
  return [...new Set(pointers.slice(0, MOST).map((pointer) => shown(pointer) ?? ''))];
}

/** A caller's text can contain a phone number, or a misplaced API key: the log hides both. */
function shown(text: string | undefined): string | undefined {
  return text === undefined
    ? undefined
    : maskPhone(text, 'anybody')
        .replace(/rk_\w+/g, '[hidden]')
        .slice(0, 80);
}

function idIn(answered: unknown): string | undefined {
  if (typeof answered !== 'object' || answered === null || !('id' in answered)) return undefined;
  return typeof answered.id === 'string' ? answered.id : undefined;
}

const isDryRun = (answered: unknown): boolean =>
  typeof answered === 'object' && answered !== null && 'dryRun' in answered && answered.dryRun === true;
