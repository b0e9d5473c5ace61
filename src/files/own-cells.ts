/** What a table has beside the columns that are read: kept as it was written, bounded, and given back. */

/** With what a spreadsheet begins a formula; the wide ones too. */
const SIGN = String.raw`[=+\-@\uff1d\uff0b\uff0d\uff20]`;

/** With spaces in front, it is one too. */
const FORMULA = new RegExp(String.raw`^(?:[\t\r\n]|\s*${SIGN})`);

/** One that is set to another separator than ours begins a cell here: in the midst of a line no quote holds ours together. */
const BEHIND = String.raw`(?<=[,;|\t\r\n]["\s]*)`;
// The sign is looked for first: looked back from each of a thousand spaces, they would be read a thousand times.
const FORMULA_WITHIN = new RegExp(`(?=${SIGN})${BEHIND}`, 'g');
const DEFUSED_WITHIN = new RegExp(`(?='${SIGN})${BEHIND}'`, 'g');

/** Whether a spreadsheet would run it. */
function isFormula(text: string): boolean {
  return FORMULA.test(text);
}

/** A spreadsheet runs what begins like a formula; the apostrophe makes it a text. */
export function defused(text: string): string {
  const within = text.replace(FORMULA_WITHIN, "'");
  return isFormula(within) ? `'${within}` : within;
}

/** Characters of one row. More is no table of people any more, and a million rows of it would be a gigabyte. */
export const OWN_MAX = 1_000;
const HEADING_MAX = 100;
const CUT = '…';

/** `cut`: there was more. */
export function ownCells(written: readonly string[]): { readonly kept: readonly string[]; readonly cut: boolean } {
  let left = OWN_MAX;
  const kept = written.map((text) => {
    const cell = asTyped(text.trim());
    const part = cutTo(cell, Math.max(0, left));
    left -= cell.length;
    return part;
  });
  return { kept, cut: left < 0 };
}

/** A cell that we once wrote so that no spreadsheet runs it comes back as it was. */
export function asTyped(value: string): string {
  if (!value.includes("'")) return value;
  const within = value.startsWith("'") && isFormula(value.slice(1)) ? value.slice(1) : value;
  return within.replace(DEFUSED_WITHIN, '');
}

/** As a report can have it. */
export function headingOf(name: string): string {
  return name
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, HEADING_MAX);
}

/** The heading, or with a number where another column has it: a reader by name gets each. It is taken then. */
export function freeHeading(heading: string, taken: Set<string>): string {
  let name = heading;
  for (let turn = 2; taken.has(name); turn += 1) name = `${heading} (${turn})`;
  taken.add(name);
  return name;
}

function cutTo(cell: string, left: number): string {
  if (cell.length <= left) return cell;
  // Never through the middle of a character of two halves.
  return left === 0 ? '' : `${cell.slice(0, left - 1).replace(/[\ud800-\udbff]$/, '')}${CUT}`;
}
