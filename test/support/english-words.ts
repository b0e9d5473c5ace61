/**
 * Common English words that French sentences lack. Typed texts and API names are removed first: `is`, `on` and `or`
 * also occur in French, or in names.
 */
export const ENGLISH_WORDS =
  /(?<![\p{L}\d_./=:-])(the|is|are|was|were|be|been|not|of|and|or|with|without|cannot|can|must|may|this|that|these|those|it|its|to|from|for|by|at|has|have|had|which|what|who|when|where|than|then|there|here|no|nobody|nothing|only|again|until|write|send|ask|see|let|give|needs?|too|into|out|already|still|yet|will|would|should|so|if|as|but|does|do|did|one|each|every|all|any|more|most|least|such|other|another)(?![\p{L}\d_/=:-])/iu;

/** The lines of a French screen with an English word, without typed texts. */
export function englishLines(screen: string, typed: RegExp = /(?!)/g): readonly string[] {
  const wire = /`[^`]*`|« [^»]* »|--[a-z-]+|\b[a-z]+(?:[_.:/-][a-zA-Z\d_.:/-]+)+|\b[A-Z][A-Z_]{2,}\b/g;
  return screen.split('\n').filter((line) => ENGLISH_WORDS.test(line.replace(typed, '').replace(wire, '')));
}
