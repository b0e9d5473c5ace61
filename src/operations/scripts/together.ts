/**
 * One script for all who ask the same of Redis in one turn of the event loop, each about a record of its own. Attempts
 * that were answered together go on together; asked one by one, they would repeat the same thirty words each.
 *
 * Each has its own verdict, and what is wrong with one record fails nobody but who asked about it. What fails for all
 * of them is a refusal of Redis, and is told in its words: a connection goes by their first one.
 */
import type { Redis } from 'ioredis';
import { batchPerTick } from '../../redis/connections.ts';
import { type Script, runScript } from './script.ts';

type Word = string | number;

/** What one of them asks. */
export interface Ask {
  /** The same for all who share a script: whoever differs in any of these words gets another one. */
  readonly shared: { readonly keys: readonly string[]; readonly words: readonly Word[] };
  /** Of its own record. */
  readonly key: string;
  readonly words: readonly Word[];
  /** More keys of its own: it is asked alone then. */
  readonly moreKeys?: readonly string[];
}

interface Asked extends Ask {
  readonly resolve: (answered: Answered) => void;
  readonly reject: (error: unknown) => void;
}

/** Redis does nothing else meanwhile: so many take it a few ms. */
const MOST = 32;

/**
 * Calls `step` for each: with its key, the place of its first word in ARGV and their number. The shared keys are
 * KEYS[1..shared_keys], the shared words begin at ARGV[4]; what follows the keys of the records belongs to the only
 * one.
 *
 * ARGV number of shared keys, number of records, number of shared words, the shared words; then for each record the
 *      number of its words, and the words
 */
export const TOGETHER = `
local shared_keys, records = tonumber(ARGV[1]), tonumber(ARGV[2])
local function each(step)
  local answers, place, failed, refused = {}, 4 + tonumber(ARGV[3]), 0, nil
  for i = 1, records do
    local words = tonumber(ARGV[place])
    local done, answer = pcall(step, KEYS[shared_keys + i], place + 1, words)
    if not done then
      failed = failed + 1
      answer = {'error', type(answer) == 'table' and answer.err or tostring(answer)}
      refused = refused or answer[2]
    end
    answers[i] = answer
    place = place + 1 + words
  end
  return answers, failed == records and refused or nil
end
`;

/** What is the same for all who shared the script, and what became of this one. */
export type Answered = readonly [common: unknown, own: unknown];

/** Shared words that are known only when the script is sent, so that a request of a moment earlier still shares it. */
type Late = () => readonly Word[];

/** Asks in one script with all who ask in the same turn. The script answers what is common to all, and a list of each. */
export function together(redis: Redis, script: Script, late: Late = () => []): (ask: Ask) => Promise<Answered> {
  const collect = batchPerTick<Asked>(redis, (asked) => askAll({ redis, script, late }, asked));
  return (ask) => new Promise((resolve, reject) => collect({ ...ask, resolve, reject }));
}

interface Sending {
  readonly redis: Redis;
  readonly script: Script;
  readonly late: Late;
}

async function askAll(sending: Sending, asked: readonly Asked[]): Promise<void> {
  await Promise.all([...alike(asked)].map((group) => askGroup(sending, group)));
}

/** Those who may share a script, in the order in which they asked. */
function alike(asked: readonly Asked[]): Asked[][] {
  const groups: Asked[][] = [];
  const open = new Map<string, Asked[]>();
  for (const one of asked) {
    const name = one.moreKeys ? undefined : `${one.shared.keys.join(' ')}\n${one.shared.words.join('\n')}`;
    const group = name === undefined ? undefined : open.get(name);
    if (group && group.length < MOST) {
      group.push(one);
      continue;
    }
    const begun = [one];
    groups.push(begun);
    if (name !== undefined) open.set(name, begun);
  }
  return groups;
}

async function askGroup(sending: Sending, group: readonly Asked[]): Promise<void> {
  try {
    const [common, own] = await send(sending, group);
    for (const [index, { resolve, reject }] of group.entries()) {
      const failure = failureIn(own[index]);
      if (failure === undefined) resolve([common, own[index]]);
      else reject(new Error(failure));
    }
  } catch (error) {
    for (const { reject } of group) reject(error);
  }
}

/** What went wrong with the record of one of them, in the words of Redis. */
function failureIn(answer: unknown): string | undefined {
  const [is, failure] = Array.isArray(answer) ? (answer as unknown[]) : [];
  return is === 'error' ? String(failure) : undefined;
}

function send({ redis, script, late }: Sending, group: readonly Asked[]): Promise<readonly [unknown, unknown[]]> {
  const [first] = group;
  const { keys = [], words: early = [] } = first?.shared ?? {};
  const words = [...early, ...late()];
  const asked: Word[] = [keys.length, group.length, words.length, ...words];
  const called = [...keys];
  for (const { key, words: own } of group) {
    called.push(key);
    asked.push(own.length, ...own);
  }
  called.push(...(first?.moreKeys ?? []));
  return runScript(redis, script, called, asked) as Promise<readonly [unknown, unknown[]]>;
}
