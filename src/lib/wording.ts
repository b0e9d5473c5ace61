import { type Measured, type Piece, measured, pieceOf } from './measure.ts';
import { cheaperText } from './segments.ts';
import { type SmsFault, smsFaultOf } from './sms-text.ts';
import { readDefault } from './template-default.ts';

/** The text of a campaign with its options, shared by checks, sending and reports. */
export interface Wording {
  /** Distinct canonical names, in order of first use. */
  readonly variables: readonly string[];
  /** Variables that have a default and need no value. */
  readonly optional: ReadonlySet<string>;
  /** The text for one recipient; `vars` by canonical name. */
  textFor(vars: Readonly<Record<string, string>>): string;
  /** The text from the values alone, in the order of `variables`. */
  textOf(values: readonly string[]): string;
  /** The cost of the text for one recipient, without building it. */
  measure(vars: Readonly<Record<string, string>>): Measured;
}

export interface Words {
  readonly text: string;
  /** Characters that make a text expensive are replaced by look-alikes, in the text and in the values. */
  readonly replaceCostly?: boolean | undefined;
}

/** Throws an UnusableTemplate if the braces of the text do not match. */
export function wordingOf({ text, replaceCostly = false }: Words): Wording {
  const template = compileTemplate(text);
  const textFor: Wording['textFor'] = replaceCostly
    ? (vars) => cheaperText(renderText(template, vars))
    : (vars) => renderText(template, vars);
  const { variables, optional, parts, defaults } = template;
  /** The index of the value after each literal, in order. */
  const places = parts.flatMap((part, at) => (at % 2 === 1 ? [variables.indexOf(part)] : []));
  const rendered = (values: readonly string[]): string => {
    let said = parts[0] ?? '';
    for (const [turn, place] of places.entries())
      said += (values[place] || (defaults[turn] ?? '')) + (parts[2 * turn + 2] ?? '');
    return said;
  };
  const textOf: Wording['textOf'] = replaceCostly ? (values) => cheaperText(rendered(values)) : rendered;
  /** Literals and defaults, measured at first use. */
  let common: readonly Piece[] | undefined;
  const measure: Wording['measure'] = (vars) => {
    common ??= parts.map((part, at) => pieceOf(at % 2 === 1 ? (defaults[(at - 1) / 2] ?? '') : part));
    const pieces = common.map((piece, at) => {
      const value = at % 2 === 1 ? vars[parts[at] ?? ''] : undefined;
      return value ? pieceOf(value) : piece;
    });
    return measured(pieces, replaceCostly);
  };
  return { variables, optional, textFor, textOf, measure };
}

/** Names of columns and variables are compared without accents, case and spaces. `Prénom ` → `prenom`. */
export function canonicalName(name: string): string {
  return name
    .normalize('NFD')
    .replace(/[\p{M}\s\p{Default_Ignorable_Code_Point}]/gu, '')
    .toLowerCase();
}

/** A text with `{{variables}}` and `{{variables|defaults}}`, parsed once and rendered for every recipient. */
interface Template {
  readonly text: string;
  /** Distinct canonical names (see `canonicalName`), in order of first use. */
  readonly variables: readonly string[];
  /** Literals and variables alternate: literals at 0, 2, 4 …, variables at 1, 3, 5 … */
  readonly parts: readonly string[];
  /** The default of each variable of `parts`, in the same order. */
  readonly defaults: readonly string[];
  /** Variables that have a default at each use: their values are optional. */
  readonly optional: ReadonlySet<string>;
  /** Variables, as written, whose default is code of another template language. */
  readonly notUnderstood: readonly string[];
}

const WRONG = {
  braces: 'braces do not match',
  noName: 'a variable has no name',
  filter: 'this is no default; write {{name|word}}, or the word in quotes',
  blank: 'nothing in it can be seen',
  controls: 'it contains control characters',
  half: 'it contains half of a character',
} as const satisfies Record<SmsFault | 'braces' | 'noName' | 'filter', string>;

export class UnusableTemplate extends Error {
  override readonly name = 'UnusableTemplate';
  readonly code: keyof typeof WRONG;
  /** The position in the text. */
  readonly about: string;

  constructor(code: keyof typeof WRONG, about: string) {
    super(`${WRONG[code]}: “${about}”`);
    this.code = code;
    this.about = about;
  }
}

/**
 * For a new text: throws an UnusableTemplate for everything that recipients would read differently from its
 * intention. `compileTemplate` still reads a text that was accepted earlier.
 */
export function requireUsable(text: string): void {
  const { notUnderstood } = compileTemplate(text);
  const fault = text === '' ? undefined : smsFaultOf(text);
  if (fault !== undefined) throw new UnusableTemplate(fault, JSON.stringify(text.slice(0, 30)).slice(1, -1));
  if (notUnderstood[0] !== undefined) throw new UnusableTemplate('filter', notUnderstood[0]);
}

/** Throws an UnusableTemplate with the position if braces do not match. */
export function compileTemplate(text: string): Template {
  const parts = text.split(/\{\{([^{}]*)\}\}/);
  const defaults: string[] = [];
  const notUnderstood: string[] = [];
  const needed = new Set<string>();
  for (const [at, part] of parts.entries()) {
    if (at % 2 === 0 && /\{\{|\}\}/.test(part)) throw new UnusableTemplate('braces', around(part));
    if (at % 2 === 0) continue;
    const [name = '', ...rest] = part.split('|');
    const variable = (parts[at] = canonicalName(name));
    if (variable === '') throw new UnusableTemplate('noName', `{{${part}}}`);
    if (rest.length === 0) needed.add(variable);
    const asWritten = rest.join('|');
    const meant = readDefault(asWritten);
    if (meant === undefined) notUnderstood.push(`{{${part}}}`);
    defaults.push(meant ?? asWritten.trim());
  }
  const variables = [...new Set(parts.filter((_, at) => at % 2 === 1))];
  const optional = new Set(variables.filter((name) => !needed.has(name)));
  return { text, variables, parts, defaults, optional, notUnderstood };
}

/** The text for one recipient. `vars` has canonical names as keys; a missing value renders as its default. */
export function renderText(template: Template, vars: Readonly<Record<string, string>>): string {
  const { parts, defaults } = template;
  let text = parts[0] ?? '';
  for (let at = 1; at < parts.length; at += 2) {
    text += (vars[parts[at] ?? ''] || (defaults[(at - 1) / 2] ?? '')) + (parts[at + 1] ?? '');
  }
  return text;
}

function around(part: string): string {
  const at = part.search(/\{\{|\}\}/);
  return part.slice(Math.max(0, at - 10), at + 20);
}
