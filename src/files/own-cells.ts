/** Additional columns of a table: stored as written, limited in length, and returned. */

/** The signs that begin a formula in a spreadsheet, including full-width ones. */
const SIGN = String.raw`[=+\-@\uff1d\uff0b\uff0d\uff20]`;

/** Leading spaces do not prevent a formula. */
const FORMULA = new RegExp(String.raw`^(?:[\t\r\n]|\s*${SIGN})`);

/**
 * In a spreadsheet with another separator than ours, a cell begins here: quotes in the middle of a line do not
 * protect.
 */
const BEHIND = String.raw`(?<=[,;|\t\r\n]["\s]*)`;
// The sign is matched first: a look-behind from each of a thousand spaces would be quadratic.
const FORMULA_WITHIN = new RegExp(`(?=${SIGN})${BEHIND}`, 'g');
const DEFUSED_WITHIN = new RegExp(`(?='${SIGN})${BEHIND}'`, 'g');

/** Whether a spreadsheet would execute it. */
function isFormula(text: string): boolean {
  return FORMULA.test(text);
}

/** A spreadsheet executes cells that begin like a formula; the apostrophe makes it a text. */
export function defused(text: string): string {
  const within = text.replace(FORMULA_WITHIN, "'");
  return isFormula(within) ? `'${within}` : within;
}

/** Characters of one row. A longer one is no table of people, and a million such rows would be a gigabyte. */
export const OWN_MAX = 1_000;
const HEADING_MAX = 100;
const CUT = '…';

/** `cut`: it was truncated. */
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

/** Removes the apostrophe from a cell that relais wrote. */
export function asTyped(value: string): string {
  if (!value.includes("'")) return value;
  const within = value.startsWith("'") && isFormula(value.slice(1)) ? value.slice(1) : value;
  return within.replace(DEFUSED_WITHIN, '');
}

/** In the form for reports. */
export function headingOf(name: string): string {
  return name
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, HEADING_MAX);
}

/** The heading, with a number if another column has it, so that each can be read by name. It counts as used then. */
export function freeHeading(heading: string, taken: Set<string>): string {
  let name = heading;
  for (let turn = 2; taken.has(name); turn += 1) name = `${heading} (${turn})`;
  taken.add(name);
  return name;
}

function cutTo(cell: string, left: number): string {
  if (cell.length <= left) return cell;
  // Never splits a surrogate pair.
  return left === 0 ? '' : `${cell.slice(0, left - 1).replace(/[\ud800-\udbff]$/, '')}${CUT}`;
}
