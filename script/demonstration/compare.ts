/**
 * What was asked and how we reported it, against the books of the service. Pure, and it believes the books alone: a
 * record that says `sent` proves nothing, a line of the books does.
 */

/** One thing that was asked: a text to a person, or an amount to a beneficiary. */
export interface AskedLine {
  /** Who gets it. Asked once each. */
  readonly who: string;
  /** The text, or the amount. */
  readonly what: string;
  /** The state of our record now. */
  readonly reported: string;
}

/** One line of the books. */
export interface BookedLine {
  readonly who: string;
  readonly what: string;
  /** How often it took effect. 0: it was asked for, and refused or never carried out. */
  readonly times: number;
}

export interface Verdict {
  readonly asked: number;
  readonly once: number;
  readonly twice: number;
  readonly never: number;
  /** How many of what was asked are reported in which state. */
  readonly reported: Readonly<Record<string, number>>;
  /** Of those that we do not know the end of: how many the books have once, and how many they do not have. */
  readonly inDoubt: { readonly once: number; readonly never: number };
  /** Each line that is not as it should be, in a sentence. Empty: every request took effect as it was reported, and none twice. */
  readonly problems: readonly string[];
}

/** What a final state claims about the books. A state that is not named here is not final. */
const CLAIMS: Readonly<Record<string, 'once' | 'never' | 'in doubt'>> = {
  sent: 'once',
  succeeded: 'once',
  failed: 'never',
  rejected: 'never',
  cancelled: 'never',
  expired: 'never',
  unknown: 'in doubt',
  needs_review: 'in doubt',
};

export function compare(asked: readonly AskedLine[], books: readonly BookedLine[]): Verdict {
  const booked = byPerson(books);
  const people = new Set(asked.map(({ who }) => who));
  const lines = asked.map((line) => ({ ...line, times: timesOf(line, booked), claim: CLAIMS[line.reported] }));
  const strangers = books.filter(({ who, times }) => times > 0 && !people.has(who));
  const doubtful = lines.filter(({ claim }) => claim === 'in doubt');
  return {
    asked: asked.length,
    once: lines.filter(({ times }) => times === 1).length,
    twice: lines.filter(({ times }) => times > 1).length,
    never: lines.filter(({ times }) => times === 0).length,
    reported: countBy(lines.map(({ reported }) => reported)),
    inDoubt: {
      once: doubtful.filter(({ times }) => times === 1).length,
      never: doubtful.filter(({ times }) => times === 0).length,
    },
    problems: [
      ...repeated(asked),
      ...lines.flatMap((line) => [...problemOf(line), ...otherThings(line, booked)]),
      ...strangers.map(({ who, what }) => `${who}: “${what}” took effect, and nobody asked for it`),
    ],
  };
}

type Book = ReadonlyMap<string, readonly BookedLine[]>;

function byPerson(books: readonly BookedLine[]): Book {
  const people = new Map<string, BookedLine[]>();
  for (const line of books) {
    const lines = people.get(line.who);
    if (lines) lines.push(line);
    else people.set(line.who, [line]);
  }
  return people;
}

function timesOf({ who, what }: AskedLine, booked: Book): number {
  const same = (booked.get(who) ?? []).filter((line) => line.what === what);
  return same.reduce((sum, { times }) => sum + times, 0);
}

function problemOf(line: AskedLine & { readonly times: number; readonly claim: string | undefined }): string[] {
  const { who, what, reported, times, claim } = line;
  const say = (truth: string): string[] => [`${who}: “${what}” ${truth}, reported as ${reported}`];
  if (times > 1) return say(`took effect ${times} times`);
  if (claim === undefined) return say(`is not over (${times} in the books)`);
  if (claim === 'never' && times === 1) return say('took effect');
  if (claim !== 'never' && times === 0) return say('never took effect');
  return [];
}

/** Something else than was asked is wrong whatever happened to what was asked. */
function otherThings({ who, what }: AskedLine, booked: Book): string[] {
  const others = (booked.get(who) ?? []).filter((line) => line.times > 0 && line.what !== what);
  return others.map((other) => `${who}: “${other.what}” took effect, where “${what}” was asked for`);
}

/** The books can tell lines apart by person only, so nobody may be asked for twice. */
function repeated(asked: readonly AskedLine[]): string[] {
  const counts = Object.entries(countBy(asked.map(({ who }) => who)));
  return counts.filter(([, count]) => count > 1).map(([who, count]) => `${who}: is on our own list ${count} times`);
}

function countBy(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}
