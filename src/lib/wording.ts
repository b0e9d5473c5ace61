import { cheaperText } from './transliterate.ts';
import { compileTemplate, renderText } from './template.ts';

/** What a campaign says, and how: what is checked, what is sent and what is reported all come from here. */
export interface Wording {
  /** Canonical names, each once, in the order of their first use. */
  readonly variables: readonly string[];
  /** Those of them that need no value, since the text has a default for them. */
  readonly optional: ReadonlySet<string>;
  /** The text as it goes out to one recipient; `vars` by canonical name. */
  textFor(vars: Readonly<Record<string, string>>): string;
  /** The same from the values alone, in the order of `variables`. */
  textOf(values: readonly string[]): string;
}

export interface Words {
  readonly text: string;
  /** Characters that make a text dear are replaced by look-alikes, in the text and in the values. */
  readonly replaceCostly?: boolean | undefined;
}

/** Throws an UnusableTemplate when the braces of the text do not match. */
export function wordingOf({ text, replaceCostly = false }: Words): Wording {
  const template = compileTemplate(text);
  const textFor: Wording['textFor'] = replaceCostly
    ? (vars) => cheaperText(renderText(template, vars))
    : (vars) => renderText(template, vars);
  const { variables, optional, parts, defaults } = template;
  /** Which of the values stands after each literal, in order. */
  const places = parts.flatMap((part, at) => (at % 2 === 1 ? [variables.indexOf(part)] : []));
  const rendered = (values: readonly string[]): string => {
    let said = parts[0] ?? '';
    for (const [turn, place] of places.entries())
      said += (values[place] || (defaults[turn] ?? '')) + (parts[2 * turn + 2] ?? '');
    return said;
  };
  const textOf: Wording['textOf'] = replaceCostly ? (values) => cheaperText(rendered(values)) : rendered;
  return { variables, optional, textFor, textOf };
}
