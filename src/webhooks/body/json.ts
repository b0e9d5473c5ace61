import { BODY_LIMITS, type Budget } from './limits.ts';
import { type GrowingTree, isForbidden, type Node, type Parsed, type Tree } from './tree.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const opens = (code: number): boolean => code === 0x5b || code === 0x7b;
const closes = (code: number): boolean => code === 0x5d || code === 0x7d;

/**
 * Whether the containers nest deeper than `depth`, found without building anything. JSON.parse itself survives ten
 * thousand levels; whatever walks the result afterwards does not.
 */
export function nestsDeeperThan(text: string, depth: number): boolean {
  let level = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (quoted && code === BACKSLASH) index += 1;
    else if (code === QUOTE) quoted = !quoted;
    else if (!quoted && opens(code)) level += 1;
    else if (!quoted && closes(code)) level -= 1;
    if (level > depth) return true;
  }
  return false;
}

/** A record, a text (JSON inside JSON), or undefined when this is not JSON that could hold a record. */
export function readJson(text: string, budget: Budget): Parsed | { readonly text: string } | undefined {
  if (!/^\s*[{["]/.test(text)) return undefined;
  if (nestsDeeperThan(text, BODY_LIMITS.depth)) return { reason: 'too_deep' };
  const value = parse(text);
  if (typeof value === 'string') return { text: value };
  if (typeof value !== 'object' || value === null) return undefined;
  const tree = treeOf(value, budget);
  return budget.parameters < 0 ? { reason: 'too_many_parameters' } : { tree };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Not JSON is an answer here: the text may be a form.
    return undefined;
  }
}

function treeOf(value: object, budget: Budget): Tree {
  const tree: GrowingTree = new Map();
  for (const [name, member] of Object.entries(value) as Array<[string, unknown]>) {
    budget.parameters -= 1;
    if (budget.parameters < 0) return tree;
    const node = isForbidden(name) ? undefined : nodeOf(member, budget);
    if (node !== undefined) tree.set(name, node);
  }
  return tree;
}

function nodeOf(member: unknown, budget: Budget): Node | undefined {
  if (typeof member === 'string') return member;
  if (typeof member === 'number') return textOf(member);
  return typeof member === 'object' && member !== null ? treeOf(member, budget) : undefined;
}

/** A whole number beyond 2^53 has already lost digits: as an identifier it would name something else. */
function textOf(value: number): string | undefined {
  const exact = Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
  return exact ? String(value) : undefined;
}
