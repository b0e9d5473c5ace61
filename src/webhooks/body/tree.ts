/**
 * What every encoding of a callback becomes: texts under names. Maps and not objects, so that a name chosen by a
 * stranger is a key and nothing else.
 */
import { BODY_LIMITS, type Budget, type UnreadableReason } from './limits.ts';

export type Node = string | Tree;
export type Tree = ReadonlyMap<string, Node>;
export type GrowingTree = Map<string, Node>;

/** A reader's answer. `undefined`, where it is possible, means "this is not my encoding". */
export type Parsed = { readonly tree: Tree } | { readonly reason: UnreadableReason };

/**
 * Names that mean something to JavaScript objects. No callback needs one, so none comes in, with all that hangs
 * below.
 */
const FORBIDDEN: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

export function isForbidden(name: string): boolean {
  return FORBIDDEN.has(name);
}

/**
 * `data[invoice][token]` → `['data', 'invoice', 'token']`. A name that does not follow the pattern is one literal
 * name.
 */
function namesOf(field: string): readonly string[] {
  const open = field.indexOf('[');
  if (open <= 0 || !field.endsWith(']')) return [field];
  return [field.slice(0, open), ...field.slice(open + 1, -1).split('][')];
}

/** Puts one form field where its name says. As in PHP, a later field replaces an earlier one, and `[]` appends. */
export function place(root: GrowingTree, field: string, value: string, budget: Budget): UnreadableReason | undefined {
  budget.parameters -= 1;
  if (budget.parameters < 0) return 'too_many_parameters';
  const names = namesOf(field);
  if (names.length > BODY_LIMITS.depth) return 'too_deep';
  if (names.some(isForbidden)) return undefined;

  let branch = root;
  for (const name of names.slice(0, -1)) branch = branchOf(branch, keyIn(branch, name));
  branch.set(keyIn(branch, names.at(-1) ?? field), value);
  return undefined;
}

function keyIn(branch: Tree, name: string): string {
  return name === '' ? String(branch.size) : name;
}

function branchOf(parent: GrowingTree, name: string): GrowingTree {
  const existing = parent.get(name);
  // Every tree below a growing one was made here, so it may grow too.
  if (existing instanceof Map) return existing as GrowingTree;
  const branch: GrowingTree = new Map();
  parent.set(name, branch);
  return branch;
}
