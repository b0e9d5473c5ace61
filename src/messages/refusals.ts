/**
 * What the API refuses with, and why a process does not start. Both are English on the wire and in logs; a command that
 * speaks French says them in French, by the sentence, since no more than that is handed on.
 */
import { englishFile } from './english-file.ts';
import { frenchFile } from './french-file.ts';
import { frenchRefusals } from './french-refusals.ts';
import { frenchStarts } from './french-starts.ts';
import { type Values, filled, readBack } from './said.ts';
import { typeset, typesetAll } from './typography.ts';

export const translatedRefusals = typesetAll({
  ...frenchRefusals,
  ...frenchStarts,
  ...under(englishFile.reasons, frenchFile.reasons),
  ...under(englishFile.problems, frenchFile.problems),
});

/** What the catalogue of files has in both languages; the API says it in English. */
function under<Name extends string>(said: Record<Name, string>, inFrench: Record<Name, string>) {
  return Object.fromEntries((Object.keys(said) as Name[]).map((name) => [said[name], inFrench[name]]));
}

const literal = (sentence: string): number => sentence.replace(/\{\w\}/g, '').length;

/** Those with something in them, the most particular first. */
const open = Object.keys(translatedRefusals)
  .filter((sentence) => /\{\w\}/.test(sentence))
  .toSorted((one, other) => literal(other) - literal(one));

/** Undefined: it has no French, as the words of a proxy or of a newer relais. */
export function refusalInFrench(text: string): string | undefined {
  return exactly(text) ?? withSomething(text) ?? afterName(text) ?? inParts(text);
}

/** Line by line; a line without French stays as it is. */
export function refusalsInFrench(text: string): string {
  return text
    .split('\n')
    .map((line) => {
      const [, before = '', said = ''] = /^(\s*(?:- )?)(.*)$/.exec(line) ?? [];
      return before + (refusalInFrench(said) ?? said);
    })
    .join('\n');
}

function exactly(text: string): string | undefined {
  return Object.hasOwn(translatedRefusals, text) ? translatedRefusals[text] : undefined;
}

function withSomething(text: string): string | undefined {
  for (const sentence of open) {
    const values = readBack(sentence, text);
    if (values !== undefined) return filled(translatedRefusals[sentence] ?? text, spoken(values));
  }
  return undefined;
}

/** What stands in a sentence may be one too. */
function spoken(values: Values): Values {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const [, before = '', text = ''] = /^(\s*)(.*)$/s.exec(String(value)) ?? [];
      const said = refusalInFrench(text);
      return [name, said === undefined ? value : before + said];
    }),
  );
}

/** `API_PORT: must be a whole number`. */
function afterName(text: string): string | undefined {
  const [, name, rest = ''] = /^([^\s:]+): (.+)$/s.exec(text) ?? [];
  const said = name === undefined ? undefined : refusalInFrench(rest);
  return said === undefined ? undefined : typeset(`${name} : ${said}`);
}

function inParts(text: string): string | undefined {
  const parts = text.split('; ');
  const said = parts.flatMap((part) => (parts.length < 2 ? [] : (refusalInFrench(part) ?? [])));
  return said.length > 0 && said.length === parts.length ? typeset(said.join(' ; ')) : undefined;
}
