import { type FileProblem, fileProblem } from '../../files/problems.ts';
import { canonicalName } from '../../lib/wording.ts';

/** A number has many names in an office: `Tél. portable`, `N° WhatsApp`, `Phone 1 - Value` as Google exports it. */
const KINDS =
  'tel|telephone|telephonique|phone|mobile|portable|gsm|whatsapp|cell|cellphone|cellulaire|msisdn|contact';
const PHONE = new RegExp(
  `^(?:n|no|num|numeros?)?(?:de|du)?(?:(?:${KINDS})(?:de|du)?){1,2}(?:number|numero|no|num|s)?1?(?:value)?$`,
);
/** These may also be a person, or a number of the list; they count where no better name is there. */
const WEAK = new Set(['contact', 'contacts', 'num']);

/** 0: no number; the higher the better. */
function phoneRank(name: string): number {
  const plain = canonicalName(name)
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]/gu, '');
  if (plain === 'to') return 3;
  if (WEAK.has(plain)) return 1;
  return plain === 'numero' || plain === 'numeros' || PHONE.test(plain) ? 2 : 0;
}

/** Tells the header among the first rows of a file: it names the numbers, and has none. */
export function headerFinder(phoneColumn: string | undefined): (cells: readonly string[]) => boolean {
  const named = phoneColumn === undefined ? undefined : canonicalName(phoneColumn);
  return (cells) => {
    const filled = cells.filter((cell) => cell !== '');
    if (filled.some(looksLikeNumber)) return false;
    if (named !== undefined) return filled.some((cell) => canonicalName(cell) === named);
    // A title may say `Contacts`, alone in its row.
    return filled.some((cell) => phoneRank(cell) > (filled.length === 1 ? 1 : 0));
  };
}

function looksLikeNumber(cell: string): boolean {
  return /^[+'\s(]*\d[\d\s.()/-]{6,}$/.test(cell);
}

/** Where the number and the values of the text stand in a row. -1: this row has no such cell. */
export interface Layout {
  readonly phone: number;
  readonly variables: readonly { readonly name: string; readonly at: number }[];
}

export interface LayoutOptions {
  /** The variables of the text; absent: every other column. */
  readonly wanted: readonly string[] | undefined;
  /** CSV and workbooks, where the header is the law, report what is missing; JSON lines may bring a column later. */
  readonly strict: boolean;
  readonly phoneColumn: string | undefined;
}

export function layOut(
  columns: readonly string[],
  { wanted, strict, phoneColumn }: LayoutOptions,
): { readonly layout: Layout; readonly problems: readonly FileProblem[] } {
  const names = columns.map(nameOf);
  const phones = phoneColumn === undefined ? phoneColumns(columns) : placesOf(canonicalName(phoneColumn), names);
  const problems: FileProblem[] = [];
  if (strict && phones.length === 0) problems.push(withoutPhone(columns, phoneColumn));
  if (phones.length > 1)
    problems.push(fileProblem('several_phone_columns', { detail: phones.map((at) => columns[at]).join(', ') }));
  const phone = phones[0] ?? -1;
  const used = wanted ?? namesOfOthers(names, phone);
  if (strict && wanted) problems.push(...wanted.flatMap((name) => problemsOf(name, names, columns)));
  return { layout: { phone, variables: used.map((name) => ({ name, at: names.indexOf(name) })) }, problems };
}

/** `__proto__` cannot be a key of a plain record; its column counts as one without a name, which no text can use. */
function nameOf(column: string): string {
  const name = canonicalName(column);
  return name === '__proto__' ? '' : name;
}

function phoneColumns(columns: readonly string[]): number[] {
  const ranks = columns.map(phoneRank);
  const best = Math.max(0, ...ranks);
  return best === 0 ? [] : ranks.flatMap((rank, at) => (rank === best ? [at] : []));
}

function placesOf(name: string, names: readonly string[]): number[] {
  return names.flatMap((candidate, at) => (candidate === name ? [at] : []));
}

function namesOfOthers(names: readonly string[], phone: number): string[] {
  return [...new Set(names.filter((name, at) => at !== phone && name !== ''))];
}

function withoutPhone(columns: readonly string[], phoneColumn: string | undefined): FileProblem {
  if (phoneColumn === undefined && columns.some(looksLikeNumber)) return fileProblem('no_header', { row: 1 });
  return fileProblem('no_phone_column', { detail: `columns: ${columns.slice(0, 20).join(', ')}` });
}

function problemsOf(name: string, names: readonly string[], columns: readonly string[]): FileProblem[] {
  const first = names.indexOf(name);
  if (first === -1) {
    const offered = columns.slice(0, 20).join(', ');
    return [fileProblem('missing_column', { detail: `{{${name}}}; columns: ${offered}` })];
  }
  return names.includes(name, first + 1) ? [fileProblem('duplicate_column', { detail: columns[first] ?? name })] : [];
}

/** Other ways to write a variable: of other programs, and with the key pressed once. */
const LOOKALIKES = [
  /(?<!\{)\{([^{}\n]{1,40})\}(?!\})/g,
  /«\s*([^«»\n]{1,40}?)\s*»/g,
  /\[([^[\]\n]{1,40})\]/g,
  /<([^<>\n]{1,40})>/g,
  /%([^%\n]{1,40})%/g,
] as const;

/** What stands in a text and looks like a variable that is none: it would go out as it is written. */
export function probablyMeant(
  text: string,
  columns: readonly string[],
): readonly { readonly written: string; readonly meant: string }[] {
  const names = new Set(columns.map(nameOf));
  const found = LOOKALIKES.flatMap((pattern, turn) =>
    [...text.matchAll(pattern)].flatMap(([written, inside = '']) => {
      // A single brace means a variable everywhere; the others are signs of their own right.
      const isName = turn === 0 && /^\s*\p{L}[\p{L}\p{N}_ .-]*$/u.test(inside);
      if (!isName && !names.has(canonicalName(inside))) return [];
      return [{ written, meant: `{{${inside.trim()}}}` }];
    }),
  );
  return found.filter(({ written }, at) => found.findIndex((one) => one.written === written) === at);
}
