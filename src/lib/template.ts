/** How names of columns and variables are compared: without accents, case and spaces. `Prénom ` → `prenom`. */
export function canonicalName(name: string): string {
  return name
    .normalize('NFD')
    .replace(/[\p{M}\s\u200b\ufeff]/gu, '')
    .toLowerCase();
}

/** A text with `{{variables}}`, read once and rendered for every recipient. */
export interface Template {
  readonly text: string;
  /** Canonical names (see `canonicalName`), each once, in the order of their first use. */
  readonly variables: readonly string[];
  /** Literals and variables in turn: the literal at 0, 2, 4 …, the variable at 1, 3, 5 … */
  readonly parts: readonly string[];
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
  for (const [at, part] of parts.entries()) {
    if (at % 2 === 0 && /\{\{|\}\}/.test(part)) throw new UnusableTemplate(`braces do not match: “${around(part)}”`);
    if (at % 2 === 1) parts[at] = canonicalName(part);
  }
  const variables = [...new Set(parts.filter((_, at) => at % 2 === 1))];
  if (variables.includes('')) throw new UnusableTemplate('a variable has no name: “{{}}”');
  return { text, variables, parts };
}

/** The text for one recipient. `vars` has canonical names as keys; a value that is not there renders as nothing. */
export function renderText(template: Template, vars: Readonly<Record<string, string>>): string {
  const { parts } = template;
  let text = parts[0] ?? '';
  for (let at = 1; at < parts.length; at += 2) text += (vars[parts[at] ?? ''] ?? '') + (parts[at + 1] ?? '');
  return text;
}

function around(part: string): string {
  const at = part.search(/\{\{|\}\}/);
  return part.slice(Math.max(0, at - 10), at + 20);
}
