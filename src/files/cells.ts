/** What the cells of a workbook hold, as the text that a person would have typed. */

/** Of a cell with a formula whose result the file does not hold: only a spreadsheet program can work it out. */
export const NO_RESULT = '#FORMULA!';

/** `#N/A`, in English and in French, and as LibreOffice writes it: a formula failed, and this is no value. */
export function isSpreadsheetError(text: string): boolean {
  if (!text.startsWith('#') && !text.startsWith('Err:')) return false;
  return /^(?:#(?:N\/A|N\/D|REF!|VALUE!|VALEUR!|DIV\/0!|NAME\?|NOM\?|NUM!|NOMBRE!|NULL!|NUL!|SPILL!|CALC!|FORMULA!)|Err:\d{3})$/.test(
    text,
  );
}

/** `771000255.0` and `2.21771000255E11` are 771000255 and 221771000255; a fraction has no more digits than are kept. */
export function plainNumber(written: string): string {
  const value = Number(written);
  if (written.trim() === '' || !Number.isFinite(value)) return written;
  return String(Number.isSafeInteger(value) ? value : Number(value.toPrecision(15)));
}

export type NumberFormat =
  | { readonly is: 'date'; readonly day: boolean; readonly time: boolean }
  /** Shows this many digits at least. */
  | { readonly is: 'padded'; readonly digits: number }
  | { readonly is: 'plain' };

const PLAIN: NumberFormat = { is: 'plain' };

/** The formats that a workbook does not write out, those of dates and times; in every language by the same numbers. */
export function builtInFormat(id: number): NumberFormat {
  const day = (id >= 14 && id <= 17) || id === 22 || (id >= 27 && id <= 36) || (id >= 50 && id <= 58);
  const time = (id >= 18 && id <= 22) || (id >= 45 && id <= 47);
  return day || time ? { is: 'date', day, time } : PLAIN;
}

/** `dd/mm/yyyy`, `0#" "##" "##" "##" "##`. */
export function readFormat(code: string): NumberFormat {
  const [first = ''] = code.split(';');
  const bare = first.replace(/"[^"]*"|\\.|_.|\*./g, '').replace(/\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi, '');
  if (/[dyhms]/i.test(bare) && !/general|[0#?]/i.test(bare.replace(/\.0+/g, ''))) {
    return { is: 'date', day: /[dy]/i.test(bare), time: /[hs]/i.test(bare) };
  }
  // What stands behind the first 0 is shown even where it is #.
  const padded = /^#*(0[0#]*)$/.exec(bare.replace(/[\s\u00a0\u202f.()/-]/g, ''));
  const digits = padded?.[1]?.length ?? 0;
  return digits > 1 && !/\.0/.test(bare) ? { is: 'padded', digits } : PLAIN;
}

export function showNumber(written: string, format: NumberFormat, since1904: boolean): string {
  const plain = plainNumber(written);
  if (format.is === 'padded') return /^\d+$/.test(plain) ? plain.padStart(format.digits, '0') : plain;
  const value = Number(written);
  // The last day that a spreadsheet knows is the end of the year 9999.
  if (format.is === 'plain' || !(value >= 0 && value < 2_958_466)) return plain;
  const time = format.time && (value % 1 > 0 || !format.day);
  // Day 60 is the 29th of February 1900, which never was.
  const days = since1904 ? value + 1_462 : value < 60 ? value + 1 : value;
  const at = new Date(Math.round((days - 25_569) * 86_400) * 1_000);
  return showMoment(at.toISOString(), { day: format.day && value >= 1, time });
}

/** `2026-11-30T14:30:00` → `30/11/2026 14:30`, as people here write it. */
export function showMoment(iso: string, { day, time }: { readonly day: boolean; readonly time: boolean }): string {
  const [, date, clock] = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}))?/.exec(iso) ?? [];
  if (date === undefined) return iso;
  return [...(day ? [date.split('-').toReversed().join('/')] : []), ...(time && clock ? [clock] : [])].join(' ');
}
