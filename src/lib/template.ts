/** How names of columns and variables are compared: without accents, case and spaces. `Prénom ` → `prenom`. */
export function canonicalName(name: string): string {
  return name
    .normalize('NFD')
    .replace(/[\p{M}\s\u200b\ufeff]/gu, '')
    .toLowerCase();
}

/** A text with `{{variables}}` and `{{variables|defaults}}`, read once and rendered for every recipient. */
export interface Template {
  readonly text: string;
  /** Canonical names (see `canonicalName`), each once, in the order of their first use. */
  readonly variables: readonly string[];
  /** Literals and variables in turn: the literal at 0, 2, 4 …, the variable at 1, 3, 5 … */
  readonly parts: readonly string[];
  /** What stands for each variable of `parts` where it has no value, in the same order. */
  readonly defaults: readonly string[];
  /** The variables that have a default wherever they stand: no value of theirs need be there. */
  readonly optional: ReadonlySet<string>;
}

export class UnusableTemplate extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnusableTemplate';
  }
}

/** Throws an UnusableTemplate that shows the place when braces do not match. */
export function compileTemplate(text: string): Template {
  const parts = text.split(/\{\{([^{}]*)\}\}/);
  const defaults: string[] = [];
  const needed = new Set<string>();
  for (const [at, part] of parts.entries()) {
    if (at % 2 === 0 && /\{\{|\}\}/.test(part)) throw new UnusableTemplate(`braces do not match: “${around(part)}”`);
    if (at % 2 === 0) continue;
    const [name = '', ...rest] = part.split('|');
    const variable = (parts[at] = canonicalName(name));
    if (variable === '') throw new UnusableTemplate(`a variable has no name: “{{${part}}}”`);
    if (rest.length === 0) needed.add(variable);
    defaults.push(rest.join('|').trim());
  }
  const variables = [...new Set(parts.filter((_, at) => at % 2 === 1))];
  return { text, variables, parts, defaults, optional: new Set(variables.filter((name) => !needed.has(name))) };
}

/** The text for one recipient. `vars` has canonical names as keys; a value that is not there renders as its default. */
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
