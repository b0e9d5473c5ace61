/**
 * What is asked of the tree, what the goal is, and how it is counted. A probe names something that stands in the
 * sources today; when that is gone or renamed, it says so instead of counting none, and is changed here.
 */
import { followId, privateFunctions } from './calls.ts';
import { cyclesOf } from './cycles.ts';
import { type SourceFile, isGenerated, isSandbox } from './tree.ts';
import * as words from './words.ts';

interface Counted {
  readonly today: number;
  /** Where, so that a figure can be looked into. */
  readonly where: readonly string[];
}

export interface Question {
  readonly question: string;
  /** At most; absent where a figure is looked at and not aimed at. */
  readonly goal?: number;
  /** None of it would mean that the counter has lost what it looked for. */
  readonly neverNone?: true;
  readonly count: (house: House) => Counted;
}

export interface House {
  /** What people read and change in src, without the double of the service. */
  readonly code: readonly SourceFile[];
  /** With it. */
  readonly everything: readonly SourceFile[];
}

export function houseOf(tree: readonly SourceFile[]): House {
  const everything = tree.filter((file) => !isGenerated(file));
  return { everything, code: everything.filter((file) => !isSandbox(file)) };
}

const inFiles = (where: readonly string[]): Counted => ({ today: new Set(where).size, where });
const inAll = (today: number): Counted => ({ today, where: [] });

/** A word for each in a language is no second list: a test asks for the word of every one. */
const isLanguage = ({ path }: SourceFile): boolean => path.startsWith('src/messages/');

const factOf = (name: string, fact: words.Fact): Question => ({
  question: `files that write down: ${name}`,
  goal: 1,
  neverNone: true,
  count: ({ code }) =>
    inFiles(
      words.filesThatList(
        code.filter((file) => !isLanguage(file)),
        fact,
      ),
    ),
});

const facts: readonly Question[] = [
  {
    question: 'files that write down: an id prefix (dcr), or a list of them',
    goal: 1,
    neverNone: true,
    count: ({ code }) =>
      inFiles([
        ...words.filesThatSpell(code, 'dcr'),
        ...words.filesThatList(code, { words: ['dsb', 'msg', 'cmp', 'inv', 'prq', 'dcr', 'chk', 'bat'], atLeast: 2 }),
      ]),
  },
  factOf('hold areas', { words: ['payments', 'messaging', 'direct_credit'], atLeast: 3 }),
  factOf('campaign bins', {
    words: ['queued', 'held', 'sending', 'sent', 'failed', 'unknown', 'skipped', 'expired', 'cancelled'],
    atLeast: 9,
  }),
  factOf('event types', { words: ['direct_credit.rejected', 'direct_credit.failed'], atLeast: 2 }),
  factOf('answer fields of a disbursement', {
    words: ['accountAlias', 'withdrawMode', 'disburseId', 'transactionId'],
    atLeast: 4,
  }),
  {
    question: 'files that write down: the path of a route (rotate-secret)',
    goal: 1,
    neverNone: true,
    count: ({ code }) => inFiles(words.filesWith(code, /(:id|\{id\})\/rotate-secret/)),
  },
];

const SETTING = { name: 'SMS_SETTLE_DELAY', member: 'settleDelayMs' };

/** The files that declare the setting or hand it on under a name of theirs; those that then use it count as one. */
function placesOfSetting({ code }: House): Counted {
  const spelt = words.filesThatSpell(code, SETTING.name);
  const handed = words.filesThatDeclare(code, SETTING.member);
  const places = [...new Set([...spelt, ...handed])];
  const users = words.filesThatSpell(code, SETTING.member).filter((path) => !places.includes(path));
  return inFiles(spelt.length === 0 ? [] : [...places, ...users.slice(0, 1)]);
}

/** Declared for the document, read from the request, offered by the command; or all of it at once. */
const STATE_FILTER = [
  /\bstate: z\.enum\(statesOf\('disbursement'\)\)\.optional/,
  /queryText\(\w+, 'state'\)[^]*statesOf\('disbursement'\)/,
  /'--state <state>',[^]*relais disburse list/,
  /\bstate: z\s*\.array\(z\.enum\(statesOf\(kind\)\)\)/,
];

const names: readonly Question[] = [
  {
    question: 'files that name a kind of operation (direct_credit)',
    goal: 9,
    neverNone: true,
    count: ({ code }) => inFiles(words.filesWith(code, /direct[_-]credit|[dD]irectCredit/)),
  },
  {
    question: `files a setting goes through to a processor (${SETTING.name})`,
    goal: 2,
    neverNone: true,
    count: placesOfSetting,
  },
  {
    question: 'files that spell an HTTP filter (state of GET /v1/disbursements)',
    goal: 1,
    neverNone: true,
    count: ({ code }) => inFiles(STATE_FILTER.flatMap((pattern) => words.filesWith(code, pattern))),
  },
  {
    question: 'files that spell an event type (direct_credit.rejected)',
    goal: 1,
    neverNone: true,
    count: ({ code }) => inFiles(words.filesThatSpell(code, 'direct_credit.rejected')),
  },
  ...facts,
];

const PROCESSORS = 'src/processors/';

/** The function that gets the messages with an unclear result. */
const MESSAGE_STARTS = [{ path: `${PROCESSORS}sms/message-checks.ts`, name: 'checkMessages' }];

const journey = once(({ code }) =>
  followId(
    code.filter(({ path }) => path.startsWith(PROCESSORS)),
    MESSAGE_STARTS,
  ),
);

const ownFunctions = once(({ code }) => privateFunctions(code));

/** For two figures that come from one look. */
function once<Seen>(look: (house: House) => Seen): (house: House) => Seen {
  const seen = new WeakMap<House, { readonly it: Seen }>();
  return (house) => {
    const { it } = seen.get(house) ?? { it: look(house) };
    seen.set(house, { it });
    return it;
  };
}

const reading: readonly Question[] = [
  {
    question: 'following a message in doubt through processors/: jumps into another file',
    goal: 14,
    neverNone: true,
    count: (house) => {
      const { entries } = journey(house);
      return { today: entries.length, where: entries.map(({ path, name }) => `${path} ${name}`) };
    },
  },
  {
    question: '… of these, into a file that was entered before',
    goal: 3,
    count: (house) => inAll(journey(house).again),
  },
  {
    question: 'private functions',
    neverNone: true,
    count: (house) => inAll(ownFunctions(house).all),
  },
  { question: '… of these, called exactly once', count: (house) => inAll(ownFunctions(house).once) },
  {
    question: 'comments with whom, whoever',
    goal: 0,
    count: ({ everything }) => inAll(words.commentsWith(everything, /\b(whom|whoever)\b/i)),
  },
  { question: 'comments with who', count: ({ everything }) => inAll(words.commentsWith(everything, /\bwho\b/i)) },
];

const shape: readonly Question[] = [
  {
    question: 'circles of files that import each other (types included)',
    goal: 0,
    count: ({ everything }) => inCircles(cyclesOf(everything, { types: true })),
  },
  {
    question: 'circles of files that import each other when it runs',
    goal: 0,
    count: ({ everything }) => inCircles(cyclesOf(everything, { types: false })),
  },
  {
    question: 'lines in src',
    goal: 33_000,
    neverNone: true,
    count: ({ everything }) => inAll(words.occurrences(everything.filter(counts), /\n/g)),
  },
  {
    question: 'files in src',
    neverNone: true,
    count: ({ everything }) => inAll(everything.filter(counts).length),
  },
];

const inCircles = (circles: readonly (readonly string[])[]): Counted => ({
  today: circles.length,
  where: circles.map((members) => members.join(' ')),
});

/** What is new beside the same work is not held against it. */
const counts = ({ path }: SourceFile): boolean => !path.startsWith('src/console/');

const casts: readonly Question[] = [
  { question: 'as unknown as', goal: 0, count: ({ code }) => all(words.castTwice(code)) },
  { question: 'dropped answers of settle', goal: 0, count: ({ code }) => all(words.droppedAnswers(code)) },
];

const all = (where: readonly string[]): Counted => ({ today: where.length, where });

export const questions: readonly Question[] = [
  ...reading.slice(0, 2),
  ...names,
  ...casts,
  ...shape,
  ...reading.slice(2),
];
