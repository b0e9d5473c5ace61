/**
 * Small words that no English sentence goes without, and that no French one has. What is typed and what is on the wire is
 * taken out before: `is`, `on` and `or` are French too, in part, or stand in names.
 */
export const ENGLISH_WORDS =
  /(?<![\p{L}\d_./=:-])(the|is|are|was|were|be|been|not|of|and|or|with|without|cannot|can|must|may|this|that|these|those|it|its|to|from|for|by|at|has|have|had|which|what|who|when|where|than|then|there|here|no|nobody|nothing|only|again|until|write|send|ask|see|let|give|needs?|too|into|out|already|still|yet|will|would|should|so|if|as|but|does|do|did|one|each|every|all|any|more|most|least|such|other|another)(?![\p{L}\d_/=:-])/iu;

/** What a person reads on a French screen and does not understand: the lines with such a word, what was typed taken out. */
export function englishLines(screen: string, typed: RegExp = /(?!)/g): readonly string[] {
  const wire = /`[^`]*`|« [^»]* »|--[a-z-]+|\b[a-z]+(?:[_.:/-][a-zA-Z\d_.:/-]+)+|\b[A-Z][A-Z_]{2,}\b/g;
  return screen.split('\n').filter((line) => ENGLISH_WORDS.test(line.replace(typed, '').replace(wire, '')));
}
