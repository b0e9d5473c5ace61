import { canonicalName } from '../../lib/template.ts';
import type { FileProblem } from './reasons.ts';
import { fileProblem } from './reasons.ts';

/** The names under which a column of phone numbers is known, in canonical form. */
const PHONE_NAMES = new Set(['phone', 'phonenumber', 'numero', 'numerodetelephone', 'telephone', 'tel', 'msisdn']);

/** Where the number and the values of the text stand in a row. -1: this row has no such cell. */
export interface Layout {
  readonly phone: number;
  readonly variables: readonly { readonly name: string; readonly at: number }[];
}

/** `strict` (CSV, where the header is the law) reports what is missing; JSON lines may bring a column later. */
export function layOut(
  columns: readonly string[],
  wanted: readonly string[] | undefined,
  strict: boolean,
): { readonly layout: Layout; readonly problems: readonly FileProblem[] } {
  const names = columns.map(nameOf);
  const phones = phoneColumns(names);
  const problems: FileProblem[] = [];
  if (strict && phones.length === 0) problems.push(withoutPhone(columns));
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

function phoneColumns(names: readonly string[]): number[] {
  const exact = names.flatMap((name, at) => (name === 'to' ? [at] : []));
  return exact.length > 0 ? exact : names.flatMap((name, at) => (PHONE_NAMES.has(name) ? [at] : []));
}

function namesOfOthers(names: readonly string[], phone: number): string[] {
  return [...new Set(names.filter((name, at) => at !== phone && name !== ''))];
}

function withoutPhone(columns: readonly string[]): FileProblem {
  const looksLikeARow = columns.some((name) => /^[+'\s]*\d[\d\s.-]{6,}$/.test(name));
  if (looksLikeARow) return fileProblem('no_header', { row: 1 });
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
