/** French typography. The catalogues use plain spaces, which become non-breaking here. */
const NO_BREAK = '\u00a0';
const NARROW = '\u202f';

/** U+00A0 before a colon and inside « », U+202F before ; ? ! and between the digits of a number. */
export function typeset(french: string): string {
  return french
    .replace(/ (?=[:»])/g, NO_BREAK)
    .replace(/« /g, `«${NO_BREAK}`)
    .replace(/ (?=[;?!](?!\w))/g, NARROW)
    .replace(/(?<=\b\d{1,3}(?: \d{3})*) (?=\d{3}(?!\d))/g, NARROW);
}

export function typesetAll(table: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(table).map(([english, french]) => [english, typeset(french)]));
}
